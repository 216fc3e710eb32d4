"""The ways of arrows between cards: straight where nothing is in between, else around it.

Vocabulary
    box    a card as ``(left, top, width, height)``, in pixels
    port   the middle of a side of a box, a little outside, where a way may begin or end
    lane   how far from the corners of other boxes a way passes; arrows of one parent share theirs
    way    the points of an arrow, from its parent to its child

A way around boxes is the shortest one through the corners of their lanes (a visibility graph), with
a price for each turn. So an arrow crosses a card only where no way is free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fgnwidgets.algebra.arrays import Array

Point = tuple[float, float]
CardBox = tuple[float, float, float, float]
ParentChild = tuple[str, str]

NEAR = 3.0
"""Pixels from a box where a line would touch it."""

LANES = (13.0, 7.0, 19.0)
"""The lanes, by turns; they fit the gap between two cards."""

LEAVE, MEET = 6.0, 3.0
"""Pixels from a parent's box, under a handle, to an arrow's start, and from a tip to its child."""

BELOW = 24.0
"""A box that lies so much lower is entered from above."""

TURN, ASIDE = 12.0, 40.0
"""Pixels that a turn is worth, and entering a box that lies below from a side."""

EDGE = 2.0
"""No point lies nearer to the left and upper edge of the drawing."""


def routed(
    boxes: Mapping[str, CardBox],
    arrows: Sequence[ParentChild],
    *,
    handles: bool = False,
    given: Mapping[ParentChild, Sequence[Point]] | None = None,
) -> dict[ParentChild, list[list[float]]]:
    """The way of every arrow ``(parent, child)``.

    With ``handles`` an arrow to a box below begins in the middle of the lower side, where the
    handle of a card is, and ends in the middle of the upper one; else it points to the centres.
    ``given`` are points between the ends that a layout has kept free for some arrows.
    """
    known = {pair: tuple(map(tuple, points)) for pair, points in (given or {}).items() if points}
    ways = _routed(
        tuple((name, tuple(map(float, box))) for name, box in boxes.items()),
        tuple(arrows),
        handles,
        tuple(known.items()),
    )
    return {pair: [list(point) for point in way] for pair, way in ways.items()}


@lru_cache(maxsize=64)
def _routed(
    boxes: tuple[tuple[str, CardBox], ...],
    arrows: tuple[ParentChild, ...],
    handles: bool,
    given: tuple[tuple[ParentChild, tuple[Point, ...]], ...],
) -> dict[ParentChild, list[Point]]:
    """The same of values that can be remembered: what is not moved is not routed anew."""
    at, kept = dict(boxes), dict(given)
    order = {name: k for k, name in enumerate(at)}
    all_boxes = np.array([box for _, box in boxes]).reshape(-1, 4)
    families = {parent: k for k, parent in enumerate(dict.fromkeys(p for p, _ in arrows))}
    lanes = [_Around(all_boxes, lane) for lane in LANES]
    found = {}
    for parent, child in arrows:
        one, two = at[parent], at[child]
        if (parent, child) in kept:
            inner = kept[parent, child]
            way = [port(one, inner[0]), *inner, port(two, inner[-1])]
        else:
            below = handles and two[1] > one[1] + one[3] + BELOW
            way = _foot_to_top(one, two) if below else _straight(one, two)
            blocking = _meeting(np.array(way[:1]), np.array(way[1:]), all_boxes)[0]
            blocking[[order[parent], order[child]]] = False
            if blocking.any():
                around = lanes[families[parent] % len(LANES)]
                way = around.way(order[parent], order[child], below, blocking) or way
        found[parent, child] = [(round(float(x), 1), round(float(y), 1)) for x, y in way]
    return found


def middle(box: CardBox) -> Point:
    """The centre of a box."""
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def border(box: CardBox, towards: Sequence[float], space: float = MEET) -> Point:
    """The point where a line from a box's centre to a point leaves the box, ``space`` outside."""
    x, y = middle(box)
    dx, dy = towards[0] - x, towards[1] - y
    shares = [
        (half + space) / abs(d) for half, d in ((box[2] / 2, dx), (box[3] / 2, dy)) if abs(d) > 1e-9
    ]
    share = min([*shares, 1.0])
    return x + dx * share, y + dy * share


def port(box: CardBox, towards: Sequence[float], space: float = MEET) -> Point:
    """The middle of the lower or upper side, from where a bent line clears the boxes beside."""
    x, y = middle(box)
    return x, y + float(np.copysign(box[3] / 2 + space, towards[1] - y))


def meets(start: Sequence[float], stop: Sequence[float], boxes: NDArray[np.float64]) -> bool:
    """True if a line runs over one of the boxes, or touches one."""
    ends = np.array([start, stop], dtype=float)
    return bool(_meeting(ends[None, 0], ends[None, 1], boxes).any())


def _meeting(starts: Array, stops: Array, boxes: Array, near: float = NEAR) -> NDArray[np.bool_]:
    """True where a line meets a box, ``(lines, boxes)``: the line is cut off at the
    sides of a box, and something is left."""
    if not len(boxes):
        return np.zeros((len(starts), 0), dtype=bool)
    first = np.zeros((len(starts), len(boxes)))
    last = np.ones_like(first)
    for k in (0, 1):
        way = (stops - starts)[:, k, None]
        low, high = boxes[:, k] - near, boxes[:, k] + boxes[:, k + 2] + near
        aside = np.abs(way) < 1e-9
        safe = np.where(aside, 1.0, way)
        one, two = ((edge - starts[:, k, None]) / safe for edge in (low, high))
        inside = (starts[:, k, None] > low) & (starts[:, k, None] < high)
        first = np.maximum(first, np.where(aside, np.where(inside, 0.0, 2.0), np.minimum(one, two)))
        last = np.minimum(last, np.where(aside, 1.0, np.maximum(one, two)))
    return first < last - 1e-9


