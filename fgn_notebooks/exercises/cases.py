"""Cases for the tests of functions."""

import numpy as np

from fgnwidgets import normalize


def block(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arguments ``(theta, f, b)`` of a rule: a matrix ``(2, 3)`` and messages of six samples."""
    rng = np.random.default_rng(seed)
    f, b = normalize(rng.random((2, 6))), normalize(rng.random((3, 6)))
    return rng.dirichlet(np.ones(3), 2), f, b
