"""What learning leaves behind: the states of all epochs, side by side.

Vocabulary
    history   one entry per epoch, epoch 0 first
    lanes     the rules side by side; a lane's values have an axis of seeds
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .together import State

LIKELIHOODS = ("aggregated", "loglik", "test_aggregated", "test_loglik")


@dataclass(frozen=True, eq=False)
class History:
    """States side by side: ``(epochs, lanes, seeds)``, matrices ``(..., M_X, M_Y)`` behind that."""

    theta: Mapping[str, np.ndarray]
    aggregated: np.ndarray
    loglik: np.ndarray
    test_aggregated: np.ndarray | None
    test_loglik: np.ndarray | None


def history(states: Iterator[State], *, theta: bool = True) -> History:
    """Run to the end; without ``theta`` only the last matrices are kept, as a single entry."""
    kept: list[State] = []
    last: Mapping[str, np.ndarray] = {}
    matrices: dict[str, list[np.ndarray]] = {}
    for state in states:
        kept.append(state)
        last = state.theta
        if theta:
            for name, v in last.items():
                matrices.setdefault(name, []).append(v)
    return History(
        theta={name: np.stack(matrices[name] if theta else [v]) for name, v in last.items()},
        aggregated=np.stack([s.aggregated for s in kept]),
        loglik=np.stack([s.loglik for s in kept]),
        test_aggregated=_stacked([s.test_aggregated for s in kept]),
        test_loglik=_stacked([s.test_loglik for s in kept]),
    )


def growing(
    states: Iterator[State], n_epochs: int, due: Callable[[int], bool]
) -> Iterator[History]:
    """The history at every epoch that is ``due``, and at the end.

    It lies in arrays of its final size, of which each result is the beginning.
    """
    whole: dict[str, np.ndarray] = {}
    for state in states:
        said = {f"theta {name}": v for name, v in state.theta.items()}
        said |= {name: getattr(state, name) for name in LIKELIHOODS}
        for name, v in said.items():
            if v is not None:
                whole.setdefault(name, np.empty((n_epochs + 1, *v.shape)))[state.n] = v
        if state.n == n_epochs or due(state.n):
            so_far = {name: v[: state.n + 1] for name, v in whole.items()}
            yield History(
                {name: so_far[f"theta {name}"] for name in state.theta},
                *(so_far.get(name) for name in LIKELIHOODS),
            )


def by_rule(values: np.ndarray, rules: Sequence[str]) -> dict[str, np.ndarray]:
    """Histories ``(epochs, lanes, ...)`` by the rules of the lanes."""
    return {rule: values[:, k] for k, rule in enumerate(rules)}


def one_seed(
    theta: Mapping[str, np.ndarray], rules: Sequence[str], seed: int = 0
) -> dict[str, dict[str, np.ndarray]]:
    """The matrices of one seed by rule: matrix -> ``(epochs, M_X, M_Y)``."""
    return {
        rule: {name: v[:, k, seed] for name, v in theta.items()} for k, rule in enumerate(rules)
    }


def _stacked(rows: list[np.ndarray | None]) -> np.ndarray | None:
    return None if rows[0] is None else np.stack([row for row in rows if row is not None])
