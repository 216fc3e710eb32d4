"""The rule that predicts best: contenders judged on rows that none learned from (chapter 15).

Vocabulary
    contender   a rule with its Nit and pseudo-counts, another way to learn (``contenders``), or a
                prediction without a hidden variable
    case        a graph, the different rows, and splits
    split       counts of the rows to learn from, and weights of the rows that judge
    loss        nats per row: the KL divergence from the true distribution if that is known, else
                minus the held-out log-likelihood
    safe        mixed with a thousandth of the uniform distribution, so that the loss of a row that
                was called impossible is finite

All splits, starts and rules of a case are one batch, with a ``weight`` of shape ``(restarts, N)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fgnwidgets import BayesGraph, epochs, fit, loglik, random_theta, row_normalize

from .. import data, paper
from .contenders import HALF, VB, annealed, in_turn, stepwise
from .words import text_table

SAFE = 1e-3
"""The share of the uniform distribution in a safe prediction."""

IMPOSSIBLE = 1e-9
"""A row with a smaller probability counts as called impossible."""

TENTH = 0.1
N_EPOCHS = 100
STARTS = 4
SPLITS = 12


@dataclass(frozen=True)
class Contender:
    """A rule with its Nit and pseudo-count; without a rule, another way to learn of this name."""

    name: str
    rule: str = ""
    n_it: int = 1
    alpha: float = 0.0


CONTENDERS: tuple[Contender, ...] = (
    Contender("ML, Nit 1", "ml", 1),
    Contender("ML, Nit 3", "ml", 3),
    Contender("ML, Nit 5", "ml", 5),
    Contender("ML, Nit 20", "ml", 20),
    Contender("KL, Nit 3", "kl", 3),
    Contender("VIT", "vit"),
    Contender("VAR", "var"),
    Contender("ML, blocks in turn"),
    Contender("ML, stepwise"),
    Contender("ML, annealed"),
    Contender("ML, a tenth of a count", "ml", 1, TENTH),
    Contender("ML, half a count", "ml", 1, HALF),
    Contender("variational Bayes"),
)
TABLES = ("smoothed table", "independence")
"""Contenders without a hidden variable."""

NAMES = (*(c.name for c in CONTENDERS), *TABLES)


@dataclass(frozen=True, eq=False)
class Case:
    """The rows that the contenders learn from, and those by which they are judged.

    ``rows``     the different rows, as codes by column
    ``sizes``    the sizes of the columns; ``k`` is that of the hidden variable S
    ``learn``    ``(splits, N)``, counts; ``judge`` ``(splits, N)``, weights that sum to one
    ``entropy``  ``(splits,)``, the loss of the true distribution, None if that is not known
    """

    name: str
    rows: Mapping[str, np.ndarray]
    sizes: Mapping[str, int]
    k: int
    learn: np.ndarray
    judge: np.ndarray
    entropy: np.ndarray | None = None

    @property
    def cells(self) -> int:
        """The number of possible rows."""
        return math.prod(self.sizes.values())


@dataclass(frozen=True, eq=False)
class Judged:
    """The losses in nats per row, ``(contenders, splits)``.

    ``impossible`` ``(contenders,)`` is the share of the judging rows that were called impossible.
    """

    case: Case
    loss: np.ndarray
    impossible: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """Mean losses in millinats, above that of the truth, or else of the best contender."""
        means = self.loss.mean(axis=1)
        return np.asarray(1000 * (means - (0 if self.case.entropy is not None else means.min())))

    @property
    def error(self) -> np.ndarray:
        """The standard error of each contender's distance to the best one, in millinats."""
        apart = self.loss - self.loss[np.argmin(self.loss.mean(axis=1))]
        return np.asarray(1000 * apart.std(axis=1, ddof=1) / math.sqrt(apart.shape[1]))

    @property
    def best(self) -> str:
        """The contender with the least mean loss."""
        return NAMES[int(np.argmin(self.loss.mean(axis=1)))]


def star(sizes: Mapping[str, int], k: int) -> BayesGraph:
    """The graph with a hidden variable S above all columns."""
    return BayesGraph({"S": k, **sizes}, dict.fromkeys(sizes, "S"))


