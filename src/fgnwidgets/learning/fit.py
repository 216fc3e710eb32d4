"""``epochs``, ``fit`` and ``resume``: loops over one iterator that learns (section 7).

Vocabulary
    history   one row per epoch, epoch 0 first
    settled   no restart has anything to gain any more
    short     starts of a few epochs, of which the best go on
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Index
from ..arguments import (
    Seed,
    read_count,
    read_kind,
    read_names,
    read_number,
    refuse_beyond_memory,
    shown,
)
from ..data import Table
from ..data.evidence import Evidence
from ..graphs.normal_graph import Graph
from ..progress import progress_bar
from .diagnostics import notice
from .em import LIKELIHOODS, Epoch, Problem, learn
from .run import Ending, Interrupted, Run, read_run
from .settling import at_start, is_em, learn_until_settled, progress_of
from .task import LearningTask, OwnMessages, Pseudo, Rules, problem_of, refuse_unknown

HISTORIES = ("aggregated", "loglik", "theta")

SHORT = 10
"""Epochs of a short start: enough to see which will be good. Of twelve surveys of twelve questions
fifty such starts, three of which go on, found what twenty full ones do in a quarter of the time."""


@dataclass(eq=False)
class Learner(Iterator[Epoch]):
    """Learning under way: its epochs one by one, as they are asked for, and the run that they make.

    It ends after ``n_epochs`` of them, when no ``loglik`` can gain more than ``tol`` per sample (0:
    never), or with :meth:`stop`; :meth:`run` is the run up to there. With ``accelerate`` it goes by
    SQUAREM. Where only the best ``keep`` restarts go on, :data:`SHORT` epochs come first, and the
    others count on from there. ``before`` is a finished run that goes on.
    """

    problem: Problem
    n_epochs: int
    _: KW_ONLY
    tol: float = 0.0
    accelerate: bool = False
    record: Collection[str] = ("aggregated", "loglik")
    keep: int | None = None
    before: Run | None = None
    ending: Ending | None = field(default=None, init=False)
    # Before the last one without matrices, unless they are recorded.
    _history: list[Epoch] = field(default_factory=list, init=False)
    _starts: Array | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        aggregate = "aggregated" in self.record
        if not (aggregate and self.problem.seen and self.problem.seen.whole):  # no messages needed
            self.problem = self.problem.needing(aggregate)
        self._begun = self.problem
        if self.before is not None:
            self._go_on_from(self.before)
        self._states = self._learn()

    def _learn(self) -> Iterator[Epoch]:
        """The epochs that are to come: those of short starts, of which the best go on."""
        if self.keep:
            yield from self._epochs(min(self.n_epochs, SHORT))
            self._select(self.keep)
        yield from self._epochs(self.n_epochs - max(len(self._history) - 1, 0))
        last = self._history[-1]
        settled = last.settled is not None and (last.settled | last.dropped).all()
        self.ending = Ending.SETTLED if settled else Ending.DONE

    def _epochs(self, n_epochs: int) -> Iterator[Epoch]:
        """Epoch 0 to ``n_epochs`` of the problem; epoch 1 is next where one is there already."""
        way: Callable[..., Iterator[Epoch]] = learn
        if self.tol > 0 or self.accelerate:
            way = partial(learn_until_settled, tol=self.tol, squarem=self.accelerate)
        states = self.problem.epochs(partial(way, n_epochs=n_epochs))
        first = next(states)
        if first.dropped.all():
            self.problem.refuse(first.theta)
        return states if self._history else chain([first], states)

    def __next__(self) -> Epoch:
        if self.ending:
            raise StopIteration
        epoch = next(self._states)  # which may select among those before it
        self._history.append(epoch)  # an interrupt may come at any line
        for before in self._history[-2:-1]:
            theta = before.theta if "theta" in self.record else {}
            self._history[-2] = before._replace(theta=theta, progress=None)
        return self._history[-1]

    @property
    def empty(self) -> bool:
        """True if there is no epoch yet, so that there is no run."""
        return not self._history

    def stop(self, ending: Ending = Ending.STOPPED) -> None:
        """End here, after the last whole epoch."""
        self.ending = ending

    def run(self) -> Run:
        """The run of the epochs so far, of which there must be one."""
        self.ending = self.ending or Ending.STOPPED
        if self.keep and self._starts is None:
            self._select(self.keep)
        problem, last = self.problem, self._history[-1]
        columns = {name: [getattr(epoch, name) for epoch in self._history] for name in LIKELIHOODS}
        told: Any = {k: None if c[0] is None else np.array(c) for k, c in columns.items()}
        if "aggregated" not in self.record:
            told["aggregated"] = np.empty((0, 0))
        none = np.zeros(problem.restarts, dtype=bool)
        recorded = self._history if "theta" in self.record else []
        return Run(
            theta={k: np.stack([e.theta[k] for e in recorded]) for k in last.theta if recorded},
            final={name: np.array(matrix) for name, matrix in last.theta.items()},
            dropped=last.dropped,
            ending=self.ending,
            rules=tuple(setting.rule for setting in problem.settings if setting.updates),
            n_its=tuple(setting.n_it for setting in problem.settings),
            rows=problem.clamped.evidence,
            weight=problem.weight,
            tol=self.tol,
            accelerated=self.accelerate,
            settled=none if last.settled is None else last.settled,
            progress=last.progress,
            test_weight=problem.test,
            second=dict(problem.second or {}) if len(self._history) == 1 else {},
            start_loglik=self._starts,
            noticed=self.noticed,
            repeated=none if problem.restarts == 1 else (self.before or problem).repeated,
            movable=(self.before or self._begun).movable,
            **vars(problem.about),  # the graph, the settings, what the rows stand for
            **told,
        )

    @cached_property
    def noticed(self) -> Mapping[str, tuple[str, ...]]:
        """Warnings about the table and the start, by kind."""
        return notice(self._begun)

    def _select(self, keep: int) -> None:
        """Keep the best short starts, which go on from where they ended."""
        last = self._history[-1]
        which = best_starts(np.where(last.dropped, -np.inf, last.loglik), keep)
        history = [epoch.of(which) for epoch in self._history]
        problem = self.problem.part(which.tolist())
        self.problem = replace(problem, first=history[-1].theta, second=None, begin=history[-1])
        self._history, self._starts = history, last.loglik

    def _go_on_from(self, run: Run) -> None:
        """The histories of a finished run, to which this one adds."""
        self._starts, self.noticed = run.start_loglik, run.noticed
        told: dict[str, Any] = {name: getattr(run, name) for name in LIKELIHOODS}
        if not run.aggregated.size:
            told["aggregated"] = np.full(run.loglik.shape, np.nan)
        for t in range(run.n_epochs + 1):
            here: dict[str, Any] = {k: None if v is None else v[t] for k, v in told.items()}
            theta = {name: matrices[t] for name, matrices in run.theta.items()}
            self._history.append(Epoch(n=t, theta=theta, dropped=run.dropped, **here))
        progress = run.progress
        if progress is None or (self.accelerate and not progress.first):
            cycling = self.problem.clamped.graph.learnable if self.accelerate else ()
            progress = progress_of(at_start(run.final, cycling))
        if not 0 < run.tol <= self.tol:
            progress = progress._replace(settled=np.zeros(len(run.dropped), dtype=bool))
        self._history[-1] = self._history[-1]._replace(
            theta=run.final, settled=progress.settled, progress=progress
        )
        self.problem = replace(self.problem, begin=self._history[-1])


def epochs(
    graph: Graph,
    table: Table | Evidence,
    rule: Rules = "ml",
    *,
    n_epochs: int = 100,
    n_it: int | Sequence[int] = 1,
    restarts: int | None = None,
    seed: Seed | Sequence[Seed] = 0,
    start: str | OwnMessages = "matrices",
    theta: Mapping[str, ArrayLike] | None = None,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
    test_weight: ArrayLike | None = None,
    hold: Mapping[str, ArrayLike] | None = None,
    alpha: Pseudo | None = None,
    delta: float | None = None,
    workers: int | None = None,
    **constants: Any,
) -> Iterator[Epoch]:
    """Yield epoch 0 to ``n_epochs`` of learning, one at a time, as they are computed (section 7).

    ``rule``         "ml", "kl", "vit", "var" or a :class:`Rule` for every matrix that is to be
                     learned; or a tuple of them, one for each restart. ``n_it`` may be one, too
    ``start``        "matrices": random rows; "messages": the paper's start, all messages uniform
                     random and matrices uniform, the first M-step before any propagation; or own
                     messages, ``{block: (f, b)}`` of shapes ``(..., M_X, N)`` and ``(..., M_Y, N)``
    ``theta``        matrices to start from, with or without a restarts axis; fixed ones belong here
    ``seed``         each restart draws from a child generator of its own; or a list of seeds, one
                     for each: an integer starts as ``restarts=1`` does with it
    ``weight``       the learning mask ``(N,)``, any numbers >= 0, or the name of a column that
                     holds it. ``(restarts, N)`` gives every restart a table of its own
    ``columns``      the columns that are variables, where the table has others
    ``hold``         ``{matrix: rows}``: True for the rows, ``(M_X,)``, that are not learned
    ``alpha``        pseudo-counts for ML and VAR, a number or ``{matrix: (M_X, M_Y)}``
    ``delta``        the constant of VIT and VAR
    ``workers``      threads, by default one a core, that share restarts or rows; BLAS has one
                     meanwhile, and so has a rule of a reader's own. No number depends on it

    Of a lazy table, its own engine counts the equal rows, and only the different ones are read.
    A cell that is missing teaches nothing: a block learns from the samples that have evidence on
    its output or below it (the mask L[n] of section 3, block by block).

    ML with ``n_it=1`` is exact EM: ``loglik`` never falls. Raises :class:`ImpossibleEvidence` where
    a sample has probability zero under the first matrices of every restart.
    """
    if constants or not isinstance(rule, str):
        refuse_unknown(epochs, rule, constants)
    task = LearningTask(
        graph=graph, table=table, rule=rule, n_it=n_it, restarts=restarts, seed=seed, start=start,
        theta=theta, columns=columns, weight=weight, test_weight=test_weight, hold=hold,
        constants={"alpha": alpha, "delta": delta, **constants}, workers=workers,
    )  # fmt: skip
    # Everything is checked here, not at the first ``next``: errors come where the mistake is.
    return Learner(task.problem(), read_count(n_epochs, "n_epochs"))


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
    survey: bool = False,
    test_weight: ArrayLike | None = None,
    hold: Mapping[str, ArrayLike] | None = None,
    alpha: Pseudo | None = None,
    delta: float | None = None,
    tol: float = 1e-8,
    accelerate: bool | None = None,
    workers: int | None = None,
    record: Iterable[str] = ("aggregated", "loglik"),
    progress: bool | None = None,
    watch: Callable[[Epoch], object] | None = None,
    **constants: Any,
) -> Run:
    """Learn a graph's matrices from a table (section 7); hidden variables have no column in it.

    The arguments of ``epochs``, and:

    ``survey``     True: the weights are those of a survey, no counts of equal rows, although all
                   are whole, such as 100 for everyone; weights that are not are such anyway
    ``restarts``   how many random starts run to the end, 10 by default
    ``starts``     instead: so many short starts, of ten epochs, of which the best ``keep`` (3) go
                   on; the run holds these, and ``start_loglik`` where every one ended
    ``tol``        a restart stops when its ``loglik`` can gain no more than this per sample, as far
                   as its last steps tell; 0: never. With ``alpha`` the log of the prior counts, too
    ``accelerate`` True: by SQUAREM, which needs fewer epochs where EM is slow, for ML with
                   ``n_it=1``. An epoch is one E-step as ever; one whose step is refused, because
                   ``loglik`` would fall, repeats the one before it. None: wherever nobody looks at
                   the way, so not with ``tol=0``, ``watch``, or "theta" among the histories
    ``record``     the histories to keep, of "aggregated", "loglik" and "theta"
    ``progress``   a bar for runs of more than half a second; None: in a terminal or a notebook
    ``watch``      is called with every :class:`Epoch` as soon as it is there, also of short starts,
                   whose epochs count on in those that go on; the run ends where it returns True

    Ctrl-C, or the interrupt of a notebook, raises :class:`Interrupted`, a ``KeyboardInterrupt``
    whose ``run`` is the run so far; :func:`resume` goes on from there, or from any run.
    """
    kept = set(read_names(record, "record", sets=True))
    if unknown := kept - set(HISTORIES):
        raise ValueError(f"record holds {sorted(unknown)[0]!r}: expected {', '.join(HISTORIES)}")
    total = read_count(n_epochs, "n_epochs")
    if read_kind(survey, "survey", bool | np.bool_, "True or False") and weight is None:
        raise ValueError("survey is True without weights: weight= would say what they are")
    bound = read_number(tol, "tol")
    read_kind(accelerate, "accelerate", bool | None, "True, False or None")
    _check_watching(progress, watch)
    if starts is not None or keep is not None:
        keep = read_starts(starts, keep, restarts)
    if constants or not isinstance(rule, str):
        refuse_unknown(fit, rule, constants)
    problem = LearningTask(
        graph=graph, table=table, rule=rule, n_it=n_it,
        restarts=restarts if starts is None else starts, seed=seed, start=start, theta=theta,
        columns=columns, weight=weight, survey=survey, test_weight=test_weight, hold=hold,
        constants={"alpha": alpha, "delta": delta, **constants}, workers=workers,
    ).problem(restarts=10)  # fmt: skip
    if keep and problem.weight.ndim == 2:
        raise ValueError("starts with weights of their own are different problems: use restarts")
    if "theta" in kept:
        _refuse_history(problem, total, keep or problem.restarts)
    if accelerate is None:
        looked_at = bound == 0 or watch is not None or "theta" in kept
        accelerate = not looked_at and is_em(problem.settings)
    elif accelerate and not is_em(problem.settings):
        raise _no_em(rule, n_it)
    learning = Learner(problem, total, tol=bound, accelerate=accelerate, record=kept, keep=keep)
    for said in (*learning.noticed["labels"], *learning.noticed["codes"]):
        warnings.warn(said, stacklevel=2)  # before, not after a long time
    return _to_the_end(learning, progress, watch)


def _no_em(rule: Rules, n_it: object) -> ValueError:
    return ValueError(
        f"accelerate is True with rule {shown(rule)} and n_it {shown(n_it)}: SQUAREM takes steps "
        "of EM, which is rule 'ml' with n_it=1; leave it out"
    )


def _refuse_history(problem: Problem, n_epochs: int, restarts: int) -> None:
    """Refuse to keep the matrices of more epochs than the machine can hold."""
    cells = sum(matrix[0].size for matrix in problem.first.values())
    refuse_beyond_memory(
        8.0 * cells * restarts * (n_epochs + 1),
        f"record='theta' of {n_epochs:,} epochs, {restarts} restarts and {cells:,} numbers",
        "take fewer n_epochs or restarts, or keep what is needed in watch=",
    )


def resume(
    run: Run,
    n_epochs: int = 500,
    *,
    tol: float | None = None,
    workers: int | None = None,
    progress: bool | None = None,
    watch: Callable[[Epoch], object] | None = None,
) -> Run:
    """Go on with a run for ``n_epochs`` more: the same rows, weights, rule, constants and restarts.

    The result is the run that ``fit`` would have given with that many more epochs, to the bit: its
    histories begin with those of ``run``, and its epochs count on. ``tol`` is that of the run; one
    that has settled stops after one more epoch, and goes on with ``tol=0``. ``run`` may come from
    ``load``. Raises as :func:`fit` does.
    """
    done = read_run(run)
    more = read_count(n_epochs, "n_epochs")
    bound = done.tol if tol is None else read_number(tol, "tol")
    _check_watching(progress, watch)
    record = {"loglik", *(k for k in ("aggregated", "theta") if len(getattr(done, k)))}
    learning = Learner(
        problem_of(done, workers),
        done.n_epochs + more,
        tol=bound,
        accelerate=done.accelerated and (bound > 0 or done.tol == 0),
        record=record,
        before=done,
    )
    return _to_the_end(learning, progress, watch)


def _check_watching(progress: object, watch: object) -> None:
    read_kind(progress, "progress", bool | None, "True, False or None")
    read_kind(watch, "watch", Callable | None, "a function of an Epoch, or None")


def _to_the_end(
    learning: Learner, progress: bool | None, watch: Callable[[Epoch], object] | None
) -> Run:
    """The run at the end of learning; Ctrl-C ends it, too, and raises :class:`Interrupted`."""
    try:
        for epoch in learning if progress is False else _with_bar(learning, progress):
            if watch is not None and watch(epoch) is True:
                learning.stop()
    except KeyboardInterrupt:
        if learning.empty:
            raise
        learning.stop(Ending.INTERRUPTED)
        raise Interrupted(learning.run()) from None
    return learning.run()


def _with_bar(learning: Learner, progress: bool | None) -> Iterator[Epoch]:
    """The epochs, with a bar that shows how many there were."""
    tick = progress_bar(learning.n_epochs, progress)
    try:
        for epoch in learning:
            tick(epoch.n)
            yield epoch
    finally:
        tick(-1)


def read_starts(starts: int | None, keep: int | None, restarts: int | None) -> int:
    """The number of short starts that go on."""
    if starts is None:
        raise ValueError(f"keep is {shown(keep)} without starts: starts=50, keep=3 is meant")
    if restarts is not None:
        raise ValueError("restarts and starts are both given: starts=50, keep=3 says it all")
    number = read_count(starts, "starts", 1)
    kept = min(3, number) if keep is None else read_count(keep, "keep", 1)
    if kept > number:
        raise ValueError(f"keep is {kept} of {starts} starts: expected at most as many")
    return kept


def best_starts(ends: Array, keep: int, tables: int = 1) -> Index:
    """The starts with the largest ``loglik``, the best first; ``keep`` of them for each table.

    ``ends`` ``(starts * tables,)`` has a start of every table after another. The result
    ``(keep * tables,)`` has the best start of every table, then the second best, and so on.
    """
    order = np.argsort(-ends.reshape(-1, tables), axis=0, kind="stable")[:keep]
    return np.asarray((order * tables + np.arange(tables)).ravel())
