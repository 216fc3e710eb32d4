"""The messages of one branch as bars: forward, backward, belief, and a prior behind the belief."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..algebra.arrays import Array
from ..arguments import read_kind, wrong
from ..inference.messages import Belief
from .names import maths, number, plain
from .style import LIGHT, Mark, Theme, canvas, plot_frame


def draw_belief(
    belief: Belief,
    ax: Axes | None = None,
    *,
    prior: Belief | None = None,
    sample: int | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """The messages ``f`` and ``b`` of a branch and its belief ``p``, a row of bars for each value.

    They are those of one ``sample``, with the belief of ``prior`` as a pale bar behind ``p``. If
    there are several samples and none is named, the beliefs of all are drawn as a heat map. Raises
    ``ValueError`` for a batch of graphs, and for a sample that does not exist.
    """
    read_kind(belief, "belief", Belief, "a Belief, such as messages['X']")
    if prior is not None:
        read_kind(prior, "prior", Belief, "a Belief, such as messages['X']")
    if sample is not None:
        read_sample(sample)
    if sample is None and belief.p.shape[-1] > 1:
        return _draw_samples(belief, ax, theme)
    sample = sample or 0
    p = one_sample(belief.p, sample)
    height = 0.55 + 0.5 * min(len(p), 16)
    ax = canvas(ax, 4.2, height, theme)
    at = np.arange(len(p))
    parts: list[tuple[Array, Mark, str, str, float]] = [
        (one_sample(belief.f, sample), theme.forward, "f, forward", "", -0.28),
        (one_sample(belief.b, sample), theme.backward, "b, backward", "////", 0.0),
        (p, theme.belief, "p, belief", "", 0.28),
    ]
    ends = p
    if prior is not None:
        ghost = one_sample(prior.p, 0)
        ends = np.maximum(p, ghost)
        ax.barh(at + 0.28, ghost, 0.36, color=theme.ghost, edgecolor=theme.muted, label="prior")
    for values, mark, label, hatch, shift in parts:
        ax.barh(
            at + shift,
            values,
            0.24,
            color=mark.color,
            hatch=hatch,
            edgecolor=theme.ground,
            label=label,
        )
    for i, (value, end) in enumerate(zip(p, ends, strict=True)):
        ax.text(
            end + 0.01, i + 0.28, number(float(value)), va="center", color=theme.ink, fontsize=8
        )
    names = belief.states or tuple(range(len(p)))
    ax.set_yticks(at, [plain(name) for name in names])
    ax.set(xlim=(0, 1.12), ylim=(len(p) - 0.5, -0.5))
    ax.set_title(maths(belief.name), color=theme.ink)
    plot_frame(ax, theme)
    ax.legend(fontsize=8, frameon=False, labelcolor=theme.ink, loc="upper right", ncols=1)
    return ax


def _draw_samples(belief: Belief, ax: Axes | None, theme: Theme) -> Axes:
    """The belief of all samples as a heat map, a column for each sample."""
    if belief.p.ndim != 2:
        raise ValueError(f"the belief has shape {belief.p.shape}: pick one graph of the batch")
    ax = canvas(ax, 6.0, 0.8 + 0.3 * min(len(belief.p), 16), theme)
    ax.imshow(belief.p, cmap=theme.matrix, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    names = belief.states or tuple(range(len(belief.p)))
    ax.set_yticks(range(len(belief.p)), [plain(name) for name in names])
    ax.set_xlabel("sample")
    ax.set_title(maths(belief.name), color=theme.ink)
    plot_frame(ax, theme)
    ax.grid(False)
    return ax


def read_sample(sample: object) -> int:
    """The index of a sample; a negative one counts from the end."""
    if isinstance(sample, bool | np.bool_) or not isinstance(sample, int | np.integer):
        raise wrong("sample", sample, "a whole number, the place of a sample")
    return int(sample)


def one_sample(message: Array, sample: int) -> Array:
    """One column of a message ``(M, N)``. ``ValueError`` for a batch or a sample out of range."""
    if message.ndim != 2:
        raise ValueError(
            f"the message has shape {message.shape}: pick one graph of the batch, (M, N) is drawn"
        )
    if not -message.shape[1] <= sample < message.shape[1]:
        raise ValueError(f"sample is {sample}: there are {message.shape[1]}, counted from 0")
    column: Array = message[:, sample]
    return column
