"""Pictures of a comparison of models, and of the bivariate residuals of one model."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from ..algebra.arrays import Array, Mask
from ..analysis.comparing import Comparison
from ..analysis.residuals import Residuals
from ..arguments import read_kind, read_names
from .names import plain
from .profiles import state_mark
from .style import LIGHT, Theme, canvas, ink_on, plot_frame

NAMES = {
    "aic": "AIC",
    "bic": "BIC",
    "sabic": "adjusted BIC",
    "caic": "CAIC",
    "held_out": "held-out log-likelihood per sample",
    "loglik": "log-likelihood",
    "entropy": "entropy",
}

CUT = 10.0
"""A model is cut off if it is this many times further from the best model than the median model."""

NOTABLE = 3.84
"""Residuals above this are framed: the 95 % quantile of chi-square with one degree of freedom."""


def draw_comparison(
    comparison: Comparison,
    ax: Axes | None = None,
    *,
    what: str | Sequence[str] = ("aic", "bic", "caic"),
    theme: Theme = LIGHT,
) -> Axes:
    """One or several criteria by model, with a ring around the best model of each.

    ``what`` names columns of the comparison, such as "bic" or "held_out". A model so bad that the
    others could not be told apart is cut off, and its values are written at the edge. Raises
    ``ValueError`` for other columns, and if some are best small and some are best large.
    """
    read_kind(comparison, "comparison", Comparison, "a Comparison, as compare gives it")
    wanted = read_names(what, "what")
    for name in wanted:
        if name not in NAMES:
            raise ValueError(f"what holds {name!r}: expected {', '.join(NAMES)}")
    up = {name in ("held_out", "loglik", "entropy") for name in wanted}
    if len(up) > 1:
        raise ValueError(f"what is {wanted}: some are best small and some large; draw two pictures")
    sign = 1.0 if up == {True} else -1.0
    models = [plain(model) for model in comparison["model"]]
    x = np.arange(len(models))
    values = np.array([comparison[name] for name in wanted], dtype=float)
    ax = canvas(ax, max(4.6, 1.4 + 0.9 * len(models)), 3.4, theme)
    shown = _shown(values, sign)
    for k, name in enumerate(wanted):
        mark = state_mark(k, theme)
        seen = np.where(shown[k], values[k], np.nan)
        ax.plot(x, seen, color=mark.color, marker=mark.marker, linewidth=1.6, label=NAMES[name])
        if shown[k].any():
            best = int(np.nanargmax(sign * seen))
            ax.plot(best, seen[best], "o", markersize=13, mfc="none", mec=theme.ink, mew=1.2)
    edge = 0.02 if sign > 0 else 0.98
    for j in x[~shown.any(axis=0)]:
        arrow = "↓" if sign > 0 else "↑"
        text = "\n".join(f"{v:.6g}" for v in values[:, j])
        ax.text(
            *(j, edge, f"{arrow}\n{text}" if sign < 0 else f"{text}\n{arrow}"),
            transform=ax.get_xaxis_transform(),
            ha="center",
            va="top" if sign < 0 else "bottom",
            fontsize=8,
            color=theme.ink,
        )
    ax.set_xticks(x, ["\n".join(textwrap.wrap(model, 14)) for model in models])
    ax.set(xlim=(-0.5, len(models) - 0.5), xlabel="model")
    ax.set_ylabel(NAMES[wanted[0]] if len(wanted) == 1 else "criterion, small is good")
    ax.margins(y=0.18)
    plot_frame(ax, theme)
    if len(wanted) > 1:
        ax.legend(frameon=False, labelcolor=theme.ink, fontsize=9, loc="best")
    return ax


def _shown(values: Array, sign: float) -> Mask:
    """True for the values ``(criteria, models)`` that are drawn: finite, of models not cut off."""
    finite: Mask = np.isfinite(values)
    if not finite.any():
        return finite
    far = np.nanmax(np.where(finite, sign * values, np.nan), axis=1, keepdims=True) - sign * values
    far = np.where(finite, far, np.inf)
    worst = far.max(axis=0)
    known = np.sort(worst[np.isfinite(worst)])
    limit = CUT * known[len(known) // 2] if len(known) > 2 else np.inf
    return np.asarray(finite & (worst <= limit))


def _two_lines(name: str) -> str:
    """A name on at most two lines, the most that a row of the map has room for."""
    return "\n".join(textwrap.wrap(plain(name), 28, max_lines=2, placeholder=" …"))


FITS = 6
"""Most letters of a name that stand upright below a cell of the residuals."""


def draw_residuals(residuals: Residuals, ax: Axes | None = None, *, theme: Theme = LIGHT) -> Axes:
    """The bivariate residuals of all pairs as a heat map; those above 3.84 are framed."""
    read_kind(residuals, "residuals", Residuals, "Residuals, as residuals(run) gives them")
    count = len(residuals.names)
    ax = canvas(ax, 2.4 + 0.52 * count, 1.6 + 0.42 * count, theme)
    values = np.where(np.tri(count, k=-1, dtype=bool), residuals.values, np.nan)[1:, :-1]
    most = max(2 * NOTABLE, float(np.nanmax(values)))
    # Colours go by the square root, so that 1 and 4 look different even beside 80.
    levels = np.sqrt(values / most)
    colors = colormaps[theme.matrix].with_extremes(bad=theme.ground)
    image = ax.imshow(levels, cmap=colors, vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        ink, notable = ink_on(colors(image.norm(levels[i, j]))), value > NOTABLE
        text = f"{value:.1f}" if value < 100 else f"{value:.0f}"
        weight = "bold" if notable else "normal"
        ax.text(j, i, text, ha="center", va="center", fontsize=9, color=ink, fontweight=weight)
        if notable:
            corner, edge = (j - 0.47, i - 0.46), theme.ink
            ax.add_patch(Rectangle(corner, 0.94, 0.92, fill=False, edgecolor=edge, linewidth=1.4))
    names = [_two_lines(name) for name in residuals.names]
    ax.set_yticks(range(count - 1), names[1:], fontsize=9)
    upright = max(len(line) for name in names for line in name.split("\n")) <= FITS
    ax.set_xticks(range(count - 1), names[:-1], rotation=0 if upright else 90, fontsize=9)
    ax.tick_params(length=0, colors=theme.ink)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_title("bivariate residuals", color=theme.ink, fontsize=10)
    return ax
