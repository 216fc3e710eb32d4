"""Contours: how far a part of a drawing reaches to the left and to the right, row by row.

Vocabulary
    row       ``2 * layer`` for nodes, ``2 * layer + 1`` for the gap below them (``tree``)
    contour   row -> leftmost and rightmost place that is taken; a row that is free is left out
"""

from __future__ import annotations

import math

Room = tuple[float, float]  # to the left and to the right of a centre
Contour = dict[int, Room]

SEPARATION = 0.3
"""Least distance between two contours, in grid steps."""
SNAP = 0.25
"""Distances between columns are multiples of this."""


def snap(distance: float) -> float:
    """The next multiple of ``SNAP``."""
    return math.ceil(distance / SNAP - 1e-9) * SNAP


def separation(one: Contour, two: Contour, apart: float = SEPARATION) -> float:
    """The least move of ``two`` to the right that clears ``one``; 0 if they share no row."""
    shared = one.keys() & two.keys()
    return max((one[row][1] - two[row][0] + apart for row in shared), default=0.0)


def join(total: Contour, part: Contour, offset: float) -> None:
    """Widen a contour by another one that is moved to the right by ``offset``."""
    for row, (left, right) in part.items():
        known = total.get(row, (math.inf, -math.inf))
        total[row] = (min(known[0], left + offset), max(known[1], right + offset))
