"""The picture of chapter 15: how far each contender is behind the best, case by case."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, ink_on

from ..experiments.which_rule import NAMES
from ..judgements import Judgement, grid
from .sheets import blank_figure

WORST = 100.0
"""Millinats behind the best from which on the colour is darkest."""


def draw_judgements(
    found: Sequence[Judgement], groups: Sequence[str], fig: Figure | None = None
) -> Figure:
    """Millinats behind the best, a row for each contender and a column for each case of the groups.

    Cells within two standard errors of the best have a frame.
    """
    chosen = [j for j in found if j.group in groups]
    losses, errors = grid(chosen), grid(chosen, "error")
    values = np.array([[v[name] for v in losses.values()] for name in NAMES])
    values = values - values.min(axis=0)
    margin = np.array([[2 * v[name] for v in errors.values()] for name in NAMES])
    fig = blank_figure(fig, 2.6 + 0.78 * values.shape[1], 1.3 + 0.34 * len(NAMES))
    ax = fig.add_subplot()
    levels = np.sqrt(np.minimum(values / WORST, 1))
    colors = colormaps[LIGHT.matrix]
    ax.imshow(levels, cmap=colors, vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        ink = ink_on(colors(levels[i, j]))
        near = value <= margin[i, j] or value == 0
        ax.text(j, i, f"{value:.0f}", ha="center", va="center", fontsize=9, color=ink,
                bbox={"boxstyle": "round,pad=0.25", "fill": False, "lw": 1.1,
                      "ec": ink if near else "none"})  # fmt: skip
    names = ["\n".join(textwrap.wrap(name.replace("_", " "), 12)) for name in losses]
    ax.set_xticks(range(len(names)), names, fontsize=8)
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(NAMES)), NAMES, fontsize=9)
    ax.set_xlabel("millinats per row behind the best contender of the column")
    ax.tick_params(length=0, colors=LIGHT.ink)
    ax.xaxis.label.set_color(LIGHT.ink)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return fig
