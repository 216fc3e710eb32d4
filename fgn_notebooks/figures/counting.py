"""Small figures of the chapters on counting (sections 4 to 6).

Vocabulary
    density    a density of 2-by-2 matrices, ``(G, G)``: a matrix is a point of the unit square,
               whose coordinates are the first entries of its rows; axis 0 is the first row
    share      how much of one sample a rule counts for each cell of the matrix
    promised   the sum over blocks of the gain of each, on the messages it was given
    kept       the gain of the whole graph when all blocks change at once
    gain       the log-likelihood above that of the uniform matrix

Every function draws given arrays, on a new figure unless ``fig`` is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fgnwidgets.draw import LIGHT
from fgnwidgets.draw.style import plot_frame

from ..experiments.phases import Phases
from ..experiments.words import NAMES, RULES, number
from .sheets import blank_figure

DARK = 0.55
"""Numbers on a cell above this share of the colour scale are written in the ground's colour."""


def densities(panels: Mapping[str, np.ndarray], fig: Figure | None = None) -> Figure:
    """A panel for each density, darkest at its largest value; a flat one is half dark."""
    fig = blank_figure(fig, 2.35 * len(panels) + 0.3, 3.05)
    axes = np.atleast_1d(fig.subplots(1, len(panels), sharey=True))
    for ax, (title, density) in zip(axes, panels.items(), strict=True):
        scale = density / max(density.max(), 2 * density.mean())
        at = np.concatenate([[0], (np.arange(len(scale)) + 0.5) / len(scale), [1]])
        ax.contourf(
            at, at, np.pad(scale.T, 1, mode="edge"), np.linspace(0, 1, 10), cmap=LIGHT.matrix
        )
        ax.set_title(title, fontsize=10, color=LIGHT.ink)
        ax.set(xlabel=r"$\theta_{11}$", aspect="equal")
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        plot_frame(ax, LIGHT)
        ax.grid(False)
    axes[0].set_ylabel(r"$\theta_{21}$")
    return fig


def shares(cases: Mapping[str, Mapping[str, np.ndarray]], fig: Figure | None = None) -> Figure:
    """The shares of one sample by each rule (column), for each case (row)."""
    fig = blank_figure(fig, 6.6, 1.35 * len(cases) + 0.3)
    axes = fig.subplots(len(cases), len(RULES), squeeze=False)
    for line, (case, by_rule) in zip(axes, cases.items(), strict=True):
        for ax, rule in zip(line, RULES, strict=True):
            _cells(ax, by_rule[rule])
        line[0].set_ylabel(case, rotation=0, ha="right", va="center", color=LIGHT.ink, fontsize=10)
    for ax, rule in zip(axes[0], RULES, strict=True):
        ax.set_title(NAMES[rule], color=LIGHT.rule(rule).word, fontweight="bold", fontsize=11)
    return fig


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
    curves: Mapping[str, np.ndarray], still: np.ndarray, top: float, fig: Figure | None = None
) -> Figure:
    """ML from starts closer and closer to the uniform matrices, ``(epochs,)`` above the floor each.

    ``still`` is VAR from the farthest of these starts, ``top`` the height of the ceiling.
    """
    fig = blank_figure(fig, 6.8, 3.4)
    ax = fig.add_subplot()
    for value, name in ((0.0, "floor"), (top, "ceiling")):
        ax.axhline(value, color=LIGHT.muted, linewidth=1, linestyle=(0, (1, 2)))
        ax.annotate(name, (1.01, value), xycoords=("axes fraction", "data"), va="center",
                    fontsize=9, color=LIGHT.muted)  # fmt: skip
    for name, values in curves.items():
        ax.plot(np.arange(1, len(values)), values[1:], color=LIGHT.ml.color, linewidth=1.8)
        half = int(np.argmax(values > top / 2))
        ax.annotate(name, (half, top / 2), (-9, 0), textcoords="offset points", ha="right",
                    va="center", fontsize=9, color=LIGHT.ml.color)  # fmt: skip
    epochs = np.arange(1, len(still))
    ax.plot(epochs, still[1:], color=LIGHT.var.color, linestyle=LIGHT.var.dash,
            marker=LIGHT.var.marker, markevery=8, markersize=4.5)  # fmt: skip
    ax.annotate("VAR", (epochs[-1], 0), (-4, 5), textcoords="offset points", ha="right",
                fontsize=9, fontweight="bold", color=LIGHT.var.color)  # fmt: skip
    ax.set(xlabel="epoch", ylabel="log-likelihood above the floor", xlim=(1, len(still) - 1))
    plot_frame(ax, LIGHT)
    return fig


def var_threshold(
    points: Mapping[int, Sequence[tuple[float, float]]], fig: Figure | None = None
) -> Figure:
    """How far VAR climbs from near the floor, by the dependence of the table.

    ``points`` has for each number of children pairs of the largest eigenvalue of their correlation
    matrix and the share of the way from the floor to ML.
    """
    fig = blank_figure(fig, 6.2, 3.4)
    ax = fig.add_subplot()
    ax.axvline(2, color=LIGHT.ink, linewidth=1, linestyle=(0, (4, 3)))
    ax.annotate("threshold 2", (2, 1.0), (4, 0), textcoords="offset points", ha="left",
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
        for k, rule in enumerate(RULES[::-1]):
            mark, (train, test) = LIGHT.rule(rule), gains[rule]
            ax.plot([train, test], [k, k], color=mark.color, linewidth=1.6, linestyle=mark.dash)
            ax.plot(train, k, mark.marker, color=mark.color, markersize=7)
            ax.plot(test, k, mark.marker, color=mark.color, markersize=7, mfc=LIGHT.ground, mew=1.6)
        ax.set_title(title, fontsize=10, color=LIGHT.ink)
        ax.set_ylim(-0.6, len(RULES) - 0.4)
        ax.set_yticks(range(len(RULES)), [NAMES[rule] for rule in RULES[::-1]])
        ax.locator_params(axis="x", nbins=5)
        plot_frame(ax, LIGHT)
        for label, rule in zip(ax.get_yticklabels(), RULES[::-1], strict=True):
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


def _cells(ax: Axes, share: np.ndarray) -> None:
    ax.imshow(share, cmap=LIGHT.matrix, vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(share):
        ink = LIGHT.ground if value > DARK else LIGHT.ink
        ax.text(j, i, number(value), color=ink, ha="center", va="center", fontsize=10)
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set(color=LIGHT.muted)
