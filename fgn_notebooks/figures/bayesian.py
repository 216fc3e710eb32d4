"""The posterior density of a 2-by-2 matrix, exact and approximated (section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from contourpy import contour_generator
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.path import Path

from fgnwidgets.draw import LIGHT, Theme

from ..experiments.bayesian import DELTAS, BayesianBlock, BayesianSharpening, level_of
from .kept_axes import again, ruled
from .sheets import Part, axes, framed, keeping, sheet, words

MASSES = (0.5, 0.9)
"""The shares of the mass inside the contours."""


@keeping
def draw_bayesian_block(
    result: BayesianBlock,
    fig: Figure | None = None,
    *,
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """Both densities over the plane of the two coefficients, and their marginals.

    The exact one has the mark of ML, which finds its maximum; the variational one that of VAR.
    """
    exact, variational = theme.ml, theme.var
    plane, marginals = (0.75, 0.6, 2.9, 2.9), [(4.45, 0.6, 2.4, 2.9), (7.3, 0.6, 2.4, 2.9)]
    parts = [
        Part(plane, margins=(0.78, 0.55, 0.3, 0.55)),
        *(Part(box, 1.6, (0.3, 0.55, 0.3, 0.4)) for box in marginals),
    ]
    fig = sheet(fig, 10.0, 3.9, theme=theme, room=width, parts=parts)
    ax = axes(fig, plane, "contours: half and nine tenths of the mass", theme=theme)
    for density, mark, mode in (
        (result.exact, exact, result.ml),
        (result.variational, variational, result.var),
    ):
        name = "exact" if mark is exact else "variational"
        _contours(ax, result.grid, density, mark.color, "-" if mark is exact else (0, (1, 1.2)),
                  name)  # fmt: skip
        ax.plot(mode[0, 0], mode[1, 0], mark.marker, color=mark.color, markersize=7, clip_on=False,
                label=name)  # fmt: skip
    true = result.truth[:, 0]
    ax.plot(*true, "+", color=theme.ink, markersize=12, mew=2)
    framed(ax, theme, xlim=(0, 1), ylim=(0, 1), xlabel=LABELS[0], ylabel=LABELS[1])
    for row, box in enumerate(marginals):
        ax = axes(fig, box, theme=theme)
        for name, density, mark in (
            ("exact", result.exact, exact),
            ("variational", result.variational, variational),
        ):
            curve = result.marginal(density, row)
            ax.plot(result.grid, curve, color=mark.color, linestyle=mark.dash, linewidth=2,
                    label=name)  # fmt: skip
        ruled(ax, ("true", theme.ink), x=[true[row]], colors=theme.ink, linewidths=1,
              linestyles=[(0, (6, 3))])  # fmt: skip
        framed(ax, theme, xlim=(0, 1), ylim=(0, None), xlabel=LABELS[row])
        ax.set_yticks([])
    key = (("exact", exact.color), ("variational", variational.color), ("true", theme.ink))
    for k, (name, color) in enumerate(key):
        words(fig, (4.45 + 1.1 * k, 3.627), name, color=color, fontsize=10, fontweight="bold")
    apart = f"{result.apart:.2f} nats apart"
    words(fig, (9.7, 3.627), apart, theme=theme, fontsize=10, ha="right")
    return fig


def _contours(
    ax: Axes, grid: np.ndarray, density: np.ndarray, color: str, dash: Any, name: str
) -> None:
    """The contours around the masses, the outer one thin: ``ax.contour`` in a third of its time."""
    levels = sorted({level_of(density, mass) for mass in MASSES})
    lines = contour_generator(grid, grid, density.T, line_type="SeparateCode")
    paths, widths = [], []
    for level, width in zip(levels, (1.2, 2.2)[-len(levels) :], strict=True):
        for points, codes in zip(*lines.lines(level), strict=True):
            paths.append(Path(points, codes))
            widths.append(width)
    drawn = again(
        ax, ("contours", name, color),
        lambda: PathCollection(
            [], facecolors="none", edgecolors=color, linestyles=[dash], transform=ax.transData,
            zorder=2, label=name,  # that of lines
        ),
    )  # fmt: skip
    drawn.set_paths(paths)
    drawn.set_linewidth(widths)


LABELS = (r"$\theta_{11}$ = P(Y=1 | X=1)", r"$\theta_{21}$ = P(Y=1 | X=2)")


@keeping
def draw_bayesian_sharpening(
    result: BayesianSharpening,
    fig: Figure | None = None,
    *,
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """The distance of the approximation from the exact density, from soft messages to deltas."""
    mark = theme.var
    box = (0.9, 0.6, 5.2, 2.4)
    parts = [Part(box, margins=(0.78, 0.6, 0.15, 0.4))]
    fig = sheet(fig, 6.5, 3.4, theme=theme, room=width, parts=parts)
    ax = axes(fig, box, "KL(exact || variational), nats", theme=theme)
    at = np.arange(len(result.exponents))
    low, middle, high = np.quantile(result.apart, (0.25, 0.5, 0.75), axis=1)
    ax.fill_between(at, low, high, color=mark.color, alpha=0.25, linewidth=0)
    ax.plot(at, middle, color=mark.color, marker=mark.marker, linewidth=1.8)
    framed(ax, theme, xlabel="exponent of both messages", ylim=(0, None))
    ax.set_xticks(at, ["deltas" if e == DELTAS else f"{e:g}" for e in result.exponents])
    return fig
