"""The EM cycle: exact messages, then every matrix once from its own messages (section 7).

Vocabulary
    problem   a clamped graph, folded rows with their weights, rules, starts: ready to be learned
    lane      a rule with the constants of every matrix, and Nit; each restart has one
    epoch     the state after so many M-steps
    dropped   a restart under which a training sample has probability zero: it stays as it was
    barren    a block with no evidence on its output or below it: it learns nothing from that sample

One epoch is :func:`visit`, the E-step, and then :meth:`Problem.learned`, the M-step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Array
from .messages import Evidence
from .nodes import Node, Port
from .propagate import Clamped, clamp, flows, local_sum, refuse_impossible
from .rules import RULES, Learned, Update
from .semirings import SUMS

WORKSPACE = 256_000_000
"""Bytes of messages that one batch of restarts may hold; more restarts run in slices."""

Theta = Mapping[str, Array]
Incoming = Mapping[str, Learned]
"""What every matrix learns from: the messages on the two sides of its blocks, and weights."""
Totals = dict[str, Array]
Mask = NDArray[np.bool_]


class Epoch(NamedTuple):
    """The state after ``n`` updates: ``theta[name]`` is ``(restarts, M_X, M_Y)``.

    The likelihoods ``(restarts,)`` are those of these matrices, summed over the samples with their
    weights; the test ones are None without a ``test_weight``. ``dropped`` marks restarts that gave
    some sample probability zero: they stay as they were.
    """

    n: int
    theta: Theta
    aggregated: Array
    loglik: Array
    test_aggregated: Array | None
    test_loglik: Array | None
    dropped: Mask


@dataclass(frozen=True, eq=False)
class Lane:
    """A rule with the constants of every matrix that is learned, and its steps in an epoch."""

    updates: Mapping[str, Update]
    n_it: int

    def counts(self, theta: Theta, incoming: Incoming) -> Totals:
        """By matrix, the counts of some samples."""
        return {k: self.updates[k].counts(theta[k], own) for k, own in incoming.items()}

    def learned(
        self, theta: Theta, counts: Totals, kept: Sequence[Incoming], hold: Mapping[str, Mask]
    ) -> Theta:
        """The matrices after the ``n_it`` steps of an epoch, the counts of the first being there.

        ``kept`` is what they learn from, piece by piece; rows that are held stay.
        """
        new = {}
        for name, first in counts.items():
            update, old = self.updates[name], theta[name]
            matrix = update.matrix(first, old)
            for _ in range(1, self.n_it):
                if name in hold:
                    matrix = np.where(hold[name], old, matrix)
                more = [update.counts(matrix, pieces[name]) for pieces in kept]
                matrix = update.matrix(sum(more[1:], more[0]), matrix)
            new[name] = np.where(hold[name], old, matrix) if name in hold else matrix
        return new


@dataclass(frozen=True, eq=False)
class Problem:
    """Learning that is ready to run: every restart has a lane, a start, and maybe its own weights.

    ``weight`` and ``test`` are ``(N,)`` or ``(restarts, N)`` over the folded rows. ``second`` holds
    the matrices after the first M-step where the start is given by messages. ``hold`` marks rows
    ``(M_X, 1)`` that stay as they are. ``unfolded`` and ``mask`` are the table as it was given.
    """

    clamped: Clamped
    weight: Array
    test: Array | None
    lanes: tuple[Lane, ...]
    first: Theta
    second: Theta | None
    unfolded: Evidence
    mask: Array | None
    hold: Mapping[str, Mask] = field(default_factory=dict)

    @property
    def restarts(self) -> int:
        return len(self.lanes)

    @cached_property
    def blocks(self) -> list[Node]:
        """The sources and blocks that learn."""
        return [node for users in self.clamped.graph.learnable.values() for node in users]

    def needing(self, aggregate: bool) -> Problem:
        """The same with a plan of those messages alone that learning reads."""
        wanted: set[Port] = set()
        for node in self.blocks:
            wanted.update((x.name, True) for x in node.inputs)
            wanted.update((y.name, False) for y in node.outputs)
        if aggregate:
            carried = [name for name, _ in self.clamped.carriers.values()]
            wanted.update((name, forward) for name in carried for forward in (True, False))
        return replace(self, clamped=self.clamped.wanting(wanted))

    def part(self, restarts: slice | Sequence[int]) -> Problem:
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

    def parts(self) -> list[Problem]:
        """The restarts in slices whose messages fit the workspace; mostly one."""
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

    @cached_property
    def weights(self) -> dict[str, Array]:
        """By block, the weights ``(..., 1, N)`` of what it learns from: zero where it is barren."""
        row = self.weight[..., None, :]
        if row.ndim == 3 and len(row) == 1:
            row = row[0]
        taught = self.clamped.taught
        return {
            node.name: row if taught[node.name] is True else row * taught[node.name]
            for node in self.blocks
        }

    @cached_property
    def reached(self) -> dict[str, Mask]:
        """The matrices that in some restart no sample reaches, with the restarts where one does."""
        found = {}
        for name, users in self.clamped.graph.learnable.items():
            here = sum(self.weights[node.name].sum(axis=-1, keepdims=True) for node in users)
            if not np.all(here > 0):
                found[name] = np.asarray(here > 0)
        return found

    def incoming(self, f: Theta, b: Theta, cut: slice) -> Incoming:
        """By matrix, what its blocks learn from; tied blocks side by side along the samples.

        A source has no input: its forward message is one (section 3).
        """
        n = cut.stop - cut.start
        whole = n == self.clamped.evidence.n
        one = self._one[:, :n]
        found: dict[str, Learned] = {}
        for name, ends in self._ends:
            if len(ends) == 1:
                ((x, y, joint, w),) = ends
                fx, by = (one, joint(f, b, SUMS)) if joint else (f[x] if x else one, b[y])
                if fx.shape[-1] != n or by.shape[-1] != n:
                    fx, by = _wide(fx, n), _wide(by, n)
                if not whole:
                    w = w[..., cut]
            else:
                pieces = [
                    (one, joint(f, b, SUMS)) if joint else (f[x] if x else one, b[y])
                    for x, y, joint, _ in ends
                ]
                fx, by = (_side_by_side(side, n) for side in zip(*pieces, strict=True))
                w = self._tied[name] if whole else _side_by_side([e[-1][..., cut] for e in ends], n)
            found[name] = fx, by, w
        return found

    @cached_property
    def _one(self) -> Array:
        return np.ones((1, self.clamped.evidence.n))

    @cached_property
    def _ends(self) -> list[tuple[str, list[tuple[str, str, Callable[..., Array] | None, Array]]]]:
        """Every matrix with its blocks: their input ("" for a source), output, and weights.

        Where one of them shares its parents, all of them say what is joint instead.
        """
        found = []
        for name, users in self.clamped.graph.learnable.items():
            sharing = any(node.shares for node in users)
            ends = []
            for node in users:
                x = node.inputs[0].name if node.inputs else ""
                joint = node.joint if sharing else None
                ends.append((x, node.outputs[0].name, joint, self.weights[node.name]))
            found.append((name, ends))
        return found

    @cached_property
    def _tied(self) -> dict[str, Array]:
        """The weights of all samples of tied blocks, side by side: the same in every epoch."""
        n = self.clamped.evidence.n
        return {
            name: _side_by_side([w for *_, w in ends], n)
            for name, ends in self._ends
            if len(ends) > 1
        }

    def divided(self, incoming: Incoming) -> list[Incoming]:
        """What the matrices learn from, for the restarts of every lane."""
        if len(self._groups) == 1:
            return [incoming]
        return [
            {k: (_own(f, share), _own(b, share), _own(w, share)) for k, (f, b, w) in items}
            for share, items in ((share, incoming.items()) for share, _ in self._groups)
        ]

    def counts(self, theta: Theta, pieces: Sequence[Incoming]) -> list[Totals]:
        """By lane, the counts of some samples, from what :meth:`divided` gives."""
        return [
            lane.counts(own, piece)
            for (_, lane), own, piece in zip(self._groups, self._shares(theta), pieces, strict=True)
        ]

    def learned(
        self, theta: Theta, counts: Sequence[Totals], kept: Sequence[Sequence[Incoming]]
    ) -> Theta:
        """The matrices after an M-step, from their first counts; more steps of it where Nit > 1."""
        each = [
            lane.learned(own, counts[k], [pieces[k] for pieces in kept], self.hold)
            for k, ((_, lane), own) in enumerate(
                zip(self._groups, self._shares(theta), strict=True)
            )
        ]
        new = dict(theta)
        for name, matrix in each[0].items():
            old = theta[name]
            if len(each) > 1:
                matrix = np.empty(old.shape)
                for (share, _), own in zip(self._groups, each, strict=True):
                    matrix[share] = own[name]
            if name in self.reached:
                matrix = np.where(self.reached[name], matrix, old)
            if matrix.shape != old.shape:  # messages that all restarts have in common
                matrix = np.broadcast_to(matrix, old.shape)
            new[name] = matrix
        return new

    def _shares(self, theta: Theta) -> list[Theta]:
        """The matrices of every lane's restarts."""
        if len(self._groups) == 1:
            return [theta]
        return [{k: v[share] for k, v in theta.items()} for share, _ in self._groups]

    @cached_property
    def _groups(self) -> list[tuple[int | slice, Lane]]:
        """Neighbouring restarts of one lane, which learn in one call.

        One by itself goes without the batch axis, a fast path: four rules take a fifth less.
        """
        ends = [r for r in range(1, self.restarts) if self.lanes[r] is not self.lanes[r - 1]]
        edges = [0, *ends, self.restarts]
        return [
            (start if stop == start + 1 else slice(start, stop), self.lanes[start])
            for start, stop in pairwise(edges)
        ]


