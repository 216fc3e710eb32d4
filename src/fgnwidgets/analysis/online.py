"""``learn_online``: learn from a stream of rows, a batch at a time, and keep none of them.

Vocabulary
    statistic   the counts per sample of every matrix, averaged over the past batches
    step        the share of the statistic that a new batch replaces: 1 forgets everything before

ML is stepwise EM (Cappe and Moulines 2009): the statistic moves towards the expected counts of each
batch by a step that shrinks. It begins with the counts that the first matrices expect in the rows
of the first batch. So a step below 1 forgets neither a given ``theta`` nor a state that a batch
does not hold. The counts of VIT and VAR are added up.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Mask
from ..arguments import Seed, shown, wrong
from ..data import Table, has_names, read_columns
from ..data.evidence import Evidence, ImpossibleEvidence
from ..graphs.normal_graph import Graph
from ..learning.em import Epoch, MStep, Problem, e_step, staying
from ..learning.rules import RULES, Rule, read_rule
from ..learning.task import LearningTask, Pseudo, refuse_unknown

POWER = 0.7
"""The step of batch t is ``(t + 2) ** -POWER`` (Liang and Klein 2009); the first is 0.62. Powers
above 1/2 and up to 1 let stepwise EM converge."""

StepSize = float | Callable[[int], float]


def learn_online(
    graph: Graph,
    batches: Iterable[Table | Evidence],
    rule: str | Rule = "ml",
    *,
    step: StepSize | None = None,
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
    """Yield an :class:`Epoch` after each batch: epoch n has learned from n batches.

    ``step`` is a number above 0 and at most 1, or a function from the number of the batch, 0, 1,
    ..., to one. By default it shrinks for ML, and VIT and VAR add their counts up. A constant step
    forgets the past, the faster the larger it is, and so follows a source that changes. ``theta``
    is where learning starts; only a step of 1 forgets it at once. ``loglik`` is that of the batch
    under the matrices before they learned from it: how well the batch was predicted. The other
    arguments are those of ``epochs``; ``weight`` names a column.

    By default ML gives no state probability zero because a batch lacks it. A step of 1, zeros in
    ``theta`` and other rules can. A restart that then meets a row of probability zero is dropped:
    it learns no more, and a ``RuntimeWarning`` names the row. Pseudo-counts (``alpha=.5``) prevent
    that.

    Raises :class:`ImpossibleEvidence` when the last restart is dropped. Raises ``ValueError`` for
    "kl" and other rules that iterate: they have no counts to keep.
    """
    chosen = read_rule(rule)
    if chosen.iterates and chosen != RULES["ml"]:
        raise ValueError(
            f"rule {chosen.name!r} iterates on the messages of all samples: expected 'ml', 'vit', "
            "'var', or a rule that counts once"
        )
    refuse_unknown(learn_online, chosen, constants)
    moves = _read_step(step, chosen)
    given = {"alpha": alpha, "delta": delta, **constants}
    used = None if columns is None else tuple(read_columns(columns))
    if (
        isinstance(batches, str | Mapping | np.ndarray)
        or not isinstance(batches, Iterable)
        or has_names(batches)
    ):
        raise wrong("batches", batches, "an iterable of tables, [table] where there is one")

    def posed(table: Table | Evidence, first: Mapping[str, ArrayLike] | None) -> Problem:
        task = LearningTask(
            graph=graph, table=table, rule=chosen, restarts=restarts, seed=seed, theta=first,
            columns=used, weight=weight, hold=hold, constants=given,
        )  # fmt: skip
        return task.problem().needing(aggregate=False)

    return _epochs(batches, posed, moves, theta)


def _read_step(step: StepSize | None, rule: Rule) -> Callable[[int], float] | None:
    """The step as a function of the batch; None if counts are added up."""
    if step is None:
        return (lambda t: (t + 2) ** -POWER) if rule.iterates else None
    if not callable(step):
        number = _checked(step, "step", ", or a function of the batch")
        return lambda t: number
    function = step
    return lambda t: _checked(function(t), f"step({t}), that of batch {t},", "")


def _checked(step: object, name: str, other: str) -> float:
    """A step that is a number above 0 and at most 1."""
    if isinstance(step, bool | np.bool_) or not isinstance(step, Real) or not 0 < float(step) <= 1:
        raise ValueError(f"{name} is {shown(step)}: expected a number above 0 and at most 1{other}")
    return float(step)


def _epochs(
    batches: Iterable[Table | Evidence],
    posed: Callable[[Table | Evidence, Mapping[str, ArrayLike] | None], Problem],
    moves: Callable[[int], float] | None,
    theta: Mapping[str, Any] | None,
) -> Iterator[Epoch]:
    """The loop over batches; ``posed`` makes the learning problem of a batch and its start."""
    statistic: dict[str, Array] = {}
    total = 0.0
    dropped: Any = False
    for t, table in enumerate(batches):
        problem = posed(table, theta)
        here = problem.first
        m_step = MStep(problem.settings[0], problem.fixed_rows, here)  # one rule for all restarts
        sums, impossible = e_step(problem, here, m_step)
        before = np.broadcast_to(np.asarray(dropped, dtype=bool), (problem.restarts,))
        dropped = before | impossible
        if (dropped & ~before).any():
            _say_dropped(problem, here, dropped & ~before, t, last=bool(dropped.all()))
        size = float(problem.weight.sum())
        total += size
        share = size / total if moves is None else moves(t)
        for name, counts in m_step.counts.items():
            mean = counts / size
            old = statistic.get(name, np.zeros_like(mean))
            if moves is not None:  # a row that no sample reached before starts as its matrix has it
                empty = old.sum(axis=-1, keepdims=True) == 0
                old = np.where(empty, mean.sum(axis=-1, keepdims=True) * here[name], old)
            statistic[name] = (1 - share) * old + share * mean
        # Pseudo-counts weigh against all samples, and what this batch does not hold is not held.
        m_step.counts = {name: average * total for name, average in statistic.items()}
        theta = staying(dropped, here, m_step.matrices())
        loglik = np.broadcast_to(sums["loglik"], (problem.restarts,))
        aggregated = np.full(problem.restarts, np.nan)  # not computed
        yield Epoch(t + 1, theta, aggregated, loglik, None, None, dropped)
    if not total:
        raise ValueError("batches held no table: expected one at least")


def _say_dropped(
    problem: Problem, theta: Mapping[str, Array], new: Mask, t: int, *, last: bool
) -> None:
    """Warn that a row of batch t drops the restarts ``new``; if these were the last, raise."""
    evidence, graph = problem.table or problem.clamped.evidence, problem.clamped.graph
    loglik = problem.row_loglik({name: m[new] for name, m in theta.items()})
    sample = int(np.argmax((loglik == -np.inf).reshape(-1, evidence.n).any(axis=0)))
    says = evidence.says(sample, {name: graph.branch(name).states for name in evidence.codes})
    if last:
        raise ImpossibleEvidence(
            sample,
            f"{says}, in batch {t}, which no restart that is left holds possible (pseudo-counts, "
            "alpha=.5, would rule nothing out)",
        )
    which = ", ".join(map(str, np.flatnonzero(new)))
    warnings.warn(
        f"sample {sample} of batch {t} has probability zero under restart {which}: {says}. It is "
        "dropped and learns no more; pseudo-counts, alpha=.5, would rule nothing out",
        RuntimeWarning,
        stacklevel=3,
    )
