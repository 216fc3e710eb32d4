"""The four rules side by side on one graph and one table, epoch by epoch (section 7).

Vocabulary
    race    runs of several rules from the same start
    at      the race as it stood after an epoch: the same result, cut there
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fgnwidgets import BayesGraph, NormalGraph, Rule

from .. import paper
from . import hidden_variable
from .levels import Levels, known_levels
from .lockstep import by_rule, first_restart, growing, lockstep
from .streams import streamed
from .words import RULES, Rules, both_or_neither, number, read_rules, said, text_table


@dataclass(frozen=True, eq=False)
class Race:
    """``aggregated[rule]`` and ``loglik[rule]`` ``(epochs,)``, ``theta[rule][matrix]`` by epoch.

    ``levels`` are the bounds of complete hard data; None for other data.
    """

    n_planned: int
    levels: Levels | None
    aggregated: Mapping[str, np.ndarray]
    loglik: Mapping[str, np.ndarray]
    theta: Mapping[str, Mapping[str, np.ndarray]]

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(self.loglik)

    @property
    def n_epochs(self) -> int:
        return len(self.loglik[self.rules[0]]) - 1

    @property
    def progress(self) -> tuple[int, int, str]:
        return self.n_epochs, self.n_planned, "epoch"

    @property
    def order(self) -> tuple[str, ...]:
        """The rules by their present ``loglik``, the first in front."""
        return tuple(sorted(self.rules, key=lambda rule: -self.loglik[rule][-1]))

    def at(self, epoch: int) -> Race:
        """The race as it stood after ``epoch``."""
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
        """A row per epoch."""
        columns = {"epoch": np.arange(self.n_epochs + 1)}
        for rule in self.rules:
            columns[f"aggregated_{rule}"] = self.aggregated[rule]
            columns[f"loglik_{rule}"] = self.loglik[rule]
        return columns

    def facts(self) -> str:
        """The standings, the first in front."""
        rows = [
            (said(rule), number(self.loglik[rule][-1], 1), number(self.aggregated[rule][-1], 1))
            for rule in self.order
        ]
        if self.levels is not None:
            for name, aggregate, exact in self.levels.named[1:]:
                rows.append((name, number(exact, 1), number(aggregate, 1)))
        return text_table((f"after epoch {self.n_epochs}", "log-lik", "aggregated"), rows)


@streamed
def race(
    *,
    graph: BayesGraph | NormalGraph | None = None,
    data: Any = None,
    rules: Rules = RULES,
    own: Rule | Sequence[Rule] = (),
    n_epochs: int = paper.ONE_HIDDEN_NE,
    n_it: int = paper.ONE_HIDDEN_NIT,
    start: str = "messages",
    seed: int = 0,
) -> Iterator[Race]:
    """The race to its end: on a graph and a table of yours, else on those of section 7.1.

    ``rules`` are names, or a reader's own :class:`Rule`; ``own`` are rules that ``rules`` may name.
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
