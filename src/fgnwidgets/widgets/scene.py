"""The scene of a living graph: a plain value that says all that the page draws (figures 1 to 6).

Vocabulary
    part     what can be selected: a branch, a node or the card of a variable
    id       ``"branch:I(1)"``, ``"node:S|I"``, ``"variable:S"``; ``"edge:I->S"`` selects a block

Coordinates are pixels at scale one. Texts of users go in as they are: the page never reads markup.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from fgnwidgets.border.bayes import BayesGraph
from fgnwidgets.draw.names import state_labels
from fgnwidgets.engine.arrays import Array
from fgnwidgets.engine.graph import NormalGraph
from fgnwidgets.engine.messages import Messages
from fgnwidgets.engine.nodes import Node

from .arrows import arrows
from .cards import hues
from .circuit import MOST_CELLS, circuit
from .film import Round
from .panel import panel, vector
from .why import entering, matrix_of, value_of

TINY = float(np.finfo(float).tiny)


def scene(
    graph: NormalGraph | BayesGraph,
    at: Round,
    *,
    evidence: Mapping[str, Any] | None = None,
    prior: Messages | None = None,
    selected: str | None = None,
    conflict: Collection[str] = (),
) -> dict[str, Any]:
    """What to draw: the parts with their places, the panel, the film's counter, the summary.

    A :class:`BayesGraph` is drawn as arrows between cards, a :class:`NormalGraph` as a circuit with
    its messages. ``evidence`` holds codes or likelihood vectors by variable, ``prior`` the messages
    without evidence, ``selected`` the id of a part, such as ``"branch:I(1)"``, and ``conflict`` the
    variables whose evidence cannot all be true: then the messages are of what was possible before.
    """
    seen = dict(evidence or {})
    colours = hues(
        [name for name in at.messages.graph.variables if name not in at.messages.graph.products]
    )
    if isinstance(graph, BayesGraph):
        kind, (parts, width, height) = "Bayesian graph", arrows(graph, at, seen, prior)
    else:
        kind, (parts, width, height) = "normal graph", circuit(graph, at, seen, prior)
    for part in parts:
        part["hue"] = colours.get(part.pop("of", ""), None)
        if part.get("variable") in conflict:
            part["look"], part["note"] = "conflict", "conflict"
        part["selected"] = selected is not None and part.get("selects", part["id"]) == selected
    return {
        "width": width,
        "height": height,
        "name": f"{kind} of {', '.join(colours)}",
        "parts": parts,
        "panel": panel(at, selected, prior),
        "film": {
            "round": at.number,
            "last": at.last,
            "text": at.text,
            "travels": travels(at) if kind == "normal graph" else [],
        },
        "summary": summary(at, seen, conflict),
    }


def travels(at: Round) -> list[dict[str, Any]]:
    """The messages that this round sends: from which others, through which node, on which branch.

    ``values`` are those of the messages that enter the node, which may have changed since, and
    ``shares``, of a block's shape, what of the message that leaves goes through each cell.
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
                        "direction": way,
                        "values": value_of(at.before, name, way).round(4).tolist(),
                    }
                    for name, way in ports
                ],
                **_shares(at.before, node, step.direction, sent),
            }
        )
    return found


def _shares(before: Messages, node: Node, direction: str, sent: Array) -> dict[str, Any]:
    """A block's matrix, and how the message that leaves is put together from its cells."""
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
    """What is observed and how probable it is, in one line."""
    if not seen:
        return "Nothing observed."
    text = f"Observed: {', '.join(said(at.messages.graph, seen))}."
    if conflict:
        return f"{text} P(evidence) = 0"
    if at.messages.loglik is None:
        return text
    return f"{text} log P(evidence) = {at.messages.loglik[0] + 0.0:.4f}"


def said(graph: NormalGraph, seen: Mapping[str, Any]) -> list[str]:
    """Evidence in a reader's words, cell by cell: ``S = high``."""
    words = []
    for name, cell in seen.items():
        states = state_labels(graph, graph.branch(name))
        soft = isinstance(cell, list)
        words.append(f"{name} {vector(np.array(cell))}" if soft else f"{name} = {states[cell]}")
    return words


def part_named(graph: NormalGraph, name: str | None) -> str | None:
    """The id of a part, which a bare name of a variable, a branch or a node stands for too.

    Raises ``ValueError`` for a name that the graph has not.
    """
    if name is None:
        return None
    known = _parts(graph)
    for part in known:
        if name in (part, part.partition(":")[2]):
            return part
    raise ValueError(f"selected is {name!r}: expected None, or one of {', '.join(known)}")


def has_part(graph: NormalGraph, part: str | None) -> bool:
    """Whether a graph has the part of this id; None is always there."""
    return part is None or part in _parts(graph)


def _parts(graph: NormalGraph) -> list[str]:
    return [
        *(f"variable:{v}" for v in graph.variables),
        *(f"branch:{b}" for b in graph.branches),
        *(f"node:{n.name}" for n in graph.nodes),
    ]
