"""The house's layers, read from the syntax trees: a module imports only from those below it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "fgnwidgets"
ENGINE = [  # from the ground up; a module imports only from those before it
    "arrays",
    "matching",
    "steps",
    "rules",
    "product",
    "nodes",
    "junctions",
    "walks",
    "graph",
    "messages",
    "columns",
    "names",
    "frames",
    "tables",
    "bayes",
    "evidence",
    "matrices",
    "schedule",
    "program",
    "setting",
    "propagate",
    "likelihood",
    "decoding",
    "em",
    "learning",
    "fit",
    "files",
]
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path, *, lazy=True):
    """What a module imports, in full: ``a.b.c`` for ``from .b import c`` too, module by module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    package = path.relative_to(SOURCE).parent.parts
    for node in ast.walk(tree):
        if not lazy and id(node) in inside:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *filter(None, [node.module])])
            submodules = [f"{module}.{alias.name}" for alias in node.names]
            yield from (name if name in NAMES else module for name in submodules)


NAMES = {name_of(path) for path in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_engine_is_in_layers_and_stands_on_numpy_alone(path):
    if path.parent.name != "engine" or path.name == "__init__.py":
        return
    below = {f"fgnwidgets.engine.{name}" for name in ENGINE[: ENGINE.index(path.stem)]}
    for name in imports(path, lazy=False):
        top = name.partition(".")[0]
        assert name in below or top == "numpy" or top in sys.stdlib_module_names, name


def test_every_module_of_the_engine_has_its_place():
    assert sorted(p.stem for p in (PACKAGE / "engine").glob("[!_]*.py")) == sorted(ENGINE)


def test_the_engine_imports_a_progress_bar_and_data_frames_late_and_a_runs_summary():
    late = {
        name
        for path in (PACKAGE / "engine").glob("*.py")
        for name in set(imports(path)) - set(imports(path, lazy=False))
    }
    assert late == {"tqdm.auto", "narwhals", "fgnwidgets.analysis.summary"}


HOUSES = {"engine": 0, "analysis": 1, "draw": 2, "widgets": 3}
UPWARDS = {("fgnwidgets.engine.run", "fgnwidgets.analysis.summary")}  # run.summary()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_analysis_stands_on_the_engine_and_drawing_on_both(path):
    here = name_of(path).split(".")[1:2]
    if not here or here[0] not in HOUSES:
        return
    for name in imports(path):
        there = name.split(".")[1:2]
        if (name_of(path), name) in UPWARDS:
            continue
        if name.startswith("fgnwidgets.") and there[0] in HOUSES:
            assert HOUSES[there[0]] <= HOUSES[here[0]], name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_library_knows_nothing_of_the_course(path):
    assert not [name for name in imports(path) if name.startswith("fgn_notebooks")]


def test_no_module_imports_itself_by_a_detour():
    graph = {name_of(p): {n for n in imports(p) if n in NAMES} for p in MODULES}
    done = set()

    def visit(name, way):
        assert name not in way, " -> ".join([*way, name])
        if name not in done:
            for other in sorted(graph[name]):
                visit(other, [*way, name])
            done.add(name)

    for name in graph:
        visit(name, [])


def test_no_module_is_called_utils():
    assert not [p for p in MODULES if p.stem in ("utils", "util", "helpers", "misc", "common")]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is_and_none_is_long(path):
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= 300


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_draws_by_a_global_state(path):
    assert not [name for name in imports(path) if name.startswith("matplotlib.pyplot")]


def test_importing_the_package_imports_numpy_and_no_drawing():
    heavy = "matplotlib networkx ipywidgets anywidget tqdm traitlets IPython scipy narwhals pandas"
    code = f"import sys, fgnwidgets; print(*(m for m in {heavy.split()} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
