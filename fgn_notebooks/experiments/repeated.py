"""The same learning again: by each rule, and on each of several tables.

Vocabulary
    end     the log-likelihood at which a start ended
    height  an end, rounded, at which several starts may have ended
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fgnwidgets import Rule, Run, fit

from .words import PAPERS, Graph, said


def by_rule(
    graph: Graph, table: Any, rules: Sequence[str | Rule] = PAPERS, **settings: Any
) -> dict[str, Run]:
    """The run of each rule on a table, by the name of the rule; ``settings`` are those of ``fit``.

    Each run has the same starts, if it has the same seed.
    """
    names = [rule if isinstance(rule, str) else rule.name for rule in rules]
    runs = [fit(graph, table, rule, progress=False, **settings) for rule in rules]
    return {said(name): run for name, run in zip(names, runs, strict=True)}


def best_ends(
    graph: Graph, patterns: Any, tables: np.ndarray, starts: int = 5, **settings: Any
) -> np.ndarray:
    """The highest log-likelihood that ML reaches on each table, ``(tables,)``.

    ``tables`` are counts of the patterns, ``(tables, patterns)``. All starts of all tables are one
    run, in which each restart has weights of its own.
    """
    run = fit(
        graph,
        patterns,
        weight=np.tile(tables, (starts, 1)),
        restarts=starts * len(tables),
        progress=False,
        **settings,
    )
    return run.final_loglik.reshape(starts, len(tables)).max(axis=0)


def heights(run: Run, most: int = 3) -> dict[str, str | int]:
    """The number of starts that ended at each log-likelihood: the highest, those below it, others.

    Ends are rounded to a tenth of a nat.
    """
    ends = run.final_loglik.round(1)
    highest = np.unique(ends)[::-1][:most]
    names = ("best", "second", "third", "fourth", "fifth")[:most]
    found: dict[str, str | int] = dict.fromkeys(names, "-")
    for name, end in zip(names, highest, strict=False):
        found[name] = f"{(ends == end).sum()} x {end:.1f}"
    return found | {"lower": int((ends < highest[-1]).sum())}
