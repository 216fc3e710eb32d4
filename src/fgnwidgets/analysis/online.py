"""``learn_online``: rows that keep coming, a batch at a time, none of them kept.

Vocabulary
    statistic   the counts per sample of every matrix, averaged over the past
    step        how much of the statistic a new batch replaces: 1 forgets all, 0 learns nothing

ML is stepwise EM (Cappe and Moulines 2009): the statistic moves towards the expected counts of each
batch by a step that shrinks. VIT and VAR count once, so their counts are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..border.posing import Graph, Options, Pseudo, pose
from ..engine.arrays import Array
from ..engine.learning import Epoch, Problem, visit
from ..engine.messages import Evidence
from ..engine.rules import RULES, Rule, read_rule
from ..readers import Seed, shown
from ..tables import Table

POWER = 0.7
"""The step of batch t is ``(t + 1) ** -POWER``: between 1/2 and 1 the past is neither lost nor kept
for ever."""

Step = float | Callable[[int], float]


def learn_online(
    graph: Graph,
    batches: Iterable[Table | Evidence],
    rule: str | Rule = "ml",
    *,
    step: Step | None = None,
    restarts: int = 1,
    seed: Seed = 0,
    theta: Mapping[str, ArrayLike] | None = None,
    columns: Iterable[str] | None = None,
    weight: str | None = None,
    hold: Mapping[str, ArrayLike] | None = None,
    alpha: Pseudo | None = None,
    delta: float | None = None,
    **constants: Any,
) -> Iterator[Epoch]:
    """Yield the state after each batch: epoch n has learned from n batches, and keeps no row.

    ``step`` is a number between 0 and 1, or a function of the batch, 0, 1, ...; by default it
    shrinks for ML, and VIT and VAR add their counts up. A number forgets: a source that changes is
    then followed, as fast as the number is large. ``loglik`` is that of the batch under the
    matrices before they learned from it, so it says how well what comes is foreseen. The other
    arguments are those of ``epochs``; ``weight`` names a column.

    Raises ``ValueError`` for "kl" and other rules that iterate: they have no counts to keep.
    """
    known = read_rule(rule)
    if known.iterates and known != RULES["ml"]:
        raise ValueError(
            f"rule {known.name!r} iterates on the messages of all samples: expected 'ml', 'vit', "
            "'var', or a rule that counts once"
        )
    moves = _read_step(step, known)
    given = {"alpha": alpha, "delta": delta, **constants}
    used = None if columns is None else tuple(columns)

    def posed(table: Table | Evidence, first: Mapping[str, ArrayLike] | None) -> Problem:
        options = Options(1, restarts, seed, "matrices", first, weight, None, hold, given, used)
        return pose(graph, table, known, options, restarts=1).needing(aggregate=False)

    return _epochs(batches, posed, moves, theta)


def _read_step(step: Step | None, rule: Rule) -> Callable[[int], float] | None:
    """The step of every batch; None where counts are added up."""
    if step is None:
        return (lambda t: (t + 1) ** -POWER) if rule.iterates else None
    if callable(step):
        return step
    if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step <= 1:
        raise ValueError(
            f"step is {shown(step)}: expected a number above 0 and at most 1, or a function of the "
            "batch"
        )
    return lambda t: 1.0 if t == 0 else float(step)


def _epochs(
    batches: Iterable[Table | Evidence],
    posed: Callable[[Table | Evidence, Mapping[str, ArrayLike] | None], Problem],
    moves: Callable[[int], float] | None,
    first: Mapping[str, ArrayLike] | None,
) -> Iterator[Epoch]:
    theta: Mapping[str, Any] | None = first
    statistic: dict[str, Array] = {}
    total = 0.0
    dropped: Any = False
    for t, table in enumerate(batches):
        problem = posed(table, theta)
        here = problem.first
        seen = visit(problem, here, learn=True, aggregate=False)
        dropped = dropped | seen.dropped
        size = float(problem.weight.sum())
        total += size
        share = size / total if moves is None else moves(t)
        (m_step,) = seen.steps  # one rule for all restarts
        for name, counts in m_step.counts.items():
            own = counts / size
            old = statistic.get(name)
            statistic[name] = own if old is None else old + share * (own - old)
        new = _learned(problem, here, statistic, total)
        kept = np.broadcast_to(np.asarray(dropped, dtype=bool), (problem.restarts,))
        if kept.any():
            new = {name: np.where(kept[:, None, None], here[name], m) for name, m in new.items()}
        loglik = np.broadcast_to(np.asarray(seen.totals["loglik"]), (problem.restarts,))
        unknown = np.full(problem.restarts, np.nan)
        theta = new
        yield Epoch(t + 1, new, unknown, loglik, None, None, kept)


def _learned(
    problem: Problem, theta: Mapping[str, Array], statistic: Mapping[str, Array], total: float
) -> dict[str, Array]:
    """The matrices that the statistic makes, pseudo-counts weighing as against all samples."""
    new = dict(theta)
    for name, average in statistic.items():
        matrix = problem.lanes[0].updates[name].matrix(average * total, theta[name])
        held = problem.hold.get(name)
        matrix = matrix if held is None else np.where(held, theta[name], matrix)
        new[name] = np.broadcast_to(matrix, theta[name].shape)
    return new
