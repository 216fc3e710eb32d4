"""``fit``: learning run to its end (section 7).

Vocabulary
    history   one row per epoch, epoch 0 first
    watch     what sees every epoch of a run while it is computed
    reason    why the run stopped, in words
    settled   no restart moves any more
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engine.arrays import Array
from ..engine.learning import Epoch
from ..engine.messages import Evidence
from ..engine.rules import Rule
from ..readers import Seed, read_count, read_names, read_number, shown
from ..tables import Table
from .advice import advice
from .bayes import Graph
from .files import unsaved_labels
from .folding import are_counts
from .posing import Options, Pseudo, Rules, pose, refuse_unknown
from .run import Run
from .slices import Posed
from .starts import OwnMessages, read_starts, stuck

HISTORIES = ("aggregated", "loglik", "theta")

PROGRESS_DELAY = 0.5
"""Seconds before a progress bar appears: short runs show none."""


def fit(
    graph: Graph,
    table: Table | Evidence,
    rule: Rules = "ml",
    *,
    n_epochs: int = 500,
    n_it: int | Sequence[int] = 1,
    restarts: int | None = None,
    starts: int | None = None,
    keep: int | None = None,
    seed: Seed | Sequence[Seed] = 0,
    start: str | OwnMessages = "matrices",
    theta: Mapping[str, ArrayLike] | None = None,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
    test_weight: ArrayLike | None = None,
    hold: Mapping[str, ArrayLike] | None = None,
    alpha: Pseudo | None = None,
    delta: float | None = None,
    tol: float = 1e-8,
    record: Iterable[str] = ("aggregated", "loglik"),
    progress: bool | None = None,
    watch: Callable[[Epoch], object] | None = None,
    **constants: Any,
) -> Run:
    """Learn a graph's matrices from a table (section 7); hidden variables have no column in it.

    The arguments of ``epochs``, and:

    ``restarts``   how many random starts run to the end, 10 by default
    ``starts``     instead: so many short starts, of ten epochs, of which the best ``keep``
                   (3) go on; the run holds these, and ``start_loglik`` where every one ended
    ``tol``        stop when no restart's ``loglik`` moves by more than this per sample; 0: never
    ``record``     the histories to keep, of "aggregated", "loglik" and "theta"
    ``progress``   a bar for runs of more than half a second; None: in a terminal or a notebook
    ``watch``      is called with every :class:`Epoch`, the first one too, as soon as it is there;
                   the run ends with an epoch for which it returns True. With ``starts`` it sees
                   the short ones first, and then those that go on, whose epochs count on
    """
    kept = set(read_names(record, "record", sets=True))
    if unknown := kept - set(HISTORIES):
        raise ValueError(f"record holds {sorted(unknown)[0]!r}: expected {', '.join(HISTORIES)}")
    total = read_count(n_epochs, "n_epochs")
    bound = read_number(tol, "tol")
    if not isinstance(progress, bool | None):
        raise ValueError(f"progress is {shown(progress)}: expected True, False or None")
    if not (watch is None or callable(watch)):
        raise ValueError(f"watch is {shown(watch)}: expected a function of an Epoch, or None")
    short, going_on = read_starts(starts, keep, restarts, total)
    refuse_unknown(fit, rule, constants)
    known = {"alpha": alpha, "delta": delta, **constants}
    options = Options(
        n_it, restarts if starts is None else starts, seed, start, theta, weight, test_weight,
        hold, known, columns,
    )  # fmt: skip
    aggregate = "aggregated" in kept
    problem = pose(graph, table, rule, options, restarts=10).needing(aggregate)
    if going_on and problem.weight.ndim == 2:
        raise ValueError("starts with weights of their own are different problems: use restarts")
    for name, label in unsaved_labels(problem.clamped.graph).items():
        warnings.warn(
            f"the states of {name!r}, such as {label!r}, cannot be saved: a file holds strings, "
            "finite numbers, booleans and None",
            stacklevel=2,
        )
    tick = _progress_bar(total, progress)
    told = {"hold": hold, **{k: v for k, v in known.items() if v is not None}}
    going = walk(graph, problem, total, kept, bound, short=short, keep=going_on, told=told)
    try:
        epoch = next(going)
        while True:
            tick(epoch.n)
            epoch = going.send(watch is not None and watch(epoch) is True)
    except StopIteration as end:
        run: Run = end.value
        return run
    finally:
        tick(-1)


def walk(
    graph: Graph,
    problem: Posed,
    total: int,
    kept: Collection[str] = ("aggregated", "loglik"),
    bound: float = 0.0,
    *,
    short: int = 0,
    keep: int = 0,
    told: Mapping[str, Any] = MappingProxyType({}),
) -> Generator[Epoch, bool | None, Run]:
    """A run epoch by epoch, for who must do something else in between: ``fit`` runs through it.

    It yields every epoch of a posed problem, ends early where True is sent to it, and returns the
    run. ``short`` epochs come first, of which the best ``keep`` restarts go on.
    """
    ended, posed = None, problem
    history, aggregate = _History(set(kept), bound), "aggregated" in kept
    if keep:
        yield from history.run(problem.epochs(short, aggregate=aggregate), problem)
        problem, history, ended = _best_of(problem, history, keep)
    if not history.stopped:
        yield from history.run(problem.epochs(total - short, aggregate=aggregate), problem)
    run = replace(
        history.as_run(graph, problem, total),
        counts=problem.expected_counts(history.last.theta),
        start_loglik=ended,
        several=problem.weight.ndim == 2,
        rows=problem.clamped.evidence,
        weight=problem.weight,
        free={name: _free(posed, name) for name in posed.clamped.graph.learnable},
        told=told,
        counted=are_counts(problem.mask),
    )
    return replace(run, warnings=tuple(advice(run, problem, posed)))


class _History:
    """What the epochs of a run say, kept as they pass."""

    def __init__(self, kept: set[str], bound: float) -> None:
        self.kept, self.bound = kept, bound
        self.rows: list[tuple[Any, ...]] = []
        self.thetas: list[Mapping[str, Array]] = []
        self.last: Epoch
        self.reason = ""
        self.stopped = False

    def run(self, states: Iterator[Epoch], problem: Posed) -> Generator[Epoch, bool | None, None]:
        """Walk through epochs until they end, settle, or whoever watches sends True.

        The first is there already if any is.
        """
        weight = problem.weight.sum(axis=-1)
        begun = bool(self.rows)
        for epoch in states:
            if epoch.n == 0 and begun:
                continue
            self.last = epoch
            self.rows.append(epoch[2:])  # matrices of long runs are kept on request only
            if "theta" in self.kept:
                self.thetas.append(epoch.theta)
            at = len(self.rows) - 1  # after short starts it counts on
            if (yield epoch if epoch.n == at else epoch._replace(n=at)):
                self.stopped = True
                self.reason = f"it was stopped after epoch {at}"
                break
            if self.bound > 0 and len(self.rows) > 1 and self._settled(weight):
                self.reason = (
                    f"no restart's loglik moved by more than {self.bound:g} per sample in epoch "
                    f"{len(self.rows) - 1}"
                )
                break

    def _settled(self, weight: Array) -> bool:
        live = ~self.last.dropped
        moved = np.abs(self.last.loglik[live] - self.rows[-2][1][live])
        limit = self.bound * (weight[live] if weight.ndim else weight)
        return bool(np.all(moved <= limit))

    def select(self, which: NDArray[np.intp]) -> None:
        """Keep some of the restarts."""
        self.rows = [tuple(None if v is None else v[which] for v in row) for row in self.rows]
        self.thetas = [{name: m[which] for name, m in theta.items()} for theta in self.thetas]

    def as_run(self, graph: Graph, problem: Posed, total: int) -> Run:
        columns = list(zip(*self.rows, strict=True))
        aggregated, loglik, test_aggregated, test_loglik = (
            None if column[0] is None else np.array(column) for column in columns[:4]
        )
        final = {name: np.array(matrix) for name, matrix in self.last.theta.items()}
        none = np.empty((0, 0))
        return Run(
            graph=graph,
            rule=_named(problem),
            loglik=loglik,  # type: ignore[arg-type]
            aggregated=aggregated if "aggregated" in self.kept else none,  # type: ignore[arg-type]
            test_loglik=test_loglik,
            test_aggregated=test_aggregated,
            theta={k: np.stack([t[k] for t in self.thetas]) for k in final if self.thetas},
            final=final,
            counts={},
            dropped=self.last.dropped,
            reason=self.reason or f"all {total} epochs were done",
            rules=tuple(_rules(problem)),
            n_its=tuple(lane.n_it for lane in problem.lanes),
        )


def _rules(problem: Posed) -> list[Rule]:
    """The rule of every restart; none where nothing is learned."""
    return [next(iter(lane.updates.values())).rule for lane in problem.lanes if lane.updates]


def _named(problem: Posed) -> str | tuple[str, ...]:
    """The rule's name, or one for each restart where they differ."""
    names = [rule.name for rule in _rules(problem)] or ["none"]
    return names[0] if len(set(names)) == 1 else tuple(names)


def _free(problem: Posed, name: str) -> NDArray[np.bool_]:
    """Where learning could move a matrix: not in held rows, nor where ML would keep a zero."""
    free = np.asarray(~stuck(problem, name).all(axis=0))
    return free & ~problem.hold[name] if name in problem.hold else free


def _best_of(problem: Posed, history: _History, keep: int) -> tuple[Posed, _History, Array]:
    """The problem of the best short starts, from where they ended."""
    last = history.last
    ends = np.where(last.dropped, -np.inf, last.loglik)
    which = np.argsort(-ends, kind="stable")[:keep]
    history.select(which)
    first = {name: matrix[which] for name, matrix in last.theta.items()}
    history.last = last._replace(theta=first, dropped=last.dropped[which])
    history.reason = history.reason if history.stopped else ""
    return replace(problem.part(which.tolist()), first=first, second=None), history, last.loglik


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
