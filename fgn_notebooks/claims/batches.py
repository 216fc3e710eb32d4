"""The runs on which the claims about graphs are checked: many tables and starts in one batch.

Vocabulary
    case    the settings of a batch: a family of models, sizes, N, the start, Nit, options of rules
    part    a rule of the paper, ML, KL, VIT or VAR; a null may play it (``ledger``)
    lane    a part with its Nit
    turn    a coefficient moves by more than 0.05 in one epoch, and back by as much in the next
    way     the share of the distance from floor to ceiling (``levels``) that a run has covered

A batch is computed when a claim first needs it, and cached.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from fgnwidgets import Epoch

from .. import paper
from ..experiments.levels import held_out_floor, levels
from ..experiments.lockstep import Lane, many_tables
from ..experiments.words import PAPERS
from .ledger import Cast
from .models import FAMILIES, Group

TABLES = 200
SWEPT = 36
"""Tables of a sweep: enough for the interval of a share of 100 % to lie above 90 %."""

PARTS = PAPERS
ML, KL, VIT, VAR = range(4)
FOUR = tuple((part, paper.ONE_HIDDEN_NIT) for part in PARTS)
"""The four parts with the paper's Nit."""

STEP = 0.05
"""Least move of a coefficient in a turn."""

LATE = 10
"""Number of last epochs in which a settled run makes no turn."""


@dataclass(frozen=True)
class Case:
    """The settings of a batch; ``options`` are constants of rules, such as ``("ties", ...)``."""

    family: str = "paper"
    lanes: tuple[tuple[str, int], ...] = FOUR
    tables: int = TABLES
    starts: int = 1
    n: int = paper.ONE_HIDDEN_N
    m_s: int = paper.ONE_HIDDEN_SIZES["S"]
    children: int = 3
    n_epochs: int = paper.ONE_HIDDEN_NE
    start: str = "messages"
    split: bool = False
    options: tuple[tuple[str, str | float], ...] = ()


@dataclass(frozen=True, eq=False)
class Batch:
    """The runs as the claims need them, ``(lanes, tables, starts)``; histories begin with epochs.

    ``floor``, ``ceiling``, ``aggregated_ceiling``   ``(tables, 1)``, of the rows learned from
    ``test_floor``        the likelihood of the test rows if all is independent, as learned
    ``turns``, ``late``   the most turns of a coefficient of a block, in all and in the last epochs
    ``prior_off``         the largest final distance of a source's prior from uniform
    ``span``              the largest final coefficient of the blocks minus the smallest
    ``to_go``             how far the coefficients are from their end after a sixth of the epochs,
                          as a share of their distance after the first epoch
    ``final``             the final matrices of the first group, ``(lanes, tables, starts, ...)``
    """

    aggregated: np.ndarray
    loglik: np.ndarray
    test_aggregated: np.ndarray
    test_loglik: np.ndarray
    turns: np.ndarray
    late: np.ndarray
    prior_off: np.ndarray
    span: np.ndarray
    to_go: np.ndarray
    floor: np.ndarray
    ceiling: np.ndarray
    aggregated_ceiling: np.ndarray
    test_floor: np.ndarray
    final: Mapping[str, np.ndarray]

    @property
    def ends(self) -> np.ndarray:
        """The last of the aggregated log-likelihoods, ``(lanes, tables, starts)``."""
        last: np.ndarray = self.aggregated[-1]
        return last

    @property
    def way(self) -> np.ndarray:
        """The way of each run, by exact log-likelihoods, ``(lanes, tables, starts)``."""
        whole = np.maximum(self.ceiling - self.floor, 1e-9)
        share: np.ndarray = (self.loglik[-1] - self.floor) / whole
        return share


@lru_cache(maxsize=256)
def run(case: Case, cast: Cast) -> Batch:
    """The batch of a case, with the rules of ``cast`` in the parts."""
    parts = [_run(group, case, cast) for group in _groups(case)]
    axis = {"aggregated": 2, "loglik": 2, "test_aggregated": 2, "test_loglik": 2, "floor": 0,
            "ceiling": 0, "aggregated_ceiling": 0, "test_floor": 0}  # fmt: skip
    return Batch(
        **{
            f.name: np.concatenate([getattr(p, f.name) for p in parts], axis=axis.get(f.name, 1))
            for f in fields(Batch)
            if f.name != "final"
        },
        final=parts[0].final,
    )


@lru_cache(maxsize=16)
def _drawn(family: str, tables: int, n: int, m_s: int, children: int) -> list[Group]:
    return FAMILIES[family](tables, n, m_s, children)


def _groups(case: Case) -> list[Group]:
    return _drawn(case.family, case.tables, case.n, case.m_s, case.children)


