"""Panels of figures 11 to 14, about one hidden variable, and the lab's pictures (section 7.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme, figure_of

from ..experiments.ends_by_nit import NitScatter
from ..experiments.hidden_variable import BLOCKS, OneHidden
from ..experiments.levels import Levels
from .maps import mosaic, stacked_mosaic
from .panels import LINE, columns, likelihoods, spaced
from .sheets import (
    SHORT,
    SQUEEZED,
    Part,
    axes,
    beside,
    figure_height,
    framed,
    keeping,
    sheet,
    words,
)

TITLES = {
    "aggregated": "aggregated log-likelihood",
    "loglik": "log-likelihood",
    "test_aggregated": "aggregated, test half",
    "test_loglik": "log-likelihood, test half",
}
GENERATIVE = "generative model"
ROWS = "Matrices {}: each line is a state of S; {} means 0, {} means 1"
SHADES = {True: ("white", "dark blue"), False: ("dark blue", "white")}
"""The colours of 0 and 1, for a light and a dark ground."""

LEFTS = (0.75, 5.85)


@keeping
def draw_one_hidden(
    result: OneHidden,
    fig: Figure | None = None,
    *,
    epoch: int | None = None,
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """Both likelihoods by epoch with their levels, and the matrices after ``epoch``, or the last.

    With a split, the aggregated likelihoods of training and test rows are drawn. Hidden states are
    numbered as in the generative model. A rule that does not tell states apart has equal rows.
    """
    at = -1 if epoch is None else min(epoch, result.n_epochs)
    final = {rule: learned(result.theta[rule], at) for rule in result.rules}
    matrices = {**final, GENERATIVE: learned(result.truth)}
    boxes = [(left, 2.75, 2.95, 2.1) for left in LEFTS]
    below = (0.3, 0.05, 9.4, 1.75)
    wrap, high = stacked_mosaic(matrices, 10.0, width)
    parts = [*map(Part, boxes), Part(below, high, (0.1, 0.1, 0.1, 0.45))]
    fig = sheet(fig, 10.0, 5.2, theme=theme, room=width, parts=parts)
    tested = result.test_loglik is not None
    shown = ("aggregated", "test_aggregated") if tested else ("aggregated", "loglik")
    for what, box in zip(shown, boxes, strict=True):
        ax = axes(fig, box, TITLES[what], theme=theme)
        draw_likelihood(result, what, ax, theme=theme)
    mosaic(axes(fig, below, theme=theme), matrices, wrap=wrap, theme=theme)
    when = "at the end" if epoch is None else f"after epoch {at}"
    words(fig, (0.3, 1.846), ROWS.format(when, *SHADES[theme is LIGHT]), theme=theme)
    return fig


@keeping
def draw_one_hidden_coefficients(
    result: OneHidden,
    fig: Figure | None = None,
    *,
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """Every coefficient by epoch, a column for each rule and one for the generative model."""
    boxes = [(0.75, 3.75 - 1.6 * k, 9.0, 1.35) for k in range(len(BLOCKS))]
    parts = [Part(box, margins=(0.62, 0.45, 0.1, 0.3)) for box in boxes]
    fig = sheet(fig, 10.0, 5.4, theme=theme, room=width, parts=parts)
    for k, (name, box) in enumerate(zip(BLOCKS, boxes, strict=True)):
        ax = axes(fig, box, theme=theme)
        draw_columns(result, name, ax, ticks=k == len(BLOCKS) - 1, theme=theme)
        ax.set_ylabel(f"P({name})", fontsize=9, color=theme.ink)
    ax.set_xlabel("epoch", fontsize=9, color=theme.ink)
    return fig


@keeping
def draw_n_it_scatter(
    result: NitScatter,
    fig: Figure | None = None,
    *,
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """Both likelihoods of every run at its end, by Nit."""
    boxes = [(left, 0.6, 3.0, 2.6) for left in LEFTS]
    fig = sheet(fig, 10.0, 3.6, theme=theme, room=width, parts=[*map(Part, boxes)])
    for what, box in zip(("aggregated", "loglik"), boxes, strict=True):
        draw_scatter(result, what, axes(fig, box, TITLES[what], theme=theme), theme=theme)
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
    ends: bool = False,
    theme: Theme = LIGHT,
) -> Axes:
    """The coefficients of a matrix by epoch, a column for each rule and one for the truth."""
    histories = {rule: result.theta[rule][name] for rule in result.rules}
    shown = {**histories, "GModel": result.truth[name][None]}
    return columns(ax, shown, end=result.n_planned, ticks=ticks, words=words, ends=ends,
                   theme=theme)  # fmt: skip


def coefficients_side_by_side(
    results: Sequence[OneHidden],
    captions: Sequence[str],
    fig: Figure | None = None,
    *,
    blocks: Sequence[str] = BLOCKS,
    theme: Theme = LIGHT,
) -> Figure:
    """The coefficients of two settings by epoch, as in figure 12; captions begin the x labels."""
    fig = sheet(fig, 10.0, 0.8 + 1.6 * len(blocks), theme=theme)
    last = len(blocks) - 1
    for result, caption, left in zip(results, captions, (0.75, 5.75), strict=True):
        for k, name in enumerate(blocks):
            ax = axes(fig, (left, 0.7 + 1.6 * (last - k), 4.05, 1.3), theme=theme)
            draw_columns(
                result, name, ax, ticks=False, words=k == last, ends=k == last, theme=theme
            )
            ax.set_ylabel(f"P({name})", fontsize=9)
        ax.set_xlabel(f"{caption}; each column by epoch", fontsize=9)
        ax.xaxis.set_label_coords(0.5, -0.4)  # below the words of a lens
    return fig


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
    within = {
        label: level
        for label, level in levels.items()
        if level is not None and low - margin < level < high + margin
    }
    order = sorted(within, key=lambda label: within[label])
    line = (high - low + 2 * margin) * LINE / (ax.get_position().height * figure_height(ax))
    heights = spaced([within[label] - low + margin for label in order], line)
    for label, height in zip(order, heights, strict=True):
        ax.axhline(within[label], color=theme.muted, linestyle=(0, (1, 2)), linewidth=1)
        short = getattr(figure_of(ax), SQUEEZED, 1.0) < 1.0
        ax.text(1.015, low - margin + height, SHORT.get(label, label) if short else label,
                transform=ax.get_yaxis_transform(), color=theme.muted, fontsize=8.5,
                va="center")  # fmt: skip
    beside(ax)
    framed(ax, theme, xlabel="Nit", ylabel="nats", xlim=(-0.6, len(values) - 0.4))
    ax.set_xticks(range(len(values)), [str(n) for n in result.n_its])
    return ax


def draw_ends(result: NitScatter) -> Figure:
    """The scatter of the aggregated log-likelihood, as a small figure of its own."""
    figure = Figure(figsize=(4.6, 2.6), layout="constrained")
    ax = draw_scatter(result, "aggregated", figure.subplots())
    ax.set_ylabel(TITLES["aggregated"])
    return figure


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
