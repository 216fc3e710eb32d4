"""Small figures of the chapters on counting (sections 4 to 6).

Vocabulary
    density    a function of 2-by-2 matrices, ``(G, G)``: a matrix is a point of the unit square,
               whose coordinates are the first entries of its rows; axis 0 is the first row
    share      how much of one sample a rule counts for each cell of the matrix
    promised   the sum over blocks of the gain of each, on the messages it was given
    kept       the gain of the whole graph when all blocks change at once
    gain       the log-likelihood above that of the uniform matrix

Every function draws given arrays, on a new figure unless ``fig`` is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fgnwidgets.draw import LIGHT, plot_frame

from ..experiments.phases import Phases
from ..experiments.words import NAMES, PAPERS, number
from .sheets import blank_figure
from .tables import Table, tabulate

T = TypeVar("T")

DARK = 0.55
"""Numbers on a cell above this share of the colour scale are written in the ground's colour."""


def densities(panels: Mapping[str, np.ndarray], fig: Figure | None = None) -> Figure:
    """A panel for each function of a matrix, with values from 0 to 1, and one bar of colours."""
    fig = blank_figure(fig, 2.15 * len(panels) + 1.1, 2.95)
    axes = np.atleast_1d(fig.subplots(1, len(panels), sharey=True))
    for ax, (title, scale) in zip(axes, panels.items(), strict=True):
        at = np.concatenate([[0], (np.arange(len(scale)) + 0.5) / len(scale), [1]])
        drawn = ax.contourf(
            at, at, np.pad(scale.T, 1, mode="edge"), np.linspace(0, 1, 11), cmap=LIGHT.matrix
        )
        ax.set_title(title, fontsize=10, color=LIGHT.ink)
        ax.set(xlabel=r"$\theta_{11}$", aspect="equal")
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        plot_frame(ax, LIGHT)
        ax.grid(False)
    axes[0].set_ylabel(r"$\theta_{21}$")
    bar = fig.colorbar(drawn, ax=axes, ticks=[0, 0.5, 1], label="value of the message", pad=0.02)
    bar.ax.yaxis.label.set_color(LIGHT.ink)
    bar.ax.tick_params(colors=LIGHT.ink)
    return fig


THRESHOLD = 2
"""The largest eigenvalue of the correlations above which VAR leaves the floor (chapter 09)."""

AT = ((0.1, 0.1), (0.1, 0.9), (0.5, 0.5), (0.9, 0.1), (0.9, 0.9))
"""The points where functions of a matrix are read off: near the corners, and in the middle."""


def read_off(panels: Mapping[str, np.ndarray]) -> Table:
    """The values of the functions that :func:`densities` draws, at five matrices."""
    rows = {}
    for name, scale in panels.items():
        at = [tuple(int(v * len(scale)) for v in point) for point in AT]
        rows[name] = {f"{p}, {q}": scale[place] for (p, q), place in zip(AT, at, strict=True)}
    return tabulate("Value at theta_11, theta_21", rows)


def shares(cases: Mapping[str, Mapping[str, np.ndarray]], fig: Figure | None = None) -> Figure:
    """The shares ``(M_X, M_Y)`` of one sample by each rule (column), for each case (row)."""
    fig = blank_figure(fig, 6.6, 1.35 * len(cases) + 0.3)
    axes = fig.subplots(len(cases), len(PAPERS), squeeze=False)
    for line, (case, by_rule) in zip(axes, cases.items(), strict=True):
        named = _by_rule(by_rule)
        for ax, rule in zip(line, PAPERS, strict=True):
            _cells(ax, named[rule])
        line[0].set_ylabel(case, rotation=0, ha="right", va="center", color=LIGHT.ink, fontsize=10)
    for ax, rule in zip(axes[0], PAPERS, strict=True):
        ax.set_title(NAMES[rule], color=LIGHT.rule(rule).word, fontweight="bold", fontsize=11)
    return fig


def apart(cases: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, float]:
    """For each case that :func:`shares` draws, the largest difference of two rules in a cell."""
    return {
        case: max(float(np.abs(one - two).max()) for one, two in combinations(split.values(), 2))
        for case, split in cases.items()
    }


