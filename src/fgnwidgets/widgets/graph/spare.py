"""The largest part of a drawing that is free, where the page may put its panel."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

import numpy as np

Area = tuple[float, float, float, float]
"""Left, top, right, bottom."""

CELL = 10
"""Pixels of a square of the net that is laid over the drawing."""

CLEAR = 6
"""Pixels around a box that stay free."""

WIDE, HIGH = 560.0, 380.0
"""A panel needs no more pixels than these: a larger place is not a better one."""

LEAST = (300.0, 150.0)
"""A smaller place is none."""


def boxes_of(points: Iterable[tuple[float, float]]) -> list[Area]:
    """The boxes of the pieces of a line; a slanting piece is cut into short ones."""
    found = []
    for (x, y), (to, end) in pairwise([(float(x), float(y)) for x, y in points]):
        cuts = 1 if x == to or y == end else 1 + int(max(abs(to - x), abs(end - y)) // (2 * CELL))
        ways = [(x + (to - x) * k / cuts, y + (end - y) * k / cuts) for k in range(cuts + 1)]
        found += [(min(a, c), min(b, d), max(a, c), max(b, d)) for (a, b), (c, d) in pairwise(ways)]
    return found


@lru_cache(maxsize=64)
def spare(taken: tuple[Area, ...], width: float, height: float) -> tuple[float, ...] | None:
    """Left, top, width and height of the largest free place, or None if there is none of use."""
    across, down = int(width // CELL), int(height // CELL)
    free = np.ones((down, across), dtype=bool)
    for left, top, right, bottom in taken:
        first, last = int((left - CLEAR) // CELL), int(np.ceil((right + CLEAR) / CELL))
        upper, lower = int((top - CLEAR) // CELL), int(np.ceil((bottom + CLEAR) / CELL))
        free[max(upper, 0) : max(lower, 0), max(first, 0) : max(last, 0)] = False
    best, place = 0.0, None
    high = [0] * across  # of each column, the free squares upwards from this row
    for row in range(down):
        high = [h + 1 if own else 0 for h, own in zip(high, free[row].tolist(), strict=True)]
        open_: list[tuple[int, int]] = []  # columns where a place begins, each with its height
        for column, now in enumerate([*high, 0]):
            begin = column
            while open_ and open_[-1][1] >= now:
                begin, tall = open_.pop()
                w, h = CELL * (column - begin), CELL * tall
                size = min(w, WIDE) * min(h, HIGH)
                if size > best and w >= LEAST[0] and h >= LEAST[1]:
                    best = size
                    place = (CELL * begin, CELL * (row + 1 - tall), w, h)
            open_.append((begin, now))
    return None if place is None else tuple(map(float, place))
