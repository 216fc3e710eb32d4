"""One hidden variable with three children (section 7.1, experiments 1 to 3, figures 11 to 14).

Vocabulary
    levels    floor, ceiling and truth, with which likelihoods are compared (``levels``)
    matched   with hidden states numbered as in the generative model (state alignment)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from fgnwidgets import (
    BayesGraph,
    Rule,
    agreement,
    distinct,
    match_states,
    posterior,
    read_evidence,
    relabel,
    sample,
)

from .. import paper
from .levels import Levels, levels, settled
from .lockstep import Growing, by_rule, growing, lockstep, matrices_by_rule
from .streams import streamed
from .words import PAPERS, Rules, number, read_rules, said, text_table

EVERY = 5
"""Epochs between two results of a stream."""

CHILDREN = ("X1", "X2", "X3")
BLOCKS = tuple(f"{child}|S" for child in CHILDREN)


@dataclass(frozen=True, eq=False)
class OneHidden(Growing):
    """Runs of several rules on the same rows from the same starts, with the epochs so far.

    ``aggregated[rule]``, ``loglik[rule]``   ``(epochs, restarts)``
    ``test_aggregated``, ``test_loglik``     the same for the test rows, None without a split
    ``matrices[rule]``   matrix -> ``(epochs, restarts, M_X, M_Y)``, not matched
    """

    m_s: int
    n_it: int
    n_planned: int
    samples: Mapping[str, np.ndarray]
    truth: Mapping[str, np.ndarray]
    levels: Levels
    test_levels: Levels | None
    aggregated: Mapping[str, np.ndarray]
    loglik: Mapping[str, np.ndarray]
    test_aggregated: Mapping[str, np.ndarray] | None
    test_loglik: Mapping[str, np.ndarray] | None
    matrices: Mapping[str, Mapping[str, np.ndarray]]

    @cached_property
    def best(self) -> dict[str, int]:
        """The restart with the largest last ``loglik``, by rule."""
        return {rule: int(np.argmax(v[-1])) for rule, v in self.loglik.items()}

    @property
    def theta(self) -> dict[str, dict[str, np.ndarray]]:
        """By rule, matrix -> ``(epochs, M_X, M_Y)`` of the best restart, matched."""
        return self._matched[0]

    @property
    def agreement(self) -> dict[str, float]:
        """By rule, the expected share of samples whose state is the generative model's."""
        return self._matched[1]

    @cached_property
    def _matched(self) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, float]]:
        own = {
            rule: {name: v[:, self.best[rule]] for name, v in matrices.items()}
            for rule, matrices in self.matrices.items()
        }
        return matched(paper.one_hidden_graph(self.m_s), self.samples, own)

    def curve(self, rule: str, what: str = "loglik") -> np.ndarray:
        """The history ``what`` of a rule's best restart, ``(epochs,)``."""
        histories = getattr(self, what)
        if histories is None:
            raise ValueError(f"there is no {what}: the rows were not split")
        curve: np.ndarray = histories[rule][:, self.best[rule]]
        return curve

    def coefficients(self, rule: str) -> np.ndarray:
        """All coefficients of the three blocks of a rule's best restart, ``(epochs, n)``."""
        blocks = [self.theta[rule][name] for name in BLOCKS]
        return np.concatenate([v.reshape(len(v), -1) for v in blocks], axis=1)

    def table(self) -> dict[str, np.ndarray]:
        """Likelihoods and coefficients of each rule's best restart, a row for each epoch."""
        columns = {"epoch": np.arange(self.n_epochs + 1)}
        for rule in self.rules:
            for what in ("aggregated", "loglik", "test_aggregated", "test_loglik"):
                if getattr(self, what) is not None:
                    columns[f"{what}_{rule}"] = self.curve(rule, what)
            for name, matrices in self.theta[rule].items():
                for i, j in np.ndindex(matrices.shape[1:]):
                    columns[f"{name}_{rule}_{i + 1}{j + 1}"] = matrices[:, i, j]
        return columns

    def facts(self) -> str:
        """Final likelihoods of each rule's best restart, and the levels."""
        header = ["", "aggregated", "log-lik"]
        tested = self.test_loglik is not None
        header += ["test aggr.", "test log-lik"] if tested else []
        header += ["states agree", "epochs to settle"]
        rows = []
        for rule in self.rules:
            row = [said(rule), number(self.curve(rule, "aggregated")[-1], 1)]
            row += [number(self.curve(rule)[-1], 1)]
            if tested:
                row += [
                    number(self.curve(rule, f"test_{k}")[-1], 1) for k in ("aggregated", "loglik")
                ]
            rows.append([*row, f"{self.agreement[rule]:.0%}", str(settled(self.curve(rule)))])
        pairs = zip(*(v.named for v in (self.levels, self.test_levels) if v), strict=True)
        for level in pairs:
            values = [number(v, 1) for _, *pair in level for v in pair]
            rows.append([level[0][0], *values, "", ""])
        return text_table(header, rows)


