"""Curves of learning: likelihoods by epoch, where restarts ended, coefficients (section 7).

A rule has the same colour, dash and marker in every picture (``style``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from ..algebra.arrays import Array
from ..arguments import read_levels, wrong
from ..learning.run import SAME_END, Run, read_run
from .names import maths, plain
from .style import LIGHT, Mark, Theme, canvas, plot_frame

DASHES = ("-", (0, (5, 1.5)), (0, (3, 1.5, 1, 1.5)), (0, (1, 1.2)))


def draw_curves(
    curves: Run | Mapping[str, Run | ArrayLike],
    ax: Axes | None = None,
    *,
    what: str = "loglik",
    reference: Mapping[str, float] | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Likelihoods by epoch: a strong line for the best restart, pale ones for the others.

    ``curves`` is a run, or a mapping from labels to runs and to arrays ``(n_epochs + 1,)`` or
    ``(n_epochs + 1, restarts)``; a label that is a rule's name takes the rule's mark. ``what`` is
    the history of a run: "loglik", "aggregated", "test_loglik" or "test_aggregated". ``reference``
    maps labels to levels, drawn as dashed lines. If epoch 0 is far below the others, it is cut off.

    Raises ``ValueError`` for a history that was not recorded, and for arrays of other shapes.
    """
    given = {_label(curves): curves} if isinstance(curves, Run) else curves
    if not isinstance(given, Mapping) or not given:
        raise wrong("curves", given, "a Run, or a mapping from labels to runs and to arrays")
    histories = {label: _history(curve, what, label) for label, curve in given.items()}
    ax = canvas(ax, 6.0, 3.6, theme)
    for i, (label, history) in enumerate(histories.items()):
        curve = given[label]
        mark = theme.rule(_label(curve) if isinstance(curve, Run) else label)
        best = int(np.argmax(np.nan_to_num(history[-1], nan=-np.inf)))
        if history.shape[1] > 1:
            ax.plot(np.delete(history, best, axis=1), color=mark.color, linewidth=0.7, alpha=0.35)
        ax.plot(
            history[:, best],
            color=mark.color,
            linestyle=mark.dash,
            marker=mark.marker,
            markevery=(len(history) * i // (8 * len(given)), max(len(history) // 8, 1)),
            markersize=5,
            linewidth=1.8,
            label=plain(label.upper() if label in theme.rules else label),
        )
    for label, level in (reference or {}).items():
        mark = theme.reference
        ax.axhline(level, color=mark.color, linestyle=mark.dash, linewidth=1, label=plain(label))
    _cut_start(ax, [*histories.values(), *(np.full((1, 1), v) for v in (reference or {}).values())])
    ax.set(xlabel="epoch", ylabel=WHAT[what])
    plot_frame(ax, theme)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    if len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend(frameon=False, labelcolor=theme.ink, fontsize=9, loc="lower right")
    return ax


def _label(run: Run) -> str:
    """The name of a run's rule, or of its rules where restarts have one each."""
    return run.rule if isinstance(run.rule, str) else ", ".join(dict.fromkeys(run.rule))


WHAT = {
    "loglik": "log-likelihood",
    "aggregated": "aggregated log-likelihood",
    "test_loglik": "log-likelihood, test samples",
    "test_aggregated": "aggregated log-likelihood, test samples",
}
"""The histories of a run that can be drawn, with the labels of their axes."""


def draw_restarts(run: Run, ax: Axes | None = None, *, theme: Theme = LIGHT) -> Axes:
    """A histogram of the log-likelihoods where restarts ended; the best one is marked.

    Ends that count as the same optimum, as in ``run.warnings``, are in one bar. Raises
    ``ValueError`` if every restart was dropped.
    """
    read_run(run)
    ends = run.final_loglik[np.isfinite(run.final_loglik)]
    ax = canvas(ax, 6.0, 3.0, theme)
    mark = theme.rule(_label(run))
    if not len(ends):
        raise ValueError(
            "every restart of this run was dropped: there is no log-likelihood to draw"
        )
    same = SAME_END * float(run.weight.sum(axis=-1).max(initial=0))
    ends = _optima(ends, same)
    low, high = float(ends.min()), float(ends.max())
    # If all ends are the same, the margin keeps their one bar from filling the picture.
    margin = max(0.02 * (high - low), 15 * same, 1e-6 * abs(high), 1e-9)
    count = min(max(len(ends) // 2, 8), 30) | 1
    bins = np.linspace(low - margin, high + margin, count + 1)
    ax.hist(ends, bins.tolist(), color=mark.color, edgecolor=theme.ground)
    ax.axvline(high, color=theme.reference.color, linestyle=theme.reference.dash, linewidth=1)
    ax.set_title(f"best {high:.6g}", loc="right", fontsize=9, color=theme.ink)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.ticklabel_format(axis="x", style="plain", useOffset=False)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.set(xlabel=f"final log-likelihood, {_label(run).upper()}", ylabel=f"of {len(ends)} restarts")
    plot_frame(ax, theme)
    return ax


def _optima(ends: Array, same: float) -> Array:
    """The ends ``(restarts,)``, of which those at most ``same`` below an optimum are set to it.

    From the best end down, an end that is not near the last optimum is the next one.
    """
    found = ends.copy()
    top = np.inf
    for i in np.argsort(-ends):
        top = found[i] = ends[i] if ends[i] < top - same else top
    return found


def draw_coefficients(
    history: ArrayLike,
    ax: Axes | None = None,
    *,
    rule: str = "",
    reference: ArrayLike | None = None,
    title: str = "",
    theme: Theme = LIGHT,
) -> Axes:
    """Every coefficient of one matrix by epoch, ``(n_epochs + 1, M_X, M_Y)`` (figures 10 and 12).

    Columns of the matrix differ by their dash. The values of ``reference``, such as the matrix of
    the generative model, are marked at the right edge.
    """
    values = read_levels(history, "history")
    if values.ndim != 3:
        raise ValueError(f"history has shape {values.shape}: expected (n_epochs + 1, M_X, M_Y)")
    ax = canvas(ax, 4.0, 3.0, theme)
    mark: Mark = theme.rule(rule)
    for j in range(values.shape[2]):
        ax.plot(values[:, :, j], color=mark.color, linestyle=DASHES[j % len(DASHES)], linewidth=1.2)
    end = len(values) - 1
    if reference is not None:
        levels = read_levels(reference, "reference").ravel()
        at = np.full(len(levels), end * 1.04)
        ax.plot(at, levels, "<", color=theme.reference.color, markersize=5, clip_on=False)
    ax.set(xlabel="epoch", ylim=(-0.02, 1.02))
    ax.set_title(maths(title), color=theme.ink)
    plot_frame(ax, theme)
    return ax


def _history(curve: Run | ArrayLike, what: str, label: str) -> Array:
    """A history ``(n_epochs + 1, restarts)``, checked."""
    if what not in WHAT:
        raise ValueError(f"what is {what!r}: expected {', '.join(WHAT)}")
    values = getattr(curve, what) if isinstance(curve, Run) else curve
    if values is None or np.size(values) == 0:
        raise ValueError(f"the run {label!r} has no {what}: it was not recorded")
    history = read_levels(values, f"curves[{label!r}]")
    if history.ndim not in (1, 2):
        raise ValueError(
            f"curves[{label!r}] has shape {history.shape}: expected (n_epochs + 1,), or "
            "(n_epochs + 1, restarts)"
        )
    return history[:, None] if history.ndim == 1 else history


def _cut_start(ax: Axes, histories: Sequence[Array]) -> None:
    """Set the limits without epoch 0, if that would take more than half of the height."""
    later = [history[min(1, len(history) - 1) :] for history in histories]
    low, high = (float(f([f(h[np.isfinite(h)]) for h in later])) for f in (np.min, np.max))
    first = min(float(h[0].min()) for h in histories)
    margin = 0.06 * (high - low)
    if low > first + (high - low) and margin > 0:
        ax.set_ylim(low - margin, high + margin)
