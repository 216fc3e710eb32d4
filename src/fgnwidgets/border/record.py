"""What the epochs of a run say, kept as they pass, and the run that they make (section 7).

Vocabulary
    history   one row per epoch, epoch 0 first
    reason    why the run stopped, in words
    settled   no restart moves any more
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array
from ..engine.graph import Graph
from ..engine.learning import Epoch
from ..engine.rules import Rule
from .folding import are_counts
from .run import Run

if TYPE_CHECKING:
    from .posing import Posed


class Record:
    """What the epochs of a run say, kept as they pass."""

    def __init__(self, kept: set[str], bound: float) -> None:
        self.kept, self.bound = kept, bound
        self.rows: list[tuple[Any, ...]] = []
        self.thetas: list[Mapping[str, Array]] = []
        self.last: Epoch
        self.reason = ""
        self.stopped = False

    def run(self, states: Iterator[Epoch], problem: Posed) -> Generator[Epoch, bool | None, None]:
        """Walk through epochs until they end, settle, or whoever watches sends True.

        The first is there already if any is.
        """
        weight = problem.weight.sum(axis=-1)
        begun = bool(self.rows)
        for epoch in states:
            if epoch.n == 0 and begun:
                continue
            self.last = epoch
            self.rows.append(epoch[2:])  # matrices of long runs are kept on request only
            if "theta" in self.kept:
                self.thetas.append(epoch.theta)
            at = len(self.rows) - 1  # after short starts it counts on
            if (yield epoch if epoch.n == at else epoch._replace(n=at)):
                self.stopped = True
                self.reason = f"it was stopped after epoch {at}"
                break
            if self.bound > 0 and len(self.rows) > 1 and self._settled(weight):
                self.reason = (
                    f"no restart's loglik moved by more than {self.bound:g} per sample in epoch "
                    f"{len(self.rows) - 1}"
                )
                break

    def _settled(self, weight: Array) -> bool:
        live = ~self.last.dropped
        moved = np.abs(self.last.loglik[live] - self.rows[-2][1][live])
        limit = self.bound * (weight[live] if weight.ndim else weight)
        return bool(np.all(moved <= limit))

    def select(self, which: NDArray[np.intp]) -> None:
        """Keep some of the restarts."""
        self.rows = [tuple(None if v is None else v[which] for v in row) for row in self.rows]
        self.thetas = [{name: m[which] for name, m in theta.items()} for theta in self.thetas]

    def as_run(self, graph: Graph, problem: Posed, total: int, **more: Any) -> Run:
        """The run of a problem that ended here; ``more`` is what its history does not tell."""
        columns = list(zip(*self.rows, strict=True))
        aggregated, loglik, test_aggregated, test_loglik = (
            None if column[0] is None else np.array(column) for column in columns[:4]
        )
        final = {name: np.array(matrix) for name, matrix in self.last.theta.items()}
        none = np.empty((0, 0))
        return Run(
            graph=graph,
            rule=_named(problem),
            loglik=loglik,  # type: ignore[arg-type]
            aggregated=aggregated if "aggregated" in self.kept else none,  # type: ignore[arg-type]
            test_loglik=test_loglik,
            test_aggregated=test_aggregated,
            theta={k: np.stack([t[k] for t in self.thetas]) for k in final if self.thetas},
            final=final,
            counts=problem.expected_counts(self.last.theta),
            dropped=self.last.dropped,
            reason=self.reason or f"all {total} epochs were done",
            rules=tuple(_rules(problem)),
            n_its=tuple(lane.n_it for lane in problem.lanes),
            several=problem.weight.ndim == 2,
            rows=problem.clamped.evidence,
            weight=problem.weight,
            counted=are_counts(problem.mask),
            **more,
        )


def _rules(problem: Posed) -> list[Rule]:
    """The rule of every restart; none where nothing is learned."""
    return [next(iter(lane.updates.values())).rule for lane in problem.lanes if lane.updates]


def _named(problem: Posed) -> str | tuple[str, ...]:
    """The rule's name, or one for each restart where they differ."""
    names = [rule.name for rule in _rules(problem)] or ["none"]
    return names[0] if len(set(names)) == 1 else tuple(names)


def best_of(problem: Posed, record: Record, keep: int) -> tuple[Posed, Record, Array]:
    """The problem of the best short starts, from where they ended."""
    last = record.last
    ends = np.where(last.dropped, -np.inf, last.loglik)
    which = np.argsort(-ends, kind="stable")[:keep]
    record.select(which)
    first = {name: matrix[which] for name, matrix in last.theta.items()}
    record.last = last._replace(theta=first, dropped=last.dropped[which])
    record.reason = record.reason if record.stopped else ""
    return replace(problem.part(which.tolist()), first=first, second=None), record, last.loglik
