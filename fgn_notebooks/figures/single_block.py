"""Figures of one block: panels of figures 9 and 10, the lab's picture, ranking and sharpening
(section 6)."""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme

from ..experiments.many_blocks import Ranking, Sharpening
from ..experiments.single_block import CONTENDERS, OneBlock
from ..experiments.words import NAMES, PAPERS
from .kept_axes import again
from .maps import messages
from .panels import legend_of, likelihoods
from .sheets import Part, axes, framed, is_stacked, keeping, sheet


@keeping
def draw_one_block(
    result: OneBlock, fig: Figure | None = None, *, theme: Theme = LIGHT, width: float | None = None
) -> Figure:
    """Likelihoods and coefficients by iteration, and the messages that were learned from."""
    tested = result.test_loglik is not None
    heights = [(2.4, 1.15), (0.55, 1.2)] if tested else [(0.55, 2.95)]
    curves = [(0.8, bottom, 2.75, high) for bottom, high in heights]
    middle, size = (4.75, 0.75, 2.95, 2.75), (1.7, 3.5)
    parts = [
        *(Part(box, 1.6 if tested else 2.2) for box in curves),
        Part(middle, 2.2, margins=(0.78, 0.8, 0.15, 0.4)),
        Part((8.15, 0.2, *size), margins=(1.0, 0.1, 0.8, 0.2)),
    ]
    fig = sheet(fig, 10.0, 3.9, theme=theme, room=width, parts=parts)
    title = "training half" if tested else "log-likelihood"
    top = axes(fig, curves[0], title, theme=theme)
    draw_loglik(result, top, theme=theme)
    if result.test_loglik is not None:
        top.set_xlabel("")
        low = axes(fig, curves[1], "test half", theme=theme)
        likelihoods(low, result.test_loglik, xlabel="iteration", theme=theme)
    draw_coefficients(result, axes(fig, middle, "coefficients", theme=theme), theme=theme)
    drawn = (
        (f"$f_X$, EX = {result.ex:g}", result.f, theme.forward),
        (f"$b_Y$, EY = {result.ey:g}", result.b, theme.backward),
    )
    ax = messages(axes(fig, (8.15, 0.2, *size), theme=theme), size, drawn, theme=theme)
    if is_stacked(fig):
        ax.set_aspect("equal", anchor="W")
    return fig


def draw_loglik(result: OneBlock, ax: Axes, *, theme: Theme = LIGHT) -> Axes:
    """The training likelihoods by iteration, a panel of figure 9."""
    return likelihoods(ax, result.loglik, xlabel="iteration", theme=theme)


