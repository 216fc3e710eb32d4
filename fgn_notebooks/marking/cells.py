"""Choose the cells of a copy that must run before its answers can be judged.

Every cell that a student wrote or changed is run. The course's own cells are run only if they make
a name that is used later, so that its figures, labs and long experiments are left out. This is a
liveness analysis: cells are read backwards, and names are found in their syntax.

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
import symtable
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

RANDOM = re.compile(r"rng|random|generator", re.IGNORECASE)
"""Names of random number generators: a call that gets one changes it."""

CHANGING = frozenset(
    (
        *("add", "append", "clear", "discard", "extend", "fill", "insert", "pop", "popitem"),
        *("put", "remove", "resize", "reverse", "setdefault", "shuffle", "sort", "update"),
    )
)
"""Methods that change their object; values of this library have no methods of these names."""

Compound = ast.For | ast.While | ast.If | ast.With | ast.Try | ast.Match
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


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

    imports: frozenset[str] = frozenset()
    """Imported names: a call such as ``module.update()`` does not count as changing the module."""

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
    """The code to run, by the index of its cell.

    ``own``     indices of the student's cells, which are run as they are; of other cells only those
                statements are run that make or change a live name
    ``asked``   expressions to judge, each with the index of the cell after which it is judged
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
            continue  # ``Kernel.judge`` does it instead
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
    """For each function or class of a notebook the global names that its code reads."""
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
    """Names that must exist before these statements; adds the names that they make to ``made``."""
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
    """Global names that a statement reads, also inside functions that it defines."""
    text = ast.unparse(node)
    if isinstance(node, ast.withitem):
        text = ast.unparse(node.context_expr)
    read = set(_globals(symtable.symtable(text, "cell", "exec")))
    if isinstance(node, ast.AugAssign):
        read |= _bases([node.target])
    return read


def _stored(node: ast.AST | None) -> set[str]:
    """Names that an assignment's target or a ``case`` pattern sets."""
    inside = list(ast.walk(node)) if node is not None else []
    named = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return named | {n.name for n in inside if isinstance(n, ast.MatchAs) and n.name}


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (top or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _globals(inner)


def _made(statement: ast.stmt) -> set[str]:
    """Names to which a simple statement or a definition surely gives a new value."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Import() | ast.ImportFrom():
            return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
        case ast.Assign():
            return {name for target in statement.targets for name in _stored(target)}
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            return {name}
    return set()


def _changed(tree: ast.Module) -> Iterator[str]:
    """Names that may be set, or whose values may be changed in place."""
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
        if isinstance(child, ast.comprehension):  # its variable is local to it
            yield from _outside_functions(ast.Tuple([child.iter, *child.ifs]))
            continue
        yield child
        if not isinstance(child, Scope):
            yield from _outside_functions(child)


def _sources(call: ast.Call) -> Iterator[str]:
    """Random number generators among the arguments of a call."""
    for argument in (*call.args, *(word.value for word in call.keywords)):
        yield from (name for name in _bases([argument]) if RANDOM.search(name))


def _bases(nodes: Iterable[ast.AST]) -> set[str]:
    """The leading name of each expression: that of ``x``, ``x.part`` and ``x[3].part`` is x."""
    found = set()
    for node in nodes:
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        if isinstance(node, ast.Name):
            found.add(node.id)
    return found
