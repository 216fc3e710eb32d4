"""The legend of a living graph: every mark that a drawing may have, with its name in words.

A mark has an example, a part of a scene made by the same functions as the parts of a graph. The
page draws it as it draws any other, so that the legend cannot differ from the drawing.

Vocabulary
    mark   a kind of thing that is drawn, by the key that the page gives what it draws of it
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .cards import card, filled

Legend = dict[str, Any]

W, H = 120.0, 56.0
"""Size of an example's place, in pixels."""


def legend() -> list[Legend]:
    """All marks, in the order in which a reader meets them."""
    return [
        _mark("card", "a variable", "its states, each with its belief", _card()),
        _mark(
            "belief",
            "bar: belief",
            "how probable a state is, given all that is observed; drag it",
            _card(),
        ),
        _mark("prior", "dashed tick: prior", "the belief before anything was observed", _card()),
        _mark(
            "observed",
            "amber row: observed",
            "evidence: this state is known",
            _card(seen=0),
        ),
        _mark("soft", "soft", "evidence as likelihoods, not one state", _card(seen=[1.0, 0.4])),
        _mark(
            "ghost",
            "pale bar: pinned",
            "the belief at the moment when it was pinned",
            _card(ghost=[0.35, 0.65]),
        ),
        _mark(
            "tells",
            "badge: would tell",
            "the information that observing it is expected to bring about the target",
            _card(tells={"text": "0.213 bits · 34 %", "share": 0.34, "why": ""}),
        ),
        _mark(
            "branch", "line: branch", "one variable, or a copy of it, from tail to head", _branch()
        ),
        _mark(
            "f",
            "▾ blue bars: forward message",
            "what the side of the arrow's tail says, a bar for each state",
            _branch("f"),
        ),
        _mark(
            "b",
            "▴ orange bars: backward message",
            "what the side of the arrow's head says, a bar for each state",
            _branch("b"),
        ),
        _mark(
            "sent",
            "number: sent in this round",
            "the message was sent now, in this turn",
            _branch("f", number=1),
        ),
        _mark("waiting", "pale message", "no round has sent it yet", _branch("b", waiting=True)),
        _mark(
            "open",
            "circle: open end",
            "here evidence enters; it is filled where something is observed",
            _branch(end=True),
        ),
        _mark("source", "square with one row: source", "the prior of a variable", _node("source")),
        _mark(
            "block",
            "square with rows: block",
            "P(child | parent), a row for each state of the parent; darker is more probable",
            _node("block"),
        ),
        _mark("shaded", "grey square: fixed block", "nothing in it is learned", _node("expand")),
        _mark(
            "diverter",
            "square with =: diverter",
            "copies of one variable, held equal; messages are multiplied here",
            _node("diverter"),
        ),
        _mark(
            "strength",
            "thick line or frame: strength",
            "how much an arrow carries, in bits, when a target is chosen",
            _branch(strength=1.0),
        ),
    ]


def _mark(key: str, name: str, words: str, part: dict[str, Any]) -> Legend:
    rest = {"hue": None, "look": "", "selected": False, "name": name}
    return {"key": key, "name": name, "words": words, "part": {**rest, **part}}


def _card(seen: Any = None, **more: Any) -> dict[str, Any]:
    belief = np.array([1.0, 0.0]) if seen == 0 else np.array([0.7, 0.3])
    prior, empty = np.array([0.45, 0.55]), card("X", ("a", "b"), 0.0, 0.0)
    made = filled(empty, belief, prior, seen, ghost=more.pop("ghost", None))
    return {**made, **more, "hue": 0}


def _branch(
    direction: str = "",
    *,
    number: int | None = None,
    waiting: bool = False,
    end: bool = False,
    **more: Any,
) -> dict[str, Any]:
    x, last = 70.0, 48.0
    chart = {
        "x": x - 34,
        "y": 16.0,
        "w": 22,
        "h": 24,
        "direction": direction,
        "towards": [0, 1 if direction == "f" else -1],
        "values": [0.7, 0.3],
        "number": number,
        "waiting": waiting,
    }
    return {
        "id": "branch:X",
        "kind": "branch",
        "points": [[x, 2.0], [x, last]],
        "arrow": {"x": x, "y": 34.0, "towards": [0, 1]},
        "ends": [[x, last]] if end else [],
        "label": {"text": [["X", 0]], "x": x + 8, "y": 18.0, "anchor": "start"},
        "messages": [chart] if direction else [],
        "at": [x, 28.0],
        "hue": 0,
        **more,
    }


def _node(kind: str) -> dict[str, Any]:
    cells = {"source": [[0.7, 0.3]], "block": [[0.9, 0.1], [0.2, 0.8]]}.get(kind, [])
    half = 10 if kind == "diverter" else 18
    return {
        "id": "node:X",
        "kind": kind,
        "look": "shaded" if kind == "expand" else "",
        "x": W / 2,
        "y": H / 2,
        "w": 2 * half,
        "h": 2 * half,
        "cells": cells,
        "label": {"text": [], "x": W / 2, "y": H / 2, "anchor": "start"},
        "at": [W / 2, H / 2],
    }