def draw_coefficients(result: OneBlock, ax: Axes, *, theme: Theme = LIGHT) -> Axes:
    """The coefficients of ML and KL by iteration, and those of the others on the same scale, a
    panel of figure 10."""
    last = len(result.loglik["ml"]) - 1
    ax.set(xlim=(0, last * 1.45 or 1), ylim=(-0.02, 1.02))  # first: so they are not searched for
    for rule in ("kl", "ml"):
        mark = theme.rule(rule)
        lines = result.theta[rule].reshape(last + 1, -1).T
        at = np.broadcast_to(np.arange(last + 1.0), lines.shape)
        bundle = again(
            ax, ("coefficients", rule, mark),
            partial(
                LineCollection, [], colors=mark.color, linestyles=[mark.dash], linewidths=1.2,
                joinstyle="round", capstyle="projecting" if mark.dash == "-" else "butt",
                zorder=2, label=NAMES[rule],  # all as lines have it
            ),
        )  # fmt: skip
        bundle.set_segments(list(np.stack([at, lines], axis=-1)))
    still = CONTENDERS[2:]
    places = [last * (1.12 + 0.13 * k) for k in range(len(still))]
    for place, name in zip(places, still, strict=True):
        mark = theme.rule(name)
        values = result.theta[name].ravel()
        ax.plot(
            np.full(len(values), place), values, mark.marker or "_", color=mark.color, markersize=5,
            label=NAMES[name],
        )  # fmt: skip
    framed(ax, theme, xlabel="iteration", ylabel="coefficient")
    ax.set_yticks([0, 0.5, 1])
    ticks = (0, last // 2, last)
    ax.set_xticks([*ticks, *places], [*map(str, ticks), *(NAMES[name] for name in still)])
    ax.xaxis.label.set_x(0.5 / 1.45)  # below the iterations, clear of the rotated names
    for label, name in zip(ax.get_xticklabels()[3:], still, strict=True):
        label.set(color=theme.rule(name).word, rotation=50, ha="right", rotation_mode="anchor")
    for x, rule in ((0.03, "ml"), (0.12, "kl")):
        ax.text(x, 0.96, NAMES[rule], transform=ax.transAxes, color=theme.rule(rule).word,
                fontsize=9, fontweight="bold", va="top")  # fmt: skip
    return ax


@keeping
def draw_one_block_ranking(
    result: Ranking, fig: Figure | None = None, *, theme: Theme = LIGHT, width: float | None = None
) -> Figure:
    """The number of times at each place by contender, and how far its likelihood is below ML's."""
    boxes = [(0.9, 0.6, 3.9, 2.6), (5.8, 0.6, 3.9, 2.6)]
    parts = [Part(box, margins=(0.9, 0.6, 0.15, 0.4)) for box in boxes]
    fig = sheet(fig, 10.0, 3.6, theme=theme, room=width, parts=parts)
    ax = axes(fig, boxes[0], f"places, {result.n_seeds} seeds", theme=theme)
    places = result.places / result.n_seeds
    ax.pcolormesh(places[::-1], cmap=theme.matrix, vmin=0, vmax=1, edgecolors=theme.ground)
    for (row, place), share in np.ndenumerate(places):
        ink = theme.ink if share < 0.55 else theme.ground
        y = len(places) - 0.5 - row
        ax.text(place + 0.5, y, f"{share:.0%}", ha="center", va="center", fontsize=9, color=ink)
    framed(ax, theme)
    ax.grid(False)
    at = np.arange(len(CONTENDERS)) + 0.5
    ax.set_xticks(at, ["1st", "2nd", "3rd", *(f"{k}th" for k in range(4, len(at) + 1))])
    ax.set_xlabel("place")
    ax.set_yticks(at, [NAMES[name] for name in CONTENDERS[::-1]])
    ax.tick_params(length=0)
    for label, name in zip(ax.get_yticklabels(), CONTENDERS[::-1], strict=True):
        label.set(color=theme.rule(name).word, fontweight="bold")
    ax = axes(fig, boxes[1], "log-likelihood below ML's", theme=theme)
    others = CONTENDERS[:0:-1]
    rng = np.random.default_rng(0)
    for k, name in enumerate(others):
        mark = theme.rule(name)
        gap = result.loglik[name] - result.loglik["ml"]
        y = k + rng.uniform(-0.28, 0.28, len(gap))
        ax.plot(gap, y, mark.marker or ".", color=mark.color, markersize=3, alpha=0.45, mew=0.6,
                label=NAMES[name])  # fmt: skip
        ax.plot([np.median(gap)] * 2, [k - 0.36, k + 0.36], color=theme.ink, linewidth=2)
    framed(ax, theme, xlabel="nats; the bar is the median", ylim=(-0.6, len(others) - 0.4))
    ax.set_yticks(range(len(others)), [NAMES[name] for name in others])
    for label, name in zip(ax.get_yticklabels(), others, strict=True):
        label.set(color=theme.rule(name).word, fontweight="bold")
    ax.axvline(0, color=theme.ml.color, linewidth=1.6)
    ax.text(0, 1.0, "ML", transform=ax.get_xaxis_transform(), color=theme.ml.color, fontsize=9,
            fontweight="bold", ha="center", va="bottom")  # fmt: skip
    return fig


@keeping
def draw_sharpening(
    result: Sharpening,
    fig: Figure | None = None,
    *,
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """The gap of the other rules to ML with sharper messages, in likelihood and coefficients."""
    boxes = [(0.9, 0.6, 3.4, 2.35), (5.6, 0.6, 3.4, 2.35)]
    parts = [Part(box, margins=(0.78, 0.6, 0.15, 0.58)) for box in boxes]
    fig = sheet(fig, 10.0, 3.4, theme=theme, room=width, parts=parts)
    for box, gaps, title in (
        (boxes[0], result.gap, "ML's log-likelihood per sample, minus the rule's"),
        (boxes[1], result.apart, "largest difference of a coefficient from ML's"),
    ):
        ax = axes(fig, box, title, theme=theme)
        for rule in PAPERS[1:]:
            mark = theme.rule(rule)
            mean = gaps[rule].mean(axis=1)
            ax.plot(result.exponents, mean, color=mark.color, linestyle=mark.dash,
                    marker=mark.marker, markersize=4.5, linewidth=1.8,
                    label=NAMES[rule])  # fmt: skip
        unit = "nats per sample" if gaps is result.gap else "difference"
        framed(ax, theme, xlabel="EX = EY", ylabel=unit, xscale="log", ylim=(0, None))
        shown = [e for e in result.exponents if e in (1, 2, 5, 10, 20, 50, 100, 200)]
        ax.set_xticks(shown, [f"{e:g}" for e in shown])
        ax.minorticks_off()
        legend_of(ax, list(PAPERS[1:]), theme=theme)
    return fig
