"""The parts that drawings of graphs are made of, each drawn by a method of :class:`Pen`.

Vocabulary
    pen     axes with a theme and a scale; coordinates are in grid steps, y grows downwards
    rows    a message as horizontal bars, one for each value, as long as its probability
    ghost   the rows of another message behind these, such as a prior behind its posterior
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Circle, Ellipse, Patch, Rectangle
from matplotlib.text import Text

from ..algebra.arrays import Array
from .contours import Room
from .measures import BLOCK, DIVERTER, EM, GAP, STATE, TERMINAL, Point, rows_height
from .names import message, plain, shortened
from .style import Mark, Theme, canvas, figure_of

STEP = 0.75
"""Inches of a grid step in a new figure."""
BORDER = 0.15
"""Width of the empty border around a drawing, in grid steps."""
LABELLED = 6
"""With more rows than this, they have no labels of states."""


@dataclass(frozen=True)
class Pen:
    """Axes to draw on, the theme, and the length of a grid step in points."""

    ax: Axes
    theme: Theme
    points: float

    @property
    def thin(self) -> float:
        """The width of a line, in points."""
        return max(0.02 * self.points, 0.3)

    def text(
        self, at: Point, content: str, size: float = EM, align: str = "center", color: str = ""
    ) -> Text:
        """Vertically centred text; ``size`` is its font size in grid steps."""
        return self.ax.text(
            *at,
            content,
            fontsize=size * self.points,
            color=color or self.theme.ink,
            horizontalalignment=align,
            verticalalignment="center_baseline",
            zorder=4,
        )

    def lines(self, paths: Iterable[Sequence[Point]], width: float = 1.0, color: str = "") -> None:
        """Polylines, ``width`` times as wide as ``thin``."""
        lines = LineCollection(
            [list(path) for path in paths],
            colors=color or self.theme.ink,
            linewidths=width * self.thin,
            capstyle="projecting",
            zorder=1,
        )
        self.ax.add_collection(lines, autolim=False)

    def polygons(
        self,
        corners: Iterable[Sequence[Point]],
        color: str,
        *,
        edge: str = "none",
        zorder: float = 3,
    ) -> None:
        """Filled polygons."""
        shapes = PolyCollection(
            [list(c) for c in corners],
            facecolors=color,
            edgecolors=edge,
            linewidths=self.thin / 2,
            zorder=zorder,
        )
        self.ax.add_collection(shapes, autolim=False)

    def heads(self, tips: Iterable[Point], color: str = "", *, way: int = 1) -> None:
        """Arrow heads that point down, or up with ``way=-1``."""
        shapes = [
            ((x, y), (x - 0.045, y - way * 0.12), (x + 0.045, y - way * 0.12)) for x, y in tips
        ]
        self.polygons(shapes, color or self.theme.ink)

    def block(self, at: Point, *, shaded: bool = False) -> None:
        """A square block; it is ``shaded`` if its matrix is fixed."""
        corner = (at[0] - BLOCK, at[1] - BLOCK)
        self._add(Rectangle(corner, 2 * BLOCK, 2 * BLOCK), self.theme.shade if shaded else "")

    def diverter(self, at: Point, left: float, right: float) -> None:
        """A diverter: a bar from ``left`` to ``right`` with ``=`` in a box."""
        x, y = at
        arms = [((left, y), (x - DIVERTER, y)), ((x + DIVERTER, y), (right, y))]
        self.lines([arm for arm in arms if arm[0][0] < arm[1][0]], width=2.5)
        self._add(Rectangle((x - DIVERTER, y - DIVERTER), 2 * DIVERTER, 2 * DIVERTER))
        self.text(at, "=", 0.18)

    def matrix(self, at: Point, theta: Array, *, shaded: bool = False) -> None:
        """A block's matrix as a heat map inside its square."""
        edges = [
            np.linspace(c - BLOCK, c + BLOCK, n + 1) for c, n in zip(at, theta.T.shape, strict=True)
        ]
        colors = "Greys" if shaded else self.theme.matrix
        self.ax.pcolormesh(*edges, theta, cmap=colors, vmin=0, vmax=1, zorder=2.5)

    def terminal(self, at: Point, *, observed: bool = False) -> None:
        """The open end of a branch, filled if ``observed``."""
        self._add(Circle(at, TERMINAL), self.theme.observed.color if observed else "")

    def variable(self, at: Point, half: Room) -> None:
        """A variable of a Bayesian graph."""
        self._add(Ellipse(at, 2 * half[0], 2 * half[1]))

    def card(self, at: Point, half: Room, *, observed: bool = False) -> None:
        """A variable with room for its belief; its head is filled if ``observed``."""
        x, y = at[0] - half[0], at[1] - half[1]
        self._add(Rectangle((x, y), 2 * half[0], 2 * half[1]))
        head = Rectangle((x, y), 2 * half[0], 2 * EM)
        self._add(head, self.theme.observed.color if observed else self.theme.frame)

    def _add(self, patch: Patch, fill: str = "") -> None:
        patch.set(facecolor=fill or self.theme.block, edgecolor=self.theme.ink)
        patch.set(linewidth=self.thin, zorder=2)
        self.ax.add_patch(patch)

    def arrow(self, path: Sequence[Point], mark: Mark | None = None) -> None:
        """An arrow along a polyline, in the theme's ink or in the colour and dash of a mark."""
        color = mark.color if mark else self.theme.ink
        if len(path) > 2:
            self.lines([path[:-1]], color=color)
        self.ax.annotate(
            "",
            path[-1],
            path[-2],
            arrowprops={
                "arrowstyle": "-|>,head_length=0.5,head_width=0.2",
                "mutation_scale": 0.24 * self.points,
                "shrinkA": 0,
                "shrinkB": 0,
                "color": color,
                "linestyle": mark.dash if mark else "-",
                "linewidth": self.thin,
            },
            zorder=1,
        )

    def flows(self, at: Point, name: str) -> None:
        """The names of a branch's messages with arrows, below a point: f at the left, b at the
        right."""
        x, y = at
        for side, letter, mark in ((-1, "f", self.theme.forward), (1, "b", self.theme.backward)):
            ends = [(x + side * 0.14, y), (x + side * 0.14, y + 0.5)]
            self.arrow(ends[::-side], mark)
            align = "right" if side < 0 else "left"
            self.text((x + side * 0.24, y + 0.25), message(letter, name), 1.2 * EM, align)

    def rows(
        self,
        corner: Point,
        width: float,
        values: Array,
        mark: Mark,
        *,
        ghost: Array | None = None,
        states: Sequence[object] = (),
    ) -> None:
        """A message as rows, their top left corner at ``corner``, with labels of states beside."""
        x, y = corner
        row = rows_height(len(values)) / len(values)
        tops = [y + i * row for i in range(len(values))]
        self.polygons([_bar(x, top, width, row) for top in tops], self.theme.frame)
        share = 0.75
        if ghost is not None:
            share = 0.45
            bars = [_bar(x, top, width * g, row) for top, g in zip(tops, ghost, strict=True)]
            self.polygons(bars, self.theme.ghost, edge=self.theme.muted)
        self.polygons(
            [_bar(x, t, width * v, row, share) for t, v in zip(tops, values, strict=True)],
            mark.color,
        )
        if states and len(states) <= LABELLED:
            for top, state in zip(tops, states, strict=True):
                at = (x + width + GAP / 2, top + row / 2)
                self.text(at, plain(shortened(str(state), STATE)), 0.75 * EM, "left")


def pen(ax: Axes | None, width: float, height: float, theme: Theme) -> Pen:
    """A pen for a drawing of this size in grid steps, on new axes or scaled to fit ``ax``."""
    wide, high = width + 2 * BORDER, height + 2 * BORDER
    ax = canvas(ax, wide * STEP, high * STEP, theme, full=True)
    ax.set_xlim(-BORDER, width + BORDER)
    ax.set_ylim(height + BORDER, -BORDER)
    ax.set_aspect("equal")
    ax.set_axis_off()
    inches = ax.get_position(original=True).size * figure_of(ax).get_size_inches()
    return Pen(ax, theme, 72 * min(inches[0] / wide, inches[1] / high))


def _bar(x: float, top: float, width: float, height: float, share: float = 1.0) -> list[Point]:
    """The corners of a bar in a row; it takes the middle ``share`` of the row's height."""
    top += (1 - share) / 2 * height
    bottom = top + share * height
    return [(x, top), (x + width, top), (x + width, bottom), (x, bottom)]