def with_rest(sizes: Mapping[str, int], k: int) -> BayesGraph:
    """The same with one more value for every column, which no row has (``contenders.VB``)."""
    return star({name: size + 1 for name, size in sizes.items()}, k)


def judged(
    case: Case,
    *,
    starts: int = STARTS,
    n_epochs: int = N_EPOCHS,
    start: str = "matrices",
    seed: int = 0,
) -> Judged:
    """Every contender on every split; of its starts, the one that fits the rows learned best."""
    splits = len(case.learn)
    weight = np.repeat(case.learn, starts, axis=0)
    seeds = np.random.SeedSequence(seed).spawn(splits * starts)
    options: dict[str, Any] = {
        "n_epochs": n_epochs, "start": start, "tol": 0, "record": (), "progress": False,
    }  # fmt: skip
    graph = star(case.sizes, case.k)
    p: dict[str, Any] = {}
    for alpha in (0.0, TENTH, HALF):
        lanes = [c for c in CONTENDERS if c.rule and c.alpha == alpha]
        run = fit(
            graph, case.rows,
            tuple(c.rule for c in lanes for _ in weight),
            n_it=tuple(c.n_it for c in lanes for _ in weight),
            seed=list(seeds) * len(lanes), weight=np.tile(weight, (len(lanes), 1)),
            alpha=alpha or None, **options,
        )  # fmt: skip
        best = best_start(case, run.final, weight, len(lanes))
        p |= {c.name: best[k] for k, c in enumerate(lanes)}
    first = next(iter(epochs(graph, case.rows, seed=list(seeds), weight=weight, start=start))).theta
    others = {
        "ML, blocks in turn": in_turn(graph, case.rows, first, weight, n_epochs),
        "ML, stepwise": stepwise(graph, case.rows, first, case.learn, n_epochs),
        "ML, annealed": annealed(graph, case.rows, first, weight),
        "variational Bayes": _bayesian(case, list(seeds), weight, options),
    }
    p |= {name: best_start(case, theta, weight, 1)[0] for name, theta in others.items()}
    p |= {"smoothed table": _smoothed(case), "independence": _independent(case)}
    return judgement(case, np.stack([p[name] for name in NAMES]))


def judgement(case: Case, found: np.ndarray) -> Judged:
    """The losses of the predictions ``P(row)`` ``(contenders, splits, N)``, made safe."""
    called = ((found < IMPOSSIBLE) * case.judge).sum(axis=-1).mean(axis=-1)
    mixed = (1 - SAFE) * found + SAFE / case.cells
    loss = -(case.judge * np.log(mixed)).sum(axis=-1)
    return Judged(case, loss - (0 if case.entropy is None else case.entropy), called)


def _bayesian(
    case: Case, seeds: list[Any], weight: np.ndarray, options: Mapping[str, Any]
) -> Mapping[str, np.ndarray]:
    """The mean matrices of variational Bayes."""
    run = fit(with_rest(case.sizes, case.k), case.rows, VB, seed=seeds, weight=weight, a=HALF,
              restarts=len(weight), **options)  # fmt: skip
    return {
        name: row_normalize((v if name == "S" else v[..., :-1]) + HALF)
        for name, v in run.counts.items()
    }


def best_start(
    case: Case, theta: Mapping[str, np.ndarray], weight: np.ndarray, lanes: int
) -> np.ndarray:
    """``P(row)`` by the start that fits the rows learned best, ``(lanes, splits, N)``."""
    logs = loglik(star(case.sizes, case.k), theta, case.rows)
    learned = np.tile(weight, (lanes, 1))
    fits = learned * np.where(learned > 0, logs, 0.0)
    shape = (lanes, len(case.learn), -1)
    top = fits.sum(axis=-1).reshape(shape).argmax(axis=-1)
    each = np.exp(logs).reshape(*shape, logs.shape[-1])
    return np.asarray(np.take_along_axis(each, top[..., None, None], axis=2)[:, :, 0])