class Visit(NamedTuple):
    """What one walk over all samples found: likelihoods, and where asked for, counts.

    Counts are those of each lane; ``kept`` is what the matrices learn from, piece by piece, where
    more steps follow (Nit > 1).
    """

    totals: dict[str, Array]
    dropped: Mask | bool
    counts: list[Totals]
    kept: list[list[Incoming]]


def visit(problem: Problem, theta: Theta, *, learn: bool, aggregate: bool) -> Visit:
    """The E-step over all samples, and the first counts of every matrix."""
    keeps = any(lane.n_it > 1 for lane in problem.lanes)
    totals: dict[str, Array] = {}
    dropped: Mask | bool = False
    counts: list[Totals] = []
    kept = []
    masks = [(problem.weight, "")] + ([] if problem.test is None else [(problem.test, "test_")])
    for found in flows(problem.clamped, theta, problem.restarts):
        local = local_sum(problem.clamped, found) if aggregate else None
        for mask, prefix in masks:
            w = mask[..., found.cut]
            for name, v in (("loglik", found.loglik), ("aggregated", local)):
                if v is not None:
                    total = weighted(v, w, finite=found.possible)
                    totals[prefix + name] = totals.get(prefix + name, 0.0) + total
        f, b = found.decoded()
        if not found.possible:  # its messages become silent
            impossible = (found.loglik == -np.inf) & (problem.weight[..., found.cut] > 0)
            dropped = dropped | impossible.any(axis=-1)
            f, b = ({k: np.nan_to_num(v) for k, v in side.items()} for side in (f, b))
        if learn:
            pieces = problem.divided(problem.incoming(f, b, found.cut))
            own = problem.counts(theta, pieces)
            counts = [_added(*pair) for pair in zip(counts, own, strict=True)] if counts else own
            if keeps:
                kept.append(pieces)
    return Visit(totals, dropped, counts, kept)


