"""The effects of statements on names, read from their syntax: nothing is run.

Vocabulary, as in ``cells``
    makes     names to which a statement surely gives a new value
    changes   names that it may set, or whose value it may change in place
    needs     names that it reads, and that must exist before it
    gives     pairs of a function and a name that a call hands to it, where nobody takes the result
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterable, Iterator, Sequence

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


def names_needed(statements: Sequence[ast.stmt], made: set[str]) -> set[str]:
    """Names that must exist before these statements; adds the names that they make to ``made``."""
    needs: set[str] = set()
    for statement in statements:
        if not isinstance(statement, Compound):
            needs |= names_read(statement) - made
            made |= names_made(statement)
            continue
        inside = set(made)
        for head in ("test", "iter", "subject", "items"):
            part = getattr(statement, head, None)
            for each in part if isinstance(part, list) else [part] if part else []:
                needs |= names_read(each) - made
        inside |= _stored(getattr(statement, "target", None))
        for item in getattr(statement, "items", ()):
            inside |= _stored(item.optional_vars)
        for block in ("body", "orelse", "finalbody"):
            own = set(inside)
            needs |= names_needed(getattr(statement, block, ()), own)
            if isinstance(statement, ast.With):
                made |= own
        for other in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            needs |= names_needed(other.body, inside | _stored(getattr(other, "pattern", None)))
    return needs


def names_read(node: ast.AST) -> set[str]:
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


def names_made(statement: ast.stmt) -> set[str]:
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


def names_changed(tree: ast.Module) -> Iterator[str]:
    """Names that may be set, or whose values may be changed in place."""
    for node in outside_functions(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                yield from _bases([node])
            case ast.AugAssign(target=target):
                yield from _bases([target])
            case ast.For(target=target, iter=source, body=body):
                # what is changed in place may be an element of what is gone through
                inside = set(names_changed(ast.Module(body, [])))
                if inside & _stored(target):
                    yield from _named_in(source)
            case ast.Call(func=ast.Attribute(value=base, attr=method)):
                if method in CHANGING or any(RANDOM.search(name) for name in _bases([base])):
                    yield from _bases([base])
                yield from _sources(node)
            case ast.Call():
                yield from _sources(node)


def names_given(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Functions that are called for what they do, such as ``f(x)`` alone, with what they get.

    Of a method ``x.f(y)`` these are f with x, and f with y. Such a call may change what it gets.
    """
    for node in outside_functions(tree):
        match node:
            case ast.Expr(value=ast.Call(func=function, args=args, keywords=words)):
                given = set().union(*map(_named_in, [*args, *(word.value for word in words)]))
                if isinstance(function, ast.Attribute):
                    yield from ((function.attr, name) for name in _bases([function]) | given)
                elif isinstance(function, ast.Name):
                    yield from ((function.id, name) for name in given)
            case ast.For(target=target, iter=source, body=body):
                elements = _stored(target)
                for name, given_ in names_given(ast.Module(body, [])):
                    if given_ in elements:
                        yield from ((name, each) for each in _named_in(source))


def functions_defined(tree: ast.AST) -> set[str]:
    """Names of all functions and methods that a cell defines."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a tree but those inside functions and classes that it defines."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.comprehension):  # its variable is local to it
            yield from outside_functions(ast.Tuple([child.iter, *child.ifs]))
            continue
        yield child
        if not isinstance(child, Scope):
            yield from outside_functions(child)


def _sources(call: ast.Call) -> Iterator[str]:
    """Random number generators among the arguments of a call."""
    for argument in (*call.args, *(word.value for word in call.keywords)):
        yield from (name for name in _bases([argument]) if RANDOM.search(name))


def _named_in(node: ast.AST) -> set[str]:
    """All names in an expression: what is gone through may be a part of each."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _bases(nodes: Iterable[ast.AST]) -> set[str]:
    """The leading name of each expression: that of ``x``, ``x.part`` and ``x[3].part`` is x."""
    found = set()
    for node in nodes:
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        if isinstance(node, ast.Name):
            found.add(node.id)
    return found
