"""Checks of runs on one hidden variable with three children (section 7.1).

Every check takes a case (``batches``) and a cast (``ledger``), and returns a bool for each table
and start. Some are made by a function that takes the lanes or sizes to look at.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import paper
from ..experiments import hidden_variable
from .batches import KL, ML, VAR, VIT, Batch, Case, run
from .ledger import Cast

LIKE = 0.01
"""Likelihoods within a hundredth of each other are called alike."""

NAT = 1.0
"""A run that ends this much above the floor has learned something."""

ROUNDING = 1e-6
"""Likelihoods that differ by less count as equal."""


def learned(batch: Batch, *lanes: int) -> np.ndarray:
    """True for runs that end more than a nat above the floor in all of these lanes."""
    return np.asarray((batch.loglik[-1, list(lanes)] > batch.floor + NAT).all(axis=0))


def lead(ends: np.ndarray) -> np.ndarray:
    """True for runs that have ML and KL both above VIT and VAR, from ``(lanes, ...)``."""
    return np.asarray(ends[[ML, KL]].min(axis=0) > ends[[VIT, VAR]].max(axis=0))


def alike(one: np.ndarray, two: np.ndarray, like: float = LIKE) -> np.ndarray:
    """Within a hundredth of each other."""
    return np.asarray(np.abs(one - two) < like * np.abs(one))


def ml_kl_lead(case: Case, cast: Cast) -> np.ndarray:
    """ML and KL both end above VIT and VAR, and a nat above the floor."""
    batch = run(case, cast)
    return np.asarray(lead(batch.ends) & learned(batch, ML, KL))


def ml_kl_lead_on_the_test_half(case: Case, cast: Cast) -> np.ndarray:
    """ML and KL both end above VIT, VAR and independence on the rows not learned from."""
    batch = run(case, cast)
    ends = batch.test_aggregated[-1]
    return np.asarray(lead(ends) & (ends[[ML, KL]].min(axis=0) > batch.test_floor + ROUNDING))


def ml_and_kl_are_alike(case: Case, cast: Cast, like: float = LIKE) -> np.ndarray:
    """ML and KL end within a hundredth of each other, and a nat above the floor."""
    batch = run(case, cast)
    return np.asarray(alike(batch.ends[ML], batch.ends[KL], like) & learned(batch, ML, KL))


def vit_is_between(case: Case, cast: Cast) -> np.ndarray:
    """VIT ends below ML and KL, above VAR, and a nat above the floor."""
    batch = run(case, cast)
    worse = batch.ends[VIT] < batch.ends[[ML, KL]].min(axis=0)
    return np.asarray(worse & (batch.ends[VIT] > batch.ends[VAR]) & learned(batch, VIT))


def var_is_lost(case: Case, cast: Cast, share: float = 0.1) -> np.ndarray:
    """VAR covers less than a tenth of ML's way up from the floor."""
    batch = run(case, cast)
    return np.asarray(batch.way[VAR] < share * batch.way[ML])


def priors_are_uniform(*lanes: int, off: float = 0.05):  # type: ignore[no-untyped-def]
    """No state of a source ends with a prior farther than 0.05 from the uniform one."""

    def check(case: Case, cast: Cast) -> np.ndarray:
        return np.asarray((run(case, cast).prior_off[list(lanes)] < off).all(axis=0))

    return check


def ends_are_many(case: Case, cast: Cast, apart: float = NAT) -> np.ndarray:
    """The starts of a table end at three or more likelihoods, at least a nat apart."""
    ends = np.sort(run(case, cast).loglik[-1, ML], axis=-1)
    places = np.ones(ends.shape[:1], dtype=int)
    last = ends[:, 0]
    for k in range(1, ends.shape[1]):
        new = ends[:, k] >= last + apart
        places, last = places + new, np.where(new, ends[:, k], last)
    return np.asarray(places >= 3)


def nit_makes_no_difference(*positions: int):  # type: ignore[no-untyped-def]
    """The lanes end within a hundredth of each other, and a nat above the floor."""

    def check(case: Case, cast: Cast) -> np.ndarray:
        batch = run(case, cast)
        which = list(positions)
        ends = batch.ends[which]
        return np.asarray(alike(ends.max(axis=0), ends.min(axis=0)) & learned(batch, *which))

    return check


def nit_3_is_best(case: Case, cast: Cast) -> np.ndarray:
    """Nit=3 ends above every other value of Nit."""
    ends = run(case, cast).ends
    return np.asarray(ends[1] > ends[[0, 2, 3, 4]].max(axis=0) + ROUNDING)


