"""Matrices and messages as heat maps, many of them on one pair of axes.

Vocabulary
    mosaic     matrices as heat maps, side by side
    messages   distributions over three values as points in a triangle, others as heat maps
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from fgnwidgets.draw import LIGHT, Mark, Theme, figure_of, length

from ..experiments.words import NAMES
from .kept_axes import again
from .sheets import SHORT, SMALL, SQUEEZED, stacked

MOST_MESSAGES = 300
"""Most messages drawn as points; more would fill the triangle."""

NAME, LINE = 0.52, 0.19
"""Least width of a matrix with its name, and least height of its rows, in inches."""

SYMBOL = 0.13
"""Width of the symbol of a message, such as an f with its index, in inches."""

LETTERS = 8.5
"""Font size of the name of a matrix."""

TURNS = ((-0.08, 0.0), (0.08, 0.0), (0.0, 0.08))
"""Offsets of the numbers from the corners of the triangle, in inches."""

Drawn = tuple[str, np.ndarray, Mark]
"""The name of a set of messages, their values, and their mark."""


def fitted(
    groups: Mapping[str, Mapping[str, np.ndarray]], width: float, height: float
) -> tuple[int, float]:
    """The number of matrices of a group in a line (0 for all), and the height that they need.

    ``width`` is that of the axes and ``height`` their least height, in inches. Each matrix must be
    at least :data:`NAME` wide.
    """
    count = max(map(len, groups.values()))
    for wrap in range(count, 0, -1):
        placed = [_placed(list(matrices.items()), wrap) for matrices in groups.values()]
        wide = sum(w for _, w, _ in placed) + 1.6 * (len(groups) - 1) + 0.6
        least = min(m.shape[1] for matrices in groups.values() for m in matrices.values())
        if (least + 0.5) * width / wide >= NAME:
            break
    high = max(h for *_, h in placed) + 2
    return (0 if wrap == count else wrap), max(height, high * LINE)


def stacked_mosaic(
    groups: Mapping[str, Mapping[str, np.ndarray]], width: float, room: float | None
) -> tuple[int, float]:
    """The same for a figure of this width whose parts are stacked if they have too little room.

    Returns (0, 0.0) if they are not.
    """
    thin = stacked(width, room)
    return (0, 0.0) if thin is None else fitted(groups, thin - 0.2, 1.2)


def brief(name: str, most: float) -> str:
    """The name of a matrix in at most ``most`` ems: without its parents, then without its middle.

    The end is kept because names often differ there.
    """
    if length(name) <= most:
        return name
    child = name.partition("|")[0]
    if length(child) <= most:
        return child
    for ends in (4, 2, 0):
        tail = child[len(child) - ends :]
        heads = (child[:k] for k in range(len(child) - ends, 0, -1))
        fitting = (f"{head.rstrip()}…{tail.lstrip()}" for head in heads)
        if short := next((text for text in fitting if length(text) <= most), ""):
            return short
    return "…"


def mosaic(
    ax: Axes,
    groups: Mapping[str, Mapping[str, np.ndarray]],
    *,
    wrap: int = 0,
    theme: Theme = LIGHT,
) -> Axes:
    """Groups of matrices as heat maps from 0 to 1, the matrices of a group side by side.

    ``groups`` maps a rule, or another heading, to its matrices by name. With ``wrap`` there are at
    most so many matrices in a line. If one name has no room for its parents, all go without.
    """
    frames, left, bottom = [], 0.0, 0.0
    headings = []
    for heading, matrices in groups.items():
        placed, width, height = _placed(list(matrices.items()), wrap)
        at = tuple((left + x, y, *matrix.shape) for _, matrix, x, y in placed)
        frames += [(left + x, y, matrix.shape, name) for name, matrix, x, y in placed]
        # Squares that are where they were are not made again.
        drawn = again(ax, ("squares", heading, theme, at), partial(_squares, heading, at, theme))
        drawn.set_array(np.concatenate([matrix.ravel() for _, matrix, *_ in placed]))
        drawn.set_clim(0, 1)
        headings.append((left + width / 2, heading))
        left += width + 1.6
        bottom = max(bottom, height)
    right = left - 1.6
    cell = ax.get_position().width * figure_of(ax).get_figwidth() / (right + 0.6)
    rooms = [(size + 0.4) * cell * 72 / LETTERS for *_, (_, size), _ in frames]
    whole = all(length(f[-1]) <= room for f, room in zip(frames, rooms, strict=True))
    for (x, y, (_, size), name), room in zip(frames, rooms, strict=True):
        fits = brief(name if whole else name.partition("|")[0], room)
        ax.text(x + size / 2, y - 0.12, fits, fontsize=LETTERS, color=theme.ink,
                ha="center", va="bottom")  # fmt: skip
    for x, heading in headings:
        color = theme.rule(heading).word if heading in theme.rules else theme.ink
        name = NAMES.get(heading, heading)
        if getattr(figure_of(ax), SQUEEZED, 1.0) < 1.0:
            name = SHORT.get(name, name)
        ax.text(x, -1.0, name, color=color, fontsize=9, fontweight="bold", ha="center", va="bottom")
    ax.set_xlim(-0.3, right + 0.3)
    ax.set_ylim(bottom + 0.1, -1.9)
    ax.axis("off")
    return ax


def _squares(
    heading: str, at: Sequence[tuple[float, float, int, int]], theme: Theme
) -> PolyCollection:
    """The cells of matrices: the upper left corner of each, its rows and its columns."""
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    squares = [
        np.array([x + j, y + i]) + corners
        for x, y, rows, columns in at
        for i, j in np.ndindex(rows, columns)
    ]
    return PolyCollection(squares, cmap=theme.matrix, edgecolors=theme.ground, linewidth=0.8,
                          label=NAMES.get(heading, heading))  # fmt: skip


def messages(
    ax: Axes, size: tuple[float, float], drawn: Sequence[Drawn], theme: Theme = LIGHT
) -> Axes:
    """Sets of messages ``(M, N)``, one below the other; ``size`` is that of the axes in inches.

    Messages of three values are points in a triangle, whose corners are the deltas. Others are a
    heat map with a column for each sample, sorted by the largest value.
    """
    width, height = size[0], size[1] / len(drawn)
    ax.set(xlim=(0, size[0]), ylim=(0, size[1]))  # first: so they are not searched for
    for k, (name, values, mark) in enumerate(drawn):
        bottom = size[1] - (k + 1) * height
        symbol, _, rest = name.partition(",")  # a formula takes long to set: it stays as it is
        for x, text in ((0, symbol), (SYMBOL, f", {rest.strip()}" if rest else "")):
            ax.text(x, bottom + height - 0.14, text, fontsize=9, color=theme.ink)
        high = height - 0.42
        if len(values) == 3:
            side = min(width - 0.2, (high - 0.08) / np.sqrt(0.75))
            corners = side * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
            corners += (width - side) / 2, bottom + 0.1
            ax.plot(*corners[[0, 1, 2, 0]].T, color=theme.muted, linewidth=1)
            shown = values[:, :MOST_MESSAGES].T @ corners
            ax.plot(*shown.T, mark.marker, color=mark.color, markersize=3, alpha=0.5, mew=0)
            for label, corner, (dx, dy) in zip("123", corners, TURNS, strict=True):
                ax.text(corner[0] + dx, corner[1] + dy, label, fontsize=SMALL, color=theme.ink,
                        ha="center", va="center")  # fmt: skip
        else:
            order = np.lexsort((-values.max(axis=0), values.argmax(axis=0)))
            edges = np.linspace(bottom + high + 0.1, bottom + 0.1, len(values) + 1)
            sides = np.linspace(0.15, width, len(order) + 1)
            ax.pcolormesh(sides, edges, values[:, order], cmap=theme.matrix, vmin=0, vmax=1)
            for value, y in enumerate((edges[1:] + edges[:-1]) / 2, start=1):
                ax.text(0.06, y, str(value), fontsize=SMALL, color=theme.ink,
                        ha="center", va="center")  # fmt: skip
    ax.axis("off")
    return ax


def _placed(
    matrices: list[tuple[str, np.ndarray]], wrap: int
) -> tuple[list[tuple[str, np.ndarray, float, float]], float, float]:
    """Each matrix with its upper left corner, and the width and height of all."""
    per_line = wrap or len(matrices)
    placed, y, width = [], 0.0, 0.0
    for at in range(0, len(matrices), per_line):
        x, line = 0.0, matrices[at : at + per_line]
        for name, matrix in line:
            placed.append((name, matrix, x, y))
            x += matrix.shape[1] + 0.5
        width = max(width, x - 0.5)
        y += max(matrix.shape[0] for _, matrix in line) + 1.1
    return placed, width, y - 1.1
