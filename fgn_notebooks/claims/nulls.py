"""Rules that learn nothing: what a claim about a rule that does well must not say of these.

Their steps return what was there before any message came, so that a check runs them as any rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fgnwidgets import Rule


def uniform_step(theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: Any) -> np.ndarray:
    """The uniform matrix."""
    return np.ones(theta.shape)


def random_step(theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: Any) -> np.ndarray:
    """A random matrix, another for each run of a batch, the same in each epoch."""
    runs = theta.reshape(-1, *theta.shape[-2:])
    drawn = [np.random.default_rng([k, *m.shape]).random(m.shape) for k, m in enumerate(runs)]
    return np.reshape(drawn, theta.shape)


def floor_step(theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: Any) -> np.ndarray:
    """Every row the average of the backward messages: the input tells nothing about the output."""
    counts = (b * weight).sum(axis=-1)[..., None, :]
    return np.broadcast_to(counts, np.broadcast_shapes(counts.shape, theta.shape)).copy()


NULLS = {
    name: Rule(name, step, iterates=True)
    for name, step in (("uniform", uniform_step), ("random", random_step), ("floor", floor_step))
}
