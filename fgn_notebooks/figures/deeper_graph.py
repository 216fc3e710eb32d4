"""Figure 15 and the lab's picture of the deeper graph (section 7.2)."""

from __future__ import annotations

import math

from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme
from fgnwidgets.draw.names import length

from ..experiments.deeper_graph import Deeper
from .hidden_variable import lines
from .maps import brief
from .panels import axes, beside, columns, keeping, likelihoods, sheet

MOST = 11
"""Blocks that are drawn; a graph of a reader may have more."""

WIDE = 2.7
"""Inches that the words below a plot may take."""

CLOSE = 0.311
"""Inches from a plot to the label of its y: three stand in a row."""

HIGH = 2.6
"""Inches from one row of plots to the next."""


@keeping
def draw_deeper(result: Deeper, fig: Figure | None = None, *, theme: Theme = LIGHT) -> Figure:
    """The aggregated likelihood, and the coefficients of the learned blocks by epoch.

    A result that is not over leaves the rest of its axes empty: nothing jumps as it grows.
    """
    blocks = result.blocks[:MOST]
    rows = 1 + math.ceil(max(len(blocks) - 2, 0) / 3)  # two blocks beside the likelihood
    left_out = len(result.blocks) - len(blocks)
    foot = 0.2 if left_out else 0.0  # for the words that say so
    fig = sheet(fig, 10.0, 0.4 + foot + HIGH * rows, theme=theme)
    bottoms = [0.55 + foot + HIGH * (rows - 1 - row) for row in range(rows)]
    end = result.n_planned
    likelihoods(
        axes(fig, (0.75, bottoms[0], 2.0, 2.05), "aggregated log-likelihood", theme=theme),
        result.aggregated,
        levels=lines(result.levels, "aggregated"),
        end=end,
        theme=theme,
    )
    boxes = [(4.3 + 2.95 * k, bottoms[0]) for k in range(2)]
    boxes += [(0.75 + 3.1 * k, bottom) for bottom in bottoms[1:] for k in range(3)]
    for name, (left, bottom) in zip(blocks, boxes, strict=False):
        ax = axes(fig, (left, bottom, 2.4, 1.95), theme=theme)
        columns(
            ax,
            {rule: result.theta[rule][name] for rule in result.rules},
            end=end,
            ticks=False,
            theme=theme,
        )
        rest = f", epochs 0 to {end}"
        shown = brief(name, WIDE * 72 / 9 - length(f"P(){rest}"))
        ax.set_xlabel(f"P({shown}){rest}", fontsize=9, color=theme.ink)
        ax.set_ylabel("coefficient", fontsize=9, color=theme.ink)
        beside(ax, CLOSE)
    if left_out:
        more = f"and {left_out} more block" + "s" * (left_out > 1)
        fig.text(0.99, 0.008, more, fontsize=9, ha="right", color=theme.ink)
    return fig
