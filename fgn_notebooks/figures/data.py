"""Figures of the chapters on tables, time and loops (sections 7.2 and 7.3).

Vocabulary
    filtered   the belief about a day from what was seen up to it
    smoothed   the belief about a day from what was seen on all days

Every function draws given arrays, on a new figure unless ``fig`` is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme, name_parts, plot_frame

from ..experiments.weather import Weather
from ..experiments.words import number
from .panels import likelihoods
from .sheets import SMALL, Part, axes, blank_figure, framed, is_stacked, keeping, sheet


def days(
    seen: Sequence[str], filtered: np.ndarray, smoothed: np.ndarray, fig: Figure | None = None
) -> Figure:
    """The probability of rain day by day, ``(days,)`` each, above what was seen on the day."""
    fig = blank_figure(fig, 5.6, 2.5)
    ax = fig.add_subplot()
    at = np.arange(len(seen))
    for shift, values, mark, hatch, label in (
        (-0.19, filtered, LIGHT.forward, "", "filtered: days so far"),
        (0.19, smoothed, LIGHT.belief, "////", "smoothed: all days"),
    ):
        bars = ax.bar(at + shift, values, 0.36, color=mark.color, hatch=hatch,
                      edgecolor=LIGHT.ground, label=label)  # fmt: skip
        ax.bar_label(bars, [number(v) for v in values], padding=2, fontsize=9, color=LIGHT.ink)
    words = {"yes": "umbrella", "no": "none"}
    ax.set_xticks(at, [f"day {k + 1}\n{words[word]}" for k, word in enumerate(seen)])
    ax.set(ylim=(0, 1), yticks=(0, 0.5, 1), ylabel="probability of rain")
    plot_frame(ax, LIGHT)
    ax.xaxis.grid(False)
    ax.legend(frameon=False, fontsize=9, labelcolor=LIGHT.ink, ncols=2, loc="lower center",
              bbox_to_anchor=(0.5, 1.0))  # fmt: skip
    return fig


@keeping
def draw_weather(
    result: Weather, fig: Figure | None = None, *, theme: Theme = LIGHT, width: float | None = None
) -> Figure:
    """The filtered and the smoothed probability of rain, a pair of bars for each day."""
    box = (0.8, 0.75, 7.3, 2.1)
    parts = [Part(box, margins=(0.62, 0.95, 0.05, 0.6))]
    fig = sheet(fig, 8.4, 3.4, theme=theme, room=width, parts=parts)
    thin = is_stacked(fig)
    ax = axes(fig, box, "", theme=theme)
    at, drawn = np.arange(len(result.seen)), []
    for shift, values, mark, hatch, label in (
        (-0.19, result.filtered, theme.forward, "", "filtered: days so far"),
        (0.19, result.smoothed, theme.belief, "////", "smoothed: all days seen"),
    ):
        bars = ax.bar(at + shift, values, 0.36, color=mark.color, hatch=hatch,
                      edgecolor=theme.ground, label=label)  # fmt: skip
        drawn.append(bars)
        name_parts(bars, [f"day {k + 1}" for k in at])
        turned = 90 if thin else 0
        ax.bar_label(
            bars,
            [number(v) for v in values],
            padding=2,
            fontsize=SMALL,
            color=theme.ink,
            rotation=turned,
        )
    words = {"yes": "umbrella", "no": "none", "?": "unseen" if thin else "not seen yet"}
    gap = ", " if thin else "\n"
    ax.set_xticks(at, [f"day {k + 1}{gap}{words[word]}" for k, word in enumerate(result.seen)])
    for tick in ax.get_xticklabels() if thin else ():
        tick.set(rotation=40, ha="right")
    framed(
        ax,
        theme,
        ylim=(0, 1.25 if thin else 1.12),
        yticks=(0, 0.5, 1),
        ylabel="probability of rain",
    )
    ax.xaxis.grid(False)
    ax.legend(handles=drawn, frameon=False, fontsize=9, labelcolor=theme.ink,
              ncols=1 if thin else 2, loc="lower left", bbox_to_anchor=(0.0, 1.0))  # fmt: skip
    return fig


def diary(
    counts: Sequence[int],
    filtered: np.ndarray,
    smoothed: np.ndarray,
    path: Sequence[str] = (),
    fig: Figure | None = None,
) -> Figure:
    """P(hot) on each day, ``(days,)`` each, below the number of ice creams of the day.

    Days that are hot on ``path`` are shaded.
    """
    fig = blank_figure(fig, 7.0, 2.7)
    ax = fig.add_subplot()
    at = np.arange(1, len(counts) + 1)
    for day, word in zip(at, path, strict=False):
        if word == "hot":
            ax.axvspan(day - 0.5, day + 0.5, color=LIGHT.frame, lw=0, zorder=0)
    ax.plot(at, filtered, "o--", color=LIGHT.forward.color, markersize=4, lw=1, label="filtered")
    ax.plot(at, smoothed, "D-", color=LIGHT.belief.color, markersize=4, lw=1.6, label="smoothed")
    for day, count in zip(at, counts, strict=True):
        ax.text(float(day), 1.06, f"{count}", ha="center", fontsize=8, color=LIGHT.ink)
    ax.set(ylim=(-0.03, 1.15), yticks=(0, 0.5, 1), xlim=(0.3, len(counts) + 0.7))
    ax.set(xlabel="day; above, ice creams eaten; shaded, hot on the most probable path",
           ylabel="probability of hot")  # fmt: skip
    plot_frame(ax, LIGHT)
    ax.legend(frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="center right")
    return fig


def rounds(
    flooded: Mapping[str, np.ndarray], exact: Mapping[str, float], fig: Figure | None = None
) -> Figure:
    """Beliefs by round of flooding on a graph with a loop, ``(rounds,)`` by variable, and the exact
    ones."""
    fig = blank_figure(fig, 6.4, 2.8)
    ax = fig.add_subplot()
    marks = (LIGHT.forward, LIGHT.backward, LIGHT.belief, LIGHT.observed)
    for mark, (name, values) in zip(marks, flooded.items(), strict=False):
        ax.plot(values, mark.marker, ls="-", color=mark.color, markersize=4, lw=1.4, label=name)
        ax.axhline(exact[name], color=mark.color, ls="--", lw=1)
    ax.plot([], [], color=LIGHT.ink, ls="--", lw=1, label="exact")
    ax.set(xlabel="rounds of flooding", ylabel="probability of yes", ylim=(0, 1))
    plot_frame(ax, LIGHT)
    ax.legend(
        frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="center left", bbox_to_anchor=(1, 0.5)
    )
    return fig


def generalization(curves: Mapping[str, np.ndarray], fig: Figure | None = None) -> Figure:
    """The log-likelihood of a test sample by epoch, ``(n_epochs + 1,)`` for each label."""
    fig = sheet(fig, 7.6, 3.6)
    ax = axes(fig, (0.7, 0.6, 5.4, 2.6), "log-likelihood of a test sample")
    likelihoods(ax, curves)
    return fig
