"""``fit``: learning run to its end, and the value that holds all of it (section 7).

Vocabulary
    history   one row per epoch, epoch 0 first
    best      the restart with the largest final ``loglik``
    reason    why the run stopped, in words
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import TIE_TOLERANCE, Array, column_sums
from .bayes import BayesGraph
from .em import Epoch, Task
from .evidence import Evidence
from .graph import NormalGraph
from .learning import Alpha, OwnMessages, pose
from .nodes import Block, Expand
from .propagate import run
from .rules import DELTA
from .setting import TINY
from .tables import Table

HISTORIES = ("aggregated", "loglik", "theta")
SAME_ROWS = 1e-6
"""Hidden states whose rows all agree this closely are called identical."""

PROGRESS_DELAY = 0.5
"""Seconds before a progress bar appears: short runs show none."""


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A finished run: every restart, and what happened.

    ``loglik``, ``aggregated``   ``(n_epochs + 1, restarts)``, summed over the weighted samples; the
                                 aggregated one is empty where it was not recorded
    ``test_loglik`` ...          the same over the test samples, None without a ``test_weight``
    ``theta[name]``              ``(n_epochs + 1, restarts, M_X, M_Y)``, empty unless recorded
    ``final[name]``              ``(restarts, M_X, M_Y)``
    ``best``                     the restart with the largest final ``loglik``, the first of equals
    ``reason``, ``warnings``     why it stopped, and what a careful reader should know
    """

    graph: BayesGraph | NormalGraph
    rule: str
    loglik: Array
    aggregated: Array
    test_loglik: Array | None
    test_aggregated: Array | None
    theta: Mapping[str, Array]
    final: Mapping[str, Array]
    best: int
    reason: str
    warnings: tuple[str, ...]

    @property
    def n_epochs(self) -> int:
        """Updates that were made."""
        return len(self.loglik) - 1

    @property
    def best_theta(self) -> dict[str, Array]:
        """The final matrices of the best restart, ``(M_X, M_Y)`` each: what ``propagate`` takes."""
        return {name: matrices[self.best] for name, matrices in self.final.items()}

    @property
    def final_loglik(self) -> Array:
        """Where every restart ended, ``(restarts,)``: the restart histogram."""
        last: Array = self.loglik[-1]
        return last

    def __repr__(self) -> str:
        return (
            f"Run({self.rule!r}, {self.n_epochs} epochs, {self.loglik.shape[1]} restarts, best "
            f"loglik {self.final_loglik[self.best]:.6g}; {self.reason})"
        )


def fit(
    graph: BayesGraph | NormalGraph,
    table: Table | Evidence,
    rule: str = "ml",
    *,
    n_epochs: int = 500,
    n_it: int = 1,
    restarts: int = 10,
    seed: int | np.random.SeedSequence = 0,
    start: str | OwnMessages = "matrices",
    theta: Mapping[str, ArrayLike] | None = None,
    weight: ArrayLike | None = None,
    test_weight: ArrayLike | None = None,
    alpha: Alpha = 0.0,
    delta: float = DELTA,
    tol: float = 1e-8,
    record: Iterable[str] = ("aggregated", "loglik"),
    progress: bool | None = None,
) -> Run:
    """Learn the matrices of a graph from a table; hidden variables have no column in it.

    The arguments of ``epochs``, and:

    ``tol``        stop when no restart's ``loglik`` moved by more than this per sample; 0 never
    ``record``     the histories to keep, of "aggregated", "loglik" and "theta"
    ``progress``   a bar for runs of more than half a second; None: in a terminal or a notebook
    """
    kept = {record} if isinstance(record, str) else set(record)
    if unknown := kept - set(HISTORIES):
        raise ValueError(f"record holds {sorted(unknown)[0]!r}: expected {', '.join(HISTORIES)}")
    if not tol >= 0:
        raise ValueError(f"tol is {tol!r}: expected a number >= 0")
    task = pose(
        graph,
        table,
        rule,
        n_it=n_it,
        restarts=restarts,
        seed=seed,
        start=start,
        theta=theta,
        weight=weight,
        test_weight=test_weight,
        alpha=alpha,
        delta=delta,
    )
    limit = tol * float(task.weight.sum())
    rows, thetas = [], []
    reason = f"all {n_epochs} epochs were done"
    tick = _progress_bar(n_epochs, progress)
    for epoch in task.epochs(n_epochs, aggregate="aggregated" in kept):
        rows.append(epoch[2:])  # the likelihoods; matrices of long runs are kept on request only
        if "theta" in kept:
            thetas.append(epoch.theta)
        tick(epoch.n)
        if limit > 0 and epoch.n > 0 and _settled(rows[-2][1], epoch, limit):
            reason = f"no restart's loglik moved by more than {tol:g} per sample in epoch {epoch.n}"
            break
    tick(-1)
    aggregated, loglik, test_aggregated, test_loglik, _ = map(_stacked, zip(*rows, strict=True))
    ends = np.where(epoch.dropped, -np.inf, epoch.loglik)
    best = int(np.argmax(ends >= ends.max() - TIE_TOLERANCE * abs(ends.max())))
    final = {name: np.array(matrix) for name, matrix in epoch.theta.items()}
    return Run(
        graph=graph,
        rule=rule,
        loglik=loglik,
        aggregated=aggregated if "aggregated" in kept else np.empty((0, 0)),
        test_loglik=test_loglik,
        test_aggregated=test_aggregated,
        theta={name: np.stack([theta[name] for theta in thetas]) for name in final if thetas},
        final=final,
        best=best,
        reason=reason,
        warnings=tuple(_warnings(task, loglik, epoch.dropped, final, best)),
    )


