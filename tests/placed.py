"""Where Python placed the parts of a drawing on a page, in pixels, and what must not happen there.

A scene's parts are cards, nodes and branches with their messages. Every check returns sentences
about what a reader would trip over; none is good. ``test_placed.py`` plants faults for all of them.
"""

from collections.abc import Iterable
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from fgnwidgets import BayesGraph

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

Scene = dict[str, Any]

BAR_AND_NUMBER, FINGER = 100, 24
"""Pixels of a card right of its states, and of a row that a finger meets."""

CLEAR = 6.0
"""Pixels that an arrow may stop before its card."""


def card_box(card: Scene) -> Box:
    return (card["x"], card["y"], card["x"] + card["w"], card["y"] + card["h"])


def node_box(node: Scene) -> Box:
    x, y, w, h = (node[k] for k in "xywh")
    return (x - w / 2, y - h / 2, x + w / 2, y + h / 2)


def boxes(parts: Iterable[Scene]) -> dict[str, Box]:
    """Cards, nodes, messages and names by what they are called."""
    found = {}
    for part in parts:
        if "variable" in part:
            found[part["id"]] = card_box(part)
        elif "w" in part:
            found[part["id"]] = node_box(part)
        for chart in part.get("messages", ()):
            found[f"{chart['direction']} of {part['id']}"] = card_box(chart)
        if part.get("label") and (text := "".join(run for run, _ in part["label"]["text"])):
            x, y = part["label"]["x"], part["label"]["y"]
            found[f"name of {part['id']}"] = (x, y - 9, x + text_width(text), y + 3)
    return found


@cache
def text_width(text: str, pixels: float = 12.0, weight: str = "normal") -> float:
    """How wide a page draws a text in the widest of its fonts."""
    font = FontProperties(family="DejaVu Sans", weight=weight)
    return float(TextPath((0, 0), text, size=pixels, prop=font).get_extents().x1)


def meeting(found: dict[str, Box], apart: float = 0.0) -> list[str]:
    """Boxes that overlap, or come nearer to each other than ``apart``."""
    return [
        f"{one} meets {two}"
        for (one, a), (two, b) in combinations(found.items(), 2)
        if a[0] < b[2] + apart and b[0] < a[2] + apart
        if a[1] < b[3] + apart and b[1] < a[3] + apart
    ]


def overlapping(scene: Scene) -> list[str]:
    """Cards, nodes, messages or names over each other."""
    return meeting(boxes(scene["parts"]))


def leaving(scene: Scene) -> list[str]:
    """Boxes and lines that the drawing cuts off."""
    found = boxes(scene["parts"])
    found |= {
        f"the line of {part['id']}": (min(x), min(y), max(x), max(y))
        for part in scene["parts"]
        if "points" in part
        for x, y in [zip(*part["points"], strict=True)]
    }
    return [
        f"{name} leaves the drawing"
        for name, (left, top, right, bottom) in found.items()
        if left < 0 or top < 0 or right > scene["width"] or bottom > scene["height"]
    ]


def overfull(scene: Scene) -> list[str]:
    """Cards that are too small for their rows and bars, rows too low for a finger, where few."""
    cards = [part for part in scene["parts"] if "variable" in part]
    return [
        f"{card['id']} does not hold its rows"
        for card in cards
        if card["head"] + len(card["rows"]) * card["row"] > card["h"]
        or card["bar"] + BAR_AND_NUMBER > card["w"]
        or (len(card["rows"]) < 8 and card["row"] < FINGER)
    ]


def crossed(scene: Scene) -> list[str]:
    """Cards, nodes and messages with a line inside."""
    found = boxes(scene["parts"])
    edges = np.array(list(found.values()))[:, :, None]
    names = list(found)
    hits = []
    for part in scene["parts"]:
        for start, stop in pairwise(part.get("points", ())):
            share = np.linspace(0, 1, 2 + int(np.hypot(*np.subtract(stop, start))))
            x, y = (a + share * (b - a) for a, b in zip(start, stop, strict=True))
            inside = (edges[:, 0] + 0.5 < x) & (x < edges[:, 2] - 0.5)
            inside &= (edges[:, 1] + 0.5 < y) & (y < edges[:, 3] - 0.5)
            hits += [(part["id"], names[k]) for k in np.flatnonzero(inside.any(axis=1))]
    return [f"the line of {line} goes through {box}" for line, box in hits]


