"""Figures and axes that can be drawn on again and again.

A lab draws a figure many times, and new axes cost more time than what is drawn on them. So
:func:`sheet` only hides the axes of a figure, and :func:`axes` takes those back that it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme
from fgnwidgets.draw.style import figure_of, plot_frame

SMALL = 8.5
"""Font size of texts inside a plot."""

FRAMED = "framed_in"
"""The attribute of axes that holds the theme of their frame."""

BELOW, BESIDE, SHARES = 0.271, 0.56, 0.3528
"""Distance in inches from the axes to the label of x, to that of y, and to that of y if its numbers
are 0.0, 0.5 and 1.0. To find a distance by itself, matplotlib would measure all ticks, which is
slow."""

Draw = TypeVar("Draw", bound=Callable[..., Figure])


def keeping(draw: Draw) -> Draw:
    """Mark a figure's function as one that takes its earlier axes back by :func:`axes`."""
    draw.keeps_axes = True  # type: ignore[attr-defined]
    return draw


def sheet(fig: Figure | None, width: float, height: float, theme: Theme = LIGHT) -> Figure:
    """A new figure of this size in inches, or ``fig`` with all its axes hidden."""
    if fig is None:
        fig = Figure(figsize=(width, height), dpi=100)
    elif (width, height) != tuple(fig.get_size_inches()):
        fig.clear()  # the axes are placed for the old size
        fig.set_size_inches(width, height)
    for text in list(fig.texts):
        text.remove()
    for ax in fig.axes:
        ax.set_visible(False)
    fig.set_facecolor(theme.ground)
    return fig


def axes(
    fig: Figure,
    box: tuple[float, float, float, float],
    title: str = "",
    *,
    theme: Theme = LIGHT,
) -> Axes:
    """Axes at ``(left, bottom, width, height)`` in inches, with a title above them at the left."""
    wide, high = fig.get_size_inches()
    left, bottom, width, height = box
    place = (left / wide, bottom / high, width / wide, height / high)
    kept = next((ax for ax in fig.axes if ax.get_label() == repr(box)), None)
    ax = fig.add_axes(place, label=repr(box)) if kept is None else _emptied(kept)
    ax.set_facecolor(theme.ground)
    # The height of the title is fixed; otherwise matplotlib measures all ticks to find it.
    ax.set_title(title, loc="left", y=1.0, fontsize=10, color=theme.ink)
    return ax


def _emptied(ax: Axes) -> Axes:
    """Axes without what was drawn on them, but with their ticks and labels."""
    for artist in [*ax.lines, *ax.patches, *ax.collections, *ax.images, *ax.texts]:
        artist.remove()
    ax.containers.clear()
    if (legend := ax.get_legend()) is not None:
        legend.remove()
    ax.set_prop_cycle(None)
    ax.relim()
    ax.autoscale(True)
    ax.set_visible(True)
    return ax


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
    """Put the label of y at a fixed distance in inches."""
    wide = ax.get_position().width * figure_of(ax).get_figwidth()
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
