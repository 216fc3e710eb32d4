"""Figure 15 and the lab's picture of the deeper graph (section 7.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme, length

from ..experiments.deeper_graph import Deeper
from .hidden_variable import lines
from .maps import brief
from .panels import columns, likelihoods
from .sheets import Part, axes, beside, keeping, sheet

MOST = 11
"""Most blocks that are drawn."""

# All in inches.
WIDE = 2.6
"""Greatest width of a block's name above its plot."""

CLOSE = 0.311
"""Distance from a plot to the label of its y axis, small since three plots are in a row."""

HIGH, TALL = 2.8, 1.9
"""Distance from one row of plots to the next, and height of the plots."""

ACROSS = 3.1
"""Distance from one column of plots to the next."""

ABOVE = 0.2
"""Distance from a plot to its title; between them are the names of the rules."""


@keeping
def draw_deeper(
    result: Deeper, fig: Figure | None = None, *, theme: Theme = LIGHT, width: float | None = None
) -> Figure:
    """The aggregated likelihood, and the coefficients of the learned blocks by epoch.

    The axes have room for all planned epochs, so that nothing moves while a result grows.
    """
    blocks = result.blocks[:MOST]
    rows = math.ceil((1 + len(blocks)) / 3)  # the first plot is that of the likelihood
    left_out = len(result.blocks) - len(blocks)
    foot = 0.2 if left_out else 0.0  # room for a line about the blocks left out
    places = [
        (0.75 + ACROSS * column, 0.55 + foot + HIGH * (rows - 1 - row))
        for row in range(rows)
        for column in range(3)
    ]
    boxes = [(*place, 2.4 if k else 1.6, TALL) for k, place in enumerate(places)]
    parts = [
        Part(box, margins=(0.78, 0.55, 0.1 if k else 0.72, 0.6)) for k, box in enumerate(boxes)
    ]
    parts = parts[: 1 + len(blocks)]
    fig = sheet(fig, 10.0, 0.3 + foot + HIGH * rows, theme=theme, room=width, parts=parts)
    end = result.n_planned
    first = axes(fig, boxes[0], theme=theme)
    _titled(first, "aggregated log-likelihood", theme)
    likelihoods(
        first,
        result.aggregated,
        levels=lines(result.levels, "aggregated"),
        end=end,
        theme=theme,
    )
    for name, box in zip(blocks, boxes[1:], strict=False):
        ax = axes(fig, box, theme=theme)
        columns(
            ax,
            {rule: result.theta[rule][name] for rule in result.rules},
            end=end,
            ticks=False,
            theme=theme,
        )
        _titled(ax, f"P({brief(name, WIDE * 72 / 10 - length('P()'))})", theme)
        ax.set_xlabel(f"epochs 0 to {end}", fontsize=9, color=theme.ink)
        ax.set_ylabel("coefficient", fontsize=9, color=theme.ink)
        beside(ax, CLOSE)
    if left_out:
        more = f"and {left_out} more block" + "s" * (left_out > 1)
        fig.text(0.99, 0.008, more, fontsize=9, ha="right", color=theme.ink)
    return fig


def draw_deeper_likelihoods(
    results: Mapping[str, Deeper], fig: Figure | None = None, *, theme: Theme = LIGHT
) -> Figure:
    """The aggregated likelihood by epoch of several settings, a plot for each, on one scale."""
    apart = 3.35  # inches: the names of the levels stand before the numbers of the next plot
    fig = sheet(fig, 0.7 + apart * len(results), 2.9, theme=theme)
    drawn = []
    for k, (title, result) in enumerate(results.items()):
        ax = axes(fig, (0.8 + apart * k, 0.55, 1.7, 1.95), title, theme=theme)
        levels = lines(result.levels, "aggregated")
        label = "aggregated log-likelihood" if k == 0 else ""
        likelihoods(
            ax, result.aggregated, levels=levels, ylabel=label, end=result.n_planned, theme=theme
        )
        drawn.append(ax)
    low = min(ax.get_ylim()[0] for ax in drawn)
    high = max(ax.get_ylim()[1] for ax in drawn)
    for ax in drawn:
        ax.set_ylim(low, high)
    return fig


def _titled(ax: Axes, title: str, theme: Theme) -> None:
    """A title above the names of the rules, at the same height on every plot."""
    ax.set_title(title, loc="left", y=1 + ABOVE / TALL, fontsize=10, color=theme.ink)
