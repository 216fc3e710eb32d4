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
"""Instead of 0, so that nothing is divided by it."""


def scene(
    graph: NormalGraph | BayesGraph,
    at: Round,
    *,
    evidence: Mapping[str, Any] | None = None,
    prior: Messages | None = None,
    selected: str | None = None,
    conflict: Collection[str] = (),
) -> dict[str, Any]:
    """The scene: the parts with their places, the panel, the round, and the summary.

    A :class:`BayesGraph` is drawn as cards and arrows, a :class:`NormalGraph` as branches and nodes
    with messages.

    ``evidence``   variable -> code or likelihood vector
    ``prior``      the messages without evidence
    ``selected``   the id of a part, or None
    ``conflict``   variables whose evidence cannot all be true; the messages ``at`` are then those
                   of the evidence before
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
    known = _parts(graph)
    for part in known:
        if name in (part, part.partition(":")[2]):
            return part
    raise ValueError(f"selected is {name!r}: expected None, or one of {', '.join(known)}")


def has_part(graph: NormalGraph, part: str | None) -> bool:
    """Whether a graph has the part with this id; True for None."""
    return part is None or part in _parts(graph)


def _parts(graph: NormalGraph) -> list[str]:
    """The ids of all parts."""
    return [
        *(f"variable:{v}" for v in graph.variables),
        *(f"branch:{b}" for b in graph.branches),
        *(f"node:{n.name}" for n in graph.nodes),
    ]
