"""What chapter 15 sets beside the paper's rules: variational Bayes, annealing, blocks in turn, and
stepwise EM. Each is a rule of a reader's own, or a few lines of public names.

Vocabulary
    deal      one table of counts, ``(deals, N)``: how often each of ``N`` different rows is there
    start     the matrices that a run begins with, by name ``(runs, M_X, M_Y)``
    heat      annealing takes the shares of a sample to this power, below one, and they even out
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fgnwidgets import RULES, BayesGraph, Rule, fit, learn_online, propagate, row_normalize

Matrices = Mapping[str, np.ndarray]

HALF = 0.5
HEAT = 0.6
"""The power that annealing begins with."""

POWER, PARTS = 0.7, 10
"""Stepwise EM moves after each tenth of the rows, in step t by (t + 1) to the power -0.7."""

SEED = 15


def digamma(x: np.ndarray) -> np.ndarray:
    """The derivative of log gamma, for positive numbers: a recurrence, then Stirling's series."""
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

    Such rows sum to less than one, and what is missing counts: it is the price of a state that few
    samples support. A column that is never observed holds it, so that rows stay distributions.
    A source has no such column; there the missing part is the same for all states.

    The step is not a sum over samples, so it needs all of them at once: up to 256 different rows.
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
"""Variational Bayes as a reader's own rule, on a graph whose columns have one value more."""


def annealed_step(
    theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: np.ndarray, *, heat: float
) -> np.ndarray:
    """ML's shares to the power ``heat``, normalised again, then counted.

    Where b is a delta, as it is at the children of one hidden variable, the cells of a sample are
    what the hidden states share; at the source they are so always.
    """
    cells = (f[..., :, None, :] * theta[..., None] * b[..., None, :, :]) ** heat
    whole = cells.sum(axis=(-3, -2), keepdims=True)
    shares = cells / np.where(whole > 0, whole, 1.0)
    counts: np.ndarray = (shares * np.expand_dims(weight, -2)).sum(axis=-1)
    return counts


ANNEALING = Rule("annealing", annealed_step, constants={"heat": 1.0})
"""Annealed EM (Ueda and Nakano 1998) for one hidden variable above columns that are seen."""


def heats(first: float) -> tuple[tuple[float, int], ...]:
    """The powers of annealing, each with its epochs; with the power 1 it is EM."""
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
    """One step of ML in one block after the other, each with messages that are new."""
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
    deals: np.ndarray,
    n_steps: int,
    power: float = POWER,
    parts: int = PARTS,
) -> Matrices:
    """Stepwise EM (``learn_online``): one step on all rows, the others on a part of them each.

    The first step is an ordinary one, for what a first tenth does not hold would be impossible.
    """
    runs = len(next(iter(start.values()))) // len(deals)
    ends = []
    for k, deal in enumerate(deals):
        first = {name: v[k * runs : (k + 1) * runs] for name, v in start.items()}
        *_, last = learn_online(graph, _parts(rows, deal, n_steps, k, parts), theta=first,
                                step=lambda t: (t + 1) ** -power, restarts=runs,
                                weight="Count")  # fmt: skip
        ends.append(last.theta)
    return {name: np.concatenate([end[name] for end in ends]) for name in start}


def _parts(
    rows: Matrices, deal: np.ndarray, n_steps: int, number: int, parts: int
) -> Iterator[dict[str, np.ndarray]]:
    """The whole table, then parts of it, dealt out anew after each pass."""
    each = np.repeat(np.arange(len(deal)), deal.astype(int))
    rng = np.random.default_rng([SEED, number])
    yield _counted(rows, each)
    for step in range(n_steps - 1):
        if step % parts == 0:
            dealt = np.array_split(rng.permutation(each), parts)
        yield _counted(rows, dealt[step % parts])


def _counted(rows: Matrices, each: np.ndarray) -> dict[str, np.ndarray]:
    which, counts = np.unique(each, return_counts=True)
    return {name: codes[which] for name, codes in rows.items()} | {"Count": counts}
