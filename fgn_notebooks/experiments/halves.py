"""Four rules that learn a block from one half of its messages and are judged on both (section 6).

Vocabulary
    gain   the log-likelihood above that of the uniform matrix, in nats per 1000 samples
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fgnwidgets import block_loglik

from .single_block import each_rule


@dataclass(frozen=True, eq=False)
class Halves:
    """The gains of each rule, ``(sets,)``, on the half learned from and on the other half."""

    training: Mapping[str, np.ndarray]
    test: Mapping[str, np.ndarray]

    @property
    def means(self) -> dict[str, tuple[float, float]]:
        """By rule, the gain on the training half and on the test half, on average over the sets."""
        return {
            rule: (float(gain.mean()), float(self.test[rule].mean()))
            for rule, gain in self.training.items()
        }

    @property
    def ml_best(self) -> float:
        """The share of the sets in which ML gains most on the test half."""
        gains = np.stack([self.test["ML"], *(v for k, v in self.test.items() if k != "ML")])
        return float((gains.argmax(axis=0) == 0).mean())


def on_halves(f: np.ndarray, b: np.ndarray, *, n_it: int = 100, alpha: float = 0.0) -> Halves:
    """Each rule learns from the first half of every set of messages.

    ``f`` is ``(sets, M_X, N)`` and ``b`` ``(sets, M_Y, N)``. ``n_it`` is the number of steps of ML
    and KL, ``alpha`` a pseudo-count in every cell for ML.
    """
    half = f.shape[-1] // 2
    learned = each_rule(f[..., :half], b[..., :half], n_it=n_it, alpha=alpha)
    uniform = np.log(1 / b.shape[-2])
    training, test = (
        {
            rule: 1000 * (block_loglik(theta, f[..., part], b[..., part]) / half - uniform)
            for rule, theta in learned.items()
        }
        for part in (slice(half), slice(half, 2 * half))
    )
    return Halves(training, test)
