"""The EM cycle: exact messages, then every matrix once from its own messages (section 7).

Vocabulary
    learner   the M-step: a rule, its constants and Nit for every matrix of a graph
    task      a learner with folded rows, their weights, and starts: ready to run
    epoch     the state after so many M-steps
    dropped   a restart under which a training sample has probability zero: it stays as it was
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Array
from .evidence import Evidence
from .graph import NormalGraph
from .likelihood import local_sum, weighted
from .propagate import Flow, refuse_impossible, run
from .schedule import prune
from .setting import Reach, Setting, prepare
from .steps import Step, in_chunks


class Epoch(NamedTuple):
    """The state after ``n`` updates: ``theta[name]`` is ``(restarts, M_X, M_Y)``.

    The likelihoods ``(restarts,)`` are those of these matrices, summed over the samples with their
    weights; the test ones are None without a ``test_weight``. ``dropped`` marks restarts that gave
    some sample probability zero: they stay as they were.
    """

    n: int
    theta: Mapping[str, Array]
    aggregated: Array
    loglik: Array
    test_aggregated: Array | None
    test_loglik: Array | None
    dropped: NDArray[np.bool_]


@dataclass(frozen=True)
class Learner:
    """What the M-step needs to know: the graph, a step and its constant per matrix, and Nit."""

    graph: NormalGraph
    steps: Mapping[str, tuple[Step, float | Array]]
    n_it: int

    def update(self, theta: Mapping[str, Array], reach: Reach, weight: Array) -> dict[str, Array]:
        """Every matrix learned once, from the messages that reach its blocks."""
        new = dict(theta)
        for name, users in self.graph.learnable.items():
            pairs = [reach(node.name) for node in users]
            new[name] = self._learned(name, theta[name], pairs, weight)
        return new

    def _learned(
        self, name: str, before: Array, pairs: list[tuple[Array, Array]], weight: Array
    ) -> Array:
        f, b = pairs[0]
        if len(pairs) > 1:  # tied: side by side along the sample axis
            f, b = (_side_by_side([pair[k] for pair in pairs], len(weight)) for k in (0, 1))
            weight = np.tile(weight, len(pairs))
        step, extra = self.steps[name]
        matrix = before
        chunks = tuple(in_chunks(matrix, f, b, weight))  # views, the same for every step
        for _ in range(self.n_it):
            matrix = step(matrix, chunks, extra)
        if matrix.shape != before.shape:  # messages that do not differ between restarts
            matrix = np.broadcast_to(matrix, before.shape)
        return matrix


@dataclass(frozen=True)
class Task:
    """Learning that is ready to run: folded rows with their weights, and the starts.

    ``second`` holds the matrices after the first M-step where the start is given by messages.
    """

    learner: Learner
    setting: Setting
    first: dict[str, Array]
    second: dict[str, Array] | None
    weight: Array
    test: Array | None
    unfolded: Evidence
    mask: Array | None

    def epochs(self, n_epochs: int, *, aggregate: bool) -> Iterator[Epoch]:
        """Epoch 0 to ``n_epochs``; without ``aggregate`` that one is NaN and costs nothing."""
        if n_epochs < 0:
            raise ValueError(f"n_epochs is {n_epochs}: expected at least 0")
        return self._epochs(n_epochs, aggregate)

    def _epochs(self, n_epochs: int, aggregate: bool) -> Iterator[Epoch]:
        theta = self.first
        dropped = np.zeros(theta[next(iter(theta))].shape[0], dtype=bool)
        unknown = np.full(dropped.shape, np.nan)
        some = False
        setting = self._pruned(aggregate)
        alone = len(dropped) == 1  # one restart goes without the batch axis: calls cost less
        if alone:
            theta = _first_of(theta)
        for n in range(n_epochs + 1):
            flow = run(setting, theta)
            if not flow.possible:
                dropped, some = self._dropped(flow, dropped), True
                if n == 0 and dropped.all():
                    self._refuse(theta)
            loglik = _total(flow.loglik, self.weight, dropped.shape, finite=flow.possible)
            aggregated, test_aggregated, test_loglik = unknown, None, None
            if aggregate:
                local = local_sum(setting, flow)
                aggregated = _total(local, self.weight, dropped.shape)
            if self.test is not None:
                test_aggregated = _total(local, self.test, dropped.shape) if aggregate else unknown
                test_loglik = _total(flow.loglik, self.test, dropped.shape)
            shown = {name: m[None] for name, m in theta.items()} if alone else theta
            yield Epoch(n, shown, aggregated, loglik, test_aggregated, test_loglik, dropped)
            if n == n_epochs:
                return
            if n == 0 and self.second is not None:
                theta = _first_of(self.second) if alone else self.second
                continue
            new = self.learner.update(theta, setting.reach(flow.slots), self.weight)
            if some:
                keep = dropped[0] if alone else dropped[:, None, None]
                new = {name: np.where(keep, theta[name], new[name]) for name in new}
            theta = new

    def _pruned(self, aggregate: bool) -> Setting:
        """The setting with a plan of those messages alone that learning reads."""
        setting = self.setting
        carried = {slot for slot, _ in setting.carriers} if aggregate else set()
        read = carried | {slot ^ 1 for slot in carried}
        for node in (node for users in self.learner.graph.learnable.values() for node in users):
            read.update(slot for slot in setting.ports[node.name] if slot >= 0)
        return replace(setting, plan=prune(setting.plan, frozenset(read)))

    def _dropped(self, flow: Flow, before: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Restarts under which a training sample is impossible; its messages become silent."""
        impossible = (flow.loglik == -np.inf) & (self.weight > 0)
        dropped: NDArray[np.bool_] = before | impossible.any(axis=-1)
        flow.slots[:] = [np.nan_to_num(v) for v in flow.slots]
        return dropped

    def _refuse(self, theta: dict[str, Array]) -> None:
        """Name the first impossible sample as the table numbers it, not as it was folded."""
        loglik = run(prepare(self.learner.graph, self.unfolded), theta).loglik
        if self.mask is not None:
            loglik = np.where(self.mask > 0, loglik, 0.0)
        refuse_impossible(loglik, self.unfolded, self.learner.graph)


def _total(
    per_sample: Array, weight: Array, shape: tuple[int, ...], *, finite: bool = False
) -> Array:
    """A likelihood of every restart, summed over the samples."""
    total = weighted(per_sample, weight, finite=finite)
    if total.shape == shape:
        return total
    return total.reshape(shape) if shape == (1,) else np.full(shape, total)


def _first_of(theta: Mapping[str, Array]) -> dict[str, Array]:
    return {name: matrix[0] for name, matrix in theta.items()}


def _side_by_side(messages: list[Array], n: int) -> Array:
    batch = np.broadcast_shapes(*(v.shape[:-2] for v in messages))
    return np.concatenate([np.broadcast_to(v, (*batch, v.shape[-2], n)) for v in messages], axis=-1)
