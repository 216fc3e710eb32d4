"""Panels of figures 11 to 14, about one hidden variable, and the lab's pictures (section 7.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme

from ..experiments.ends_by_nit import NitScatter
from ..experiments.hidden_variable import BLOCKS, OneHidden
from ..experiments.levels import Levels
from .maps import mosaic
from .panels import columns, likelihoods
from .sheets import axes, beside, framed, keeping, sheet

TITLES = {
    "aggregated": "aggregated log-likelihood",
    "loglik": "log-likelihood",
    "test_aggregated": "aggregated, test half",
    "test_loglik": "log-likelihood, test half",
}
GENERATIVE = "generative model"
ROWS = "Matrices at the end: each line is a state of S; {} means 0, {} means 1"
SHADES = {True: ("white", "dark blue"), False: ("dark blue", "white")}
"""The colours of 0 and 1, for a light and a dark ground."""

LEFTS = (0.75, 5.85)


@keeping
def draw_one_hidden(
    result: OneHidden, fig: Figure | None = None, *, theme: Theme = LIGHT
) -> Figure:
    """Both likelihoods by epoch with their levels, and the final matrices.

    With a split, the aggregated likelihoods of training and test rows are drawn. Hidden states are
    numbered as in the generative model. A rule that does not tell states apart has equal rows.
    """
    fig = sheet(fig, 10.0, 5.2, theme=theme)
    tested = result.test_loglik is not None
    shown = ("aggregated", "test_aggregated") if tested else ("aggregated", "loglik")
    for what, left in zip(shown, LEFTS, strict=True):
        draw_likelihood(
            result, what, axes(fig, (left, 2.75, 2.95, 2.1), TITLES[what], theme=theme), theme=theme
        )
    final = {rule: learned(result.theta[rule], -1) for rule in result.rules}
    mosaic(
        axes(fig, (0.3, 0.05, 9.4, 1.75), theme=theme),
        {**final, GENERATIVE: learned(result.truth)},
        theme=theme,
    )
    fig.text(0.03, 0.355, ROWS.format(*SHADES[theme is LIGHT]), fontsize=9, color=theme.ink)
    return fig


@keeping
def draw_one_hidden_coefficients(
    result: OneHidden, fig: Figure | None = None, *, theme: Theme = LIGHT
) -> Figure:
    """Every coefficient by epoch, a column for each rule and one for the generative model."""
    fig = sheet(fig, 10.0, 5.4, theme=theme)
    for k, name in enumerate(BLOCKS):
        ax = axes(fig, (0.75, 3.75 - 1.6 * k, 9.0, 1.35), theme=theme)
        draw_columns(result, name, ax, ticks=k == len(BLOCKS) - 1, theme=theme)
        ax.set_ylabel(f"P({name})", fontsize=9, color=theme.ink)
    ax.set_xlabel("epoch", fontsize=9, color=theme.ink)
    return fig


@keeping
def draw_n_it_scatter(
    result: NitScatter, fig: Figure | None = None, *, theme: Theme = LIGHT
) -> Figure:
    """Both likelihoods of every run at its end, by Nit."""
    fig = sheet(fig, 10.0, 3.6, theme=theme)
    for what, left in zip(("aggregated", "loglik"), LEFTS, strict=True):
        draw_scatter(
            result, what, axes(fig, (left, 0.6, 3.0, 2.6), TITLES[what], theme=theme), theme=theme
        )
    return fig


def draw_likelihood(
    result: OneHidden, what: str, ax: Axes, *, ylabel: str = "nats", theme: Theme = LIGHT
) -> Axes:
    """The history ``what`` of every rule with its levels, on an axis of all planned epochs."""
    test = what.startswith("test")
    levels = result.test_levels if test else result.levels
    curves = {rule: result.curve(rule, what) for rule in result.rules}
    histories = getattr(result, what)
    several = histories[result.rules[0]].shape[1] > 1
    pale = dict(histories) if several else None
    return likelihoods(
        ax,
        curves,
        levels=lines(levels, what),
        pale=pale,
        ylabel=ylabel,
        end=result.n_planned,
        theme=theme,
    )


def draw_columns(
    result: OneHidden,
    name: str,
    ax: Axes,
    *,
    ticks: bool = True,
    words: bool = True,
    theme: Theme = LIGHT,
) -> Axes:
    """The coefficients of a matrix by epoch, a column for each rule and one for the truth."""
    histories = {rule: result.theta[rule][name] for rule in result.rules}
    shown = {**histories, "GModel": result.truth[name][None]}
    return columns(ax, shown, end=result.n_planned, ticks=ticks, words=words, theme=theme)


def draw_scatter(result: NitScatter, what: str, ax: Axes, *, theme: Theme = LIGHT) -> Axes:
    """The final values of the likelihood ``what``, a column for each Nit, a bar at the median."""
    mark = theme.rule(result.rule)
    values = getattr(result, what)
    rng = np.random.default_rng(0)
    for k, ends in enumerate(values):
        x = k + rng.uniform(-0.2, 0.2, len(ends))
        ax.plot(x, ends, mark.marker, color=mark.color, markersize=6, alpha=0.5, mew=0)
        ax.plot([k - 0.32, k + 0.32], [np.median(ends)] * 2, color=theme.ink, linewidth=2)
    levels = lines(result.levels, what)
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * max(high - low, 1.0)
    ax.set_ylim(low - margin, high + margin)
    for label, level in levels.items():
        if level is not None and low - margin < level < high + margin:
            ax.axhline(level, color=theme.muted, linestyle=(0, (1, 2)), linewidth=1)
            ax.text(1.015, level, label, transform=ax.get_yaxis_transform(), color=theme.muted,
                    fontsize=8.5, va="center")  # fmt: skip
    beside(ax)
    framed(ax, theme, xlabel="Nit", ylabel="nats", xlim=(-0.6, len(values) - 0.4))
    ax.set_xticks(range(len(values)), [str(n) for n in result.n_its])
    return ax


def lines(levels: Levels | None, what: str) -> dict[str, float | None]:
    """The levels of the likelihood ``what`` by name."""
    if levels is None:
        return {}
    exact = what.endswith("loglik")
    return {name: value if exact else aggregate for name, aggregate, value in levels.named}


def learned(theta: Mapping[str, np.ndarray], epoch: int | None = None) -> dict[str, np.ndarray]:
    """The matrices of the three blocks, at an epoch of their histories."""
    return {name: theta[name] if epoch is None else theta[name][epoch] for name in BLOCKS}


def side_by_side(
    results: Sequence[OneHidden],
    what: str,
    titles: Sequence[str],
    fig: Figure | None,
    *,
    theme: Theme = LIGHT,
) -> Figure:
    """The history ``what`` of two settings side by side, as in figures 13 and 14."""
    fig = sheet(fig, 10.0, 3.3, theme=theme)
    for result, title, left in zip(results, titles, LEFTS, strict=True):
        draw_likelihood(
            result, what, axes(fig, (left, 0.55, 2.95, 2.35), title, theme=theme),
            ylabel=TITLES[what], theme=theme,
        )  # fmt: skip
    return fig
