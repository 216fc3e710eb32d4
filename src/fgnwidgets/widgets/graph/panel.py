"""The panel beside a living graph, about the selected part.

Vocabulary
    part    ``"variable:S"``, ``"branch:I(1)"`` or ``"node:S|I"``
    table   a caption, a head, and rows: the name of a state, then cells
    cell    a number as text, its value, which the page draws as a bar or a shade, and perhaps how
            it was computed (``why``)
    more    a table that is hidden until a reader opens it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.draw.names import number, state_labels
from fgnwidgets.graphs.branches import Branch
from fgnwidgets.graphs.nodes import Node
from fgnwidgets.inference.messages import Messages
from fgnwidgets.loops.families import Family

from .cards import short
from .rounds import Round
from .why import cell_labels, entering, matrix_of, value_of, why_belief, why_message

LONGEST_HEAD = 7
"""Most characters of a branch's name at the head of a column."""

MAX_TABLES, MAX_VALUES = 6, 8
"""Most tables of a diverter, and most values of a message in a line."""

HINT = "Click a variable to observe it, drag its bars; click a line or a square for its numbers."
"""The first thing to do, in one line."""

HELP = (
    "A variable's name goes through its states, a row picks one, a double click takes it back.",
    "Drag a bar to say how probable a state is, or a cell of a matrix inside its block.",
    "Keys: arrows move, space observes, enter opens the choices, escape goes back, ctrl Z undoes.",
)

TYPE = "Type a number, drag it to the side, or step it with the arrow keys."
"""What can be done with a matrix."""

ASK = "Click a number to see the rows of the table that made it."
"""What can be done with a learned one."""

Panel = dict[str, Any]


def panel(at: Round, part: str | None, prior: Messages | None = None) -> Panel:
    """Title, lines and tables for a part of the graph at one round; without a part, help."""
    kind, _, name = (part or "").partition(":")
    graph = at.messages.graph
    if kind == "variable" and name in graph.variables:
        return _variable(at, name, prior)
    if kind == "branch" and name in graph.branches:
        return _branch(at, graph.branches[name])
    node = next((n for n in graph.nodes if kind == "node" and n.name == name), None)
    if node is not None and node.copies:
        return _diverter(at, node)
    if node is not None:
        return _block(at, node)
    return {
        "title": "Nothing is selected",
        "lines": list(HELP),
        "tables": [],
        "more": _all_messages(at.messages),
    }


def without_hints(panel: Panel) -> Panel:
    """A panel that says nothing of what a hand can do, for a page on which it cannot."""
    hints = (*HELP, TYPE, ASK)
    kept: Panel = {
        k: [x for x in panel[k] if x not in hints] for k in ("lines", "below") if k in panel
    }
    return {**panel, **kept}


def vector(values: Array) -> str:
    """A message as text, ``(0.700, 0.300)``; of a long one only the first values."""
    shown = [number(float(v)) for v in values[:MAX_VALUES]]
    return f"({', '.join(shown + ['…'] * (len(values) > MAX_VALUES))})"


