"""The scene of a living graph: a plain value with everything that the page draws (figures 1 to 6).

Vocabulary
    part     something that can be selected: a branch, a node or the card of a variable
    id       ``"branch:I(1)"``, ``"node:S|I"``, ``"variable:S"``; ``"edge:I->S"`` selects a block

Coordinates are pixels at scale one. Texts of users are passed on unchanged, as the page never
interprets them as HTML.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.draw.names import state_labels
from fgnwidgets.graphs.nodes import Node
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.inference.messages import Messages

from .arrows import bayes_drawing
from .asking import Asking
from .cards import NOTHING, CardPart, filled
from .drawing import GraphDrawing
from .normal_layout import MOST_CELLS, normal_drawing
from .panel import panel, vector
from .rounds import Round
from .why import entering, matrix_of, value_of, why_belief

TINY = float(np.finfo(float).tiny)
"""Instead of 0, so that nothing is divided by it."""


def scene(
    graph: NormalGraph | BayesGraph,
    at: Round,
    *,
    evidence: Mapping[str, Any] | None = None,
    prior: Messages | None = None,
    selected: str | None = None,
    conflict: Collection[str] = (),
    pinned: Mapping[str, Array] = NOTHING,
    asking: Asking | None = None,
) -> dict[str, Any]:
    """The scene: the parts with their places, the panel, the round, and the summary.

    A :class:`BayesGraph` is drawn as cards and arrows, a :class:`NormalGraph` as branches and nodes
    with messages.

    ``evidence``   variable -> code or likelihood vector
    ``prior``      the messages without evidence
    ``selected``   the id of a part, or None
    ``conflict``   variables whose evidence cannot all be true; the messages ``at`` are then those
                   of the evidence before
    ``pinned``     variable -> the belief that was pinned, ``(M,)``
    ``asking``     what every variable would tell of a target
    """
    seen = dict(evidence or {})
    shown = at.messages.graph
    if isinstance(graph, BayesGraph):
        drawing = bayes_drawing(graph, shown)
    else:
        drawing = normal_drawing(graph, shown, tuple(v for v in shown.products if v in seen))
    parts = _parts(drawing, at, seen, prior, pinned)
    for part in parts:
        if part.get("variable") in conflict:
            part["look"], part["note"] = "conflict", "conflict"
        part["selected"] = selected is not None and part.get("selects", part["id"]) == selected
    if asking is not None:
        asking.mark(parts)
    return {
        "width": drawing.width,
        "height": drawing.height,
        "spare": None if drawing.spare is None else list(drawing.spare),
        "name": drawing.name,
        "parts": parts,
        "panel": panel(at, selected, prior),
        "rounds": {
            "round": at.number,
            "last": at.last,
            "text": at.text,
            "travels": [] if isinstance(graph, BayesGraph) else travels(at),
        },
        "summary": summary(at, seen, conflict),
    }


def _parts(
    drawing: GraphDrawing,
    at: Round,
    seen: Mapping[str, Any],
    prior: Messages | None,
    pinned: Mapping[str, Array],
) -> list[CardPart]:
    """The parts of a drawing with the messages, the matrices and the beliefs of a round."""
    number = {(step.branch, step.direction): i + 1 for i, step in enumerate(at.sent)}
    empty_parts = drawing.parts()
    lines, nodes = empty_parts["lines"], empty_parts["nodes"]
    for part in lines:
        _send(part, at, number, seen)
    for part in nodes:
        if "edit" in part:
            part["cells"] = np.round(at.messages.theta[part["edit"]], 5).tolist()
    cards = []
    for branch, empty in empty_parts["cards"].items():
        name = empty["variable"]
        belief = at.messages[branch].p[:, 0]
        before = None if prior is None else prior[name].p[:, 0]
        why = why_belief(at.messages, branch)
        cards.append(filled(empty, belief, before, seen.get(name), why, pinned.get(name)))
        cards[-1]["look"] = ""
    return [*lines, *nodes, *cards]


def _send(
    part: CardPart, at: Round, number: Mapping[tuple[str, str], int], seen: Mapping[str, Any]
) -> None:
    """Put on a branch its messages, each with its number in this round; an arrow has none."""
    part["look"], variable = "", part.pop("variable of", None)
    if variable is None:
        return
    name = part["id"].removeprefix("branch:")
    belief = at.messages[name]
    vectors = {"f": belief.f[:, 0], "b": belief.b[:, 0]}
    part["look"] = "seen" if variable in seen else ""
    for chart in part["messages"]:
        direction = chart["direction"]
        chart["values"] = [round(float(v), 4) for v in vectors[direction]]
        chart["number"] = number.get((name, direction))
        chart["waiting"] = (name, direction) in at.waiting
    said = f"branch {name}, forward {vector(vectors['f'])}, backward {vector(vectors['b'])}"
    named = (("forward", "f"), ("backward", "b"))
    words = [word for word, direction in named if (name, direction) in number]
    part["name"] = f"{said}, {' and '.join(words)} sent in this round" if words else said


def travels(at: Round) -> list[dict[str, Any]]:
    """The messages that a round sends, each with its node, its branch and the messages it is from.

    The latter have the ``values`` of the round before. A block also has its ``matrix``, and as
    ``shares`` the part that each cell contributes to the message.
    """
    if at.before is None:
        return []
    nodes = {node.name: node for node in at.messages.graph.nodes}
    found = []
    for step in at.sent:
        node = nodes[step.node]
        ports = entering(node, step.branch)
        sent = value_of(at.messages, step.branch, step.direction)
        found.append(
            {
                "node": f"node:{node.name}",
                "sign": "×" if node.copies else "θ",
                "branch": f"branch:{step.branch}",
                "direction": step.direction,
                "from": [
                    {
                        "branch": f"branch:{name}",
                        "direction": direction,
                        "values": value_of(at.before, name, direction).round(4).tolist(),
                    }
                    for name, direction in ports
                ],
                **_shares(at.before, node, step.direction, sent),
            }
        )
    return found


def _shares(before: Messages, node: Node, direction: str, sent: Array) -> dict[str, Any]:
    """The matrix and the shares of a block; nothing for other nodes and for large matrices."""
    matrix = matrix_of(before, node) if node.inputs and not node.copies else None
    if matrix is None or matrix.size > MOST_CELLS:
        return {}
    if direction == "f":
        parts = matrix * value_of(before, node.inputs[0].name, "f")[:, None]
    else:
        parts = matrix * value_of(before, node.outputs[0].name, "b")
    shares = parts * (sent.sum() / max(float(parts.sum()), TINY))
    return {"matrix": matrix.round(4).tolist(), "shares": shares.round(4).tolist()}


def summary(at: Round, seen: Mapping[str, Any], conflict: Collection[str] = ()) -> str:
    """The evidence and its log-probability in one line."""
    if not seen:
        return "Nothing observed."
    text = f"Observed: {', '.join(said(at.messages.graph, seen))}."
    if conflict:
        return f"{text} P(evidence) = 0"
    if at.messages.loglik is None:
        return text
    return f"{text} log P(evidence) = {at.messages.loglik[0] + 0.0:.4f}"


def said(graph: NormalGraph, seen: Mapping[str, Any]) -> list[str]:
    """The evidence ``seen``, given as codes, in words: ``S = high``."""
    words = []
    for name, cell in seen.items():
        states = state_labels(graph, graph.branch(name))
        soft = isinstance(cell, list)
        words.append(f"{name} {vector(np.array(cell))}" if soft else f"{name} = {states[cell]}")
    return words


def part_named(graph: NormalGraph, name: str | None) -> str | None:
    """The id of a part, given by its id or by the name of a variable, branch or node.

    Raises ``ValueError`` for a name that the graph does not have.
    """
    if name is None:
        return None
    known = _ids(graph)
    for part in known:
        if name in (part, part.partition(":")[2]):
            return part
    raise ValueError(f"selected is {name!r}: expected None, or one of {', '.join(known)}")


def has_part(graph: NormalGraph, part: str | None) -> bool:
    """True if a graph has the part with this id, and for None."""
    return part is None or part in _ids(graph)


def _ids(graph: NormalGraph) -> list[str]:
    """The ids of all parts."""
    return [
        *(f"variable:{v}" for v in graph.variables),
        *(f"branch:{b}" for b in graph.branches),
        *(f"node:{n.name}" for n in graph.nodes),
    ]
