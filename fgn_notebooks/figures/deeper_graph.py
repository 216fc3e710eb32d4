"""Figure 15 and the lab's picture of the deeper graph (section 7.2)."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme
from fgnwidgets.draw.names import length

from ..experiments.deeper_graph import Deeper
from .hidden_variable import lines
from .maps import brief
from .panels import columns, likelihoods
from .sheets import axes, beside, keeping, sheet

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
def draw_deeper(result: Deeper, fig: Figure | None = None, *, theme: Theme = LIGHT) -> Figure:
    """The aggregated likelihood, and the coefficients of the learned blocks by epoch.

    The axes have room for all planned epochs, so that nothing moves while a result grows.
    """
    blocks = result.blocks[:MOST]
    rows = math.ceil((1 + len(blocks)) / 3)  # the first plot is that of the likelihood
    left_out = len(result.blocks) - len(blocks)
    foot = 0.2 if left_out else 0.0  # room for a line about the blocks left out
    fig = sheet(fig, 10.0, 0.3 + foot + HIGH * rows, theme=theme)
    places = [
        (0.75 + ACROSS * column, 0.55 + foot + HIGH * (rows - 1 - row))
        for row in range(rows)
        for column in range(3)
    ]
    end = result.n_planned
    first = axes(fig, (*places[0], 1.6, TALL), theme=theme)
    _titled(first, "aggregated log-likelihood", theme)
    likelihoods(
        first,
        result.aggregated,
        levels=lines(result.levels, "aggregated"),
        end=end,
        theme=theme,
    )
    for name, place in zip(blocks, places[1:], strict=False):
        ax = axes(fig, (*place, 2.4, TALL), theme=theme)
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


def _titled(ax: Axes, title: str, theme: Theme) -> None:
    """A title above the names of the rules, at the same height on every plot."""
    ax.set_title(title, loc="left", y=1 + ABOVE / TALL, fontsize=10, color=theme.ink)
