"""Ways to learn that chapter 15 compares with the paper's rules: variational Bayes, annealing,
blocks in turn, and stepwise EM. Each is a :class:`Rule`, or a few lines with public names.

Vocabulary
    split   a table as counts of its different rows; those of all splits are ``(splits, N)``
    start   the matrices with which runs begin, by name ``(runs, M_X, M_Y)``
    heat    a power below one to which annealing raises the shares of a sample, so that they get
            more equal
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fgnwidgets import RULES, BayesGraph, Rule, fit, learn_online, propagate, row_normalize

Matrices = Mapping[str, np.ndarray]

HALF = 0.5
"""The pseudo-count of Jeffreys' prior."""

HEAT = 0.6
"""The heat with which annealing begins."""

POWER, PARTS = 0.7, 10
"""Stepwise EM makes a step after each tenth of the rows; that of step t is (t + 1) ** -0.7."""

SEED = 15


def digamma(x: np.ndarray) -> np.ndarray:
    """The derivative of log gamma at positive numbers, by recurrence and Stirling's series."""
    x = np.asarray(x, dtype=float)
    shift = np.zeros_like(x)
    while np.any(x < 10):  # psi(x) = psi(x + 1) - 1 / x, until the series is exact to 1e-12
        small = x < 10
        shift = shift - np.where(small, 1 / x, 0.0)
        x = np.where(small, x + 1, x)
    y = 1 / x**2
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    found: np.ndarray = shift + np.log(x) - 0.5 / x - series
    return found


def vb_step(
    theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: np.ndarray, *, a: float
) -> np.ndarray:
    """A step of variational Bayes: ``exp(E log theta)`` under the Dirichlet of the counts.

    Such rows sum to less than one, and what is missing is the penalty of a state that few samples
    support. So that rows stay distributions, a block has one more column, which is never observed,
    for what is missing. A source needs none, since there the factor is the same for all states.

    The step is no sum over samples, so it needs all at once: up to 256 different rows.
    """
    counts = RULES["ml"].step(theta, f, b, weight)
    if theta.shape[-2] == 1:
        counts = counts + a
        return np.asarray(np.exp(digamma(counts) - digamma(counts.sum(axis=-1, keepdims=True))))
    counts = counts[..., :-1] + a
    kept = np.exp(digamma(counts) - digamma(counts.sum(axis=-1, keepdims=True)))
    rest = np.maximum(1 - kept.sum(axis=-1, keepdims=True), 0.0)
    return np.concatenate([kept, rest], axis=-1)


VB = Rule("variational Bayes", vb_step, constants={"a": HALF})
"""Variational Bayes as a rule, for a graph whose columns have one more value (``with_rest``)."""


def annealed_step(
    theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: np.ndarray, *, heat: float
) -> np.ndarray:
    """The shares of ML, raised to the power ``heat``, normalised, and summed over samples.

    A sample has a share for each cell. At the source, and at blocks whose b is a delta, as at the
    children of one hidden variable, they are the shares of the hidden states.
    """
    cells = (f[..., :, None, :] * theta[..., None] * b[..., None, :, :]) ** heat
    whole = cells.sum(axis=(-3, -2), keepdims=True)
    shares = cells / np.where(whole > 0, whole, 1.0)
    counts: np.ndarray = (shares * np.expand_dims(weight, -2)).sum(axis=-1)
    return counts


ANNEALING = Rule("annealing", annealed_step, constants={"heat": 1.0})
"""Annealed EM (Ueda and Nakano 1998), for one hidden variable above observed columns."""


def heats(first: float) -> tuple[tuple[float, int], ...]:
    """The heats of annealing with their numbers of epochs; with the last, 1, it is EM."""
    return (first, 20), ((1 + first) / 2, 20), (1.0, 60)


def annealed(
    graph: BayesGraph, rows: Matrices, start: Matrices, learn: np.ndarray, first: float = HEAT
) -> Matrices:
    """The matrices after all heats, one run for each row of ``learn``."""
    theta = start
    for heat, n_epochs in heats(first):
        run = fit(graph, rows, ANNEALING, theta=theta, restarts=len(learn), weight=learn,
                  n_epochs=n_epochs, tol=0, record=(), heat=heat, progress=False)  # fmt: skip
        theta = run.final
    return theta


def in_turn(
    graph: BayesGraph, rows: Matrices, start: Matrices, learn: np.ndarray, n_epochs: int
) -> Matrices:
    """ML with one step in one block after the other, each after a new propagation."""
    theta = dict(start)
    for _ in range(n_epochs):
        for name in theta:
            f, b = propagate(graph, theta, rows).at_block(name)
            counts = RULES["ml"].step(theta[name], f, b, learn[:, None])
            reached = counts.sum(axis=-1, keepdims=True) > 0
            theta[name] = np.where(reached, row_normalize(np.maximum(counts, 1e-300)), theta[name])
    return theta


def stepwise(
    graph: BayesGraph,
    rows: Matrices,
    start: Matrices,
    splits: np.ndarray,
    n_steps: int,
    power: float = POWER,
    parts: int = PARTS,
) -> Matrices:
    """Stepwise EM (``learn_online``): a first step on all rows, then steps on parts of them.

    The first step replaces the start, so that values missing from a part would become impossible.
    """
    runs = len(next(iter(start.values()))) // len(splits)
    ends = []
    for k, split in enumerate(splits):
        first = {name: v[k * runs : (k + 1) * runs] for name, v in start.items()}
        *_, last = learn_online(graph, _parts(rows, split, n_steps, k, parts), theta=first,
                                step=lambda t: (t + 1) ** -power, restarts=runs,
                                weight="Count")  # fmt: skip
        ends.append(last.theta)
    return {name: np.concatenate([end[name] for end in ends]) for name in start}


def _parts(
    rows: Matrices, split: np.ndarray, n_steps: int, number: int, parts: int
) -> Iterator[dict[str, np.ndarray]]:
    """The whole table, then random parts of it, drawn anew after each pass."""
    each = np.repeat(np.arange(len(split)), split.astype(int))
    rng = np.random.default_rng([SEED, number])
    yield _counted(rows, each)
    for step in range(n_steps - 1):
        if step % parts == 0:
            pieces = np.array_split(rng.permutation(each), parts)
        yield _counted(rows, pieces[step % parts])


def _counted(rows: Matrices, each: np.ndarray) -> dict[str, np.ndarray]:
    """The rows with indices ``each``, as different rows with a column of counts."""
    which, counts = np.unique(each, return_counts=True)
    return {name: codes[which] for name, codes in rows.items()} | {"Count": counts}