def _run(group: Group, case: Case, cast: Cast) -> Batch:
    """One graph on its tables."""
    rules = dict(zip(PARTS, cast, strict=True))
    lanes: list[Lane] = [(rules[part], n_it) for part, n_it in case.lanes]
    shape = (len(lanes), len(group.tables), case.starts)
    tables = [table for table in group.tables for _ in range(case.starts)]
    seeds = [number + 10_000 * k for number in group.numbers for k in range(case.starts)]
    rows = [len(next(iter(table.values()))) for table in tables]
    train = [(np.arange(n) < n // 2).astype(float) for n in rows] if case.split else None
    test = None if train is None else [1 - mask for mask in train]
    seen = _Seen(case.n_epochs, shape)
    for state in many_tables(group.graph, tables, lanes, seeds=seeds, n_epochs=case.n_epochs,
                             start=case.start, train=train, test=test,
                             **dict(case.options)):  # fmt: skip
        seen.add(state)
    each = range(0, len(tables), case.starts)
    known = [levels(group.graph, tables[k], None if train is None else train[k]) for k in each]
    apart = [level.floor for level in known]
    if train is not None and test is not None:
        apart = [held_out_floor(tables[k], train[k], test[k]) for k in each]

    def column(values: Sequence[float]) -> np.ndarray:
        return np.array(values)[:, None]

    return seen.batch(
        column([level.floor for level in known]),
        column([level.ceiling for level in known]),
        column([level.aggregated_ceiling for level in known]),
        column(apart),
    )


class _Seen:
    """Collects what a batch needs epoch by epoch, as all matrices would take too much memory."""

    def __init__(self, n_epochs: int, shape: tuple[int, int, int]) -> None:
        self.n_epochs, self.shape = n_epochs, shape
        self.rows: list[list[np.ndarray]] = []
        self.window: deque[np.ndarray] = deque(maxlen=3)
        self.marks: list[np.ndarray] = []
        self.turns: np.ndarray | float = 0.0
        self.late: np.ndarray | float = 0.0

    def add(self, state: Epoch) -> None:
        unknown = np.full_like(state.loglik, np.nan)
        said = (state.aggregated, state.loglik, state.test_aggregated, state.test_loglik)
        self.rows.append([unknown if v is None else v for v in said])
        self.state = state
        if state.n == 0:
            return
        values = coefficients(state.theta)
        if state.n in (1, max(2, self.n_epochs // 6), self.n_epochs):
            self.marks.append(values)
        self.window.append(values)
        if len(self.window) == 3:
            turned = turning(np.stack(self.window))[0]
            self.turns = self.turns + turned
            if state.n > self.n_epochs - LATE:
                self.late = self.late + turned

    def batch(
        self, floor: np.ndarray, ceiling: np.ndarray, aggregated: np.ndarray, test: np.ndarray
    ) -> Batch:
        theta, values = self.state.theta, coefficients(self.state.theta)
        off = [np.abs(v - 1 / v.shape[-1]).max(axis=(-2, -1)) for n, v in theta.items()
               if "|" not in n]  # fmt: skip

        def run_by_run(v: np.ndarray | float) -> np.ndarray:
            return np.asarray(np.broadcast_to(v, values.shape).max(axis=-1).reshape(self.shape))

        aggregated_by_epoch, loglik, test_aggregated, test_loglik = (
            np.array(v).reshape(-1, *self.shape) for v in zip(*self.rows, strict=True)
        )
        return Batch(
            aggregated=aggregated_by_epoch,
            loglik=loglik,
            test_aggregated=test_aggregated,
            test_loglik=test_loglik,
            turns=run_by_run(self.turns),
            late=run_by_run(self.late),
            prior_off=np.max(off, axis=0).reshape(self.shape),
            span=(values.max(axis=-1) - values.min(axis=-1)).reshape(self.shape),
            to_go=to_go(np.stack(self.marks)).reshape(self.shape),
            floor=floor,
            ceiling=ceiling,
            aggregated_ceiling=aggregated,
            test_floor=test,
            final={n: v.reshape(*self.shape, *v.shape[1:]) for n, v in theta.items()},
        )


def coefficients(theta: Mapping[str, np.ndarray]) -> np.ndarray:
    """All coefficients of the blocks, without those of sources, ``(runs, coefficients)``."""
    blocks = [v for name, v in theta.items() if "|" in name]
    return np.concatenate([v.reshape(len(v), -1) for v in blocks], axis=-1)


def turning(history: np.ndarray, step: float = STEP) -> np.ndarray:
    """True where a history ``(epochs, ...)`` turns at its inner epochs, ``(epochs - 2, ...)``."""
    moves = np.diff(history, axis=0)
    wide = np.minimum(np.abs(moves[1:]), np.abs(moves[:-1])) > step
    turned: np.ndarray = wide & (moves[1:] * moves[:-1] < 0)
    return turned


def to_go(values: np.ndarray) -> np.ndarray:
    """For ``(begin, middle, end)``: the distance of middle from end over that of begin from end."""
    whole = np.linalg.norm(values[2] - values[0], axis=-1)
    rest: np.ndarray = np.linalg.norm(values[2] - values[1], axis=-1) / np.where(whole, whole, 1)
    return rest