def promised_and_kept(
    n_its: Sequence[int], promised: np.ndarray, kept: np.ndarray, fig: Figure | None = None
) -> Figure:
    """The promised and the kept gain of one epoch, by the number of its steps."""
    fig = blank_figure(fig, 5.6, 3.3)
    ax = fig.add_subplot()
    ax.axhline(0, color=LIGHT.muted, linewidth=1)
    for values, mark, name in (
        (promised, LIGHT.observed, "promised, block by block"),
        (kept, LIGHT.ml, "kept by the whole graph"),
    ):
        ax.plot(
            n_its, values, color=mark.color, linestyle=mark.dash, marker=mark.marker, label=name
        )
    ax.set(xscale="log", xlabel="$N_{it}$: steps in the epoch", ylabel="gain in log-likelihood")
    ax.set_xticks(n_its, [str(n) for n in n_its])
    ax.minorticks_off()
    plot_frame(ax, LIGHT)
    ax.legend(frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="lower left")
    return fig


def leaving(
    curves: Mapping[tuple[str, float], np.ndarray], top: float, fig: Figure | None = None
) -> Figure:
    """Runs from near the uniform matrices, ``(epochs,)`` above the floor each.

    They go by their rule and how far away they start: ML's bear the distance, others the rule.
    ``top`` is the height of the ceiling.
    """
    fig = blank_figure(fig, 6.8, 3.4)
    ax = fig.add_subplot()
    for value, name in ((0.0, "floor"), (top, "ceiling")):
        ax.axhline(value, color=LIGHT.muted, linewidth=1, linestyle=(0, (1, 2)))
        ax.annotate(name, (1.01, value), xycoords=("axes fraction", "data"), va="center",
                    fontsize=9, color=LIGHT.muted)  # fmt: skip
    for (rule, size), values in curves.items():
        mark, epochs = LIGHT.rule(rule), np.arange(1, len(values))
        if rule == "ml":
            ax.plot(epochs, values[1:], color=mark.color, linewidth=1.8)
            half = int(np.argmax(values > top / 2))
            ax.annotate(f"{size:f}".rstrip("0"), (half, top / 2), (-9, 0), ha="right",
                        textcoords="offset points", va="center", fontsize=9,
                        color=mark.color)  # fmt: skip
        else:
            ax.plot(epochs, values[1:], color=mark.color, linestyle=mark.dash, marker=mark.marker,
                    markevery=8, markersize=4.5)  # fmt: skip
            ax.annotate(NAMES[rule], (epochs[-1], values[-1]), (-4, 5), ha="right", fontsize=9,
                        textcoords="offset points", fontweight="bold",
                        color=mark.color)  # fmt: skip
    last = max(map(len, curves.values())) - 1
    ax.set(xlabel="epoch", ylabel="log-likelihood above the floor", xlim=(1, last))
    plot_frame(ax, LIGHT)
    return fig


def beside_threshold(
    points: Mapping[int, Sequence[tuple[float, float]]],
) -> dict[str, dict[str, str]]:
    """The largest climb of VAR below the threshold, and at the first three tables above it.

    ``points`` are those that :func:`var_threshold` draws; a row for each number of children.
    """
    rows = {}
    for count, pairs in points.items():
        below = max(abs(share) for value, share in pairs if value < THRESHOLD)
        above = [f"{share:.0%} at {value:.2f}" for value, share in pairs if value > THRESHOLD]
        words = {"at most, below 2": f"{below:.0%}", "above 2": ", ".join(above[:3])}
        rows[f"{count} children"] = words
    return rows


def var_threshold(
    points: Mapping[int, Sequence[tuple[float, float]]], fig: Figure | None = None
) -> Figure:
    """The climb of VAR from near the floor, by the dependence of the table.

    ``points`` has for each number of children pairs of the largest eigenvalue of their correlation
    matrix and the share of the way from the floor to ML.
    """
    fig = blank_figure(fig, 6.2, 3.4)
    ax = fig.add_subplot()
    ax.axvline(THRESHOLD, color=LIGHT.ink, linewidth=1, linestyle=(0, (4, 3)))
    ax.annotate("threshold 2", (THRESHOLD, 1.0), (4, 0), textcoords="offset points", ha="left",
                va="bottom", fontsize=9, color=LIGHT.ink)  # fmt: skip
    for (count, pairs), marker in zip(points.items(), "osD^vP", strict=False):
        ax.plot(*np.transpose(sorted(pairs)), color=LIGHT.var.color, marker=marker, markersize=5,
                linestyle="", label=f"{count} children")  # fmt: skip
    ax.set(xscale="log", xlabel="largest eigenvalue of the correlations",
           ylabel="share of the way to ML", ylim=(-0.05, 1.1))  # fmt: skip
    ax.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    ax.minorticks_off()
    plot_frame(ax, LIGHT)
    ax.legend(frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="center right")
    return fig


