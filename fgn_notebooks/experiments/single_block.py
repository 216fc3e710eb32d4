"""One block that learns from random messages (section 6, figures 9 and 10).

Vocabulary
    EX, EY      exponents that sharpen the messages: with 1 they are smooth, with 50 nearly deltas
    contender   a rule, or "reference", the random matrix that the paper calls ref
    train       the samples that are learned from: all, or with ``split`` the first half
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

import fgnwidgets
from fgnwidgets import Rule, block_loglik, iterate, row_normalize, sharpen

from .words import NAMES, PAPERS, number, text_table

FOUR = {name: fgnwidgets.RULES[name] for name in PAPERS}
CONTENDERS = (*PAPERS, "reference")


@dataclass(frozen=True, eq=False)
class OneBlock:
    """A run of figure 9.

    ``f``, ``b``      the messages, ``(M_X, N)`` and ``(M_Y, N)``; the first ``n_train`` train
    ``theta``         contender -> ``(iterations, M_X, M_Y)``, from the uniform matrix on; those
                      that do not iterate have one matrix
    ``loglik``        contender -> ``(iterations,)``, of the training samples
    ``test_loglik``   the same of the others, None without a split
    """

    ex: float
    ey: float
    f: np.ndarray
    b: np.ndarray
    n_train: int
    theta: Mapping[str, np.ndarray]
    loglik: Mapping[str, np.ndarray]
    test_loglik: Mapping[str, np.ndarray] | None

    @property
    def ranking(self) -> tuple[str, ...]:
        """The contenders by their final likelihood, the largest first."""
        return tuple(sorted(CONTENDERS, key=lambda name: -self.loglik[name][-1]))

    def table(self) -> dict[str, np.ndarray]:
        """Likelihoods and coefficients, a row for each iteration; single values are repeated."""
        steps = len(self.loglik["ml"])
        columns = {"iteration": np.arange(steps)}
        for name in CONTENDERS:
            columns[f"loglik_{name}"] = _long(self.loglik[name], steps)
            if self.test_loglik is not None:
                columns[f"test_loglik_{name}"] = _long(self.test_loglik[name], steps)
        for name in CONTENDERS:
            for i, j in np.ndindex(self.theta[name].shape[1:]):
                columns[f"theta_{name}_{i + 1}{j + 1}"] = _long(self.theta[name][:, i, j], steps)
        return columns

    def facts(self) -> str:
        """Final likelihoods and the range of the coefficients, the largest likelihood first."""
        header = ["rule", "log-lik", "smallest", "largest"]
        if self.test_loglik is not None:
            header.insert(2, "test")
        rows = []
        for name in self.ranking:
            last = self.theta[name][-1]
            row = [
                NAMES[name],
                number(self.loglik[name][-1]),
                number(last.min()),
                number(last.max()),
            ]
            if self.test_loglik is not None:
                row.insert(2, number(self.test_loglik[name][-1]))
            rows.append(row)
        return text_table(header, rows)


def one_block(
    *,
    m_x: int = 3,
    m_y: int = 3,
    n: int = 200,
    ex: float = 1.0,
    ey: float = 1.0,
    n_iterations: int = 100,
    seed: int = 0,
    split: bool = False,
) -> OneBlock:
    """The matrices that each rule learns from random messages (figures 9 and 10)."""
    f, b, reference = (v[0] for v in draw_messages(m_x, m_y, n, ex, ey, [seed]))
    n_train = train_size(n, split)
    theta = learned(f[:, :n_train], b[:, :n_train], n_iterations)
    theta["reference"] = reference[None]
    return OneBlock(
        ex=ex,
        ey=ey,
        f=f,
        b=b,
        n_train=n_train,
        theta=theta,
        loglik={k: block_loglik(v, f[:, :n_train], b[:, :n_train]) for k, v in theta.items()},
        test_loglik={k: block_loglik(v, f[:, n_train:], b[:, n_train:]) for k, v in theta.items()}
        if split
        else None,
    )


def learned(
    f: np.ndarray, b: np.ndarray, n_iterations: int, rules: Mapping[str, Rule] = FOUR
) -> dict[str, np.ndarray]:
    """The matrices of every rule, ``(iterations, ..., M_X, M_Y)``, from the uniform matrix on.

    A rule that does not iterate has only one matrix.
    """
    m_x, m_y = f.shape[-2], b.shape[-2]
    uniform = np.full((*f.shape[:-2], m_x, m_y), 1 / m_y)
    theta = {}
    for name, rule in rules.items():
        if rule.iterates:
            theta[name] = np.stack(list(iterate(rule, uniform, f, b, n_it=n_iterations)))
        else:
            *_, counted = iterate(rule, uniform, f, b)
            theta[name] = counted[None]
    return theta


def each_rule(
    f: np.ndarray,
    b: np.ndarray,
    start: np.ndarray | None = None,
    *,
    n_it: int = 1,
    weight: ArrayLike | None = None,
    alpha: float = 0.0,
) -> dict[str, np.ndarray]:
    """The matrix with which each of the paper's rules ends, under its name in a text.

    ``f`` is ``(..., M_X, N)`` and ``b`` ``(..., M_Y, N)``. ML and KL take ``n_it`` steps from
    ``start``, by default the uniform matrix; VIT and VAR count once. ``alpha`` is a pseudo-count in
    every cell for ML.
    """
    m_x, m_y = f.shape[-2], b.shape[-2]
    first = np.full((*f.shape[:-2], m_x, m_y), 1 / m_y) if start is None else start
    ends = {}
    for name, rule in FOUR.items():
        more = {"alpha": alpha} if alpha and name == "ml" else {}
        steps = n_it if rule.iterates else 1
        *_, ends[NAMES[name]] = iterate(rule, first, f, b, weight, n_it=steps, **more)
    return ends


def draw_messages(
    m_x: int, m_y: int, n: int, ex: float, ey: float, seeds: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Messages f ``(seeds, M_X, N)``, b ``(seeds, M_Y, N)``, and matrices ``(seeds, M_X, M_Y)``.

    Each of the three has a generator of its own, so that a larger N keeps the first samples.
    """
    if min(m_x, m_y, n) < 1:
        raise ValueError(f"m_x={m_x}, m_y={m_y}, n={n}: expected at least 1 of each")
    us, vs, references = [], [], []
    for seed in seeds:
        for_f, for_b, for_reference = np.random.SeedSequence(seed).spawn(3)
        us.append(np.random.default_rng(for_f).random((n, m_x)).T)
        vs.append(np.random.default_rng(for_b).random((n, m_y)).T)
        references.append(np.random.default_rng(for_reference).random((m_x, m_y)))
    f, b = sharpen(np.stack(us), ex), sharpen(np.stack(vs), ey)
    return f, b, row_normalize(np.stack(references))


def train_size(n: int, split: bool) -> int:
    """The number of ``n`` samples that train."""
    if split and n < 2:
        raise ValueError(f"n is {n}: expected at least 2 samples to split")
    return n // 2 if split else n


def _long(values: np.ndarray, steps: int) -> np.ndarray:
    """A value for each step; a single one is repeated."""
    return np.broadcast_to(values, (steps,)) if len(values) == 1 else values