def _foot_to_top(one: CardBox, two: CardBox) -> list[Point]:
    return [(middle(one)[0], one[1] + one[3] + LEAVE), (middle(two)[0], two[1] - MEET)]


def _straight(one: CardBox, two: CardBox) -> list[Point]:
    return [border(one, middle(two)), border(two, middle(one))]


_KNOWN: dict[Any, tuple[Array, bytes, list[Point]]] = {}
"""Ways that were found: the points that were looked at, the boxes among them, and the way. So while
a card is carried, only arrows near it are routed anew."""

MOST_KNOWN = 2000


class _Around:
    """Ways around boxes, in one lane."""

    def __init__(self, boxes: Array, lane: float) -> None:
        self.boxes, self.lane = boxes, lane
        grown = boxes + np.array([-lane, -lane, 2 * lane, 2 * lane])
        x, y, w, h = grown.T
        self.corners = np.stack([x, y, x + w, y, x, y + h, x + w, y + h], 1).reshape(-1, 4, 2)
        self.free = self._free(self.corners.reshape(-1, 2)).reshape(-1, 4)

    def way(self, parent: int, child: int, below: bool, blocking: NDArray[np.bool_]) -> list[Point]:
        """The shortest way from one box to another; empty where none is free.

        It goes by the corners of the boxes that are ``blocking`` the straight line, and where that
        is impossible, also by those that block these ways, and so on.
        """
        starts = self._ports(parent, ("foot",) if below else ("foot", "top", "left", "right"))
        stops = self._ports(child, ("top", "left", "right") + (() if below else ("foot",)))
        prices = [TURN, TURN + ASIDE, TURN + ASIDE] if below else [TURN] * len(stops)
        own = (*self.boxes[parent], *self.boxes[child], self.lane, below)
        known = _KNOWN.get(own)
        if known is not None and known[1] == self._boxes_in(known[0]):
            return known[2]
        near = blocking.copy()
        near[[parent, child]] = True
        while True:
            corners = self.corners[near][self.free[near]]
            points = np.vstack([corners, starts, stops])
            many = len(points)
            one, two = np.triu_indices(many, 1)
            here = self._among(points)
            hits = _meeting(points[one], points[two], self.boxes[here])
            length = np.full((many, many), np.inf)
            gaps = np.hypot(*(points[one] - points[two]).T)
            length[one, two] = length[two, one] = np.where(hits.any(axis=1), np.inf, gaps)
            length += TURN
            length[:, many - len(stops) :] += np.array(prices) - TURN
            first = len(corners)
            found = _shortest(length, points, range(first, first + len(starts)), len(stops))
            more = near.copy()
            more[here] |= hits.any(axis=0)
            if found or (more == near).all():
                break
            near = more
        area = np.vstack([self.corners[near].reshape(-1, 2), starts, stops])
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[own] = (area, self._boxes_in(area), found)
        return found

    def _ports(self, box: int, sides: Sequence[str]) -> Array:
        x, y, w, h = self.boxes[box]
        gap = NEAR + 0.5
        at = {
            "foot": (x + w / 2, y + h + LEAVE),
            "top": (x + w / 2, y - gap),
            "left": (x - gap, y + h / 2),
            "right": (x + w + gap, y + h / 2),
        }
        return np.array([at[side] for side in sides])

    def _among(self, points: Array) -> NDArray[np.intp]:
        """The boxes that lines between these points could meet."""
        low, high = self.boxes[:, :2] - NEAR, self.boxes[:, :2] + self.boxes[:, 2:] + NEAR
        near = (low <= points.max(axis=0)) & (high >= points.min(axis=0))
        return np.flatnonzero(near.all(axis=1))

    def _boxes_in(self, area: Array) -> bytes:
        """The boxes on which a way depends that was found among these points."""
        return self.boxes[self._among(area)].tobytes()

    def _free(self, points: Array) -> NDArray[np.bool_]:
        """True where a point lies on the drawing, and in no box."""
        low = self.boxes[:, :2] - NEAR
        high = self.boxes[:, :2] + self.boxes[:, 2:] + NEAR
        within = ((points[:, None] > low) & (points[:, None] < high)).all(axis=2)
        free: NDArray[np.bool_] = ~np.any(within, axis=1) & np.all(points >= EDGE, axis=1)
        return free


def _shortest(length: Array, points: Array, starts: range, stops: int) -> list[Point]:
    """The shortest way (Dijkstra's) from any of the starts to one of the last points."""
    far = np.full(len(points), np.inf)
    far[list(starts)] = 0.0
    came = np.full(len(points), -1)
    open_ = np.ones(len(points), dtype=bool)
    while True:
        here = int(np.argmin(np.where(open_, far, np.inf)))
        if not open_[here] or not np.isfinite(far[here]):
            return []
        open_[here] = False
        if here >= len(points) - stops:
            break
        through = far[here] + length[here]
        nearer = through < far
        far[nearer], came[nearer] = through[nearer], here
    way = [here]
    while came[way[-1]] >= 0:
        way.append(int(came[way[-1]]))
    made = [(float(x), float(y)) for x, y in points[way[::-1]]]
    assert all(one != two for one, two in pairwise(made))
    return made
