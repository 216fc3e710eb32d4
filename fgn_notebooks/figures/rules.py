"""Small figures of the chapters on one block and its rules (sections 3 to 3.3, Appendix B).

Vocabulary
    surface   the block's log-likelihood over all 2-by-2 matrices; a matrix is a point, whose
              coordinates are the first entries of its two rows
    path      the matrices of one rule, iteration by iteration, ``(iterations, 2, 2)``
    bound     the lower bound on the block's log-likelihood that KL raises

Every function draws given arrays, on a new figure unless ``fig`` is given.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fgnwidgets import block_loglik
from fgnwidgets.draw import LIGHT, plot_frame

from ..experiments.words import NAMES, number
from .panels import line_of
from .sheets import blank_figure

GRID = 81
"""Points of the surface along each axis."""

LEVELS = (0.5, 2, 5, 10, 20, 40, 80, 160, 320)
"""Heights of the contours below the maximum of the surface, for 200 samples."""


def two_likelihoods(
    loglik: np.ndarray, aggregated: np.ndarray, fig: Figure | None = None, *, first: int = 1
) -> Figure:
    """The exact log-likelihood above the aggregated one, ``(n_epochs + 1,)`` each.

    Epochs before ``first`` are left out, since the first steps are so large that they would hide
    the rest. A diamond marks the largest value of each.
    """
    fig = blank_figure(fig, 6.0, 4.2)
    top, bottom = fig.subplots(2, 1, sharex=True)
    for ax, values, title, mark in (
        (top, loglik, "exact", LIGHT.ml),
        (bottom, aggregated, "aggregated", LIGHT.observed),
    ):
        epochs = np.arange(first, len(values))
        peak = int(np.argmax(np.asarray(values)))
        ax.plot(epochs, values[first:], color=mark.color, linewidth=1.8)
        ax.plot(peak, values[peak], "D", color=mark.color, markeredgecolor=LIGHT.ink, clip_on=False)
        right = peak > 0.6 * len(values)
        ax.annotate(
            f"largest at epoch {peak}",
            (peak, values[peak]),
            (-8, -6) if right else (8, 4),
            textcoords="offset points",
            ha="right" if right else "left",
            va="top" if right else "bottom",
            color=LIGHT.ink,
            fontsize=9,
        )
        ax.set_ylabel(title)
        ax.margins(y=0.15)
        plot_frame(ax, LIGHT)
    bottom.set_xlabel("epoch")
    bottom.xaxis.get_major_locator().set_params(integer=True)
    return fig


def block_surface(
    f: np.ndarray,
    b: np.ndarray,
    paths: Mapping[str, np.ndarray],
    fig: Figure | None = None,
    *,
    reference: np.ndarray | None = None,
) -> Figure:
    """The surface of the messages ``f`` and ``b``, ``(2, N)`` each, with a path for each rule.

    A path ends in its rule's marker; a star marks the highest point of the grid, and a cross the
    matrix ``reference``.
    """
    axis = np.linspace(0.005, 0.995, GRID)
    first, second = np.meshgrid(axis, axis)
    theta = np.stack([np.stack([first, 1 - first], -1), np.stack([second, 1 - second], -1)], -2)
    depth = block_loglik(theta, f, b)
    depth = depth - depth.max()
    levels = -np.array(LEVELS[::-1]) * f.shape[-1] / 200
    fig = blank_figure(fig, 5.6, 4.6)
    fig.set_layout_engine("compressed")  # the axes are square
    ax = fig.add_subplot()
    lines = ax.contour(
        first, second, depth, levels=levels, colors=LIGHT.muted, linewidths=0.8, linestyles="solid"
    )
    ax.clabel(lines, fmt=lambda level: f"{level:.3g}", fontsize=9)
    for rule, path in paths.items():
        mark = LIGHT.rule(rule)
        x, y = path[:, 0, 0], path[:, 1, 0]
        ax.plot(x, y, color=mark.color, linestyle=mark.dash, linewidth=1.4)
        ax.plot(x, y, ".", color=mark.color, markersize=4)
        ax.scatter(x[-1], y[-1], 130, "none", marker=mark.marker, edgecolors=mark.color,
                   label=NAMES[rule])  # fmt: skip
    at = np.unravel_index(int(depth.argmax()), depth.shape)
    ax.scatter(
        first[at],
        second[at],
        60,
        LIGHT.ground,
        marker="*",
        edgecolors=LIGHT.ink,
        zorder=3,
        label="maximum",
    )
    if reference is not None:
        ax.plot(reference[0, 0], reference[1, 0], "x", color=LIGHT.ink, markersize=9, label="truth")
    ax.set(
        xlabel=r"$\theta_{11}=P(Y=0\,|\,X=0)$",
        ylabel=r"$\theta_{21}=P(Y=0\,|\,X=1)$",
        xlim=(0, 1),
        ylim=(0, 1),
        aspect="equal",
    )
    plot_frame(ax, LIGHT)
    ax.legend(
        frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="upper left", bbox_to_anchor=(1, 1)
    )
    return fig


def likelihood_and_bound(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]], fig: Figure | None = None
) -> Figure:
    """For each rule its log-likelihood and its lower bound, ``(iterations,)`` each."""
    fig = blank_figure(fig, 7.2, 3.2)
    axes = np.atleast_1d(fig.subplots(1, len(curves), sharey=True))
    for ax, (rule, (loglik, bound)) in zip(axes, curves.items(), strict=True):
        mark = LIGHT.rule(rule)
        steps = np.arange(len(loglik))
        ax.fill_between(steps, bound, loglik, color=mark.color, alpha=0.12, linewidth=0)
        ax.plot(steps, loglik, color=mark.color, linewidth=1.8, label="log-likelihood")
        ax.plot(steps, bound, color=mark.color, linestyle="--", linewidth=1.4, label="lower bound")
        ax.set_title(NAMES[rule], color=LIGHT.ink)
        ax.set_xlabel("iteration")
        ax.xaxis.get_major_locator().set_params(integer=True)
        plot_frame(ax, LIGHT)
        ax.legend(frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="lower right")
    axes[0].set_ylabel("sum over the samples")
    return fig


def error_by_samples(
    n: np.ndarray, errors: Mapping[str, Mapping[str, np.ndarray]], fig: Figure | None = None
) -> Figure:
    """The errors of each rule's matrix by the number of samples ``n``, on logarithmic axes.

    ``errors[title][rule]`` is ``(len(n),)``; there is a panel for each title.
    """
    fig = blank_figure(fig, 7.2, 3.4)
    axes = np.atleast_1d(fig.subplots(1, len(errors), sharey=True))
    for ax, (title, by_rule) in zip(axes, errors.items(), strict=True):
        for rule, error in by_rule.items():
            _curve(ax, n, error, rule)
        ax.set(xscale="log", yscale="log", xlabel="samples")
        ax.set_title(title, color=LIGHT.ink)
        plot_frame(ax, LIGHT)
    axes[0].set_ylabel("largest error in a coefficient")
    axes[0].legend(frameon=False, fontsize=9, labelcolor=LIGHT.ink)
    return fig


def loglik_by_epoch(
    curves: Mapping[str, np.ndarray], fig: Figure | None = None, *, first: int = 1
) -> Figure:
    """The log-likelihood of a graph under each rule, ``(n_epochs + 1,)``, from epoch ``first`` on.

    An epoch that lowered it has a hollow marker.
    """
    fig = blank_figure(fig, 6.4, 3.6)
    ax = fig.add_subplot()
    for rule, values in curves.items():
        mark = LIGHT.rule(rule)
        shown = np.arange(first, len(values))
        ax.plot(shown, values[first:], color=mark.color, linestyle=mark.dash, linewidth=1.6)
        fell = first + 1 + np.flatnonzero(np.diff(values[first:]) < -1e-9)
        ax.plot(fell, values[fell], mark.marker, color=mark.color, markerfacecolor=LIGHT.ground)
    handles = [line_of(LIGHT.rule(rule), label=NAMES[rule]) for rule in curves]
    ax.set(xlabel="epoch", ylabel="log-likelihood")
    plot_frame(ax, LIGHT)
    ax.legend(handles=handles, frameon=False, fontsize=9, labelcolor=LIGHT.ink, loc="center right")
    return fig


def multipliers(theta: np.ndarray, multiplier: np.ndarray, fig: Figure | None = None) -> Figure:
    """A matrix and the multipliers of its coefficients; one of the two is zero in each cell.

    What is zero to nine digits is written as 0.
    """
    fig = blank_figure(fig, 6.4, 2.8)
    for ax, values, title in zip(
        fig.subplots(1, 2),
        (np.where(np.abs(v) < 1e-9, 0, v) for v in (theta, multiplier)),
        (r"coefficients $\theta_{lm}$", r"multipliers $\lambda_{lm}$"),
        strict=True,
    ):
        image = ax.imshow(
            values, cmap=LIGHT.matrix, vmin=0, vmax=1.15 * values.max(), aspect="auto"
        )
        for (i, j), value in np.ndenumerate(values):
            dark = image.norm(value) > 0.55
            ax.text(
                j,
                i,
                number(value, 3),
                color="#FFFFFF" if dark else "#1A1A1A",
                ha="center",
                va="center",
            )
        ax.set_title(title, color=LIGHT.ink)
        ax.set_xticks(range(values.shape[1]), [f"m={m}" for m in range(1, values.shape[1] + 1)])
        ax.set_yticks(range(values.shape[0]), [f"l={m}" for m in range(1, values.shape[0] + 1)])
        ax.tick_params(length=0, colors=LIGHT.ink)
        for spine in ax.spines.values():
            spine.set_visible(False)
    return fig


def _curve(ax: Axes, x: np.ndarray, y: np.ndarray, rule: str) -> None:
    mark = LIGHT.rule(rule)
    ax.plot(x, y, color=mark.color, linestyle=mark.dash, marker=mark.marker, label=NAMES[rule])