def columns_table(
    states: Sequence[str],
    columns: Mapping[str, Array],
    caption: str = "",
    why: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """A table with a row for each state and a column for each vector, its cells drawn as bars.

    ``why`` explains, for some of the columns, each of their numbers.
    """
    says = why or {}
    rows = [
        [
            state,
            *(
                _cell(v[i], *says[name][i : i + 1] if name in says else ())
                for name, v in columns.items()
            ),
        ]
        for i, state in enumerate(states)
    ]
    return {"caption": caption, "head": ["", *columns], "rows": rows, "look": "bars"}


def _cell(value: float, *why: str) -> list[Any]:
    return [number(float(value)), round(float(value), 5), *why]


def _all_messages(messages: Messages) -> dict[str, Any]:
    """All messages and beliefs in numbers, a row for each branch."""
    rows = []
    for name in messages.graph.branches:
        belief = messages[name]
        rows.append([name, *([vector(v[:, 0]), 0.0] for v in (belief.f, belief.b, belief.p))])
    head = ["", "forward f", "backward b", "belief p"]
    return {"caption": "All messages", "head": head, "rows": rows, "look": "text"}


def _variable(at: Round, name: str, prior: Messages | None) -> Panel:
    messages = at.messages
    branches = messages.graph.variables[name]
    branch = messages.graph.branches[branches[0]]
    columns = {} if prior is None else {"prior": prior[name].p[:, 0]}
    columns["belief"] = messages[branch.name].p[:, 0]
    lines = [f"branches {', '.join(branches)}"] if len(branches) > 1 else []
    if not at.exact:
        lines.append("This round is not the last: the belief is that of its first branch.")
    why = {"belief": why_belief(messages, branch.name)}
    table = columns_table(state_labels(messages.graph, branch), columns, why=why)
    return {"title": f"Variable {name}", "lines": lines, "tables": [table], "variable": name}


def _branch(at: Round, branch: Branch) -> Panel:
    graph, belief = at.messages.graph, at.messages[branch.name]
    tail, head = graph.tails.get(branch.name), graph.heads.get(branch.name)
    between = f"from {tail.name if tail else 'outside'} to {head.name if head else 'outside'}"
    columns = {
        "forward f": belief.f[:, 0],
        "backward b": belief.b[:, 0],
        "belief p": belief.p[:, 0],
    }
    lines = [between, "p is f times b, value by value, and scaled to sum to one."]
    why = {
        "forward f": why_message(at, branch.name, "f"),
        "backward b": why_message(at, branch.name, "b"),
        "belief p": why_belief(at.messages, branch.name),
    }
    table = columns_table(state_labels(graph, branch), columns, why=why)
    return {"title": f"Branch {branch.name}", "lines": lines, "tables": [table]}


def _block(at: Round, node: Node) -> Panel:
    messages = at.messages
    graph = messages.graph
    y = node.outputs[0]
    tables: list[dict[str, Any]] = []
    edit = ""  # the name of a matrix that can be edited
    rows, states = cell_labels(graph, node)
    matrix = matrix_of(messages, node)
    if node.theta:
        family = node.inputs or isinstance(node, Family)
        what = f"P({node.theta})" if family else f"the prior of {y.variable}"
        edit = node.theta
    elif node.part is not None:
        what = f"P({y.variable} | {node.inputs[0].variable})"
    else:  # a kind of node that is not ours
        what = f"a {type(node).__name__}"
    lines = [f"{what}, {'learned' if node.learn else 'shaded: it stays fixed'}"]
    if node.inputs and matrix is not None:
        f, b = messages[node.inputs[0].name].f[:, 0], messages[y.name].b[:, 0]
        lines.append(f"Forward, transpose of the matrix times f = {vector(f)}.")
        lines.append(f"Backward, the matrix times b = {vector(b)}.")
    if edit:
        lines.append(TYPE)
    if matrix is not None:
        cells = [[row, *map(_cell, values)] for row, values in zip(rows, matrix, strict=True)]
        head = ["", *states]
        tables.append({"caption": "", "head": head, "rows": cells, "look": "heat", "edit": edit})
    kind = "Block" if node.inputs else "Source"
    return {"title": f"{kind} {node.name}", "lines": lines, "tables": tables}


def _head(branch: str, direction: str) -> str:
    """The head of a message's column; of a long name only the beginning and the number."""
    name, bracket, last = branch.rpartition("(") if branch.endswith(")") else (branch, "", "")
    if not name:
        name, bracket, last = branch, "", ""
    return f"{direction} of {short(name, LONGEST_HEAD)}{bracket}{last}"


def _diverter(at: Round, node: Node) -> Panel:
    """A table for each message that leaves: it, and the messages that it is the product of."""
    graph = at.messages.graph
    ports = [*((b.name, "b") for b in node.inputs), *((b.name, "f") for b in node.outputs)]
    states = state_labels(graph, (*node.inputs, *node.outputs)[0])
    sent = {(step.branch, step.direction) for step in at.sent}
    tables = []
    for name, leaving in ports[:MAX_TABLES]:
        source = at.before if (name, leaving) in sent and at.before is not None else at.messages
        others = entering(node, name)
        columns = {_head(*port): value_of(source, *port) for port in others}
        made = _head(name, leaving)
        columns[made] = value_of(at.messages, name, leaving)
        waits = " (not sent yet)" if (name, leaving) in at.waiting else ""
        factors = " × ".join(f"{direction} of {other}" for other, direction in others)
        caption = f"{leaving} of {name} ∝ {factors}{waits}"
        why = {made: why_message(at, name, leaving)}
        tables.append(columns_table(states, columns, caption, why))
    lines = ["What leaves on one branch is the product of what enters on all the others."]
    if len(ports) > MAX_TABLES:
        lines.append(f"The first {MAX_TABLES} of {len(ports)} branches:")
    return {"title": f"Diverter {node.name}", "lines": lines, "tables": tables}
