"""The plots that the experiments' figures are made of, drawn on given axes.

Vocabulary
    likelihoods   curves by epoch or iteration, named at their ends, with levels across
    columns       coefficients by epoch, one column of the plot for each rule
    lens          the shaded end of a column whose lines swing: the last epochs, drawn wide

A rule has the colour, dash and marker of ``fgnwidgets.draw.style``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from fgnwidgets.draw import LIGHT, Mark, Theme, figure_of

from ..experiments.words import said
from .kept_axes import again, ruled
from .sheets import SHARES, SHORT, SMALL, SQUEEZED, beside, figure_height, framed

MOST_POINTS = 150
"""Most points of a line; a screen would show no more."""

LEVEL = ""
"""The marker of levels, which belong to no rule."""

LENS = 6
"""Number of last epochs in a lens."""

WHOLE, GLASS = 0.58, 0.66
"""The end of the whole history in a column with a lens, and the beginning of the lens."""


def likelihoods(
    ax: Axes,
    curves: Mapping[str, np.ndarray],
    *,
    levels: Mapping[str, float | None] | None = None,
    pale: Mapping[str, np.ndarray] | None = None,
    xlabel: str = "epoch",
    ylabel: str = "nats",
    end: int | None = None,
    limits: tuple[float, float] | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Curves ``(epochs,)`` by rule.

    ``levels``   horizontal lines by name
    ``pale``     curves ``(epochs, restarts)`` by rule, drawn thin and pale
    ``end``      the last epoch of the axis, for a run that is not over
    ``limits``   the limits of the y axis; by default a start far below the rest is cut off

    A curve of one value is a horizontal line; with ``end`` it is the start of a run, drawn as a
    point, which is moved up to the axis if it is below ``limits``.
    """
    last = max(end or 0, *(len(v) - 1 for v in curves.values()))
    ax.set_xlim(0, max(last, 1))  # first: so limits are not searched for
    ax.set_ylim(*(limits or _heights(curves, levels or {})))
    names: list[tuple[float, str, Mark]] = []
    known = {label: level for label, level in (levels or {}).items() if level is not None}
    names += [(level, label, Mark(theme.muted, LEVEL)) for label, level in known.items()]
    ruled(
        ax, ("levels", theme.muted), y=[*known.values()], colors=theme.muted,
        linestyles=[(0, (1, 2))], linewidths=1,
    )  # fmt: skip
    for i, (rule, curve) in enumerate(curves.items()):
        mark = theme.rule(rule)
        if pale and rule in pale:
            ax.plot(pale[rule], color=mark.color, linewidth=0.7, alpha=0.3, label=said(rule))
        begins = len(curve) == 1 and end is not None
        across = len(curve) == 1 and not begins
        values = np.broadcast_to(curve, (last + 1,)) if across else curve
        at, shown = thinned(values)
        if begins and limits is not None:
            shown = np.maximum(shown, limits[0])
        step = max(len(at) // 7, 1)
        ax.plot(
            at,
            shown,
            color=mark.color,
            linestyle=mark.dash,
            linewidth=1.8,
            marker=mark.marker,
            markersize=4.5,
            markevery=None if begins else (i * step // 4, step),
            clip_on=not begins,
            label=said(rule),
        )
        names.append((float(curve[-1]), said(rule), mark))
    _name_ends(ax, names, theme)
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    beside(ax)
    return framed(ax, theme, xlabel=xlabel, ylabel=ylabel)


def columns(
    ax: Axes,
    histories: Mapping[str, np.ndarray],
    *,
    end: int | None = None,
    ticks: bool = True,
    words: bool = True,
    ends: bool = False,
    theme: Theme = LIGHT,
) -> Axes:
    """Coefficients ``(epochs, M_X, M_Y)`` by rule, a column for each, all on one scale.

    If there is only one epoch, the coefficients are drawn as constant lines. The columns of a
    matrix differ by the width of their lines. Lines that swing until the end could not be told
    apart, so their column ends in a lens; without ``ticks``, ``words`` below it say so. ``ends``
    are the numbers of the first and last epoch, which fit below columns too narrow for ``ticks``.
    """
    last = max(end or 0, *(len(v) - 1 for v in histories.values()), 1)
    gap = 0.12 * last
    middles, lenses = [], []
    for k, (rule, history) in enumerate(histories.items()):
        left = k * (last + gap)
        mark = theme.rule(rule)
        values = np.repeat(history, 2, axis=0) if len(history) == 1 else history
        at = np.array([0.0, last]) if len(history) == 1 else np.arange(len(values), dtype=float)
        keep = thinned(values)[0] if len(history) > 1 else np.arange(2)
        parts = [(at[keep], values[keep])]
        if len(history) == last + 1 and swings(history):
            stretched = last * np.linspace(GLASS, 1, LENS)
            parts = [(WHOLE * at[keep], values[keep]), (stretched, values[-LENS:])]
            ax.axvspan(left + GLASS * last, left + last, color=theme.muted, alpha=0.15, linewidth=0)
            lenses.append(k)
        strong = 1.6 if values[0].size < 12 else 1.0
        widths = np.linspace(strong, strong / 2, values.shape[2])
        for x, part in parts:
            lines = part.reshape(len(x), -1).T
            points = np.stack([np.broadcast_to(left + x, lines.shape), lines], axis=-1)
            whole = len(parts) == 1
            bundle = again(
                ax, ("column", rule, mark.color, strong, part.shape[1:], whole),
                partial(
                    LineCollection, [], colors=mark.color, alpha=0.85, label=said(rule),
                    linewidths=np.tile(widths, values.shape[1]),
                    gid="epoch" if whole else None,  # a lens stretches its epochs
                ),
            )  # fmt: skip
            bundle.set_segments(list(points))
        middles.append((left + last / 2, said(rule), mark))
    walls = [k * (last + gap) - gap / 2 for k in range(1, len(histories))]
    ruled(ax, ("walls", theme.muted), x=walls, colors=theme.muted, linewidths=0.6)
    width = len(histories) * (last + gap) - gap
    ax.set_xlim(-gap / 2, width + gap / 2)
    ax.set_ylim(-0.03, 1.03)
    for middle, name, mark in middles:
        ax.text(
            (middle + gap / 2) / (width + gap),
            1.02,
            name,
            color=mark.word,
            fontsize=9,
            fontweight="bold",
            ha="center",
            va="bottom",
            transform=ax.transAxes,
        )
    framed(ax, theme)
    ax.xaxis.grid(False)
    places = [k * (last + gap) + e for k in range(len(histories)) for e in (0, last)]
    spans = [
        f"{last - LENS + 1}-{last}" if e and k in lenses else str(e)
        for k in range(len(histories))
        for e in (0, last)
    ]
    shown = spans if ticks else [str(e) for _ in histories for e in (0, last)] if ends else []
    ax.set_xticks(places, shown)
    for k in lenses if words and not ticks else ():
        ax.text(k * (last + gap) + last, -0.21 if ends else -0.05, f"last {LENS}",
                fontsize=SMALL, color=theme.ink, ha="right", va="top",
                transform=ax.get_xaxis_transform())  # fmt: skip
    for k, label in enumerate(ax.get_xticklabels()):
        label.set_horizontalalignment("right" if k % 2 else "left")
    ax.set_yticks([0, 0.5, 1])
    beside(ax, SHARES)
    return ax


def swings(history: np.ndarray, step: float = 0.02) -> bool:
    """True if some coefficient turns by more than ``step`` in most of the last epochs."""
    moves = np.diff(history[-2 * LENS :], axis=0)
    turned = (moves[1:] * moves[:-1] < 0) & (np.minimum(abs(moves[1:]), abs(moves[:-1])) > step)
    return len(history) > 4 * LENS and bool(turned.sum(axis=0).max() >= LENS)


def legend_of(ax: Axes, rules: Sequence[str], theme: Theme = LIGHT) -> None:
    """A legend of rules, for curves that end too close together to be named there."""
    lines = [line_of(mark, marker=mark.marker, markersize=4.5) for mark in map(theme.rule, rules)]
    ax.legend(lines, [said(r) for r in rules], frameon=False, fontsize=9, labelcolor=theme.ink,
              handlelength=3)  # fmt: skip


def line_of(mark: Mark, **style: Any) -> Line2D:
    """A line for a legend, with the colour and dashes of a mark."""
    line = Line2D([], [], color=mark.color, **style)
    line.set_linestyle(mark.dash)  # type: ignore[arg-type]  # a pattern of dashes is a style too
    return line


def thinned(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices and values of at most :data:`MOST_POINTS` epochs, the early ones denser."""
    n = len(values)
    if n <= MOST_POINTS:
        return np.arange(n), values
    early = np.arange(MOST_POINTS // 3)
    rest = np.linspace(len(early), n - 1, MOST_POINTS - len(early)).round().astype(int)
    at = np.unique(np.concatenate([early, rest]))
    return at, values[at]


def _heights(
    curves: Mapping[str, np.ndarray], levels: Mapping[str, float | None]
) -> tuple[float, float]:
    """Limits of the y axis; they leave out starts that would take more than half of the height."""
    fixed = [v for v in levels.values() if v is not None]
    later = [v[1:] if len(v) > 1 else v for v in curves.values()]
    values = np.concatenate([*later, np.array(fixed)])
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    starts = [float(v[0]) for v in curves.values() if np.isfinite(v[0])]
    first = min(starts, default=low)
    if low - first <= high - low:
        low = min(low, first)
    margin = 0.06 * (high - low) or 1e-3 * abs(high) or 1.0
    return low - margin, high + margin


LINE = 0.155
"""Height in inches of a line of text beside a plot."""


TIED = 10**10
"""Values that differ by less than this part of the axis end at one height."""


def _name_ends(ax: Axes, names: Sequence[tuple[float, str, Mark]], theme: Theme) -> None:
    """Write names at the right edge at the height of their curves, apart from each other."""
    low, high = ax.get_ylim()
    room = LINE / (ax.get_position().height * figure_height(ax))
    order = in_order(names, (high - low) / TIED)
    heights = [min(max((value - low) / (high - low), 0.0), 1.0) for value, *_ in order]
    for place, (_, name, mark) in zip(spaced(heights, room), order, strict=True):
        rule = mark.marker != LEVEL
        if getattr(figure_of(ax), SQUEEZED, 1.0) < 1.0:
            name = SHORT.get(name, name)
        ax.text(
            1.015,
            place,
            name,
            transform=ax.transAxes,
            color=mark.word,
            fontsize=SMALL,
            fontweight="bold" if rule else "normal",
            va="center",
        )


def in_order(
    names: Sequence[tuple[float, str, Mark]], near: float
) -> list[tuple[float, str, Mark]]:
    """Names from the lowest up; of those nearer than ``near``, levels below rules in their order.

    So the last bits of values that are one decide nothing.
    """
    rising = sorted(range(len(names)), key=lambda k: names[k][0])
    steps = dict.fromkeys(rising[:1], 0)
    for below, k in itertools.pairwise(rising):
        steps[k] = steps[below] + (names[k][0] - names[below][0] > near)
    rising.sort(key=lambda k: (steps[k], names[k][2].marker != LEVEL, -k))
    return [names[k] for k in rising]


def spaced(heights: Sequence[float], room: float) -> list[float]:
    """Increasing heights, moved so that they are at least ``room`` apart and none is below 0.

    Heights that are too close form a stack around their mean; stacks that are too close merge.
    """
    stacks: list[list[float]] = []
    for height in heights:
        stacks.append([height])
        while len(stacks) > 1 and _bottom(stacks[-1], room) < _top(stacks[-2], room) + room:
            last = stacks.pop()
            stacks[-1] += last
    return [_bottom(stack, room) + k * room for stack in stacks for k in range(len(stack))]


def _bottom(stack: Sequence[float], room: float) -> float:
    """The lowest place of a stack."""
    middle = sum(stack) / len(stack)
    return max(middle - room * (len(stack) - 1) / 2, 0.0)


def _top(stack: Sequence[float], room: float) -> float:
    """The highest place of a stack."""
    return _bottom(stack, room) + room * (len(stack) - 1)
