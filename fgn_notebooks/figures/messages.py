"""Small figures of the chapter on using the graph (section 2.2).

Vocabulary
    valve    beliefs on one side of a variable against the strength of the evidence on it
    rounds   the errors of beliefs after every round of a schedule

Every function draws given arrays, on a new figure unless ``fig`` is given.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Mark, plot_frame

from .sheets import axes, sheet

FLOOR = 1e-9
"""A smaller error is due to rounding, and drawn as 0."""

STYLES = (
    Mark(LIGHT.belief.color, "D", "-"),
    Mark(LIGHT.reference.color, "o", LIGHT.reference.dash),
)


def valve(
    strength: np.ndarray, curves: Mapping[str, np.ndarray], label: str, fig: Figure | None = None
) -> Figure:
    """Up to two beliefs ``(N,)`` against the ``strength`` ``(N,)`` of evidence between them."""
    fig = sheet(fig, 6.0, 3.0)
    ax = axes(fig, (0.75, 0.6, 4.2, 2.1))
    for (name, values), mark in zip(curves.items(), STYLES, strict=False):
        ax.plot(strength, values, color=mark.color, linestyle=mark.dash, linewidth=1.8)
        up = values[0] >= max(v[0] for v in curves.values())
        ax.annotate(
            name,
            (strength[0], values[0]),
            (6, 6 if up else -6),
            textcoords="offset points",
            va="bottom" if up else "top",
            color=LIGHT.ink,
        )
    end = next(iter(curves.values()))[-1]
    ax.plot(strength[-1], end, "s", color=LIGHT.observed.color, markeredgecolor=LIGHT.ink,
            zorder=3, clip_on=False)  # fmt: skip
    ax.annotate("closed", (strength[-1], end), (8, 0), textcoords="offset points", va="center",
                color=LIGHT.ink, annotation_clip=False)  # fmt: skip
    ax.set(xlabel="strength $s$ of the evidence", ylabel=label, xlim=(strength[0], strength[-1]))
    ax.set_ylim(0, 1)
    plot_frame(ax, LIGHT)
    return fig


def rounds(errors: Mapping[str, np.ndarray], diameter: int, fig: Figure | None = None) -> Figure:
    """The largest error of any belief after each round, ``(rounds + 1,)`` for each schedule."""
    fig = sheet(fig, 6.0, 3.0)
    ax = axes(fig, (0.75, 0.6, 4.2, 2.1))
    for (name, values), mark in zip(errors.items(), STYLES, strict=False):
        shown = np.where(values < FLOOR, 0.0, values)
        ax.plot(shown, marker=mark.marker, markersize=5, color=mark.color, linestyle=mark.dash,
                linewidth=1.5, label=name, clip_on=False)  # fmt: skip
    ax.axvline(diameter, color=LIGHT.muted, linewidth=1)
    ax.text(diameter + 0.1, 0.98, f"diameter {diameter}", transform=ax.get_xaxis_transform(),
            va="top", color=LIGHT.ink, fontsize=9)  # fmt: skip
    ax.set(xlabel="round", ylabel="largest error", xlim=(0, max(map(len, errors.values())) - 1))
    ax.set_ylim(0, None)
    plot_frame(ax, LIGHT)
    ax.legend(frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="lower left")
    return fig
