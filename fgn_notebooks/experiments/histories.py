"""What learning leaves behind: the states of all epochs, side by side.

Vocabulary
    history   one entry per epoch, epoch 0 first
    curves    the histories of one seed by rule, as far as they have come
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .together import State


@dataclass(frozen=True, eq=False)
class History:
    """States side by side: an epoch axis before the lanes; ``theta`` as it was asked for."""

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


@dataclass(frozen=True, eq=False)
class Curves:
    """The epochs of one seed that are there so far, by rule: ``(epochs,)``, matrices by epoch."""

    n: int
    aggregated: Mapping[str, np.ndarray]
    loglik: Mapping[str, np.ndarray]
    theta: Mapping[str, Mapping[str, np.ndarray]]


def growing(
    states: Iterator[State], rules: Sequence[str], n_epochs: int, due: Callable[[int], bool]
) -> Iterator[Curves]:
    """The curves at every epoch that is ``due``, and at the end.

    The histories lie in arrays of their final size, of which each result is the beginning.
    """
    aggregated, loglik = np.empty((n_epochs + 1, len(rules))), np.empty((n_epochs + 1, len(rules)))
    theta: dict[str, np.ndarray] = {}
    for state in states:
        n = state.n
        aggregated[n], loglik[n] = state.aggregated[:, 0], state.loglik[:, 0]
        for name, matrices in state.theta.items():
            if n == 0:
                theta[name] = np.empty((n_epochs + 1, *matrices[:, 0].shape))
            theta[name][n] = matrices[:, 0]
        if n == n_epochs or due(n):
            lanes = {rule: (slice(0, n + 1), k) for k, rule in enumerate(rules)}
            yield Curves(
                n,
                {rule: aggregated[at] for rule, at in lanes.items()},
                {rule: loglik[at] for rule, at in lanes.items()},
                {r: {name: v[at] for name, v in theta.items()} for r, at in lanes.items()},
            )


def _stacked(rows: list[np.ndarray | None]) -> np.ndarray | None:
    return None if rows[0] is None else np.stack([row for row in rows if row is not None])
