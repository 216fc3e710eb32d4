"""A race: several rules on one graph and one table from the same start (section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fgnwidgets import BayesGraph, NormalGraph, Rule

from .. import paper
from . import hidden_variable
from .levels import Levels, known_levels
from .lockstep import Growing, by_rule, first_restart, growing, lockstep
from .streams import streamed
from .words import PAPERS, Rules, both_or_neither, number, read_rules, said, text_table


@dataclass(frozen=True, eq=False)
class Race(Growing):
    """Runs of several rules, with the epochs so far.

    ``aggregated[rule]`` and ``loglik[rule]`` are ``(epochs,)``, and ``theta[rule][matrix]`` is
    ``(epochs, M_X, M_Y)``. ``levels`` is None unless all data are complete and hard.
    """

    n_planned: int
    levels: Levels | None
    aggregated: Mapping[str, np.ndarray]
    loglik: Mapping[str, np.ndarray]
    theta: Mapping[str, Mapping[str, np.ndarray]]

    @property
    def order(self) -> tuple[str, ...]:
        """The rules by their present ``loglik``, the largest first."""
        return tuple(sorted(self.rules, key=lambda rule: -self.loglik[rule][-1]))

    def at(self, epoch: int) -> Race:
        """The race as it was after ``epoch``. Raises ``ValueError`` for an epoch not yet run."""
        if not 0 <= epoch <= self.n_epochs:
            raise ValueError(f"epoch is {epoch}: expected 0 to {self.n_epochs}")
        cut = slice(0, epoch + 1)
        return replace(
            self,
            aggregated={rule: v[cut] for rule, v in self.aggregated.items()},
            loglik={rule: v[cut] for rule, v in self.loglik.items()},
            theta={r: {name: v[cut] for name, v in t.items()} for r, t in self.theta.items()},
        )

    def table(self) -> dict[str, np.ndarray]:
        """Both likelihoods of each rule, a row for each epoch."""
        columns = {"epoch": np.arange(self.n_epochs + 1)}
        for rule in self.rules:
            columns[f"aggregated_{rule}"] = self.aggregated[rule]
            columns[f"loglik_{rule}"] = self.loglik[rule]
        return columns

    def facts(self, epoch: int | None = None) -> str:
        """The likelihoods after ``epoch``, or the present ones, the largest first; the levels."""
        now = self if epoch is None else self.at(min(epoch, self.n_epochs))
        rows = [
            (said(rule), number(now.loglik[rule][-1], 1), number(now.aggregated[rule][-1], 1))
            for rule in now.order
        ]
        if self.levels is not None:
            for name, aggregate, exact in self.levels.named[1:]:
                rows.append((name, number(exact, 1), number(aggregate, 1)))
        return text_table((f"after epoch {now.n_epochs}", "log-lik", "aggregated"), rows)


@streamed
def race(
    *,
    graph: BayesGraph | NormalGraph | None = None,
    data: Any = None,
    rules: Rules = PAPERS,
    own: Rule | Sequence[Rule] = (),
    n_epochs: int = paper.ONE_HIDDEN_NE,
    n_it: int = paper.ONE_HIDDEN_NIT,
    start: str = "messages",
    seed: int = 0,
) -> Iterator[Race]:
    """Run a race on your own graph and table, or else on those of section 7.1.

    ``rules`` are names of rules, or rules; ``own`` are further rules that may be named.
    """
    learned = both_or_neither(graph, data)
    if learned is None:
        learned = paper.one_hidden_graph()
        data = hidden_variable.samples(paper.ONE_HIDDEN_N, 0)
    chosen = read_rules(rules, (own,) if isinstance(own, Rule) else own)
    states = lockstep(
        learned, data, [(rule, n_it) for rule in chosen], seed=seed, n_epochs=n_epochs, start=start
    )
    bounds = known_levels(learned, data)
    for h in growing(states, len(chosen), n_epochs, lambda _: True):
        yield Race(
            n_planned=n_epochs,
            levels=bounds,
            aggregated=by_rule(h.aggregated[:, :, 0], chosen),
            loglik=by_rule(h.loglik[:, :, 0], chosen),
            theta=first_restart(h.theta, chosen),
        )