def learn(problem: Problem, n_epochs: int, *, aggregate: bool = True) -> Iterator[Epoch]:
    """Yield epoch 0 to ``n_epochs``; without ``aggregate`` that one is NaN and costs nothing.

    The problem is one that :meth:`Problem.needing` has made ready.
    """
    runs = [_learn(part, n_epochs, aggregate) for part in problem.parts()]
    for epochs in zip(*runs, strict=True):
        yield epochs[0] if len(epochs) == 1 else _joined(epochs)


def _learn(problem: Problem, n_epochs: int, aggregate: bool) -> Iterator[Epoch]:
    theta, second = problem.first, problem.second
    alone = problem.restarts == 1  # a fast path: without the batch axis calls cost a third less
    if alone:
        theta = {name: m[0] for name, m in theta.items()}
        second = second and {name: m[0] for name, m in second.items()}
    shape = (problem.restarts,)
    dropped = np.zeros(shape, dtype=bool)
    unknown = np.full(shape, np.nan)
    absent = None if problem.test is None else unknown
    blank = {
        "aggregated": unknown,
        "loglik": unknown,
        "test_aggregated": absent,
        "test_loglik": None,
    }
    stays: Any = None  # where a restart was dropped
    for n in range(n_epochs + 1):
        starting = n == 0 and second is not None
        seen = visit(problem, theta, learn=n < n_epochs and not starting, aggregate=aggregate)
        if seen.dropped is not False and np.any(seen.dropped):
            dropped = dropped | seen.dropped
            stays = dropped[0] if alone else dropped[:, None, None]
        if n == 0 and dropped.all():
            _refuse(problem, theta)
        batch = {name: m[None] for name, m in theta.items()} if alone else theta
        likelihoods = blank.copy()
        for name, total in seen.totals.items():
            likelihoods[name] = _for_each(total, shape)
        state = Epoch._make((n, batch, *likelihoods.values(), dropped))
        if n < n_epochs:  # before the state is handed out: its messages are not held meanwhile
            new = second if starting else problem.learned(theta, seen.counts, seen.kept)
            assert new is not None
            if stays is not None:
                new = {name: np.where(stays, theta[name], m) for name, m in new.items()}
            theta = new
        del seen
        yield state


