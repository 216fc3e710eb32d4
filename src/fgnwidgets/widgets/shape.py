"""The shape of a drawing on a page: what is too wide to be read gets rows below each other.

A page scrolls down and not to the side, and a drawing is made smaller until it is as wide as its
room. So a variable with twelve children would be a strip of letters that nobody can read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

WIDE, HIGH = 900.0, 800.0
"""Pixels that a page of a laptop has for a drawing, in its own size."""

MOST, WORTH = 4, 1.1
"""Rows at most; and how much larger one more has to make the drawing."""

Drawn = TypeVar("Drawn")


def in_rows(draw: Callable[[int], Drawn], extent: Callable[[Drawn], tuple[float, float]]) -> Drawn:
    """``draw(rows)`` with as many rows as make it largest on a page, the fewest of these.

    ``extent`` is the width and the height of what was drawn. It is the same on every page, so that
    nothing moves where a window is made larger.
    """
    best = draw(1)
    width, low = extent(best)
    largest = min(WIDE / width, HIGH / low, 1.0)
    for rows in range(2, MOST + 1):
        if width <= WIDE:
            break
        drawn = draw(rows)
        width, height = extent(drawn)
        if height <= low:  # there is nothing to deal out to rows
            break
        size = min(WIDE / width, HIGH / height, 1.0)
        if size > WORTH * largest:
            best, largest = drawn, size
    return best
