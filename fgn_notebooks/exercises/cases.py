"""Cases on which a repaired function is tried."""

import numpy as np

from fgnwidgets import normalize


def block(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A matrix of two rows and three columns with six samples of messages: theta, f, b."""
    rng = np.random.default_rng(seed)
    f, b = normalize(rng.random((2, 6))), normalize(rng.random((3, 6)))
    return rng.dirichlet(np.ones(3), 2), f, b
