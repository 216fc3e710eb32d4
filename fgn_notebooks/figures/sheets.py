"""Figures and axes that can be drawn on again and again.

A lab draws a figure many times, and new axes cost more time than what is drawn on them. So
:func:`sheet` only hides the axes of a figure, and :func:`axes` takes those back that it needs,
which take back the lines and texts that they need (:mod:`.kept_axes`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme, figure_of, plot_frame

from .kept_axes import KeptAxes

SMALL = 8.5
"""Font size of texts inside a plot."""

FRAMED = "framed_in"
"""The attribute of axes that holds the theme of their frame."""

TITLED = "titled_in"
"""The attribute of axes that holds the colour of their title."""

BELOW, BESIDE, SHARES = 0.271, 0.56, 0.3528
"""Distance in inches from the axes to the label of x, to that of y, and to that of y if its numbers
are 0.0, 0.5 and 1.0. To find a distance by itself, matplotlib would measure all ticks, which is
slow."""

READ = 1.308
"""Inches of a figure for 100 pixels of a page, at which its small letters have nine pixels."""

NARROWEST = 0.84
"""The most that a figure shrinks from its design when drawn, as share of its width."""

EDGE = 0.16
"""Least distance in inches of the right side of a label of y from the left edge of a figure."""

SQUEEZED = "squeezed"
"""The attribute of a figure that says how much smaller than designed it is."""

SHORT = {"generative model": "GModel"}
"""Names that are shorter where a page is narrow."""

STACK = "stack"
"""The attribute of a figure that holds its parts with their places, if they are stacked."""

THINNEST, WIDEST = 3.5, 5.6
"""Least and greatest width of a stacked figure in inches."""

LETTER = 0.53
"""Width of a letter, on the average, as share of the font size."""

Box = tuple[float, float, float, float]
"""Left, bottom, width and height in inches."""


@dataclass(frozen=True)
class Part:
    """A part that stands by itself in a figure, and below the others where a page is narrow.

    ``area`` is the box of its axes as designed, ``high`` its height when it is stacked (that of the
    design by default), and ``margins`` what labels need around it then: left, below, right, above.
    """

    area: Box
    high: float | None = None
    margins: Box = (0.78, 0.55, 0.72, 0.38)

    def stacked(self, width: float, bottom: float) -> Box:
        """The box of the area in a stacked figure, whose part begins at ``bottom``."""
        left, below, right, _ = self.margins
        return left, bottom + below, width - left - right, self.height

    @property
    def height(self) -> float:
        """The height of the area when it is stacked, in inches."""
        return self.area[3] if self.high is None else self.high

    @property
    def whole(self) -> float:
        """The same with what is below and above it."""
        return self.height + self.margins[1] + self.margins[3]


Draw = TypeVar("Draw", bound=Callable[..., Figure])


def keeping(draw: Draw) -> Draw:
    """Mark a figure's function as one that takes its earlier axes back by :func:`axes`."""
    draw.keeps_axes = True  # type: ignore[attr-defined]
    return draw


def stacked(width: float, room: float | None) -> float | None:
    """The width in inches of a stacked figure, or None where the parts have room side by side.

    ``width`` is that of the design, ``room`` that of the page.
    """
    if room is None or READ * room / width >= NARROWEST:
        return None
    return min(max(READ * room, THINNEST), WIDEST)


def sheet(
    fig: Figure | None,
    width: float,
    height: float,
    theme: Theme = LIGHT,
    room: float | None = None,
    parts: Sequence[Part] = (),
) -> Figure:
    """A new figure of this size in inches, or ``fig`` with all its axes hidden.

    With less ``room``, in inches of a page, it is smaller, and its letters are as large as before,
    so that they can be read there. Where that is too little, its ``parts`` are stacked.
    """
    thin = stacked(width, room) if parts else None
    share = 1.0 if room is None else min(1.0, max(READ * room / width, NARROWEST))
    if thin is None:
        width, height = width * share, height * share
    else:
        share, width, height = thin / width, thin, sum(part.whole for part in parts)
    if fig is None:
        fig = Figure(figsize=(width, height), dpi=100)
    elif not np.allclose((width, height), fig.get_size_inches()):
        fig.clear()  # the axes are placed for the old size
        fig.set_size_inches(width, height)
    for text in list(fig.texts):
        text.remove()
    for ax in fig.axes:
        ax.set_visible(False)
    fig.set_facecolor(theme.ground)
    setattr(fig, SQUEEZED, share)
    placed, top = [], height
    for part in parts if thin is not None else ():
        top -= part.whole
        placed.append((part, part.stacked(width, top)))
    setattr(fig, STACK, placed)
    return fig


