"""The house's layers, read from the syntax trees: a module imports only from those below it."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import fgn_notebooks
import fgnwidgets
from fgnwidgets import BayesGraph, epochs

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "fgnwidgets"
ROOMS = [  # from the ground up: a room imports from itself and from those before it
    {"arguments", "progress", "report"},
    "algebra",  # products and sums of arrays, product spaces, semirings
    "data",  # tables of every library as columns of codes, evidence
    "graphs",  # branches, nodes, normal graphs and their matrices
    "loops",  # elimination, junction trees, families on cliques
    "bayes",  # Bayesian graphs, their normal form, unrolled time
    "inference",  # evidence on a graph, messages, questions
    "learning",  # rules, EM, runs
    "analysis",  # what a report needs
    {"interop", "sklearn"},  # other people's models and interfaces
    "draw",  # matplotlib, networkx
    "display",  # pictures in notebooks
    "widgets",  # what one clicks on
    "converted",  # notebooks that nbconvert turns into pages
]
WIDGET_ROOMS = ["page", "graph", "editor", "lab", "learning"]  # likewise, inside widgets
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if (p.parent / "__init__.py").exists())


def name_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Module(NamedTuple):
    """What the tests ask of a module; its syntax tree is read once and not kept."""

    imports: tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]
    """Statements, and whether each stands in a function."""
    says: str | None
    """Its docstring."""
    types: tuple[tuple[str, str | None], ...]
    """Names of classes, and of aliases with what they stand for."""


@cache
def read(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported, types = [], []
    nodes = [(tree, False)]
    while nodes:
        node, late = nodes.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.append((node, late))
        late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        nodes += [(n, late) for n in ast.iter_child_nodes(node) if isinstance(n, HOLDERS)]
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            types.append((node.name, None))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper():
                types.append((name, ast.unparse(node.value)))
    return Module(tuple(imported), ast.get_docstring(tree), tuple(types))


HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""What an import can stand in: it is no part of an expression."""


@cache
def imports(path, *, lazy=True, source=SOURCE):
    """What a module imports, in full: ``a.b.c`` for ``from .b import c`` too, module by module.

    What type checkers alone read is imported, too: a reader follows it like any other.
    """
    found = []
    package = path.relative_to(source).parent.parts
    for node, late in read(path).imports:
        if late and not lazy:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        else:
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *filter(None, [node.module])])
            submodules = [f"{module}.{alias.name}" for alias in node.names]
            found += [name if name in NAMES else module for name in submodules]
    return tuple(found)


NAMES = {name_of(path) for path in MODULES}


FLOOR = {
    name: k for k, room in enumerate(ROOMS) for name in ({room} if isinstance(room, str) else room)
}


def floor(name):
    """How high a module's room is; None of another package, and of the front door itself."""
    parts = name.split(".")
    return FLOOR[parts[1]] if parts[0] == "fgnwidgets" and len(parts) > 1 else None


def test_a_room_imports_only_from_those_below_it():
    for path in MODULES:
        here = floor(name_of(path))
        if here is None:  # the package itself, which is above all
            continue
        for name in imports(path):
            assert name != "fgnwidgets", f"{path}: the front door stands above every room"
            there = floor(name)
            assert there is None or there <= here, (path, name)


def widget_floor(name):
    """How high a module's room is among those of the widgets; None of any other module."""
    parts = name.split(".")
    inside = parts[:2] == ["fgnwidgets", "widgets"] and len(parts) > 3
    return WIDGET_ROOMS.index(parts[2]) if inside else None


WIDGETS = [path for path in MODULES if widget_floor(name_of(path)) is not None]


def test_a_widget_s_room_imports_only_from_those_below_it():
    for path in WIDGETS:
        here = widget_floor(name_of(path))
        for name in imports(path):
            there = widget_floor(name)
            assert there is None or there <= here, (path, name)


def test_no_module_imports_itself_by_a_detour():
    """Whether at once, late, or for type checkers alone; a package is what its modules are."""
    graph = {
        name_of(path): {name for name in imports(path) if name in NAMES and name != name_of(path)}
        for path in MODULES
    }
    sorter = TopologicalSorter(graph)
    try:
        sorter.prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_checks_of_imports_find_what_type_checkers_alone_and_functions_import(tmp_path):
    module = tmp_path / "src" / "fgnwidgets" / "graphs" / "odd.py"
    module.parent.mkdir(parents=True)
    module.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from ..learning.run import Run\n"
        "def late():\n    from ..widgets import GraphView\n"
    )
    found = set(imports(module, source=tmp_path / "src"))
    assert {"fgnwidgets.learning.run", "fgnwidgets.widgets"} <= found
    assert all(floor(name) > floor("fgnwidgets.graphs.odd") for name in found if floor(name))


