"""``epochs`` and ``fit``: learning step by step, and run to its end (section 7).

Vocabulary
    watch   what sees every epoch of a run while it is computed
    short   starts of a few epochs, of which the best go on
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

from ..engine.graph import Graph
from ..engine.learning import Epoch
from ..engine.messages import Evidence
from ..readers import Seed, read_count, read_kind, read_names, read_number
from ..tables import Table
from .advice import advice
from .files import unsaved_labels
from .options import Options, Pseudo, Rules, refuse_unknown
from .posing import Posed, pose
from .record import Record, best_of
from .run import Run
from .starts import OwnMessages, read_starts

HISTORIES = ("aggregated", "loglik", "theta")

PROGRESS_DELAY = 0.5
"""Seconds before a progress bar appears: short runs show none."""


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
    **constants: Any,
) -> Iterator[Epoch]:
    """Yield epoch 0 to ``n_epochs`` of learning, one at a time, as they are computed (section 7).

    ``rule``         "ml", "kl", "vit", "var" or a :class:`Rule` for every matrix that is to be
                     learned; or a tuple of them, one for each restart. ``n_it`` may be one, too
    ``start``        "matrices": random rows; "messages": the paper's start, all messages uniform
                     random and matrices uniform, the first M-step before any propagation; or own
                     messages, ``{block: (f, b)}`` of shapes ``(..., M_X, N)`` and ``(..., M_Y, N)``
    ``theta``        matrices to start from, with or without a restarts axis; fixed ones belong here
    ``seed``         each restart draws from a child generator of its own. In a list there is a seed
                     for each restart: an integer starts as ``restarts=1`` does with it
    ``weight``       the learning mask ``(N,)``, any numbers >= 0; equal rows are folded into one.
                     ``(restarts, N)`` gives every restart a table of its own. A name: the column
                     of the table that holds it
    ``columns``      the columns that are variables, where the table has others
    ``hold``         ``{matrix: rows}``: True for the rows, ``(M_X,)``, that are not learned
    ``alpha``        pseudo-counts for ML and VAR, a number or ``{matrix: (M_X, M_Y)}``
    ``delta``        the constant of VIT and VAR

    Of a lazy table, its own engine counts the equal rows, and only the different ones are read.
    A cell that is missing teaches nothing: a block learns from the samples that have evidence on
    its output or below it (the mask L[n] of section 3, block by block).

    ML with ``n_it=1`` is exact EM: ``loglik`` never falls. Raises :class:`ImpossibleEvidence` where
    a sample has probability zero under the first matrices of every restart.
    """
    # Everything is checked here, not at the first ``next``: errors come where the mistake is.
    refuse_unknown(epochs, rule, constants)
    known = {"alpha": alpha, "delta": delta, **constants}
    options = Options(n_it, restarts, seed, start, theta, weight, test_weight, hold, known, columns)
    problem = pose(graph, table, rule, options, restarts=1).needing(aggregate=True)
    return problem.epochs(read_count(n_epochs, "n_epochs"))


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
    read_kind(progress, "progress", bool | None, "True, False or None")
    read_kind(watch, "watch", Callable | None, "a function of an Epoch, or None")
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
    record, aggregate = Record(set(kept), bound), "aggregated" in kept
    if keep:
        yield from record.run(problem.epochs(short, aggregate=aggregate), problem)
        problem, record, ended = best_of(problem, record, keep)
    if not record.stopped:
        yield from record.run(problem.epochs(total - short, aggregate=aggregate), problem)
    free = {name: _free(posed, name) for name in posed.clamped.graph.learnable}
    run = record.as_run(graph, problem, total, start_loglik=ended, free=free, told=told)
    return replace(run, warnings=tuple(advice(run, problem, posed)))


def _free(problem: Posed, name: str) -> NDArray[np.bool_]:
    """Where learning could move a matrix: not in held rows, nor where ML would keep a zero."""
    free = np.asarray(~problem.stuck(name).all(axis=0))
    return free & ~problem.hold[name] if name in problem.hold else free


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
