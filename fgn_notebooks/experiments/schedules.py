"""Stepwise EM and annealing with other schedules than in the tables of chapter 15.

Vocabulary
    schedule   for stepwise EM the power by which its step shrinks and the number of parts, for
               annealing the first heat (``contenders``)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np

from fgnwidgets import BayesGraph, epochs

from .contenders import Matrices, annealed, stepwise
from .which_rule import N_EPOCHS, STARTS, Case, Judged, best_start, judgement, star

Learner = Callable[[BayesGraph, Matrices, Matrices, np.ndarray, np.ndarray], Matrices]
"""A function from graph, rows, first matrices, deals, and weights ``(runs, N)`` to matrices."""


def _in_steps(
    graph: BayesGraph,
    rows: Matrices,
    first: Matrices,
    deals: np.ndarray,
    weight: np.ndarray,
    *,
    power: float,
    parts: int,
) -> Matrices:
    return stepwise(graph, rows, first, deals, N_EPOCHS, power, parts)


def _in_heat(
    graph: BayesGraph,
    rows: Matrices,
    first: Matrices,
    deals: np.ndarray,
    weight: np.ndarray,
    *,
    heat: float,
) -> Matrices:
    return annealed(graph, rows, first, weight, heat)


STEPWISE = {
    f"stepwise, {name}, power {power:g}": partial(_in_steps, power=power, parts=parts)
    for name, parts in (("tenths", 10), ("thirds", 3))
    for power in (0.55, 0.7, 0.9)
}
ANNEALED = {f"annealed from {heat:g}": partial(_in_heat, heat=heat) for heat in (0.4, 0.6, 0.8)}
SCHEDULES: Mapping[str, Learner] = MappingProxyType(STEPWISE | ANNEALED)
"""The schedules that were tried: three powers with two sizes of parts, and three first heats."""


def judged_schedules(case: Case, *, starts: int = STARTS, seed: int = 0) -> Judged:
    """Every schedule on every deal, from the starts that the other contenders have."""
    weight = np.repeat(case.learn, starts, axis=0)
    seeds = np.random.SeedSequence(seed).spawn(len(weight))
    graph = star(case.sizes, case.k)
    first = next(iter(epochs(graph, case.rows, seed=list(seeds), weight=weight))).theta
    ends = (learner(graph, case.rows, first, case.learn, weight) for learner in SCHEDULES.values())
    return judgement(case, np.stack([best_start(case, theta, weight, 1)[0] for theta in ends]))