def weighted(per_sample: Array, weight: Array, *, finite: bool = False) -> Array:
    """``sum_n L[n] v[n]`` over the samples that count: a weight of zero silences even -inf."""
    if not finite and np.minimum.reduce(per_sample, axis=None) == -np.inf:
        per_sample = np.where(weight > 0, per_sample, 0.0)
    total: Array = (
        per_sample.dot(weight) if weight.ndim == 1 else (per_sample * weight).sum(axis=-1)
    )
    return total


def _refuse(problem: Problem, theta: Theta) -> None:
    """Name the first impossible sample as the table numbers it, not as it was folded."""
    whole = clamp(problem.clamped.graph, problem.unfolded)
    found = np.concatenate([flow.loglik for flow in flows(whole, theta)], axis=-1)
    if problem.mask is not None:
        found = np.where(problem.mask > 0, found, 0.0)
    refuse_impossible(found, problem.unfolded, problem.clamped.graph)


def _joined(states: Sequence[Epoch]) -> Epoch:
    """The epoch of all restarts, from those of the slices."""
    theta = {name: np.concatenate([s.theta[name] for s in states]) for name in states[0].theta}
    columns = zip(*(s[2:] for s in states), strict=True)
    rest = [None if column[0] is None else np.concatenate(column) for column in columns]
    return Epoch._make((states[0].n, theta, *rest))


def _for_each(total: Array, shape: tuple[int, ...]) -> Array:
    """A likelihood for every restart."""
    if total.shape == shape:
        return total
    return total.reshape(shape) if total.size == shape[0] else np.broadcast_to(total, shape)


def _added(one: Totals, other: Totals) -> Totals:
    return {name: v + other[name] for name, v in one.items()}


def _own(v: Array, share: int | slice) -> Array:
    """What belongs to a lane's restarts: what all restarts have in common has no batch axis."""
    if v.ndim < 3:
        return v
    if len(v) > 1:
        return v[share]
    return v[0] if isinstance(share, int) else v


def _wide(v: Array, n: int) -> Array:
    """A column per sample: what no evidence reaches is the same for every sample."""
    return v if v.shape[-1] == n else np.broadcast_to(v, (*v.shape[:-1], n))


def _side_by_side(messages: Sequence[Array], n: int) -> Array:
    if len({v.shape for v in messages}) == 1 and messages[0].shape[-1] == n:
        return np.concatenate(messages, axis=-1)
    batch = np.broadcast_shapes(*(v.shape[:-2] for v in messages))
    return np.concatenate([np.broadcast_to(v, (*batch, v.shape[-2], n)) for v in messages], axis=-1)


def expected_counts(problem: Problem, theta: Theta) -> Totals:
    """``sum_n L[n] P(X, Y | evidence)`` at every learned matrix, ``(restarts, M_X, M_Y)``.

    They are what one step of ML counts (section 3.1), whatever rule has learned the matrices.
    """
    ml = Lane(dict.fromkeys(problem.clamped.graph.learnable, Update(RULES["ml"], {}, None)), 1)
    parts = replace(problem, lanes=(ml,) * problem.restarts, first=theta).parts()
    found = [visit(part, part.first, learn=True, aggregate=False).counts[0] for part in parts]
    return {name: np.concatenate([counts[name] for counts in found]) for name in found[0]}
