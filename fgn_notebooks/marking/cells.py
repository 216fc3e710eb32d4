"""Choose the cells of a copy that must run before its answers can be judged.

Every cell that a student wrote or changed is run. The course's own cells are run only if they make
a name that is used later, so that its figures, labs and long experiments are left out. This is a
liveness analysis: cells are read backwards, and ``statements`` finds their names.

Vocabulary
    makes     names to which a cell or statement surely gives a new value
    changes   names that it may set, or whose value it may change in place
    needs     names that it reads
    own       cells that a student wrote or changed
    live      names that some later cell needs
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .statements import Scope, names_changed, names_made, names_needed, names_read


@dataclass(frozen=True)
class Cell:
    """A code cell or one of its statements: its text, and what that does to names."""

    text: str
    makes: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    checks: tuple[tuple[str, str], ...] = ()
    """The exercises that the cell checks, each with the expression of its answer."""

    students: tuple[str, ...] = ()
    """The names of the students for whom these checks draw numbers."""

    broken: bool = False


def read(text: str) -> Cell:
    """A cell from its text; it is ``broken`` if that is no Python, or is nested too deep to read.

    Some syntax errors, such as two parameters with one name, are found only by ``symtable``.
    """
    try:
        return _read(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Cell(text, broken=True)


def _read(text: str) -> Cell:
    tree = ast.parse(_python(text))
    makes: set[str] = set()
    needs = names_needed(tree.body, makes)
    checks, students = [], []
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _is_check(call):
            checks.append((str(ast.literal_eval(call.args[0])), ast.unparse(call.args[1])))
            students += [
                str(word.value.value)
                for word in call.keywords
                if word.arg == "student" and isinstance(word.value, ast.Constant)
            ]
    changes = frozenset(names_changed(tree))
    return Cell(text, frozenset(makes), changes, frozenset(needs), tuple(checks), tuple(students))


def needed(
    cells: Sequence[Cell], own: Collection[int], asked: Iterable[tuple[int, str]]
) -> dict[int, str]:
    """The code to run, by the index of its cell.

    ``own``     indices of the student's cells, which are run as they are; of other cells only those
                statements are run that make or change a live name
    ``asked``   expressions to judge, each with the index of the cell after which it is judged
    """
    behind = _behind(cells)
    expressions: dict[int, set[str]] = {}
    for place, expression in asked:
        expressions.setdefault(place, set()).update(read(expression).needs)
    chosen: dict[int, str] = {}
    live: set[str] = set()
    for place in range(len(cells) - 1, -1, -1):
        live |= _with_all_behind(expressions.get(place, ()), behind)
        cell = cells[place]
        if cell.checks:
            continue  # ``Kernel.judge`` does it instead
        if place in own or cell.broken:
            chosen[place] = cell.text
            live = (live - cell.makes) | _with_all_behind(cell.needs, behind)
            continue
        kept = []
        for statement in reversed(_statements(cell.text)):
            if live & (statement.makes | statement.changes):
                kept.append(statement.text)
                live = (live - statement.makes) | _with_all_behind(statement.needs, behind)
        if kept:
            chosen[place] = "\n".join(reversed(kept))
    return chosen


def _behind(cells: Iterable[Cell]) -> dict[str, set[str]]:
    """For each function or class of a notebook the global names that its code reads."""
    found: dict[str, set[str]] = {}
    for cell in cells:
        for statement in [] if cell.broken else ast.parse(_python(cell.text)).body:
            if any(isinstance(node, Scope) for node in ast.walk(statement)):
                for name in names_made(statement):
                    found.setdefault(name, set()).update(names_read(statement))
    return found


def _with_all_behind(names: Iterable[str], behind: Mapping[str, set[str]]) -> set[str]:
    """The names, and those that functions among them read, and so on."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += behind.get(name, ())
    return found


def _statements(text: str) -> list[Cell]:
    """Each statement of a cell, read by itself."""
    return [read(ast.unparse(statement)) for statement in ast.parse(_python(text)).body]


def _python(text: str) -> str:
    """The text of a cell as Python, also where it has magics or calls for help."""
    if not re.search(r"^\s*[%!?]|\?\s*$", text, re.MULTILINE):
        return text
    from IPython.core.inputtransformer2 import TransformerManager

    return str(TransformerManager().transform_cell(text))  # type: ignore[no-untyped-call]


def _is_check(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id == "check"
    return named and len(call.args) > 1 and isinstance(call.args[0], ast.Constant)
