"""The race of the four rules: likelihoods, and the matrices below (section 7)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme

from ..experiments.racing import Race
from .hidden_variable import lines
from .maps import fitted, mosaic, stacked_mosaic
from .panels import likelihoods
from .sheets import Part, axes, keeping, sheet


@keeping
def draw_race(
    result: Race,
    fig: Figure | None = None,
    *,
    epoch: int | None = None,
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """The race after ``epoch``, or after its last epoch so far, on the axes of the whole race."""
    now = result if epoch is None else result.at(min(epoch, result.n_epochs))
    matrices = {
        rule: {name: v[-1] for name, v in theta.items() if v.shape[1] > 1}
        for rule, theta in now.theta.items()
    }
    wrap, low = fitted(matrices, 9.4, 2.1)
    thin, high = stacked_mosaic(matrices, 10.0, width)
    above, below = (0.75, 0.65 + low, 7.4, 2.25), (0.3, 0.1, 9.4, low)
    parts = [Part(above), Part(below, high, (0.1, 0.1, 0.1, 0.1))]
    fig = sheet(fig, 10.0, 3.3 + low, theme=theme, room=width, parts=parts)
    top = axes(fig, above, f"log-likelihood after epoch {now.n_epochs}", theme=theme)
    likelihoods(
        top,
        now.loglik,
        levels=lines(result.levels, "loglik"),
        end=result.n_planned,
        limits=_heights(result),
        theme=theme,
    )
    mosaic(axes(fig, below, theme=theme), matrices, wrap=thin if high else wrap, theme=theme)
    return fig


def _heights(result: Race) -> tuple[float, float] | None:
    """Limits for all values known so far but the starts, so that nothing moves in a replay."""
    values = [v[1:] for v in result.loglik.values() if len(v) > 1]
    if not values:
        return None
    known = np.concatenate(values)
    low, high = float(known.min()), float(known.max())
    if result.levels is not None:
        low, high = min(low, result.levels.floor), max(high, result.levels.ceiling)
    margin = 0.06 * (high - low or 1)
    return low - margin, high + margin
