"""Several rules on one graph from the same starts, epoch by epoch in one batch (section 7).

Vocabulary
    lane      a rule with its Nit; all lanes have the same rows and starts, so that ``(lanes,
              restarts)`` are the batch axes of every result
    history   an array with an entry for each epoch, epoch 0 first

Each lane by itself is ``fit(graph, table, rule, n_it=..., restarts=..., seed=...)``. Together they
are one run of ``epochs``, which takes a rule for each restart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fgnwidgets import BayesGraph, Epoch, NormalGraph, Rule, epochs

from .tables import union

Lane = tuple[str | Rule, int]
"""A rule, and the number of its steps in an epoch, if it iterates."""

LIKELIHOODS = ("aggregated", "loglik", "test_aggregated", "test_loglik")


@dataclass(frozen=True, eq=False)
class History:
    """Likelihoods ``(epochs, lanes, restarts)``, and matrices with ``(M_X, M_Y)`` behind these.

    The test likelihoods are None without test weights.
    """

    theta: Mapping[str, np.ndarray]
    aggregated: np.ndarray
    loglik: np.ndarray
    test_aggregated: np.ndarray | None
    test_loglik: np.ndarray | None


class Growing:
    """The part that results of several rules share: histories ``loglik[rule]``, still growing."""

    loglik: Mapping[str, np.ndarray]
    n_planned: int

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules."""
        return tuple(self.loglik)

    @property
    def n_epochs(self) -> int:
        """The number of epochs so far, of ``n_planned``."""
        return len(self.loglik[self.rules[0]]) - 1

    @property
    def progress(self) -> tuple[int, int, str]:
        """The part that is done, the whole, and the unit, for a lab."""
        return self.n_epochs, self.n_planned, "epoch"


def lockstep(
    graph: BayesGraph | NormalGraph,
    table: Any,
    lanes: Sequence[Lane],
    *,
    restarts: int = 1,
    seed: int = 0,
    **options: Any,
) -> Iterator[Epoch]:
    """The epochs of all lanes; the axis of restarts is ``lanes * restarts`` long, lane by lane.

    Every lane starts as ``fit(..., restarts=restarts, seed=seed)`` does; ``options`` are those of
    ``epochs``.
    """
    starts = np.random.SeedSequence(seed).spawn(restarts)
    return epochs(
        graph,
        table,
        tuple(rule for rule, _ in lanes for _ in starts),
        n_it=tuple(n_it for _, n_it in lanes for _ in starts),
        seed=starts * len(lanes),
        **options,
    )


def many_tables(
    graph: BayesGraph | NormalGraph,
    tables: Sequence[Mapping[str, np.ndarray]],
    lanes: Sequence[Lane],
    *,
    seeds: Sequence[int],
    n_epochs: int,
    start: str = "messages",
    train: Sequence[np.ndarray] | None = None,
    test: Sequence[np.ndarray] | None = None,
    **constants: Any,
) -> Iterator[Epoch]:
    """The epochs of all lanes on many tables, ``(lanes * tables, ...)``: one run on their union.

    Each table has a seed of its own, and learns as in ``lockstep(graph, table, lanes, seed=seed)``.
    ``train`` and ``test`` are weights of the rows of each table.
    """
    rows, weight = union(tables, train)
    options: dict[str, Any] = {"weight": np.tile(weight, (len(lanes), 1)), **constants}
    if test is not None:
        options["test_weight"] = np.tile(union(tables, test)[1], (len(lanes), 1))
    rules = tuple(rule for rule, _ in lanes for _ in tables)
    n_its = tuple(n_it for _, n_it in lanes for _ in tables)
    if start != "messages":
        yield from epochs(graph, rows, rules, n_it=n_its, seed=[*seeds] * len(lanes),
                          n_epochs=n_epochs, start=start, **options)  # fmt: skip
        return
    # Random messages are drawn for the rows of each table by itself, so the first epoch is run
    # table by table, and the run on the union begins with its matrices.
    first, second = zip(
        *(
            lockstep(graph, table, lanes, seed=seed, n_epochs=1, start=start, **constants,
                     weight=None if train is None else train[k])
            for k, (table, seed) in enumerate(zip(tables, seeds, strict=True))
        ),
        strict=True,
    )  # fmt: skip
    for n, begun, left in ((0, first, 0), (1, second, n_epochs - 1)):
        if left >= 0:
            theta = {name: _lane_by_lane([e.theta[name] for e in begun]) for name in begun[0].theta}
            for state in epochs(graph, rows, rules, n_it=n_its, n_epochs=left, theta=theta,
                                **options):  # fmt: skip
                yield state._replace(n=state.n + n)


def _lane_by_lane(matrices: Sequence[np.ndarray]) -> np.ndarray:
    """From arrays ``(lanes, ...)``, one for each table, to ``(lanes * tables, ...)``."""
    return np.concatenate(np.stack(matrices, axis=1))


def growing(
    states: Iterator[Epoch], lanes: int, n_epochs: int, due: Callable[[int], bool]
) -> Iterator[History]:
    """The history so far, at every epoch that is ``due`` and at the end.

    The arrays are allocated once in their final size; each result is a view of their beginning.
    """
    whole: dict[str, np.ndarray] = {}
    for state in states:
        if not whole:
            for name in LIKELIHOODS:
                if (v := getattr(state, name)) is not None:
                    whole[name] = np.empty((n_epochs + 1, *v.shape))
            matrices = {n: np.empty((n_epochs + 1, *v.shape)) for n, v in state.theta.items()}
        for name, kept in whole.items():
            kept[state.n] = getattr(state, name)
        for name, v in state.theta.items():
            matrices[name][state.n] = v
        if state.n == n_epochs or due(state.n):
            length = state.n + 1
            so_far = {name: v[:length].reshape(length, lanes, -1) for name, v in whole.items()}
            yield History(
                {
                    name: v[:length].reshape(length, lanes, -1, *v.shape[2:])
                    for name, v in matrices.items()
                },
                so_far["aggregated"],
                so_far["loglik"],
                so_far.get("test_aggregated"),
                so_far.get("test_loglik"),
            )


def by_rule(values: np.ndarray, rules: Sequence[Rule]) -> dict[str, np.ndarray]:
    """Histories ``(epochs, lanes, ...)`` by the name of each lane's rule."""
    return {rule.name: values[:, k] for k, rule in enumerate(rules)}


def matrices_by_rule(
    theta: Mapping[str, np.ndarray], rules: Sequence[Rule]
) -> dict[str, dict[str, np.ndarray]]:
    """By rule, matrix -> ``(epochs, restarts, M_X, M_Y)``."""
    return {rule.name: {name: v[:, k] for name, v in theta.items()} for k, rule in enumerate(rules)}


def first_restart(
    theta: Mapping[str, np.ndarray], rules: Sequence[Rule]
) -> dict[str, dict[str, np.ndarray]]:
    """By rule, matrix -> ``(epochs, M_X, M_Y)`` of the first restart."""
    return {
        rule: {name: v[:, 0] for name, v in own.items()}
        for rule, own in matrices_by_rule(theta, rules).items()
    }