def _smoothed(case: Case) -> np.ndarray:
    """``P(row)`` from counts plus a constant, chosen by leaving one row out, ``(splits, N)``."""
    n = case.learn.sum(axis=1, keepdims=True)
    grid = np.geomspace(0.001, 30, 60)
    seen = np.maximum(case.learn - 1, 0)
    left = np.stack([
        (case.learn * np.log((seen + a) / (n - 1 + a * case.cells))).sum(axis=1) for a in grid
    ])  # fmt: skip
    a = grid[left.argmax(axis=0)][:, None]
    return np.asarray((case.learn + a) / (n + a * case.cells))


def _independent(case: Case) -> np.ndarray:
    """``P(row)`` as a product of margins with half a count in each cell, ``(splits, N)``."""
    p = np.ones(case.learn.shape)
    for name, codes in case.rows.items():
        margin = case.learn @ np.eye(case.sizes[name])[codes] + HALF
        p = p * row_normalize(margin)[:, codes]
    return p


def real_tables() -> dict[str, tuple[Mapping[str, Any], np.ndarray]]:
    """Six published tables by name: the columns, and the count of each row."""
    ratings = data.carcinoma()
    slides, counts = np.unique(np.stack(list(ratings.values())), axis=1, return_counts=True)
    found = {"carcinoma": (dict(zip(ratings, slides, strict=True)), counts)}
    return found | {"examination": data.exam()} | {k: data.published(k) for k in data.PUBLISHED}


def real_case(
    name: str,
    table: Mapping[str, Any],
    counts: np.ndarray,
    n: int,
    k: int = 3,
    splits: int = SPLITS,
) -> Case:
    """A table of counts, of which ``n`` rows, drawn without replacement, are learned from, and the
    others judge."""
    read = {v: np.unique(column, return_inverse=True) for v, column in table.items()}
    rows = {v: codes for v, (_, codes) in read.items()}
    rng = np.random.default_rng(n)
    learn = np.stack([rng.multivariate_hypergeometric(counts, n) for _ in range(splits)])
    left = counts - learn
    sizes = {v: len(states) for v, (states, _) in read.items()}
    return Case(name, rows, sizes, k, learn.astype(float), left / left.sum(axis=1, keepdims=True))


def known_case(
    name: str,
    sizes: Mapping[str, int],
    k: int,
    truth: Callable[[np.random.Generator], Mapping[str, np.ndarray]],
    n: int,
    splits: int = SPLITS,
) -> Case:
    """``n`` rows drawn from models; the true distribution over all rows judges."""
    grid = np.indices(tuple(sizes.values())).reshape(len(sizes), -1)
    rows = dict(zip(sizes, grid, strict=True))
    graph = star(sizes, k)
    rng = np.random.default_rng(n)
    p = np.stack([np.exp(loglik(graph, truth(rng), rows)) for _ in range(splits)])
    p /= p.sum(axis=1, keepdims=True)
    learn = rng.multinomial(n, p).astype(float)
    entropy = -(p * np.log(np.where(p > 0, p, 1))).sum(axis=1)
    return Case(name, rows, sizes, k, learn, p, entropy)


def papers_case(n: int, splits: int = SPLITS) -> Case:
    """Section 7.1: the paper's graph and its matrices."""
    sizes = {name: size for name, size in paper.ONE_HIDDEN_SIZES.items() if name != "S"}
    k = paper.ONE_HIDDEN_SIZES["S"]
    name = f"paper's, N={n}"
    return known_case(name, sizes, k, lambda _: paper.ONE_HIDDEN_THETA, n, splits)


def judges_case(n: int, children: int = 7, k: int = 3, splits: int = SPLITS) -> Case:
    """A random model for each split: a hidden variable of size ``k`` with binary children."""
    sizes = {f"X{j + 1}": 2 for j in range(children)}

    def truth(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        drawn = random_theta(star(sizes, k), rng)
        return {m: v if m == "S" else row_normalize(v**2) for m, v in drawn.items()}

    return known_case(f"{children} judges, N={n}", sizes, k, truth, n, splits)


def facts(results: Sequence[Judged]) -> str:
    """The mean loss of each contender, a column for each case, with a star beside the best."""
    header = ["millinats per row", *(r.case.name for r in results)]
    lines = []
    for k, name in enumerate(NAMES):
        cells = (f"{r.mean[k]:.0f}{'*' if name == r.best else ' '}" for r in results)
        lines.append((name, *cells))
    return text_table(header, lines)
