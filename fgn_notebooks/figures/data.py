"""Figures of the chapters on tables: generalization, days (7.2, 7.3).

Vocabulary
    filtered  the belief in a day's weather from the days up to it; smoothed, from all days

Every function draws arrays that are there already, on a new figure unless ``fig`` is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT
from fgnwidgets.draw.style import plot_frame

from .panels import axes, likelihoods, sheet


def days(
    seen: Sequence[str], filtered: np.ndarray, smoothed: np.ndarray, fig: Figure | None = None
) -> Figure:
    """The probability of rain day by day, ``(days,)`` each, over what was seen on the day."""
    fig = blank_figure(fig, 6.4, 3.0)
    ax = fig.add_subplot()
    at = np.arange(len(seen))
    for shift, values, mark, hatch, label in (
        (-0.19, filtered, LIGHT.forward, "", "filtered: days so far"),
        (0.19, smoothed, LIGHT.belief, "////", "smoothed: all days"),
    ):
        bars = ax.bar(at + shift, values, 0.36, color=mark.color, hatch=hatch,
                      edgecolor=LIGHT.ground, label=label)  # fmt: skip
        ax.bar_label(bars, fmt="{:.2f}", padding=2, fontsize=9, color=LIGHT.ink)
    ax.set_xticks(at, [f"day {k + 1}\numbrella: {word}" for k, word in enumerate(seen)])
    ax.set(ylim=(0, 1), yticks=(0, 0.5, 1), ylabel="probability of rain")
    plot_frame(ax, LIGHT)
    ax.xaxis.grid(False)
    ax.legend(frameon=False, fontsize=9, labelcolor=LIGHT.ink, ncols=2, loc="lower center",
              bbox_to_anchor=(0.5, 1.0))  # fmt: skip
    return fig


def generalization(curves: Mapping[str, np.ndarray], fig: Figure | None = None) -> Figure:
    """What each run says of a test sample by epoch, ``(n_epochs + 1,)`` for each label."""
    fig = sheet(fig, 7.6, 3.6)
    ax = axes(fig, (0.7, 0.6, 5.4, 2.6), "log-likelihood of a test sample")
    likelihoods(ax, curves, ylabel="")
    return fig


def blank_figure(fig: Figure | None, width: float, height: float) -> Figure:
    """The figure given, or a new one of so many inches."""
    if fig is None:
        fig = Figure(figsize=(width, height), dpi=90, layout="constrained")
    fig.set_facecolor(LIGHT.ground)
    return fig
