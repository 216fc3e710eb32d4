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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

RANDOM = re.compile(r"rng|random|generator", re.IGNORECASE)
"""Names of sources of random numbers: whoever gets one moves it on."""

CHANGING = frozenset(
    (
        *("add", "append", "clear", "discard", "extend", "fill", "insert", "pop", "popitem"),
        *("put", "remove", "resize", "reverse", "setdefault", "shuffle", "sort", "update"),
    )
)
"""Methods that change what they are called on; values of the library have none of them."""

Compound = ast.For | ast.While | ast.If | ast.With | ast.Try | ast.Match
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

    imports: frozenset[str] = frozenset()
    """Names of modules and of what is in them: their functions change no module."""

    broken: bool = False


def read(text: str) -> Cell:
    """What a cell does, from its syntax; one that cannot be read as Python is broken.

    Some faults are found only where names are looked up, as two parameters of one name are. Others
    are none for Python, but are nested deeper than a program that reads them can follow.
    """
    try:
        return _read(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Cell(text, broken=True)


def _read(text: str) -> Cell:
    tree = ast.parse(_python(text))
    makes: set[str] = set()
    needs = _needed(tree.body, makes)
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
) -> dict[int, str]:
    """What must run, by the places of the cells.

    ``own`` are the student's cells, which run as they are; of the others those statements run that
    make or change what is needed later. ``asked`` are the expressions that are judged, each with
    the place of the cell after which it is.
    """
    behind = _behind(cells)
    expressions: dict[int, set[str]] = {}
    for place, expression in asked:
        expressions.setdefault(place, set()).update(read(expression).needs)
    modules = frozenset(name for cell in cells for name in cell.imports)
    chosen: dict[int, str] = {}
    live: set[str] = set()
    for place in range(len(cells) - 1, -1, -1):
        live |= _with_all_behind(expressions.get(place, ()), behind)
        cell = cells[place]
        if cell.checks:
            continue  # judged from outside
        if place in own or cell.broken:
            chosen[place] = cell.text
            live = (live - cell.makes) | _with_all_behind(cell.needs, behind)
            continue
        kept = []
        for statement in reversed(_statements(cell.text)):
            if live & (statement.makes | (statement.changes - modules)):
                kept.append(statement.text)
                live = (live - statement.makes) | _with_all_behind(statement.needs, behind)
        if kept:
            chosen[place] = "\n".join(reversed(kept))
    return chosen


def _behind(cells: Iterable[Cell]) -> dict[str, set[str]]:
    """For each function of the notebook the names that it looks up when it is called."""
    found: dict[str, set[str]] = {}
    for cell in cells:
        for statement in [] if cell.broken else ast.parse(_python(cell.text)).body:
            made = _made(statement)
            if any(isinstance(node, Scope) for node in ast.walk(statement)):
                for name in made:
                    found.setdefault(name, set()).update(_loaded(statement))
    return found


def _with_all_behind(names: Iterable[str], behind: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += behind.get(name, ())
    return found


def _statements(text: str) -> list[Cell]:
    return [read(ast.unparse(statement)) for statement in ast.parse(_python(text)).body]


def _python(text: str) -> str:
    if not re.search(r"^\s*[%!?]|\?\s*$", text, re.MULTILINE):
        return text
    from IPython.core.inputtransformer2 import TransformerManager

    return str(TransformerManager().transform_cell(text))  # type: ignore[no-untyped-call]


def _is_check(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id == "check"
    return named and len(call.args) > 1 and isinstance(call.args[0], ast.Constant)


def _needed(statements: Sequence[ast.stmt], made: set[str]) -> set[str]:
    """Names that must be there before these statements; ``made`` grows by what they surely make."""
    needs: set[str] = set()
    for statement in statements:
        if not isinstance(statement, Compound):
            needs |= _loaded(statement) - made
            made |= _made(statement)
            continue
        inside = set(made)
        for head in ("test", "iter", "subject", "items"):
            part = getattr(statement, head, None)
            for each in part if isinstance(part, list) else [part] if part else []:
                needs |= _loaded(each) - made
        inside |= _stored(getattr(statement, "target", None))
        for item in getattr(statement, "items", ()):
            inside |= _stored(item.optional_vars)
        for block in ("body", "orelse", "finalbody"):
            own = set(inside)
            needs |= _needed(getattr(statement, block, ()), own)
            if isinstance(statement, ast.With):
                made |= own
        for other in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            needs |= _needed(other.body, inside | _stored(getattr(other, "pattern", None)))
    return needs


def _loaded(node: ast.AST) -> set[str]:
    """Names of the notebook that a statement reads, also from inside its functions."""
    text = ast.unparse(node)
    if isinstance(node, ast.withitem):
        text = ast.unparse(node.context_expr)
    read = set(_globals(symtable.symtable(text, "cell", "exec")))
    if isinstance(node, ast.AugAssign):
        read |= _bases([node.target])
    return read


def _stored(node: ast.AST | None) -> set[str]:
    inside = ast.walk(node) if node is not None else ()
    named = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    inside = ast.walk(node) if node is not None else ()
    return named | {n.name for n in inside if isinstance(n, ast.MatchAs) and n.name}


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
            case ast.Call(func=ast.Attribute(value=base, attr=method)):
                if method in CHANGING or any(RANDOM.search(name) for name in _bases([base])):
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
