"""A problem as it was posed, and its restarts in slices that fit the memory (section 7).

Vocabulary
    slice   restarts whose messages fit the workspace; all slices go on together
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np

from ..engine.arrays import Array, Arrays
from ..engine.learning import Epoch, Lane, Problem, learn, visit
from ..engine.messages import Evidence
from ..engine.propagate import clamp, flows, refuse_impossible
from ..engine.rules import RULES, Update

WORKSPACE = 256_000_000
"""Bytes of messages that one batch of restarts may hold; more restarts run in slices."""


@dataclass(frozen=True, eq=False)
class Posed(Problem):
    """A problem with the table that it comes from: ``unfolded``, and ``mask``, its weights."""

    unfolded: Evidence
    mask: Array | None

    def part(self, restarts: slice | Sequence[int]) -> Posed:
        """The problem of some of the restarts."""
        which = np.arange(self.restarts)[restarts]

        def own(v: Any) -> Any:
            if isinstance(v, Mapping):
                return {name: matrices[which] for name, matrices in v.items()}
            return v[which] if v is not None and v.ndim == 2 else v

        lanes = tuple(self.lanes[r] for r in which)
        changed = {
            name: own(getattr(self, name)) for name in ("weight", "test", "first", "second", "mask")
        }
        return replace(self, lanes=lanes, **changed)

    def parts(self) -> list[Posed]:
        """The restarts in slices; mostly one."""
        size = max(1, int(WORKSPACE // self.bytes_of_a_restart))
        if size >= self.restarts:
            return [self]
        return [self.part(slice(at, at + size)) for at in range(0, self.restarts, size)]

    @property
    def bytes_of_a_restart(self) -> int:
        """What one restart holds at a time: the messages of a chunk, and for Nit > 1 of all."""
        graph, n = self.clamped.graph, self.clamped.evidence.n
        columns: int = self.clamped.cuts(self.restarts)[0].stop
        size = 16 * columns * sum(branch.size for branch in graph.branches.values())
        if any(lane.n_it > 1 for lane in self.lanes):
            size += 8 * n * sum(sum(node.shape) for node in self.blocks)
        return size

    def epochs(self, n_epochs: int, *, aggregate: bool = True) -> Iterator[Epoch]:
        """Yield epoch 0 to ``n_epochs``; see :func:`learn`.

        Raises :class:`ImpossibleEvidence` where the first matrices of every restart give a sample
        probability zero, by its number in the table, not among the folded rows.
        """
        runs = [learn(part, n_epochs, aggregate=aggregate) for part in self.parts()]
        states = runs[0] if len(runs) == 1 else map(_joined, zip(*runs, strict=True))
        return chain(map(self._possible, islice(states, 1)), states)

    def expected_counts(self, theta: Arrays) -> dict[str, Array]:
        """``sum_n L[n] P(X, Y | evidence)`` at every learned matrix, ``(restarts, M_X, M_Y)``.

        They are what one step of ML counts (section 3.1), whatever rule has learned the matrices.
        """
        ml = Lane(dict.fromkeys(self.clamped.graph.learnable, Update(RULES["ml"], {}, None)), 1)
        parts = replace(self, lanes=(ml,) * self.restarts, first=theta).parts()
        seen = [visit(part, part.first, learn=True, aggregate=False) for part in parts]
        counts = [found.steps[0].counts for found in seen]
        return {name: np.concatenate([own[name] for own in counts]) for name in counts[0]}

    def _possible(self, first: Epoch) -> Epoch:
        if first.dropped.all():
            theta = {name: m[0] if self.restarts == 1 else m for name, m in first.theta.items()}
            whole = clamp(self.clamped.graph, self.unfolded)
            loglik = np.concatenate([found.loglik for found in flows(whole, theta)], axis=-1)
            if self.mask is not None:
                loglik = np.where(self.mask > 0, loglik, 0.0)
            refuse_impossible(loglik, self.unfolded, self.clamped.graph)
        return first


def _joined(states: Sequence[Epoch]) -> Epoch:
    """The epoch of all restarts, from those of the slices."""
    theta = {name: np.concatenate([s.theta[name] for s in states]) for name in states[0].theta}
    columns = zip(*(s[2:] for s in states), strict=True)
    rest = [None if column[0] is None else np.concatenate(column) for column in columns]
    return Epoch._make((states[0].n, theta, *rest))
