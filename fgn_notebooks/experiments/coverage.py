"""The coverage of a region of nine tenths of a density, by the true matrix (section 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bayesian import bayesian_block, level_of


def coverage(
    rows: Sequence[tuple[float, float]] | np.ndarray,
    exponent: float,
    *,
    mass: float = 0.9,
    grid: int = 61,
) -> dict[str, float]:
    """The share of true matrices that lie in the region of each density, and the regions' size.

    ``rows`` has the first entries (p, q) of the two rows of each true matrix; messages of the given
    ``exponent`` are drawn for each, with a seed of their own. The region of a density is where it
    is highest, with the share ``mass`` of its mass. ``"size of the exact region"`` is its mean
    share of the square of all matrices.
    """
    held: dict[str, list[bool]] = {"exact": [], "variational": []}
    sizes = []
    for seed, (p, q) in enumerate(rows):
        truth = [[p, 1 - p], [q, 1 - q]]
        block = bayesian_block(exponent=exponent, seed=seed, truth=truth, grid=grid)
        cell = int(p * grid), int(q * grid)
        for name, density in (("exact", block.exact), ("variational", block.variational)):
            held[name].append(bool(density[cell] >= level_of(density, mass)))
        sizes.append((block.exact >= level_of(block.exact, mass)).mean())
    shares = {name: float(np.mean(found)) for name, found in held.items()}
    return shares | {"size of the exact region": float(np.mean(sizes))}