def _place(fig: Figure, left: float, bottom: float) -> tuple[float, float, float, float]:
    """The place in a figure of a point of the design, and the size of an inch there, both ways."""
    placed: list[tuple[Part, Box]] = getattr(fig, STACK, [])
    if not placed:
        share = getattr(fig, SQUEEZED, 1.0)
        return left * share, bottom * share, share, share

    def far(item: tuple[Part, Box]) -> float:
        x, y, width, height = item[0].area
        across = max(x - left, left - x - width, 0.0)
        return float(np.hypot(across, max(y - bottom, bottom - y - height, 0.0)))

    part, (x, y, width, height) = min(placed, key=far)
    wide, high = width / part.area[2], height / part.area[3]
    return x + (left - part.area[0]) * wide, y + (bottom - part.area[1]) * high, wide, high


def axes(
    fig: Figure,
    box: Box,
    title: str = "",
    *,
    theme: Theme = LIGHT,
) -> Axes:
    """Axes at ``(left, bottom, width, height)`` in inches, with a title above them at the left.

    In a figure that is smaller than designed, or stacked, they are there with their part.
    """
    wide, high = fig.get_size_inches()
    left, bottom, across, up = _place(fig, box[0], box[1])
    place = (left / wide, bottom / high, box[2] * across / wide, box[3] * up / high)
    kept = next((ax for ax in fig.axes if ax.get_label() == repr(box)), None)
    ax: Axes
    if isinstance(kept, KeptAxes):
        kept.empty()
        if not np.allclose(kept.get_position().bounds, place):
            kept.set_position(place)
        ax = kept
    else:
        ax = fig.add_axes(place, axes_class=KeptAxes, label=repr(box))
    ax.set_facecolor(theme.ground)
    if title and is_stacked(fig):
        title = _broken(title, wide - left - 0.05, 10)
    if (ax.get_title(loc="left"), getattr(ax, TITLED, None)) != (title, theme.ink):
        # The height of the title is fixed; otherwise matplotlib measures all ticks to find it.
        ax.set_title(title, loc="left", y=1.0, fontsize=10, color=theme.ink)
        setattr(ax, TITLED, theme.ink)
    return ax


def words(
    fig: Figure, at: tuple[float, float], text: str, *, theme: Theme = LIGHT, **style: Any
) -> None:
    """A text beside the axes, at a place in inches; in a stacked figure its lines are broken."""
    left, bottom, *_ = _place(fig, *at)
    wide, high = fig.get_size_inches()
    size = style.setdefault("fontsize", 9)
    if is_stacked(fig):
        text = _broken(text, (wide - left if style.get("ha") != "right" else left) - 0.05, size)
    fig.text(left / wide, bottom / high, text, **{"color": theme.ink, **style})


def _broken(text: str, room: float, size: float) -> str:
    """A text in lines that are no longer than ``room`` inches in letters of so many points."""
    return textwrap.fill(text, max(int(room * 72 / (LETTER * size)), 12))


def is_stacked(fig: Figure) -> bool:
    """True if the parts of a figure are below each other."""
    return bool(getattr(fig, STACK, []))


def framed(ax: Axes, theme: Theme = LIGHT, **labels: object) -> Axes:
    """Give a plot its frame and labels; the label of x is at a fixed distance."""
    ax.set(**labels)
    if getattr(ax, FRAMED, None) is theme:
        return ax  # axes that were drawn on before have their frame
    plot_frame(ax, theme)
    ax.tick_params(labelsize=SMALL)
    high = ax.get_position().height * figure_height(ax)
    ax.xaxis.set_label_coords(0.5, -BELOW / high)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_fontsize(9)
    setattr(ax, FRAMED, theme)
    return ax


def beside(ax: Axes, far: float = BESIDE) -> None:
    """Put the label of y at a fixed distance in inches, or nearer where the page would end."""
    page = figure_of(ax).get_figwidth()
    wide = ax.get_position().width * page
    if getattr(figure_of(ax), SQUEEZED, 1.0) < 1.0:
        far = min(far, ax.get_position().x0 * page - EDGE)
    ax.yaxis.set_label_coords(-far / wide, 0.5)


def figure_height(ax: Axes) -> float:
    """The height in inches of the figure that axes are on."""
    return figure_of(ax).get_figheight()


def blank_figure(fig: Figure | None, width: float, height: float) -> Figure:
    """``fig``, or a new figure of this size in inches that makes room for its labels."""
    if fig is None:
        fig = Figure(figsize=(width, height), dpi=90, layout="constrained")
    fig.set_facecolor(LIGHT.ground)
    return fig
