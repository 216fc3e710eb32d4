"""The runs that the claims are checked on: many seeds in one batched call each.

Vocabulary
    seed     draws the messages or the table, and the start: nothing is shared between two seeds
    lane     a rule with its Nit (``experiments.together``)
    turn     a coefficient moves by more than 0.05 in one epoch, and back by as much in the next

A batch is computed when a claim first asks for it, and kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fgnwidgets import independent

from .. import paper
from ..experiments import deeper_graph, hidden_variable, one_block_ranking
from ..experiments.histories import History, history
from ..experiments.many_blocks import Ranking
from ..experiments.together import Lane, generators, learn

SEEDS = 200
FOUR = (Lane("ml", 3), Lane("kl", 3), Lane("vit"), Lane("var"))
ML, KL, VIT, VAR = range(4)
LIKE = 0.01
"""Likelihoods within a hundredth of each other are called alike."""

NITS = tuple(Lane("ml", n_it) for n_it in paper.NITS)


@lru_cache
def blocks(exponent: float = 1.0, n: int = 200, split: bool = False) -> Ranking:
    """Single blocks of section 6, 3 by 3, both messages sharpened alike."""
    return one_block_ranking(n=n, ex=exponent, ey=exponent, split=split, n_seeds=SEEDS)


@lru_cache
def hidden(
    m_s: int = 4, n: int = 400, lanes: tuple[Lane, ...] = FOUR, split: bool = False
) -> History:
    """Section 7.1 from the paper's start, a table for each seed; axes (epochs, lanes, seeds)."""
    tables = [hidden_variable.samples(n, seed) for seed in range(SEEDS)]
    train = (np.arange(n) < n // 2).astype(float) if split else None
    return history(
        learn(
            paper.one_hidden_graph(m_s), tables, lanes, first_generators(),
            n_epochs=paper.ONE_HIDDEN_NE, train=train, test=None if train is None else 1 - train,
        )
    )  # fmt: skip


@lru_cache
def starts(m_s: int = 4, n_it: int = 3) -> History:
    """Section 7.1 with one table and 200 starts, ML only."""
    table = hidden_variable.samples(400, 0)
    rngs = generators(0, SEEDS)
    graph = paper.one_hidden_graph(m_s)
    states = learn(graph, [table], [Lane("ml", n_it)], rngs, n_epochs=paper.ONE_HIDDEN_NE)
    return history(states, theta=False)


@lru_cache
def floors(n: int = 400) -> np.ndarray:
    """The independence model's log-likelihood of every table of :func:`hidden`."""
    graph = paper.one_hidden_graph()
    return np.array([independent(graph, hidden_variable.samples(n, s)) for s in range(SEEDS)])


@dataclass(frozen=True, eq=False)
class Forests:
    """Section 7.2 over many generative models: likelihoods ``(epochs, lanes, seeds)``.

    ``snapshots[epoch]`` are the matrices ``(lanes, seeds, M_X, M_Y)``; ``turns`` is
    ``(lanes, seeds)``, the most that a coefficient of the five blocks has made.
    """

    aggregated: np.ndarray
    test_aggregated: np.ndarray
    snapshots: Mapping[int, Mapping[str, np.ndarray]]
    turns: np.ndarray


FOREST_NE = 200
SNAPSHOTS = (1, 20, FOREST_NE)


@lru_cache
def forests() -> Forests:
    """The deeper graph: 100 rows to learn from and 100 to test on, 200 epochs.

    Each seed has a generative model and a table of its own. A third of the paper's 600 epochs keeps
    this within some twenty seconds.
    """
    n = 2 * paper.FOREST_N
    tables = [deeper_graph.samples(n, seed)[0] for seed in range(SEEDS)]
    train = (np.arange(n) < paper.FOREST_N).astype(float)
    aggregated, tested, snapshots = [], [], {}
    window: deque[np.ndarray] = deque(maxlen=3)
    made: np.ndarray | float = 0.0
    for state in learn(
        paper.forest_graph(), tables, FOUR, first_generators(), n_epochs=FOREST_NE, train=train,
        test=1 - train,
    ):  # fmt: skip
        aggregated.append(state.aggregated)
        tested.append(state.test_aggregated)
        if state.n in SNAPSHOTS:
            snapshots[state.n] = dict(state.theta)
        if state.n > 0:
            window.append(coefficients(state.theta, deeper_graph.BLOCKS))
        if len(window) == 3:
            made = made + turning(np.stack(window))[0]
    return Forests(np.stack(aggregated), np.stack(tested), snapshots, np.asarray(made).max(axis=-1))


def first_generators() -> list[np.random.Generator]:
    """The generator of ``fit(..., seed=s, restarts=1)`` for every seed s."""
    return [generators(seed, 1)[0] for seed in range(SEEDS)]


def coefficients(theta: Mapping[str, np.ndarray], names: tuple[str, ...]) -> np.ndarray:
    """The matrices of these names side by side, flat: ``(..., coefficients)``."""
    return np.concatenate([theta[n].reshape(*theta[n].shape[:-2], -1) for n in names], axis=-1)


def turning(history: np.ndarray, step: float = 0.05) -> np.ndarray:
    """Where a history ``(epochs, ...)`` turns, ``(epochs - 2, ...)``."""
    moves = np.diff(history, axis=0)
    wide = np.minimum(np.abs(moves[1:]), np.abs(moves[:-1])) > step
    return wide & (moves[1:] * moves[:-1] < 0)


def turns(theta: Mapping[str, np.ndarray]) -> np.ndarray:
    """The most turns a coefficient of section 7.1 makes from epoch 1 on, ``(lanes, seeds)``."""
    values = coefficients(theta, hidden_variable.BLOCKS)[1:]
    return turning(values).sum(axis=0).max(axis=-1)


def lead(finals: np.ndarray) -> np.ndarray:
    """Which seeds have ML and KL both above VIT and VAR, from ``(lanes, seeds)``."""
    return finals[[ML, KL]].min(axis=0) > finals[[VIT, VAR]].max(axis=0)


def alike(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Within a hundredth of each other."""
    return np.abs(one - two) < LIKE * np.abs(one)


def to_go(values: np.ndarray) -> np.ndarray:
    """From ``(begin, middle, end)``: the distance from middle to end over that from the begin."""
    whole = np.linalg.norm(values[2] - values[0], axis=-1)
    return np.linalg.norm(values[2] - values[1], axis=-1) / np.where(whole, whole, 1)