def test_all_up_to_learning_stands_on_numpy_and_imports_other_libraries_late():
    for path in MODULES:
        here = floor(name_of(path))
        if here is None or here > ROOMS.index("learning"):
            continue
        for name in imports(path, lazy=False):
            top = name.partition(".")[0]
            assert top in ("fgnwidgets", "numpy", *sys.stdlib_module_names), (path, name)


def test_an_epoch_runs_through_learning_inference_graphs_and_algebra_alone():
    graph = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
    table = {"X": [0, 1, 1, -1], "Y": [0, 2, -1, 1]}
    states = epochs(graph, table, ("ml", "kl", "vit", "var"), n_it=2, n_epochs=3)
    next(states), next(states)  # schedules, starts and weights are worked out once
    called = set()

    def listen(frame, event, arg):
        path = Path(frame.f_code.co_filename)
        if event == "call" and PACKAGE in path.parents:
            called.add(name_of(path).split(".")[1])

    before = sys.getprofile()
    sys.setprofile(listen)
    try:
        next(states)
    finally:
        sys.setprofile(before)
    assert called == {"learning", "inference", "graphs", "algebra"}


def test_the_library_knows_nothing_of_the_course():
    course = "fgn_notebooks"
    assert not [p for p in MODULES if any(name.startswith(course) for name in imports(p))]


def test_no_module_is_called_utils():
    assert not [p for p in MODULES if p.stem in ("utils", "util", "helpers", "misc", "common")]


def test_every_module_says_what_it_is():
    silent = [path for path in MODULES if not read(path).says]
    assert not [path for path in silent if path.read_text(encoding="utf-8").strip()]


def test_nothing_draws_by_a_global_state():
    pyplot = "matplotlib.pyplot"
    assert not [p for p in MODULES if any(name.startswith(pyplot) for name in imports(p))]


def test_importing_the_package_imports_numpy_and_no_drawing():
    heavy = "matplotlib networkx ipywidgets anywidget tqdm traitlets IPython scipy narwhals pandas"
    code = f"import sys, fgnwidgets; print(*(m for m in {heavy.split()} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_importing_the_package_imports_what_a_graph_needs_and_no_learning():
    code = (
        "import sys, fgnwidgets\n"
        "fgnwidgets.BayesGraph({'S': 2, 'X': 2}, {'X': 'S'})\n"
        "rooms = {m.split('.')[1] for m in sys.modules if m.startswith('fgnwidgets.')}\n"
        "late = {'loops', 'inference', 'analysis', 'interop', 'draw', 'widgets'}\n"
        "print(*rooms & late, *(m for m in sys.modules if 'learning.' in m))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["fgnwidgets.learning.above"]


def test_a_run_s_report_is_there_whichever_module_was_imported_first():
    code = (
        "from fgnwidgets.learning.fit import fit\n"
        "from fgnwidgets.bayes.graph import BayesGraph\n"
        "run = fit(BayesGraph({'S': 2, 'X': 2}, {'X': 'S'}), {'X': [0, 1]}, n_epochs=1)\n"
        "print(run.summary().n, len(run.warnings) > 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2.0", "True"]


def test_no_two_types_have_one_name():
    """Classes and aliases of types, by their capital letter; the same alias may be said twice."""
    found = {}
    for path in MODULES:
        for name, stands_for in read(path).types:
            found.setdefault(name, set()).add(stands_for or name_of(path))
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


def test_the_course_uses_public_names_alone():
    submodules = {name for name in NAMES if name.startswith("fgnwidgets.")}
    for path in sorted((SOURCE.parent / "fgn_notebooks").rglob("*.py")):
        for node, _ in read(path).imports:
            top = (getattr(node, "module", None) or "").partition(".")[0]
            if not isinstance(node, ast.ImportFrom) or top != "fgnwidgets":
                continue
            module = import_module(node.module)
            assert hasattr(module, "__all__"), f"{path}: {node.module} is no public package"
            public = {*module.__all__, *getattr(module, "_LATE", {}), "__version__"}
            for alias in node.names:
                known = alias.name in public or f"{node.module}.{alias.name}" in submodules
                assert known, f"{path}: {node.module} does not offer {alias.name}"


COURSE = Path(fgn_notebooks.__file__).parent
READERS = ["students", "teachers", "authors"]  # what chapters need lies beside these rooms
COURSE_MODULES = sorted(
    p for p in COURSE.rglob("*.py") if (p.parent / "__init__.py").exists() and p.name != "cli.py"
)


def reader(name):
    """Whose room of the course a module is in; -1 of what the chapters themselves need."""
    parts = name.split(".")
    mine = parts[0] == "fgn_notebooks" and len(parts) > 1 and parts[1] in READERS
    return READERS.index(parts[1]) if mine else -1


def test_what_a_chapter_needs_knows_no_student_and_no_student_knows_the_teacher():
    for path in COURSE_MODULES:
        here = reader(".".join(path.relative_to(COURSE.parent).with_suffix("").parts))
        for node, _ in read(path).imports:
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    assert reader(f"{node.module}.{alias.name}") <= here, (path, alias.name)