def _settled(before: Array, epoch: Epoch, limit: float) -> bool:
    live = np.flatnonzero(~epoch.dropped)
    return bool(np.all(np.abs(epoch.loglik[live] - before[live]) <= limit))


def _stacked(rows: Sequence[Array]) -> Array:
    """One array of what every epoch said; of nothing, nothing."""
    return rows[0] if rows[0] is None else np.array(rows)


def _warnings(
    task: Task,
    loglik: Array,
    dropped: NDArray[np.bool_],
    final: Mapping[str, Array],
    best: int,
) -> Iterable[str]:
    form, evidence = task.learner.graph, task.setting.evidence
    if dropped.any():
        which = ", ".join(map(str, np.flatnonzero(dropped)))
        yield f"restart {which} gave a sample probability zero and was dropped as it was"
    ends = loglik[-2:, best]
    if ends[0] - ends[-1] > 1e-9 * abs(ends[-1]):
        fall = ends[0] - ends[-1]
        yield f"loglik still fell, by {fall:.4g}, in the last epoch: the run has not settled"
    theta = {name: matrices[best] for name, matrices in final.items()}
    products = {form.variable_of[n.y.name] for n in form.nodes if isinstance(n, Expand)}
    hidden = [v for v in form.variables if v not in evidence.variables and v not in products]
    if not hidden or dropped[best]:
        return
    slots = run(task.setting, theta).slots
    rows = _rows_by_variable(form, theta)
    for variable in hidden:
        for i, j in _identical(rows.get(variable)):
            yield (
                f"states {i} and {j} of {variable} are identical: fewer states, another seed or "
                "start='matrices' would tell them apart"
            )
        at = 2 * task.setting.at[form.variables[variable][0]]
        belief = np.nan_to_num(slots[at] * slots[at + 1])  # a sample of weight 0 may be impossible
        expected = (belief / np.maximum(column_sums(belief), TINY)).dot(task.weight)
        for k in np.flatnonzero(expected < 0.5):
            yield f"state {k} of {variable} stands for {expected[k]:.2g} samples: try fewer states"


def _rows_by_variable(form: NormalGraph, theta: Mapping[str, Array]) -> dict[str, Array]:
    """What each variable's states say of its children: their rows, side by side.

    A variable that enters a product space is left out: its states differ by the other parents.
    """
    rows: dict[str, list[Array]] = {}
    for node in form.nodes:
        if isinstance(node, Block):
            rows.setdefault(form.variable_of[node.x.name], []).append(theta[node.theta])
    for node in form.nodes:
        if isinstance(node, Expand):
            rows.pop(form.variable_of[node.x.name], None)
    return {variable: np.concatenate(matrices, axis=1) for variable, matrices in rows.items()}


def _identical(rows: Array | None) -> Iterable[tuple[int, int]]:
    for j in range(0 if rows is None else len(rows)):
        assert rows is not None
        for i in range(j):
            if np.abs(rows[i] - rows[j]).max() < SAME_ROWS:
                yield i, j
                break


def _progress_bar(total: int, wanted: bool | None) -> Callable[[int], None]:
    """``tick(n)`` after epoch n, ``tick(-1)`` at the end; tqdm is imported when a bar is due."""
    shown = wanted if wanted is not None else (sys.stderr.isatty() or "ipykernel" in sys.modules)
    begun = time.monotonic()
    bar = None

    def tick(n: int) -> None:
        nonlocal bar
        if n < 0:
            if bar is not None:
                bar.close()
        elif bar is not None:
            bar.update(n - bar.n)
        elif shown and time.monotonic() - begun > PROGRESS_DELAY:
            from tqdm.auto import tqdm

            bar = tqdm(total=total, initial=n, unit="epoch")

    return tick
