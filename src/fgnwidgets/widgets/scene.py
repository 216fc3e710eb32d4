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
from fgnwidgets.draw.matrices import state_labels
from fgnwidgets.engine.graph import NormalGraph
from fgnwidgets.engine.messages import Messages

from .arrows import arrows
from .cards import hues
from .circuit import circuit
from .film import Round
from .panel import panel, vector


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
            part["look"], part["note"] = "conflict", "impossible"
        part["selected"] = selected is not None and part.get("selects", part["id"]) == selected
    return {
        "width": width,
        "height": height,
        "name": f"{kind} of {', '.join(colours)}",
        "parts": parts,
        "panel": panel(at, selected, prior),
        "film": {"round": at.number, "last": at.last, "text": at.text},
        "summary": summary(at, seen, conflict),
    }


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
    known = [
        *(f"variable:{v}" for v in graph.variables),
        *(f"branch:{b}" for b in graph.branches),
        *(f"node:{n.name}" for n in graph.nodes),
    ]
    for part in known:
        if name in (part, part.partition(":")[2]):
            return part
    raise ValueError(f"selected is {name!r}: expected None, or one of {', '.join(known)}")
