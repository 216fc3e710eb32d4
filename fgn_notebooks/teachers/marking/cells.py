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
    part      a piece of a cell between its checks: answers are judged before the part runs
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .statements import (
    Compound,
    Scope,
    functions_defined,
    names_changed,
    names_given,
    names_made,
    names_needed,
    names_read,
    outside_functions,
)


@dataclass(frozen=True)
class Check:
    """A call ``check(name, answer, student=...)``: its answer's expression, and the student.

    ``student`` is None if the call names none, and ``""`` if it names somebody by no constant.
    """

    name: str
    expression: str
    student: str | None = None


@dataclass(frozen=True)
class Cell:
    """A code cell, a part of it, or a statement: its text, and what that does to names."""

    text: str
    makes: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    checks: tuple[Check, ...] = ()
    """Of a part: those that are judged before it."""

    gives: frozenset[tuple[str, str]] = frozenset()
    """Functions that are called for what they do, with names that they get."""

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
    checks = tuple(check for statement in tree.body for check in _checks(statement))
    changes = frozenset(names_changed(tree))
    gives = frozenset(names_given(tree))
    return Cell(text, frozenset(makes), changes, frozenset(needs), checks, gives)


def parts(cell: Cell) -> list[Cell]:
    """A cell as its parts, so that each of its answers can be judged where its check stands.

    A statement that does nothing but check is left out: a check of its own that fails, or never
    ends, would say of the answer what the judge says anyway. A check within a compound statement is
    judged after that.
    """
    if cell.broken or not cell.checks:
        return [cell]
    found: list[tuple[list[Check], list[str]]] = [([], [])]
    for statement in ast.parse(_python(cell.text)).body:
        checks = list(_checks(statement))
        if not checks:
            found[-1][1].append(ast.unparse(statement))
        elif isinstance(statement, Compound):
            found[-1][1].append(ast.unparse(statement))
            found.append((checks, []))
        else:
            kept = [] if isinstance(statement, ast.Expr | ast.Assert) else [ast.unparse(statement)]
            found.append((checks, kept))
    made = []
    for judged, texts in found:
        part = read("\n".join(texts))
        if texts or judged:
            made.append(replace(part, checks=tuple(judged)))
    return made


def needed(
    cells: Sequence[Cell], own: Collection[int], asked: Iterable[tuple[int, str]]
) -> dict[int, str]:
    """The code to run, by the index of its cell.

    ``own``     indices of the student's cells, which are run as they are; of other cells only those
                statements are run that make or change a live name
    ``asked``   expressions to judge, each with the index of the cell after which it is judged
    """
    behind, defined = _behind(cells), _defined(cells)
    expressions: dict[int, set[str]] = {}
    for place, expression in asked:
        expressions.setdefault(place, set()).update(read(expression).needs)
    chosen: dict[int, str] = {}
    live: set[str] = set()
    for place in range(len(cells) - 1, -1, -1):
        live |= _with_all_behind(expressions.get(place, ()), behind)
        cell = cells[place]
        if not cell.text.strip():
            continue
        if place in own or cell.broken:
            chosen[place] = cell.text
            live = (live - cell.makes) | _with_all_behind(cell.needs, behind)
            continue
        kept = []
        for statement in reversed(_statements(cell.text)):
            # a function of the notebook that is called for what it does changes what it gets
            done = {name for function, name in statement.gives if function in defined}
            if live & (statement.makes | statement.changes | done):
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


def _defined(cells: Iterable[Cell]) -> set[str]:
    """The functions and methods of a notebook."""
    trees = (ast.parse(_python(cell.text)) for cell in cells if not cell.broken)
    return {name for tree in trees for name in functions_defined(tree)}


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


TIMED = re.compile(r"\s*%%(?:time|capture|prun)\b[^\n]*\n")
"""The first line of a cell of which the rest runs as it would without it."""


def _python(text: str) -> str:
    """The text of a cell as Python, also where it has magics or calls for help."""
    text = TIMED.sub("", text, count=1) if TIMED.match(text) else text
    if not re.search(r"^\s*[%!?]|\?\s*$", text, re.MULTILINE):
        return text
    from IPython.core.inputtransformer2 import TransformerManager

    return str(TransformerManager().transform_cell(text))  # type: ignore[no-untyped-call]


def _checks(statement: ast.stmt) -> Iterator[Check]:
    """The checks of a statement, functions that it defines excepted: they have not run yet."""
    if isinstance(statement, Scope):
        return
    for call in outside_functions(statement):
        if isinstance(call, ast.Call) and _named(call.func) == "check":
            words = {word.arg: word.value for word in call.keywords}
            name = call.args[0] if call.args else words.get("name")
            answer = call.args[1] if len(call.args) > 1 else words.get("answer")
            student = call.args[2] if len(call.args) > 2 else words.get("student")
            if isinstance(name, ast.Constant) and answer is not None:
                constant = getattr(student, "value", "")
                whose = None if student is None or constant is None else str(constant)
                yield Check(str(name.value), ast.unparse(answer), whose)


def _named(function: ast.expr) -> str:
    """The last name of what is called: that of ``exercises.check`` is check."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
