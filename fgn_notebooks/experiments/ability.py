"""One continuous ability in place of latent classes, for questions that are right or wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def ability_loglik(
    answers: Mapping[str, np.ndarray],
    counts: np.ndarray,
    slope: Sequence[float],
    shift: Sequence[float],
) -> float:
    """The log-likelihood of patterns of answers, 1 for right, that occurred ``counts`` times each.

    Question j is right with probability ``1 / (1 + exp(-(slope[j] z + shift[j])))``, independently
    of the others given the ability z, which has a standard normal density (the two-parameter
    logistic model; Chalmers 2012). The integral over z is a sum over 121 points from -6 to 6.
    """
    z = np.linspace(-6, 6, 121)
    density = np.exp(-(z**2) / 2)
    right = 1 / (1 + np.exp(-np.outer(z, slope) - np.asarray(shift)))
    pattern = np.stack(list(answers.values()), axis=1)[:, None]  # (patterns, 1, questions)
    given = np.where(pattern == 1, right, 1 - right).prod(axis=-1)
    return float(counts @ np.log(given @ density / density.sum()))
