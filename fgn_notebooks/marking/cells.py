"""Which cells of a copy must run so that its answers can be judged.

Everything that a student wrote or changed is run. Of the course's own cells only those are run that
make a name which is used later on: figures, labs and long experiments of a chapter are left out.

Vocabulary
    cell     what one code cell makes, changes and uses, read from its syntax and not by running it
    own      not in the course as it stands in this cell: a student's
    live     names that some later cell needs
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

RANDOM = re.compile(r"rng|random|generator", re.IGNORECASE)
"""Names of sources of random numbers: whoever gets one moves it on."""

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


@dataclass(frozen=True)
class Cell:
    """A code cell: its text, and the names that it makes anew, changes, and needs."""

    text: str
    makes: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    checks: tuple[tuple[str, str], ...] = ()
    """Exercises that the cell checks, each with the expression that is its answer."""

    students: tuple[str, ...] = ()
    """Whose numbers those checks ask for."""

    broken: bool = False


def read(text: str) -> Cell:
    """What a cell does, from its syntax; a cell that is no Python is broken."""
    try:
        tree = ast.parse(_python(text))
    except (SyntaxError, ValueError):
        return Cell(text, broken=True)
    makes: set[str] = set()
    needs: set[str] = set()
    for statement in tree.body:
        needs |= _loaded(statement) - makes
        makes |= _made(statement)
    checks, students = [], []
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _is_check(call):
            checks.append((str(ast.literal_eval(call.args[0])), ast.unparse(call.args[1])))
            students += [
                str(word.value.value)
                for word in call.keywords
                if word.arg == "student" and isinstance(word.value, ast.Constant)
            ]
    changes = frozenset(_changed(tree))
    return Cell(text, frozenset(makes), changes, frozenset(needs), tuple(checks), tuple(students))


def needed(
    cells: Sequence[Cell], own: Collection[int], asked: Iterable[tuple[int, str]]
) -> set[int]:
    """Places of the cells that must run.

    ``own`` are the student's cells, ``asked`` the expressions that are judged, each with the place
    of the cell after which it is.
    """
    expressions: dict[int, set[str]] = {}
    for place, expression in asked:
        expressions.setdefault(place, set()).update(read(expression).needs)
    chosen: set[int] = set()
    live: set[str] = set()
    for place in range(len(cells) - 1, -1, -1):
        live |= expressions.get(place, set())
        cell = cells[place]
        if cell.checks:
            continue  # judged from outside
        if place in own or live & (cell.makes | cell.changes):
            chosen.add(place)
            live = (live - cell.makes) | cell.needs | (cell.changes & live)
    return chosen


def _python(text: str) -> str:
    if not re.search(r"^\s*[%!?]|\?\s*$", text, re.MULTILINE):
        return text
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager().transform_cell(text)


def _is_check(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id == "check"
    return named and len(call.args) > 1 and isinstance(call.args[0], ast.Constant)


def _loaded(statement: ast.stmt) -> set[str]:
    """Names of the notebook that a statement reads, also from inside its functions."""
    table = symtable.symtable(ast.unparse(statement), "cell", "exec")
    read = set(_globals(table))
    if isinstance(statement, ast.AugAssign):
        read |= _bases([statement.target])
    return read


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (top or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _globals(inner)


def _made(statement: ast.stmt) -> set[str]:
    """Names that a statement makes at every run, whatever was before."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Import() | ast.ImportFrom():
            return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
        case ast.Assign():
            return {
                node.id
                for target in statement.targets
                for node in ast.walk(target)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            return {name}
        case ast.With():
            return {name for inner in statement.body for name in _made(inner)}
    return set()


def _changed(tree: ast.Module) -> Iterator[str]:
    """Names that are made under a condition, or whose values may be changed in place."""
    for node in _outside_functions(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                yield from _bases([node])
            case ast.AugAssign(target=target):
                yield from _bases([target])
            case ast.Call(func=ast.Attribute(value=base)):
                yield from _bases([base])
                yield from _sources(node)
            case ast.Call():
                yield from _sources(node)


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.comprehension):  # its variable is no name of the notebook
            yield from _outside_functions(ast.Tuple([child.iter, *child.ifs]))
            continue
        yield child
        if not isinstance(child, Scope):
            yield from _outside_functions(child)


def _sources(call: ast.Call) -> Iterator[str]:
    for argument in (*call.args, *(word.value for word in call.keywords)):
        yield from (name for name in _bases([argument]) if RANDOM.search(name))


def _bases(nodes: Iterable[ast.AST]) -> set[str]:
    """The names at the root of ``x``, ``x.part``, ``x[3].part``."""
    found = set()
    for node in nodes:
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        if isinstance(node, ast.Name):
            found.add(node.id)
    return found
