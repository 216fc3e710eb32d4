"""A finished learning run: the value that holds all of it (section 7).

Vocabulary
    best        the restart with the largest final ``loglik``
    free        an entry of a matrix that learning could move: no held or fixed one, no zero that
                stays, none of a row that no sample reaches
    estimated   a free entry whose state some sample can have; a row of K of them has K - 1 free
                numbers
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algebra.arrays import TIE_TOLERANCE, Array, Mask
from ..arguments import wrong
from ..data.evidence import Evidence
from ..graphs.normal_graph import Graph
from . import above
from .em import Progress
from .observations import expected_counts, observations, reached
from .rules import Rule

if TYPE_CHECKING:
    from .summary import Summary


def read_run(run: Any, name: str = "run") -> Run:
    """A finished run, for what asks more of it than its matrices."""
    if not isinstance(run, Run):
        raise wrong(name, run, "a Run, as fit gives it")
    return run


class Ending(Enum):
    """The end of a run: its value is what files keep."""

    DONE = "done"
    SETTLED = "settled"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or a kernel's interrupt, in ``fit`` or ``resume``; ``run`` is the run so far.

    ``except KeyboardInterrupt as stop: run = stop.run`` has it, and after the fact, in a notebook
    or at Python's prompt, ``run = sys.last_value.run``. ``resume(run)`` goes on.
    """

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.run = run

    def __str__(self) -> str:
        return (
            f"{self.run.reason}. The run so far is its attribute run: run = sys.last_value.run in "
            "a notebook, where resume(run) goes on"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A finished run: every restart, and what happened.

    ``loglik``, ``aggregated``   ``(n_epochs + 1, restarts)``, summed over the weighted samples; the
                                 aggregated one is empty where it was not recorded
    ``test_loglik`` ...          the same over the test samples, None without a ``test_weight``
    ``theta[name]``              ``(n_epochs + 1, restarts, M_X, M_Y)``, empty unless recorded
    ``final[name]``              ``(restarts, M_X, M_Y)``
    ``start_loglik``             where the short starts ended, ``(starts,)``; None without them
    ``ending``, ``reason``       how it ended, an :class:`Ending`, and the same in words
    ``warnings``                 what a careful reader should know, worked out when it is asked for;
                                 ``noticed`` is the part that was known before learning, by kind,
                                 ``said`` all of it, where a file holds it
    ``separate_tables``          whether restarts have weights of their own: different problems
    ``rows``, ``weight``         the different rows that it learned from, and the weight of each
    ``movable[name]``            ``(M_X, M_Y)``: True but for fixed rows, and zeros that stay
    ``repeated``                 ``(restarts,)``: True for a restart that began as one before it did
    ``rules``, ``n_its``         of every restart; no rules where nothing is learned
    ``rule``                     the name of the rule; a tuple of names where they are several
    ``settings``                 ``hold`` and the constants, as ``fit`` was given them
    ``counted``                  whether its weights can be counts of equal rows: whole numbers, or
                                 none given, and not a survey's; ``weight`` alone does not tell once
                                 equal rows are one
    ``n_rows``                   how many rows of the table have a weight above zero; None where
                                 restarts have weights of their own, or counts of a lazy table
    ``tol``, ``test_weight``     as ``fit`` was given them, the weights of the different rows
    ``accelerated``              whether it went by SQUAREM
    ``settled``                  ``(restarts,)``: True where nothing was left to gain
    ``progress``                 where the others are on their way, for ``resume``
    ``second``                   matrices after the first M-step of a start by messages, where it
                                 stopped before that; else empty. ``resume`` goes on from all this
    """

    graph: Graph
    loglik: Array
    aggregated: Array
    test_loglik: Array | None
    test_aggregated: Array | None
    theta: Mapping[str, Array]
    final: Mapping[str, Array]
    dropped: Mask
    noticed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    said: tuple[str, ...] | None = None
    start_loglik: Array | None = None
    rows: Evidence = field(default_factory=lambda: Evidence(0))
    weight: Array = field(default_factory=lambda: np.zeros(0))
    movable: Mapping[str, Mask] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    n_its: tuple[int, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    counted: bool = True
    repeated: Mask = field(default_factory=lambda: np.zeros(0, bool))
    n_rows: int | None = None
    tol: float = 0.0
    test_weight: Array | None = None
    second: Mapping[str, Array] = field(default_factory=dict)
    ending: Ending = Ending.DONE
    accelerated: bool = False
    settled: Mask = field(default_factory=lambda: np.zeros(0, bool))
    progress: Progress | None = None

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for a careful reader, worked out when they are asked for."""
        return above.diagnose(self) if self.said is None else self.said

    @property
    def rule(self) -> str | tuple[str, ...]:
        """The name of the rule; where restarts have several, of every restart."""
        names = tuple(rule.name for rule in self.rules) or ("none",)
        return names[0] if len(set(names)) == 1 else names

    @property
    def separate_tables(self) -> bool:
        """True if the restarts have weights of their own: they are different problems."""
        return self.weight.ndim == 2

    @property
    def n_epochs(self) -> int:
        """Updates that were made."""
        return len(self.loglik) - 1

    @property
    def reason(self) -> str:
        """How it ended, in words."""
        n = self.n_epochs
        return {
            Ending.DONE: f"all {n} epochs were done",
            Ending.SETTLED: f"no restart's loglik has more than {self.tol:g} per sample left to "
            f"gain after epoch {n}",
            Ending.STOPPED: f"it was stopped after epoch {n}",
            Ending.INTERRUPTED: f"it was stopped by Ctrl-C after epoch {n}",
        }[self.ending]

    @property
    def best(self) -> int:
        """The restart with the largest final ``loglik``, the first of equals.

        Raises ``ValueError`` where the restarts have weights of their own.
        """
        self._refuse_separate_tables()
        ends = np.where(self.dropped, -np.inf, self.final_loglik)
        return int(np.argmax(ends >= ends.max() - TIE_TOLERANCE * abs(ends.max())))

    def _refuse_separate_tables(self) -> None:
        if self.separate_tables:
            raise ValueError(
                "the restarts have weights of their own, so they are different problems and none "
                "of them is the best: choose one, final[name][r]"
            )

    @property
    def best_theta(self) -> dict[str, Array]:
        """The final matrices of the best restart, ``(M_X, M_Y)`` each: what ``propagate`` takes."""
        best = self.best
        return {name: matrices[best] for name, matrices in self.final.items()}

    @property
    def best_counts(self) -> dict[str, Array]:
        """The expected counts of the best restart, ``(M_X, M_Y)`` each.

        As ``alpha`` of another ``fit`` they stand for this table: learning goes on from here.
        """
        best = self.best
        return {name: counts[best] for name, counts in self.counts.items()}

    @property
    def final_loglik(self) -> Array:
        """The last log-likelihood of every restart, ``(restarts,)``: the restart histogram."""
        last: Array = self.loglik[-1]
        return last

    @property
    def n(self) -> float:
        """The observations that it learned from: the n of all criteria.

        Of a table with a row for each sample it is the number of rows (the sum of their weights)
        in which something was observed. A sequence holds an observation for each observed step,
        as in hmmlearn: one sequence of 300 steps has n = 300, and ten of 12 steps have 120. In
        general, cells below the same parents are one observation, and matrices that serve several
        times in a row, each time below other parents, make several of it.

        Raises ``ValueError`` where the restarts have weights of their own.
        """
        self._refuse_separate_tables()
        return float(self.weight @ self.observations)

    @cached_property
    def observations(self) -> Array:
        """The observations that each of ``rows`` holds, ``(N,)``: 0 where nothing was observed."""
        return observations(self.graph, self.rows)

    @cached_property
    def counts(self) -> Mapping[str, Array]:
        """``(restarts, M_X, M_Y)`` by matrix that was learned: expected counts under the final
        matrices, whatever rule has learned them."""
        return expected_counts(self.graph, self.rows, self.weight, self.final)

    @cached_property
    def unreached(self) -> Mapping[str, Mask]:
        """``(M_X, M_Y)`` by matrix: True in rows that would be free if a sample reached them; they
        are as they began. Empty where every row was counted in."""
        # A row of counts that is zero may also be a state that learning has emptied, which is free.
        if all(counts.sum(axis=(0, -1)).all() for counts in self.counts.values()):
            return {}
        spoken = self._spoken_of(self.movable)
        rows = {name: some.any(axis=-1, keepdims=True) for name, some in spoken.items()}
        return {name: movable & ~rows[name] for name, movable in self.movable.items()}

    @cached_property
    def free(self) -> Mapping[str, Mask]:
        """``(M_X, M_Y)`` by matrix: True where learning could move an entry."""
        lost = self.unreached
        return {
            k: np.logical_and(mask, ~lost[k]) if k in lost else mask
            for k, mask in self.movable.items()
        }

    @cached_property
    def estimated(self) -> Mapping[str, Mask]:
        """``(M_X, M_Y)`` by matrix: True for the free entries that the table speaks of.

        Left out are levels that no row has (their estimate is 0 whatever the model), and rows that
        nothing reaches, such as a combination of given values that nobody has. An entry that
        learning drives to 0 although its row and its level occur is one of them.
        """
        spoken = self._spoken_of(self.free)
        return {name: free & spoken[name] for name, free in self.free.items()}

    def _spoken_of(self, free: Mapping[str, Mask]) -> Mapping[str, Mask]:
        """The numbers that the rows speak of, where these can be anything."""
        held = {name: matrices[0] for name, matrices in self.final.items()}
        return reached(self.graph, self.rows, self.weight, held, free)

    @property
    def n_free(self) -> int:
        """The parameters: a row of K entries that the table speaks of (``estimated``) has K - 1.

        Tied matrices count once; fixed matrices, held rows and zeros that cannot leave, never.
        """
        return count_free(self.estimated)

    @property
    def aic(self) -> float:
        """Akaike's criterion, ``-2 loglik + 2 n_free``: smaller is better, as in all of these."""
        return self._criterion(2.0)

    @property
    def bic(self) -> float:
        """Schwarz's criterion, ``-2 loglik + n_free log(n)``."""
        return self._criterion(self._log_n)

    @property
    def sabic(self) -> float:
        """The sample-size-adjusted BIC (Sclove 1987): (n + 2) / 24 in place of n."""
        return self._criterion(math.log((self.n + 2) / 24))

    @property
    def caic(self) -> float:
        """The consistent AIC (Bozdogan 1987), ``-2 loglik + n_free (log(n) + 1)``."""
        return self._criterion(self._log_n + 1)

    @property
    def _log_n(self) -> float:
        """Of a table in which nothing was observed, 0: no number is free there."""
        return math.log(self.n) if self.n else 0.0

    def _criterion(self, price: float) -> float:
        return float(-2 * self.final_loglik[self.best] + price * self.n_free)

    def summary(self, rank: bool | None = None) -> Summary:
        """The numbers of a report: sizes, likelihoods, criteria, warnings; prints as text.

        ``rank`` says whether to work out how many of the parameters the data can fix, which
        takes seconds for a thousand of them and minutes for ten thousand, as the cube of their
        number. None: where there are few.
        """
        told: Summary = above.summarize(self, rank)
        return told

    def __repr__(self) -> str:
        restarts = self.loglik.shape[1]
        ends = (
            f"{restarts} tables"
            if self.separate_tables
            else f"{restarts} restarts, best loglik {self.final_loglik[self.best]:.6g}"
        )
        return f"Run({self.rule!r}, {self.n_epochs} epochs, {ends}; {self.reason})"


def count_free(entries: Mapping[str, Mask]) -> int:
    """The parameters of these entries: one less than there are in a row."""
    rows = (some.sum(axis=-1) - 1 for some in entries.values())
    return int(sum(np.maximum(row, 0).sum() for row in rows))


SAME_END = 1e-4
"""Restarts that end within this of the best, per sample, have found the same optimum."""
