"""The house's layers, read from the syntax trees: a module imports only from those below it."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fgnwidgets
from fgnwidgets import BayesGraph, epochs

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "fgnwidgets"
ENGINE = [  # from the ground up; a module imports only from those before it
    "arrays",
    "branches",
    "nodes",
    "graph",
    "messages",
    "propagate",
    "rules",
    "learning",
]
BORDER = [
    "normal",
    "regions",
    "clusters",
    "merging",
    "bayes",
    "folding",
    "evidence",
    "theta",
    "files",
    "configure",
    "block",
    "chains",
    "starts",
    "queries",
    "schedules",
    "decoding",
    "options",
    "posing",
    "run",
    "record",
    "advice",
    "fit",
]
TABLES = ["columns", "names", "frames", "reading", "text"]
ORDERS = {"engine": ENGINE, "tables": TABLES, "border": BORDER}
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
    typing = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in typing:  # read by type checkers alone
            continue
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
def test_tables_engine_and_border_are_in_layers_and_stand_on_numpy_alone(path):
    house = path.parent.name
    if house not in ORDERS or path.name == "__init__.py":
        return
    order = ORDERS[house]
    below = {f"fgnwidgets.{house}.{name}" for name in order[: order.index(path.stem)]}
    below.add("fgnwidgets.readers")
    if house == "border":
        lower = (f"fgnwidgets.{h}.{name}" for h in ("engine", "tables") for name in ORDERS[h])
        below |= {"fgnwidgets.tables", *lower}
    for name in imports(path, lazy=False):
        top = name.partition(".")[0]
        assert name in below or top == "numpy" or top in sys.stdlib_module_names, name


@pytest.mark.parametrize("house", ORDERS)
def test_every_module_has_its_place(house):
    assert sorted(p.stem for p in (PACKAGE / house).glob("[!_]*.py")) == sorted(ORDERS[house])


@pytest.mark.parametrize("house", ["engine", "border"])
def test_the_reading_order_is_said_once_and_the_same_in_the_package_and_for_contributors(house):
    order = ORDERS[house]
    said = ast.get_docstring(ast.parse((PACKAGE / house / "__init__.py").read_text()))
    assert re.findall(r"``(\w+)``", said) == order
    text = (SOURCE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    start = text.index(f"`{order[0]}`")
    assert re.findall(r"`(\w+)`", text[start:])[: len(order)] == order


def floors(*houses):
    """The floor of every module: one above the highest of those that it imports."""
    found = {}
    for house in houses:
        for name in ORDERS[house]:
            below = imports(PACKAGE / house / f"{name}.py")
            found[f"fgnwidgets.{house}.{name}"] = 1 + max(
                (found.get(n, 0) for n in below), default=0
            )
    return found


def test_the_engine_can_be_read_in_an_evening():
    """At most so many lines, on five floors; with the border around it there are seven."""
    assert max(floors("engine").values()) == 5
    assert max(floors("engine", "border").values()) == 7
    lines = sum(p.read_text().count("\n") for p in (PACKAGE / "engine").glob("*.py"))
    assert lines <= 2_400


def test_an_epoch_is_read_in_four_files_and_calls_nothing_else_but_arithmetic():
    graph = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
    table = {"X": [0, 1, 1, -1], "Y": [0, 2, -1, 1]}
    states = epochs(graph, table, ("ml", "kl", "vit", "var"), n_it=2, n_epochs=3)
    next(states), next(states)  # schedules, starts and weights are worked out once
    called = set()

    def listen(frame, event, arg):
        path = Path(frame.f_code.co_filename)
        if event == "call" and PACKAGE in path.parents:
            called.add(path.relative_to(PACKAGE).as_posix())

    before = sys.getprofile()
    sys.setprofile(listen)
    try:
        next(states)
    finally:
        sys.setprofile(before)
    epoch = {f"engine/{name}.py" for name in ("learning", "propagate", "nodes", "rules")}
    assert called == epoch | {"engine/arrays.py"}


def test_tables_and_engine_import_a_progress_bar_and_data_frames_late_and_a_runs_summary():
    late = {
        name
        for house in ORDERS
        for path in (PACKAGE / house).glob("*.py")
        for name in set(imports(path)) - set(imports(path, lazy=False))
    }
    assert late == {
        *("tqdm.auto", "narwhals", "fgnwidgets.analysis.summary"),
        *("json", "csv"),  # half of what the package itself costs to import
        *("difflib", "inspect"),  # for one message
    }


HOUSES = {"tables": 0, "engine": 0, "border": 1, "analysis": 2, "draw": 3, "widgets": 4}
UPWARDS = {("fgnwidgets.border.run", "fgnwidgets.analysis.summary")}  # run.summary()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_package_stands_only_on_those_below_it(path):
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
    graph = {
        name: {n for n in imports(p) if n in NAMES and (name, n) not in UPWARDS}
        for name, p in ((name_of(p), p) for p in MODULES)
    }
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


LONG = {
    "bayes",
    "graph",
    "graph_view",
    "lab",
    "learning",
    "merging",
    "nodes",
    "posing",
    "propagate",
}
"""Modules that are one idea and longer than 300 lines all the same."""


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is_and_none_is_long(path):
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= (460 if path.stem in LONG else 300)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_draws_by_a_global_state(path):
    assert not [name for name in imports(path) if name.startswith("matplotlib.pyplot")]


def test_importing_the_package_imports_numpy_and_no_drawing():
    heavy = "matplotlib networkx ipywidgets anywidget tqdm traitlets IPython scipy narwhals pandas"
    code = f"import sys, fgnwidgets; print(*(m for m in {heavy.split()} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_two_types_have_one_name():
    """Classes and aliases of types, by their capital letter; the same alias may be said twice."""
    found = {}
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).add(name_of(path))
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if name[0].isupper() and not name.isupper():
                    found.setdefault(name, set()).add(ast.unparse(node.value))
    assert {name: said for name, said in found.items() if len(said) > 1} == {}


NUMBERED = {
    "ml": {9, 13, 33, 37, 24},
    "kl": {15, 17},
    "var": {25, 27},
    "Evidence": {3},
    "block_loglik": {8},
    "loglik": {4, 28},
    "aggregated": {28},
    "product_to_variable": {30},
    "variable_to_product": {31},
    "Expand": {31},
    "Project": {30},
}
"""By public name, the equations of the paper that it computes: 1 to 37, counted by hand."""


@pytest.mark.parametrize("name", NUMBERED)
def test_what_computes_an_equation_names_its_number(name):
    said = " ".join(getattr(fgnwidgets, name).__doc__.split())
    groups = re.findall(r"equations? (\d+(?:(?: to | and |, )\d+)*)", said)
    assert {int(n) for group in groups for n in re.findall(r"\d+", group)} == NUMBERED[name]
