"""Figure 15 and the lab's picture of the deeper graph (section 7.2)."""

from __future__ import annotations

from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT

from ..experiments.deeper_graph import BLOCKS, Deeper
from .hidden_variable import lines
from .panels import axes, columns, likelihoods, sheet


def draw_deeper(result: Deeper, fig: Figure | None = None) -> Figure:
    """The aggregated likelihood, and the coefficients of the five learned blocks by epoch.

    A result that is not over leaves the rest of its axes empty: nothing jumps as it grows.
    """
    fig = sheet(fig, 10.0, 5.6)
    end = result.n_planned
    likelihoods(
        axes(fig, (0.75, 3.15, 2.0, 2.05), "aggregated log-likelihood"),
        result.aggregated,
        levels=lines(result.levels, "aggregated"),
        end=end,
        ylabel="",
    )
    boxes = [(4.3 + 2.95 * k, 3.15) for k in range(2)] + [(0.75 + 3.1 * k, 0.55) for k in range(3)]
    for name, (left, bottom) in zip(BLOCKS, boxes, strict=True):
        ax = axes(fig, (left, bottom, 2.65, 1.95))
        columns(ax, {rule: result.theta[rule][name] for rule in result.rules}, end=end, ticks=False)
        ax.set_xlabel(f"P({name}), epochs 0 to {end}", fontsize=9, color=LIGHT.ink)
    return fig
