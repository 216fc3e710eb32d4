"""The messages on which the claims about a single block are checked (sections 3 to 6).

Vocabulary
    independent   the paper's messages: f and b are drawn independently
    dependent     our messages: pairs (f, b) are drawn with a density in proportion to
                  ``f^T theta b`` for a generative matrix, so that there is something to learn
    floor         the likelihood of the best matrix with equal rows, in which X says nothing of Y
    gain          the likelihood of a matrix minus the floor
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fgnwidgets import Rule, block_loglik, iterate, row_normalize, sharpen

from ..experiments.single_block import draw_messages, train_size
from ..experiments.words import PAPERS
from .ledger import Cast

SEEDS = 200
SWEPT = 40
ITERATIONS = 100


@dataclass(frozen=True)
class Messages:
    """The case of a check about a block: how its messages are drawn; ``exponent`` is EX = EY."""

    exponent: float = 1.0
    n: int = 200
    m_x: int = 3
    m_y: int = 3
    dependent: bool = False
    split: bool = False
    seeds: int = SEEDS
    n_iterations: int = ITERATIONS
    options: tuple[tuple[str, str | float], ...] = ()


@dataclass(frozen=True, eq=False)
class Learned:
    """The results of learning, by part, and "reference" for a random matrix.

    ``curves``        ``(iterations, seeds)``, likelihoods of the messages learned from
    ``loglik``        ``(seeds,)``, the last of these
    ``test_curves``   ``(iterations, seeds)``, likelihoods of the other half; empty without a split
    ``test_loglik``   ``(seeds,)``, the last of these, NaN without a split
    ``theta``         ``(seeds, M_X, M_Y)``, the last matrices
    ``floor``, ``test_floor``   ``(seeds,)``, the floor, and its matrix's likelihood of the other
                      half
    """

    curves: Mapping[str, np.ndarray]
    loglik: Mapping[str, np.ndarray]
    test_curves: Mapping[str, np.ndarray]
    test_loglik: Mapping[str, np.ndarray]
    theta: Mapping[str, np.ndarray]
    floor: np.ndarray
    test_floor: np.ndarray

    def gain(self, part: str) -> np.ndarray:
        """The gain, ``(seeds,)``."""
        return np.asarray(self.loglik[part] - self.floor)

    def spread(self, part: str) -> np.ndarray:
        """The largest coefficient minus the smallest."""
        v = self.theta[part]
        return np.asarray(v.max(axis=(-2, -1)) - v.min(axis=(-2, -1)))


@lru_cache(maxsize=256)
def learned(messages: Messages, cast: Cast) -> Learned:
    """The matrices that the rules of a cast learn from the messages, from the uniform matrix on."""
    f, b, reference = drawn(messages)
    n_train = train_size(messages.n, messages.split)
    ft, bt = f[..., :n_train], b[..., :n_train]
    fs, bs = f[..., n_train:], b[..., n_train:]
    uniform = np.full((len(f), messages.m_x, messages.m_y), 1 / messages.m_y)
    floor = floor_matrix(bt, messages.m_x)
    curves, test_curves, theta = {}, {}, {"reference": reference}
    for part, rule in zip(PAPERS, cast, strict=True):
        values, tested = [], []
        for matrix in iterate(rule, uniform, ft, bt, n_it=_steps(rule, messages),
                              **_options(rule, messages)):  # fmt: skip
            values.append(block_loglik(matrix, ft, bt))
            if messages.split:
                tested.append(block_loglik(matrix, fs, bs))
            theta[part] = matrix
        curves[part], test_curves[part] = np.array(values), np.array(tested)
    ends = {k: block_loglik(v, fs, bs) for k, v in theta.items()} if messages.split else {}
    nothing = np.full(len(f), np.nan)
    return Learned(
        curves=curves,
        loglik={k: block_loglik(v, ft, bt) for k, v in theta.items()},
        test_curves=test_curves if messages.split else {},
        test_loglik=ends or dict.fromkeys(theta, nothing),
        theta=theta,
        floor=block_loglik(floor, ft, bt),
        test_floor=block_loglik(floor, fs, bs) if messages.split else nothing,
    )


def _steps(rule: Rule, messages: Messages) -> int:
    return messages.n_iterations if rule.iterates else 1


def _options(rule: Rule, messages: Messages) -> dict[str, str | float]:
    takes = (*rule.constants, *rule.pseudo_counts)
    return {name: value for name, value in messages.options if name in takes}


def floor_matrix(b: np.ndarray, m_x: int) -> np.ndarray:
    """The likeliest matrix with equal rows, ``(seeds, m_x, M_Y)``, by ML with a constant input."""
    one = np.ones((*b.shape[:-2], 1, b.shape[-1]))
    row = np.full((*b.shape[:-2], 1, b.shape[-2]), 1 / b.shape[-2])
    *_, best = iterate("ml", row, one, b, n_it=ITERATIONS)
    return np.repeat(best, m_x, axis=-2)


def drawn(messages: Messages) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Messages ``(seeds, M, N)``, and a random matrix for each seed, ``(seeds, M_X, M_Y)``."""
    m = messages
    if not m.dependent:
        return draw_messages(m.m_x, m.m_y, m.n, m.exponent, m.exponent, range(m.seeds))
    f, b, reference = zip(*(_dependent(m, seed) for seed in range(m.seeds)), strict=True)
    return np.stack(f), np.stack(b), np.stack(reference)


def generative(m_x: int, m_y: int, seed: int) -> np.ndarray:
    """A generative matrix: random entries raised to the fourth power, as in section 7.2."""
    return row_normalize(np.random.default_rng([seed, 1]).random((m_x, m_y)) ** 4)


def _dependent(m: Messages, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Dependent pairs by rejection: drawn as in section 6, kept with chance ``f^T theta b``."""
    rng, theta = np.random.default_rng([seed, 2]), generative(m.m_x, m.m_y, seed)
    fs, bs, kept = [], [], 0
    while kept < m.n:
        f = sharpen(rng.random((m.m_x, 4 * m.n)), m.exponent)
        b = sharpen(rng.random((m.m_y, 4 * m.n)), m.exponent)
        taken = rng.random(4 * m.n) < (f * (theta @ b)).sum(axis=0)
        fs.append(f[:, taken])
        bs.append(b[:, taken])
        kept += int(taken.sum())
    reference = row_normalize(rng.random((m.m_x, m.m_y)))
    return np.hstack(fs)[:, : m.n], np.hstack(bs)[:, : m.n], reference
