"""What the package imports is declared, and what no extra brought is asked for late."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = {"pillow": "PIL", "scikit_learn": "sklearn"}
"""By the name that installs them, packages that are imported by another."""

BROUGHT = {"IPython": "ipywidgets", "docutils": "sphinx", "piplite": "jupyterlite_pyodide_kernel"}
"""What is imported only where a declared package that brings it is running."""

OWN = {"sklearn", "converted"}
"""Modules that belong to an extra: nobody imports them without it."""

BROWSER = {"pyodide", "js", "pyodide_js"}
PAGES = [ROOT / "src" / "fgnwidgets", ROOT / "fgn_notebooks"]


def module(requirement):
    name = re.match(r"[\w.-]+", requirement)[0].lower().replace("-", "_")
    return NAMES.get(name, name)


DECLARED = {module(requirement) for requirement in PROJECT["dependencies"]}
EXTRAS = {
    module(requirement)
    for extra in ("lab", "site", "bif", "sklearn", "graders")
    for requirement in PROJECT["optional-dependencies"][extra]
}


def imported(path):
    """The packages that a file imports, and whether as soon as it is imported itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    late = {
        id(node)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(outer)
    }
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        for name in names:
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in ("fgnwidgets", "fgn_notebooks"):
                yield top, id(node) in late


@pytest.mark.parametrize("folder", PAGES, ids=lambda folder: folder.name)
def test_what_is_imported_is_declared_and_at_once_only_what_every_installation_has(folder):
    for path in folder.rglob("*.py"):
        site = "site" in path.relative_to(folder).parts  # its extra brings Sphinx
        for name, late in imported(path):
            if name in BROWSER:
                continue
            source = BROUGHT.get(name, name)
            allowed = DECLARED | EXTRAS if late or site or path.stem in OWN else DECLARED
            assert source in allowed, f"{path.relative_to(ROOT)} imports {name}"


def brought(requirements):
    """What these requirements install, with what they require themselves."""
    found, waiting = set(), list(requirements)
    while waiting:
        requirement = waiting.pop()
        name = module(requirement)
        if name not in found and "extra ==" not in requirement:
            found.add(name)
            with suppress(importlib.metadata.PackageNotFoundError):
                waiting += importlib.metadata.requires(re.match(r"[\w.-]+", requirement)[0]) or []
    return found


WITHOUT = """
import sys, importlib, pkgutil

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
import fgnwidgets, fgnwidgets.widgets, fgnwidgets.draw, fgnwidgets.data, fgnwidgets.interop
for name in fgnwidgets.__all__:
    getattr(fgnwidgets, name)
for package in ("fgnwidgets", "fgn_notebooks"):
    root = importlib.import_module(package)
    for found in pkgutil.walk_packages(root.__path__, package + "."):
        if ".site" in found.name or found.name.rpartition(".")[2] in {own!r}:
            continue
        importlib.import_module(found.name)
graph = fgnwidgets.BayesGraph({{"S": 2, "X": 2}}, {{"X": "S"}})
run = fgnwidgets.fit(graph, {{"X": [0, 1, 1]}}, n_epochs=3, progress=False)
fgnwidgets.widgets.GraphView(graph, run.best_theta)
"""


def test_an_installation_without_extras_imports_all_but_what_is_the_extras_own():
    blocked = sorted(EXTRAS - brought(PROJECT["dependencies"]))
    code = WITHOUT.format(blocked=blocked, own={*OWN, "__main__"})
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True
    )
    assert not done.returncode, done.stderr[-2000:]