@streamed
def one_hidden(
    *,
    rules: Rules = PAPERS,
    m_s: int = paper.ONE_HIDDEN_SIZES["S"],
    n: int = paper.ONE_HIDDEN_N,
    n_epochs: int = paper.ONE_HIDDEN_NE,
    n_it: int = paper.ONE_HIDDEN_NIT,
    start: str = "messages",
    restarts: int = 1,
    seed: int = 0,
    data_seed: int = 0,
    split: bool = False,
) -> Iterator[OneHidden]:
    """Learn the graph of figure 2 from samples of X1, X2 and X3 from the paper's model.

    With ``split`` the first half of the samples is learned from and the rest tests (experiment 3).
    An ``m_s`` other than 4 is a mismatch (experiment 2). ``seed`` draws the starts, ``data_seed``
    the samples.
    """
    chosen = read_rules(rules)
    rows = rows_of(n, data_seed, split)
    states = lockstep(
        paper.one_hidden_graph(m_s), rows.samples, [(rule, n_it) for rule in chosen],
        restarts=restarts, seed=seed, n_epochs=n_epochs, start=start, weight=rows.train,
        test_weight=rows.test,
    )  # fmt: skip
    for h in growing(states, len(chosen), n_epochs, due):
        yield OneHidden(
            m_s=m_s,
            n_it=n_it,
            n_planned=n_epochs,
            samples=rows.samples,
            truth=paper.ONE_HIDDEN_THETA,
            levels=rows.levels,
            test_levels=rows.test_levels,
            aggregated=by_rule(h.aggregated, chosen),
            loglik=by_rule(h.loglik, chosen),
            test_aggregated=_tested(h.test_aggregated, chosen),
            test_loglik=_tested(h.test_loglik, chosen),
            matrices=matrices_by_rule(h.theta, chosen),
        )


def _tested(values: np.ndarray | None, rules: Sequence[Rule]) -> dict[str, np.ndarray] | None:
    return None if values is None else by_rule(values, rules)


def due(epoch: int) -> bool:
    """True if the stream has a result after this epoch."""
    return epoch > 0 and epoch % EVERY == 0


class Rows(NamedTuple):
    """Samples with their masks and levels; without a split there are no masks."""

    samples: Mapping[str, np.ndarray]
    train: np.ndarray | None
    test: np.ndarray | None
    levels: Levels
    test_levels: Levels | None


@lru_cache(maxsize=32)
def rows_of(n: int, seed: int, split: bool) -> Rows:
    """``n`` samples from the paper's generative model; cached, so they cannot be changed."""
    drawn = samples(n, seed)
    train = (np.arange(n) < n // 2).astype(float) if split else None
    test = None if train is None else 1 - train
    for v in (*drawn.values(), train, test):
        if v is not None:
            v.flags.writeable = False
    return Rows(
        MappingProxyType(drawn),
        train,
        test,
        own_levels(drawn, train),
        None if test is None else own_levels(drawn, test),
    )


def samples(n: int, seed: int) -> dict[str, np.ndarray]:
    """``n`` rows of X1, X2, X3 from the paper's generative model."""
    rng = np.random.default_rng(seed)
    drawn = sample(paper.one_hidden_graph(), paper.ONE_HIDDEN_THETA, n, rng)
    return {name: drawn[name] for name in CHILDREN}


def own_levels(table: Mapping[str, np.ndarray], mask: np.ndarray | None = None) -> Levels:
    """The levels of rows from the paper's generative model."""
    return levels(paper.one_hidden_graph(), table, mask, paper.ONE_HIDDEN_THETA)


def matched(
    graph: BayesGraph,
    table: Mapping[str, np.ndarray],
    learned: Mapping[str, Mapping[str, np.ndarray]],
) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, float]]:
    """The learned matrices by rule, matched; and the expected share of samples that then agree.

    The matrices may have an axis of epochs in front; then those of the last epoch are matched.
    """
    rows, counts = distinct(read_evidence(graph, table))
    true = posterior(paper.one_hidden_graph(), paper.ONE_HIDDEN_THETA, rows, "S").T
    ends = [{k: v if v.ndim == 2 else v[-1] for k, v in own.items()} for own in learned.values()]
    batch = {name: np.stack([end[name] for end in ends]) for name in ends[0]}
    theta, agreed = {}, {}
    states = posterior(graph, batch, rows, "S").swapaxes(-1, -2)
    for (rule, own), found in zip(learned.items(), states, strict=True):
        order = match_states(true, found, counts)
        theta[rule] = relabel(graph, own, "S", order.tolist())
        agreed[rule] = float(np.trace(agreement(true, found[order], counts)) / counts.sum())
    return theta, agreed