def kl_is_like_ml(*positions: int):  # type: ignore[no-untyped-def]
    """With each of these values of Nit, KL ends within a hundredth of ML, above the floor."""

    def check(case: Case, cast: Cast) -> np.ndarray:
        batch = run(case, cast)
        passed = [
            alike(batch.ends[2 * p], batch.ends[2 * p + 1]) & learned(batch, 2 * p, 2 * p + 1)
            for p in positions
        ]
        return np.asarray(np.all(passed, axis=0))

    return check


def large_nit_swings(case: Case, cast: Cast, most: int = 3) -> np.ndarray:
    """With Nit=20 some coefficient turns three times or more, with Nit=3 at most once."""
    batch = run(case, cast)
    return np.asarray((batch.turns[4] >= most) & (batch.turns[1] <= 1) & learned(batch, 1))


def large_nit_settles(case: Case, cast: Cast) -> np.ndarray:
    """With Nit=20 no coefficient turns in the last ten epochs, and the run is above the floor."""
    batch = run(case, cast)
    return np.asarray((batch.late[4] == 0) & learned(batch, 4))


def are_smooth(case: Case, cast: Cast, most: int = 1) -> np.ndarray:
    """No coefficient of ML or KL turns more than once, and both end above the floor."""
    batch = run(case, cast)
    return np.asarray((batch.turns[[ML, KL]] <= most).all(axis=0) & learned(batch, ML, KL))


def vit_swings(case: Case, cast: Cast, most: int = 3) -> np.ndarray:
    """Some coefficient of VIT turns three times or more."""
    return np.asarray(run(case, cast).turns[VIT] >= most)


def is_another_model(case: Case, cast: Cast, apart: float = 0.1) -> np.ndarray:
    """ML is as likely as the generative model, and a coefficient differs by more than 0.1.

    Hidden states are numbered as in the generative model before anything is compared.
    """
    batch, graph = run(case, cast), paper.one_hidden_graph()
    different = []
    for number in range(case.tables):
        table = hidden_variable.samples(case.n, number)
        theta = {name: v[ML, number, 0] for name, v in batch.final.items()}
        numbered, _ = hidden_variable.matched(graph, table, {"ml": theta})
        off = max(
            float(np.abs(numbered["ml"][name] - paper.ONE_HIDDEN_THETA[name]).max())
            for name in hidden_variable.BLOCKS
        )
        truth = hidden_variable.own_levels(table).truth
        assert truth is not None
        different.append(off > apart and batch.loglik[-1, ML, number, 0] > truth - NAT)
    return np.array(different)


def ml_kl_span_more(case: Case, cast: Cast) -> np.ndarray:
    """The coefficients of ML and of KL both span a larger range than those of VIT and of VAR."""
    batch = run(case, cast)
    return np.asarray(lead(batch.span) & learned(batch, ML, KL))


def likelihood_is_first(case: Case, cast: Cast) -> np.ndarray:
    """After a sixth of the epochs the coefficients of ML and KL are further from their ends than
    the likelihoods, both as shares of the distance after the first epoch."""
    batch = run(case, cast)
    values = batch.aggregated[[1, max(2, case.n_epochs // 6), -1]]
    whole = np.abs(values[2] - values[0])
    rest = np.abs(values[2] - values[1]) / np.where(whole > 0, whole, 1)
    return np.asarray((batch.to_go > rest)[[ML, KL]].all(axis=0))


def fewer_states_are_worse(m_s: int):  # type: ignore[no-untyped-def]
    """ML with ``m_s`` states ends more than a hundredth below ML with those of the case."""

    def check(case: Case, cast: Cast) -> np.ndarray:
        few, right = run(replace(case, m_s=m_s), cast), run(case, cast)
        best = right.ends[ML]
        return np.asarray((few.ends[ML] < best - LIKE * np.abs(best)) & learned(right, ML))

    return check


def more_states_are_alike(m_s: int):  # type: ignore[no-untyped-def]
    """ML with ``m_s`` states ends within a hundredth of ML with those of the case."""

    def check(case: Case, cast: Cast) -> np.ndarray:
        many, right = run(replace(case, m_s=m_s), cast), run(case, cast)
        return np.asarray(alike(right.ends[ML], many.ends[ML]) & learned(many, ML))

    return check


def test_half_stays(case: Case, cast: Cast, like: float = LIKE) -> np.ndarray:
    """ML's test likelihood ends within a hundredth of its best, above that of independence."""
    batch = run(case, cast)
    tested = batch.test_aggregated[:, ML]
    above = tested[-1] > batch.test_floor + ROUNDING
    return np.asarray(alike(tested.max(axis=0), tested[-1], like) & above)
