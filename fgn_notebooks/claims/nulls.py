"""Rules that learn nothing, for which a claim about a rule that does well must fail.

They are rules like any other, so that a check can run them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from fgnwidgets import Rule


def uniform_step(theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: Any) -> np.ndarray:
    """The uniform matrix."""
    return np.ones(theta.shape)


def random_step(theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: Any) -> np.ndarray:
    """A random matrix for each run of a batch, the same in each epoch."""
    *runs, m, n = theta.shape
    return _drawn(int(np.prod(runs)), m, n).reshape(theta.shape)


@lru_cache(maxsize=64)
def _drawn(runs: int, m: int, n: int) -> np.ndarray:
    """A matrix for each run; cached, since to draw it takes longer than a step that learns."""
    return np.array([np.random.default_rng([k, m, n]).random((m, n)) for k in range(runs)])


def floor_step(theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: Any) -> np.ndarray:
    """A matrix whose rows all are the average backward message, so X says nothing of Y."""
    counts = (b * weight).sum(axis=-1)[..., None, :]
    return np.broadcast_to(counts, np.broadcast_shapes(counts.shape, theta.shape)).copy()


NULLS = {
    name: Rule(name, step, iterates=True)
    for name, step in (("uniform", uniform_step), ("random", random_step), ("floor", floor_step))
}
