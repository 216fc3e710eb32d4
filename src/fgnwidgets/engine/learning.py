"""The EM cycle: exact messages, then every matrix once from its own messages (section 7).

Vocabulary
    problem   a clamped graph, folded rows with their weights, rules, starts: ready to be learned
    lane      a rule with the constants of every matrix, and Nit; each restart has one
    epoch     the state after so many M-steps
    dropped   a restart under which a training sample has probability zero: it stays as it was
    barren    a block with no evidence on its output or below it: it learns nothing from that sample
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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
Totals = dict[str, Array]


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
    dropped: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Lane:
    """A rule with the constants of every matrix that is learned, and its steps in an epoch."""

    updates: Mapping[str, Update]
    n_it: int


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
    hold: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def restarts(self) -> int:
        return len(self.lanes)

    def needing(self, aggregate: bool) -> Problem:
        """The same with a plan of those messages alone that learning reads."""
        wanted: set[Port] = set()
        for users in self.clamped.graph.learnable.values():
            for node in users:
                wanted.update((x.name, True) for x in node.inputs)
                wanted.update((y.name, False) for y in node.outputs)
        if aggregate:
            carried = [name for name, _ in self.clamped.carriers.values()]
            wanted.update((name, forward) for name in carried for forward in (True, False))
        return replace(self, clamped=self.clamped.wanting(wanted))

    def part(self, restarts: slice | Sequence[int]) -> Problem:
        """The problem of some of the restarts."""
        which = np.arange(self.restarts)[restarts]

        def own(v: Array | None) -> Array | None:
            return v[which] if v is not None and v.ndim == 2 else v

        weight = own(self.weight)
        assert weight is not None
        return replace(
            self,
            weight=weight,
            test=own(self.test),
            lanes=tuple(self.lanes[r] for r in which),
            first={name: m[which] for name, m in self.first.items()},
            second=None if self.second is None else {k: m[which] for k, m in self.second.items()},
            mask=own(self.mask),
        )

    @cached_property
    def groups(self) -> list[tuple[slice, Lane]]:
        """Neighbouring restarts of one lane, which learn in one call."""
        groups: list[tuple[slice, Lane]] = []
        for r, lane in enumerate(self.lanes):
            if groups and groups[-1][1] is lane:
                groups[-1] = (slice(groups[-1][0].start, r + 1), lane)
            else:
                groups.append((slice(r, r + 1), lane))
        return groups

    @cached_property
    def weights(self) -> dict[str, Array]:
        """By block, the weights ``(..., 1, N)`` of what it learns from: zero where it is barren."""
        row = self.weight[..., None, :]
        if row.ndim == 3 and len(row) == 1:
            row = row[0]
        found: dict[str, Array] = {}
        for node in (node for users in self.clamped.graph.learnable.values() for node in users):
            taught = self.clamped.taught[node.name]
            found[node.name] = row if taught is True else row * taught
        return found

    @cached_property
    def reached(self) -> dict[str, NDArray[np.bool_]]:
        """The matrices that some sample does not reach in some restart: where one does."""
        found = {}
        for name, users in self.clamped.graph.learnable.items():
            here = sum(self.weights[node.name].sum(axis=-1, keepdims=True) for node in users)
            if not np.all(here > 0):
                found[name] = np.asarray(here > 0)
        return found

    @property
    def bytes_of_a_restart(self) -> int:
        """What one restart holds at a time: the messages of a chunk, and for Nit > 1 of all."""
        graph, n = self.clamped.graph, self.clamped.evidence.n
        columns = self.clamped.cuts(self.restarts)[0].stop
        size = 16 * columns * sum(branch.size for branch in graph.branches.values())
        if any(lane.n_it > 1 for lane in self.lanes):
            users = [node for nodes in graph.learnable.values() for node in nodes]
            size += 8 * n * sum(sum(node.shape) for node in users)
        return size

    def parts(self) -> list[Problem]:
        """The restarts in slices whose messages fit the workspace; mostly one."""
        size = max(1, int(WORKSPACE // self.bytes_of_a_restart))
        if size >= self.restarts:
            return [self]
        return [self.part(slice(at, at + size)) for at in range(0, self.restarts, size)]

    @cached_property
    def learners(self) -> list[tuple[str, list[tuple[str, str, Array]], list[Node]]]:
        """Every matrix that is learned with its blocks: input ("" for a source), output, weights.

        Where one of them shares a cluster, the nodes too: all of them say what is joint.
        """
        return [
            (
                name,
                [
                    (node.inputs[0].name if node.inputs else "", node.outputs[0].name, w)
                    for node, w in ((node, self.weights[node.name]) for node in users)
                ],
                [*users] if any(node.shares for node in users) else [],
            )
            for name, users in self.clamped.graph.learnable.items()
        ]

    def incoming(self, f: Theta, b: Theta, cut: slice) -> dict[str, Learned]:
        """By matrix, what its blocks learn from; tied blocks side by side along the samples.

        A source has no input: its forward message is one (section 3).
        """
        n = cut.stop - cut.start
        one = np.ones((1, n))
        found: dict[str, Learned] = {}
        for name, users, sharing in self.learners:
            if sharing:
                both = (node.joint(f, b, SUMS) for node in sharing)
                pieces = [(one, v, u[-1][..., cut]) for v, u in zip(both, users, strict=True)]
                fx, by, w = (_side_by_side(side, n) for side in zip(*pieces, strict=True))
            elif len(users) == 1:
                x, y, w = users[0]
                fx, by, w = (f[x] if x else one), b[y], w[..., cut]
                if fx.shape[-1] != n or by.shape[-1] != n:  # no evidence reaches them
                    fx, by = _wide(fx, n), _wide(by, n)
            else:
                fx = _side_by_side([f[x] if x else one for x, _, _ in users], n)
                by = _side_by_side([b[y] for _, y, _ in users], n)
                w = self._tied[name]
                if n < self.clamped.evidence.n:
                    w = _side_by_side([v[..., cut] for _, _, v in users], n)
            found[name] = fx, by, w
        return found

    @cached_property
    def _tied(self) -> dict[str, Array]:
        """The weights of all samples of tied blocks, side by side."""
        n = self.clamped.evidence.n
        users = {name: [w for _, _, w in blocks] for name, blocks, _ in self.learners}
        return {name: _side_by_side(ws, n) for name, ws in users.items() if len(ws) > 1}

    def counts(
        self, theta: Theta, pieces: Mapping[str, Learned], lane: Lane | None = None
    ) -> Totals:
        """By matrix, the counts of some samples, every restart by its own rule, or all by one."""
        if lane is not None or len(self.groups) == 1:
            updates = (lane or self.lanes[0]).updates
            return {k: updates[k].counts(theta[k], learned) for k, learned in pieces.items()}
        found = {}
        for name, learned in pieces.items():
            found[name] = np.empty(theta[name].shape)
            for share, lane in self.groups:
                own = tuple(_own(v, share) for v in learned)
                found[name][share] = lane.updates[name].counts(theta[name][share], own)
        return found

    def learned(self, theta: Theta, counts: Totals, kept: Sequence[Mapping[str, Learned]]) -> Theta:
        """The matrices after an M-step, from their first counts; more steps of it where Nit > 1."""
        new = dict(theta)
        for name in counts:
            if len(self.groups) == 1:
                own = [k[name] for k in kept]
                new[name] = self._stepped(self.lanes[0], name, theta[name], counts[name], own)
            else:
                new[name] = np.empty(theta[name].shape)
                for share, lane in self.groups:
                    mine = [tuple(_own(v, share) for v in k[name]) for k in kept]
                    new[name][share] = self._stepped(
                        lane, name, theta[name][share], counts[name][share], mine
                    )
            if name in self.reached:
                new[name] = np.where(self.reached[name], new[name], theta[name])
            if new[name].shape != theta[name].shape:  # messages that all restarts have in common
                new[name] = np.broadcast_to(new[name], theta[name].shape)
        return new

    def _stepped(
        self, lane: Lane, name: str, theta: Array, counts: Array, kept: Sequence[Learned]
    ) -> Array:
        """A matrix after the ``n_it`` steps of an epoch, the counts of the first being there."""
        update, held = lane.updates[name], self.hold.get(name)
        matrix = theta
        for n in range(lane.n_it):
            if n > 0:
                more = [update.counts(matrix, learned) for learned in kept]
                counts = more[0] if len(more) == 1 else sum(more[1:], more[0])
            matrix = update.matrix(counts, matrix)
            if held is not None:
                matrix = np.where(held, theta, matrix)
        return matrix


class Visit(NamedTuple):
    """What one walk over all samples found: likelihoods, and where asked for, counts."""

    totals: dict[str, Array | float]
    dropped: NDArray[np.bool_] | bool
    counts: Totals
    kept: list[dict[str, Learned]]


def learn(problem: Problem, n_epochs: int, *, aggregate: bool = True) -> Iterator[Epoch]:
    """Yield epoch 0 to ``n_epochs``; without ``aggregate`` that one is NaN and costs nothing.

    The problem is one that :meth:`Problem.needing` has made ready.
    """
    parts = problem.parts()
    if len(parts) == 1:
        yield from _learn(problem, n_epochs, aggregate)
        return
    for states in zip(*(_learn(part, n_epochs, aggregate) for part in parts), strict=True):
        yield _joined(states)


def _learn(problem: Problem, n_epochs: int, aggregate: bool) -> Iterator[Epoch]:
    theta, second = problem.first, problem.second
    shape = (problem.restarts,)
    dropped = np.zeros(shape, dtype=bool)
    unknown, absent = np.full(shape, np.nan), None if problem.test is None else np.full(shape, np.nan)
    blank = {"aggregated": unknown, "loglik": unknown, "test_aggregated": absent, "test_loglik": None}
    alone = problem.restarts == 1  # one restart goes without the batch axis: calls cost less
    if alone:
        theta, second = _first_of(theta), None if second is None else _first_of(second)
    for n in range(n_epochs + 1):
        starting = n == 0 and second is not None
        seen = visit(problem, theta, learn=n < n_epochs and not starting, aggregate=aggregate)
        dropped = dropped | seen.dropped
        if n == 0 and dropped.all():
            _refuse(problem, theta)
        shown = {name: m[None] for name, m in theta.items()} if alone else theta
        likelihoods = (_as_restarts(seen.totals.get(k, blank[k]), shape) for k in blank)
        yield Epoch(n, shown, *likelihoods, dropped)
        if n == n_epochs:
            return
        new = second if starting else problem.learned(theta, seen.counts, seen.kept)
        assert new is not None
        if dropped.any():
            keep = dropped[0] if alone else dropped[:, None, None]
            new = {name: np.where(keep, theta[name], m) for name, m in new.items()}
        theta = new


def visit(
    problem: Problem, theta: Theta, *, learn: bool, aggregate: bool, lane: Lane | None = None
) -> Visit:
    """The E-step over all samples, and the first counts of every matrix."""
    keeps = learn and lane is None and any(lane.n_it > 1 for lane in problem.lanes)
    totals: dict[str, Array | float] = {}
    dropped: NDArray[np.bool_] | bool = False
    counts: Totals = {}
    kept = []
    masks = [(problem.weight, "")] + ([] if problem.test is None else [(problem.test, "test_")])
    whole = len(problem.clamped.cuts(problem.restarts)) == 1
    for found in flows(problem.clamped, theta, problem.restarts):
        local = local_sum(problem.clamped, found) if aggregate else None
        for mask, prefix in masks:
            w = mask if whole else mask[..., found.cut]
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
            pieces = problem.incoming(f, b, found.cut)
            own = problem.counts(theta, pieces, lane)
            counts = {name: counts[name] + v for name, v in own.items()} if counts else own
            if keeps:
                kept.append(pieces)
    return Visit(totals, dropped, counts, kept)


def weighted(per_sample: Array, weight: Array | None, *, finite: bool = False) -> Array:
    """``sum_n L[n] v[n]`` over the samples that count: a weight of zero silences even -inf."""
    if weight is None:
        return np.asarray(per_sample.sum(axis=-1))
    if not finite and np.minimum.reduce(per_sample, axis=None) == -np.inf:
        per_sample = np.where(weight > 0, per_sample, 0.0)
    total: Array = per_sample.dot(weight) if weight.ndim == 1 else (per_sample * weight).sum(axis=-1)
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
    rest = (
        None if columns[0] is None else np.concatenate(columns)
        for columns in zip(*(s[2:] for s in states), strict=True)
    )
    return Epoch(states[0].n, theta, *rest)  # type: ignore[arg-type]


def _as_restarts(total: Array | float | None, shape: tuple[int, ...]) -> Any:
    """A likelihood of every restart; None stays None."""
    if total is None:
        return None
    v = np.asarray(total)
    return v.reshape(shape) if v.size == shape[0] else np.broadcast_to(v, shape)


def _first_of(theta: Theta) -> Theta:
    return {name: matrix[0] for name, matrix in theta.items()}


def _own(v: Array, share: slice) -> Array:
    """A lane's messages: what all restarts have in common has no batch axis."""
    return v[share] if v.ndim == 3 and len(v) > 1 else v


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
    ml = Update(RULES["ml"], {}, None)
    lane = Lane(dict.fromkeys(problem.clamped.graph.learnable, ml), 1)
    parts = problem.parts()
    if len(parts) == 1:
        return visit(problem, theta, learn=True, aggregate=False, lane=lane).counts
    found, at = [], 0
    for part in parts:
        own = {name: m[at : at + part.restarts] for name, m in theta.items()}
        found.append(visit(part, own, learn=True, aggregate=False, lane=lane).counts)
        at += part.restarts
    return {name: np.concatenate([counts[name] for counts in found]) for name in found[0]}
