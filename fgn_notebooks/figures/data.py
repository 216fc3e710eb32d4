"""Figures of the chapters on tables: generalization, numbers of states, kinds, days (7.2, 7.3).

Vocabulary
    panel     one number for each model, and the model that it recommends
    kinds     the states of a hidden variable, each a profile of probabilities
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

KINDS = (LIGHT.backward, LIGHT.observed, LIGHT.forward, LIGHT.belief)
"""Marks of the states of a hidden variable, in the order in which they are drawn."""


def panels_by_states(
    states: Sequence[int],
    panels: Mapping[str, tuple[np.ndarray, int | None]],
    fig: Figure | None = None,
) -> Figure:
    """One number for each model, ``(len(states),)``, in a panel for each title.

    Beside the values stands the position of the recommended model, which a diamond marks; None
    recommends none.
    """
    fig = _figure(fig, 3.1 * len(panels), 2.9)
    for ax, (title, (values, best)) in zip(
        np.atleast_1d(fig.subplots(1, len(panels))), panels.items(), strict=True
    ):
        ax.plot(states, values, "o-", color=LIGHT.ml.color, markersize=5)
        if best is not None:
            at = (states[best], values[best])
            ax.plot(*at, "D", color=LIGHT.belief.color, markeredgecolor=LIGHT.ink, markersize=9)
            above = values[best] > np.mean(values)
            ax.annotate(f"{states[best]} states", at, (0, 9 if above else -18), ha="center",
                        textcoords="offset points", color=LIGHT.ink, fontsize=9)  # fmt: skip
        ax.set_title(title, color=LIGHT.ink, fontsize=10, loc="left")
        ax.set(xlabel="states of S", xticks=states)
        ax.margins(y=0.2)
        plot_frame(ax, LIGHT)
    return fig


def profiles(
    names: Sequence[str], kinds: Mapping[str, np.ndarray], fig: Figure | None = None
) -> Figure:
    """For each kind one probability per name, ``(len(names),)``, as points joined by a line."""
    fig = _figure(fig, 6.4, 3.2)
    ax = fig.add_subplot()
    at = np.arange(len(names))
    for mark, (label, values) in zip(KINDS, kinds.items(), strict=False):
        ax.plot(at, values, mark.marker, color=mark.color, linestyle=mark.dash, markersize=8,
                linewidth=1, markeredgecolor=LIGHT.ink, clip_on=False, label=label)  # fmt: skip
    ax.set_xticks(at, names)
    ax.set(ylim=(0, 1), xlabel="pathologist", ylabel="probability of a 1")
    plot_frame(ax, LIGHT)
    ax.legend(
        frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="center left", bbox_to_anchor=(1, 0.5)
    )
    return fig


def days(
    seen: Sequence[str], filtered: np.ndarray, smoothed: np.ndarray, fig: Figure | None = None
) -> Figure:
    """The probability of rain day by day, ``(days,)`` each, over what was seen on the day."""
    fig = _figure(fig, 6.4, 3.0)
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


def _figure(fig: Figure | None, width: float, height: float) -> Figure:
    if fig is None:
        fig = Figure(figsize=(width, height), dpi=90, layout="constrained")
    fig.set_facecolor(LIGHT.ground)
    return fig
