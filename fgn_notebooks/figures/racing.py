"""The race of the four rules: likelihoods on top, the matrices as they stand below (section 7)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme

from ..experiments.racing import Race
from .hidden_variable import lines
from .maps import mosaic
from .panels import axes, likelihoods, sheet


def draw_race(
    result: Race, fig: Figure | None = None, *, epoch: int | None = None, theme: Theme = LIGHT
) -> Figure:
    """The race as it stood after ``epoch``, or as far as it has come, on the whole race's axes."""
    now = result if epoch is None else result.at(min(epoch, result.n_epochs))
    fig = sheet(fig, 10.0, 5.4, theme=theme)
    top = axes(
        fig, (0.75, 2.75, 7.4, 2.25), f"log-likelihood after epoch {now.n_epochs}", theme=theme
    )
    likelihoods(
        top,
        now.loglik,
        levels=lines(result.levels, "loglik"),
        end=result.n_planned,
        ylabel="",
        theme=theme,
    )
    values = [v[1:] for v in result.loglik.values() if len(v) > 1]
    if values:  # the heights of all that is known, so that nothing jumps while it plays
        known = np.concatenate(values)
        low, high = known.min(), known.max()
        if result.levels is not None:
            low, high = min(low, result.levels.floor), max(high, result.levels.ceiling)
        top.set_ylim(low - 0.06 * (high - low or 1), high + 0.06 * (high - low or 1))
    matrices = {
        rule: {name: v[-1] for name, v in theta.items() if v.shape[1] > 1}
        for rule, theta in now.theta.items()
    }
    shapes = [v.shape for v in next(iter(matrices.values())).values()]
    wrap = 0 if sum(shape[1] for shape in shapes) <= 10 else 2
    mosaic(axes(fig, (0.3, 0.1, 9.4, 2.1), theme=theme), matrices, wrap=wrap, theme=theme)
    return fig
