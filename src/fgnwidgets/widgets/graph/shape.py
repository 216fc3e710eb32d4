"""Choose the number of rows of a drawing, so that a wide one can be read on a page.

A page scales a drawing down until it fits its width. So a variable with twelve children in one row
would be too small to read; in several rows it is larger.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

WIDE, HIGH = 900.0, 800.0
"""Width and height in pixels that a laptop has for a drawing."""

MOST, WORTH = 4, 1.1
"""Most rows, and the factor by which more rows must enlarge the drawing to be worth it."""

Drawn = TypeVar("Drawn")


def in_rows(draw: Callable[[int], Drawn], extent: Callable[[Drawn], tuple[float, float]]) -> Drawn:
    """``draw(rows)`` with the number of rows that makes it largest on a page.

    ``extent`` returns the width and height of a drawing. The result does not depend on the actual
    page, so that nothing moves when a window is resized.
    """
    best = draw(1)
    width, low = extent(best)
    largest = min(WIDE / width, HIGH / low, 1.0)
    for rows in range(2, MOST + 1):
        if width <= WIDE:
            break
        drawn = draw(rows)
        width, height = extent(drawn)
        if height <= low:  # nothing could be put into another row
            break
        size = min(WIDE / width, HIGH / height, 1.0)
        if size > WORTH * largest:
            best, largest = drawn, size
    return best