def loose(scene: Scene) -> list[str]:
    """Arrows that end away from their own cards, lines that end at no node and no open end."""
    cards = {p["variable"]: card_box(p) for p in scene["parts"] if "variable" in p}
    nodes = [node_box(p) for p in scene["parts"] if "w" in p and "variable" not in p]
    found = []
    for part in scene["parts"]:
        if "points" not in part:
            continue
        first, last = part["points"][0], part["points"][-1]
        if part["id"].startswith("edge:"):
            own = part["id"].removeprefix("edge:").split("->")
            away = [_off(p, cards[v]) for v, p in zip(own, (first, last), strict=True)]
            loose_ends = [off for off in away if not 0 <= off < CLEAR]
        else:
            at = [p for p in (first, last) if list(p) not in [list(e) for e in part["ends"]]]
            loose_ends = [p for p in at if not any(abs(_off(p, box)) < 1 for box in nodes)]
            loose_ends += [e for e in part["ends"] if list(e) not in [list(first), list(last)]]
        found += [f"{part['id']} ends in the open: {end}" for end in loose_ends]
    return found


def astray(scene: Scene) -> list[str]:
    """Heads, messages and names that do not stand at their own line or node."""
    found = []
    for part in scene["parts"]:
        name, label = part["id"], part.get("label")
        if "points" not in part:
            if label and not 0 < label["x"] - node_box(part)[2] < 10:
                found.append(f"the name of {name} is not beside it")
            continue
        at, towards = part["arrow"], np.array(part["arrow"]["towards"])
        on = [
            (a, b) for a, b in pairwise(part["points"]) if _distance((at["x"], at["y"]), a, b) < 1
        ]
        ways = [np.subtract(b, a) / np.hypot(*np.subtract(b, a)) for a, b in on]
        if not any(np.allclose(way, towards, atol=0.02) for way in ways):
            found.append(f"the head of {name} is not on its line, or points elsewhere")
        if label and not 0 < label["x"] - at["x"] < 12:
            found.append(f"the name of {name} is not beside its line")
        charts = {chart["direction"]: card_box(chart) for chart in part["messages"]}
        order = [charts[way][k] for way in "fb" if way in charts for k in (0, 2)] + [at["x"]]
        if order != sorted(order) or (charts and order[-1] - order[-2] > 12):
            found.append(f"forward, backward and line of {name} do not stand in this order")
    return found


SCENE_CHECKS = (overlapping, leaving, overfull, crossed, loose, astray)


def scene_faults(scene: Scene) -> list[str]:
    return [fault for check in SCENE_CHECKS for fault in check(scene)]


def _off(point: Iterable[float], box: Box) -> float:
    """How far outside a box a point is; inside, how far from its border, below zero."""
    x, y = point
    return max(box[0] - x, x - box[2], box[1] - y, y - box[3])


def _distance(point: Iterable[float], start: Iterable[float], stop: Iterable[float]) -> float:
    p, a, b = map(np.array, (point, start, stop))
    share = np.clip((p - a) @ (b - a) / max((b - a) @ (b - a), 1e-9), 0, 1)
    return float(np.hypot(*(a + share * (b - a) - p)))


# Graphs that are hard to lay out


def wide_tree() -> BayesGraph:
    states = {"R": 3} | {f"X{i}": 2 + i % 4 for i in range(1, 30)}
    return BayesGraph(states, {f"X{i}": "R" if i < 4 else f"X{(i - 1) // 3}" for i in range(1, 30)})


def twelve() -> BayesGraph:
    """A class with twelve questions below it, all of long names."""
    questions = [f"{k}. How often, in an ordinary week of last year?" for k in range(1, 13)]
    sizes = {"Latent class of the respondents": 3} | dict.fromkeys(questions, ("never", "often"))
    return BayesGraph(sizes, dict.fromkeys(questions, "Latent class of the respondents"))


def polytree(seed: int) -> BayesGraph:
    """Cards of very different widths, and arrows in both directions: some pass a row."""
    rng = np.random.default_rng(seed)
    names = {f"v{i} " + "n" * int(rng.integers(0, 14)): int(rng.integers(2, 4)) for i in range(9)}
    parents: dict[str, list[str]] = {}
    for i, name in list(enumerate(names))[1:]:
        other = list(names)[rng.integers(0, i)]
        child, parent = (name, other) if rng.random() < 0.6 else (other, name)
        parents.setdefault(child, []).append(parent)
    return BayesGraph(names, parents)
