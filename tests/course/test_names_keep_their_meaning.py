"""A name of a chapter means one thing from its first cell to its last.

A reader goes back up and runs a cell again, or begins in the middle. Both are safe if no other
cell has bound a name of that cell to something else. This is read from the code of the cells, and
nothing is run; what a cell changes inside of a value, such as an item of a dict, is not looked at.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from fgn_notebooks import chapters

OF_ITS_CELL = {
    "rows": "the rows of the table that the cell shows",
    "heads": "the heads of the columns of that table",
    "row": "one of those rows",
    "rng": "a generator that the cell makes from a seed of its own",
    "fig": "the figure that the cell draws",
    "axes": "the axes of that figure",
    "ax": "one of those axes",
    "_": "what nobody reads",
}
"""Names that many cells may bind, each for itself: no cell reads one that it has not bound."""

OF_AN_EXERCISE = {"answer": "what the exercise asks for, which the check below it takes"}
"""Names that every exercise binds anew, and that a cell of the same exercise reads."""


@dataclass
class Names:
    """What one cell binds, in words, and what it needs of other cells."""

    assigned: dict[str, str] = field(default_factory=dict)  # the first binding of a name
    looped: set[str] = field(default_factory=set)  # names that only loops bind
    needed: set[str] = field(default_factory=set)  # names read before they are bound

    def run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                # its names are looked up when it is called, which can be in any cell
                self.needed |= loads(node) - {node.name}
                self._bind(node.name, ast.unparse(node))
            case ast.For():
                self._read(node.iter)
                self._loop(node.target)
                self.run(node.body + node.orelse)
            case ast.With():
                for item in node.items:
                    self._read(item.context_expr)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, ast.unparse(item))
                self.run(node.body)
            case ast.If() | ast.While():
                self._read(node.test)
                self.run(node.body + node.orelse)
            case ast.Try():
                self.run([*node.body, *node.orelse, *node.finalbody])
                for handler in node.handlers:
                    self.run(handler.body)
            case ast.AugAssign():
                self._read(node)
                if isinstance(node.target, ast.Name):
                    self._read(ast.Name(node.target.id, ast.Load()))
                    self._bind(node.target.id, ast.unparse(node))
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    self._bind((alias.asname or alias.name).split(".")[0], ast.unparse(alias))
            case _:
                self._read(node)
                for target in targets(node):
                    self._assign(target, ast.unparse(node))

    def _read(self, node: ast.AST) -> None:
        self.needed |= loads(node) - self.assigned.keys() - self.looped
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                self._assign(inner.target, ast.unparse(inner))

    def _assign(self, target: ast.AST, words: str) -> None:
        for name in stored(target):
            self._bind(name, words)

    def _bind(self, name: str, words: str) -> None:
        self.assigned.setdefault(name, words)

    def _loop(self, target: ast.AST) -> None:
        self.looped |= stored(target)


def targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def stored(node: ast.AST) -> set[str]:
    """Names that a target binds."""
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }


def loads(node: ast.AST) -> set[str]:
    """Names of the chapter that some code reads: not those that it binds within itself."""
    match node:
        case ast.Name():
            return {node.id} if isinstance(node.ctx, ast.Load) else set()
        case ast.FunctionDef() | ast.Lambda():
            a = node.args
            own = {one.arg for one in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
            own |= {one.arg for one in (a.vararg, a.kwarg) if one is not None}
            body = node.body if isinstance(node.body, list) else [node.body]
            for inner in body:
                own |= stored(inner)
            inside = set().union(*(loads(inner) for inner in body)) - own
            return inside.union(*(loads(one) for one in (*a.defaults, *a.kw_defaults) if one))
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            own = set().union(*(stored(each.target) for each in node.generators))
            inside = set().union(*(loads(child) for child in ast.iter_child_nodes(node)))
            # the first iterable is read outside of the comprehension
            return (inside - own) | loads(node.generators[0].iter)
    return set().union(*(loads(child) for child in ast.iter_child_nodes(node)))


def of_cells(cells: list[str]) -> Iterator[Names]:
    for cell in cells:
        names = Names()
        names.run(ast.parse(cell).body)
        yield names


def several(cells: list[str]) -> dict[str, list[str]]:
    """Names that mean more than one thing in a chapter of these cells, with what they mean.

    The same expression again means the same. A name that some cell reads and has not bound is
    carried from cell to cell: no other cell may bind it to something else, not even as the
    variable of a loop. A name that is not carried is read only where it is bound: many loops may
    use it, but it may be assigned in one cell alone, unless it is in ``OF_ITS_CELL``.
    """
    needed: set[str] = set()
    meanings: dict[str, list[str]] = {}
    for place, names in enumerate(of_cells(cells)):
        needed |= names.needed
        for name in names.looped - names.assigned.keys():
            meanings.setdefault(name, []).append(f"a loop of cell {place}")
        for name, words in names.assigned.items():
            if words not in meanings.setdefault(name, []):
                meanings[name].append(words)
    harmless = set(OF_AN_EXERCISE) | (set(OF_ITS_CELL) - needed)
    harmless |= {name for name in meanings.keys() - needed if all(map(of_a_loop, meanings[name]))}
    return {n: words for n, words in meanings.items() if len(words) > 1 and n not in harmless}


def of_a_loop(words: str) -> bool:
    return words.startswith("a loop of cell")


def code_of(chapter: chapters.Chapter) -> list[str]:
    cells = chapters.read(chapter.path)["cells"]
    return [chapters.source(cell) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda chapter: chapter.path.stem)
def test_a_name_keeps_its_meaning_in_a_chapter(chapter):
    assert several(code_of(chapter)) == {}


MISLEADING = {
    "bound anew and read later": (["run = fit(a)", "run = fit(b)", "print(run)"], {"run"}),
    "bound anew and read at once": (["run = fit(a)\nprint(run)", "run = fit(b)\nrun"], {"run"}),
    "a part of a tuple": (["f, b = 1, 2", "f, c = 3, 4", "b + c"], {"f"}),
    "taken by a loop": (["theta = 1", "for theta in (2, 3):\n    print(theta)"], {"theta"}),
    "left over from a loop": (["for k in (1, 2):\n    k", "for k in (3,):\n    k", "k"], {"k"}),
    "changed in another cell": (["rows = {}", "rows |= {1: 2}\nprint(rows)"], {"rows"}),
    "read by a function": (["def f():\n    return rng", "rng = 1", "rng = 2"], {"rng"}),
    "a function and a value": (["def f():\n    return 1", "f = 2"], {"f"}),
    "a loop and a value": (["for k in (1, 2):\n    k", "k = 3\nk"], {"k"}),
    "an import and a value": (["from a import data", "data = 2"], {"data"}),
}


@pytest.mark.parametrize("case", MISLEADING)
def test_a_name_with_two_meanings_is_found(case):
    cells, names = MISLEADING[case]
    assert set(several(cells)) == names


HARMLESS = {
    "the same again": ["run = fit(a)", "run = fit(a)", "print(run)"],
    "built up in its cell": ["found = []\nfound += [1]\nfound = sorted(found)", "print(found)"],
    "rows of two tables": ["rows = {1: 2}\nprint(rows)", "rows = {3: 4}\nprint(rows)"],
    "a counter of two loops": ["for k in (1, 2):\n    print(k)", "for k in (3,):\n    print(k)"],
    "the answers of two exercises": ["answer = 1", "check(1, answer)", "answer = 2"],
    "within a comprehension": ["run = fit(a)", "[run for run in runs]", "print(run)"],
    "within a function": ["run = fit(a)", "def f(run):\n    k = run\n    return k", "k = run"],
}


@pytest.mark.parametrize("case", HARMLESS)
def test_a_name_with_one_meaning_is_not(case):
    assert several(HARMLESS[case]) == {}
