"""The runs that the claims are checked on: many seeds in one batched call each.

Vocabulary
    seed     draws the messages or the table, and the start: nothing is shared between two seeds
    lane     a rule with its Nit (``experiments.lockstep``)
    turn     a coefficient moves by more than 0.05 in one epoch, and back by as much in the next

A batch is computed when a claim first asks for it, and kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fgnwidgets import RULES, Epoch, independent

from .. import paper
from ..experiments import deeper_graph, hidden_variable, one_block_ranking
from ..experiments.lockstep import History, Lane, growing, lockstep, many_tables
from ..experiments.many_blocks import Ranking

SEEDS = 200
FOUR: tuple[Lane, ...] = tuple((rule, 3) for rule in RULES)
ML, KL, VIT, VAR = range(4)
LIKE = 0.01
"""Likelihoods within a hundredth of each other are called alike."""

NITS: tuple[Lane, ...] = tuple(("ml", n_it) for n_it in paper.NITS)


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
    states = many_tables(
        paper.one_hidden_graph(m_s), tables, lanes, seeds=range(SEEDS),
        n_epochs=paper.ONE_HIDDEN_NE, train=None if train is None else [train] * SEEDS,
        test=None if train is None else [1 - train] * SEEDS,
    )  # fmt: skip
    return ended(states, len(lanes), paper.ONE_HIDDEN_NE)


def ended(states: Iterator[Epoch], lanes: int, n_epochs: int) -> History:
    """The whole history."""
    return deque(growing(states, lanes, n_epochs, lambda _: False), maxlen=1).pop()


@lru_cache
def starts(m_s: int = 4, n_it: int = 3) -> History:
    """Section 7.1 with one table and 200 starts, ML only."""
    table = hidden_variable.samples(400, 0)
    graph = paper.one_hidden_graph(m_s)
    states = lockstep(
        graph, table, [("ml", n_it)], restarts=SEEDS, n_epochs=paper.ONE_HIDDEN_NE,
        start="messages",
    )  # fmt: skip
    return ended(states, 1, paper.ONE_HIDDEN_NE)


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
    aggregated: list[np.ndarray] = []
    tested: list[np.ndarray] = []
    snapshots: dict[int, Mapping[str, np.ndarray]] = {}
    shape = (len(FOUR), SEEDS)
    window: deque[np.ndarray] = deque(maxlen=3)
    made: np.ndarray | float = 0.0
    for state in many_tables(
        paper.forest_graph(), tables, FOUR, seeds=range(SEEDS), n_epochs=FOREST_NE,
        train=[train] * SEEDS, test=[1 - train] * SEEDS,
    ):  # fmt: skip
        theta = {name: v.reshape(*shape, *v.shape[1:]) for name, v in state.theta.items()}
        aggregated.append(state.aggregated.reshape(shape))
        assert state.test_aggregated is not None
        tested.append(state.test_aggregated.reshape(shape))
        if state.n in SNAPSHOTS:
            snapshots[state.n] = theta
        if state.n > 0:
            window.append(coefficients(theta, deeper_graph.BLOCKS))
        if len(window) == 3:
            made = made + turning(np.stack(window))[0]
    return Forests(np.stack(aggregated), np.stack(tested), snapshots, np.asarray(made).max(axis=-1))


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