def phase_diagram(found: Phases, fig: Figure | None = None) -> Figure:
    """The share of the way to ML by correlation and number of children, a panel for each rule.

    The line in each panel is VAR's threshold.
    """
    fig = blank_figure(fig, 8.6, 3.9)
    axes = np.atleast_1d(fig.subplots(1, len(found.share), sharey=True))
    x = np.arange(len(found.children))
    y = np.arange(len(found.correlations))
    line = np.interp(np.log(found.threshold), np.log(found.correlations), y)
    for ax, (rule, share) in zip(axes, found.share.items(), strict=True):
        drawn = ax.pcolormesh(x, y, np.clip(share, 0, 1), cmap=LIGHT.matrix, vmin=0, vmax=1)
        ax.step([x[0] - 0.5, *(x + 0.5)], [line[0], *line], where="pre", color=LIGHT.var.color,
                linewidth=2, label="threshold of VAR")  # fmt: skip
        ax.set_title(NAMES[rule], fontsize=11, color=LIGHT.rule(rule).word, fontweight="bold")
        ax.set_xticks(x, [str(d) for d in found.children])
        ax.set_yticks(y, [f"{c:g}" for c in found.correlations])
        ax.set_xlabel("number of children")
        plot_frame(ax, LIGHT)
        ax.grid(visible=False)
    axes[0].set_ylabel("correlation of two children")
    axes[-1].legend(loc="upper left", bbox_to_anchor=(0, -0.17), frameon=False, fontsize=9,
                    labelcolor=LIGHT.ink)  # fmt: skip
    bar = fig.colorbar(drawn, ax=axes, label="share of the way to ML")
    bar.ax.yaxis.label.set_color(LIGHT.ink)
    bar.ax.tick_params(colors=LIGHT.ink)
    return fig


def halves(
    panels: Mapping[str, Mapping[str, tuple[float, float]]], fig: Figure | None = None
) -> Figure:
    """Each rule's gain on the half learned from (full mark) and on the other half (hollow)."""
    fig = blank_figure(fig, 9.0, 2.8)
    axes = np.atleast_1d(fig.subplots(1, len(panels)))
    for ax, (title, gains) in zip(axes, panels.items(), strict=True):
        ax.axvline(0, color=LIGHT.muted, linewidth=1)
        named = _by_rule(gains)
        for k, rule in enumerate(PAPERS[::-1]):
            mark, (train, test) = LIGHT.rule(rule), named[rule]
            ax.plot([train, test], [k, k], color=mark.color, linewidth=1.6, linestyle=mark.dash)
            ax.plot(train, k, mark.marker, color=mark.color, markersize=7)
            ax.plot(test, k, mark.marker, color=mark.color, markersize=7, mfc=LIGHT.ground, mew=1.6)
        ax.set_title(title, fontsize=10, color=LIGHT.ink)
        ax.set_ylim(-0.6, len(PAPERS) - 0.4)
        ax.set_yticks(range(len(PAPERS)), [NAMES[rule] for rule in PAPERS[::-1]])
        ax.locator_params(axis="x", nbins=5)
        plot_frame(ax, LIGHT)
        for label, rule in zip(ax.get_yticklabels(), PAPERS[::-1], strict=True):
            label.set(color=LIGHT.rule(rule).word, fontweight="bold")
    fig.supxlabel("nats per 1000 samples above the uniform matrix", fontsize=10, color=LIGHT.ink)
    fig.legend(
        handles=[
            Line2D([], [], linestyle="", marker="o", color=LIGHT.ink, label="training half"),
            Line2D([], [], linestyle="", marker="o", color=LIGHT.ink, mfc=LIGHT.ground,
                   mew=1.6, label="test half"),
        ],
        loc="outside upper center", ncols=2, frameon=False, fontsize=9, labelcolor=LIGHT.ink,
    )  # fmt: skip
    return fig


def _by_rule(named: Mapping[str, T]) -> dict[str, T]:
    """Values by rule, whether they go by the rules' own names or by those in a text."""
    return {name.lower(): value for name, value in named.items()}


def _cells(ax: Axes, share: np.ndarray) -> None:
    ax.imshow(share, cmap=LIGHT.matrix, vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(share):
        ink = LIGHT.ground if value > DARK else LIGHT.ink
        ax.text(j, i, number(value), color=ink, ha="center", va="center", fontsize=10)
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set(color=LIGHT.muted)
