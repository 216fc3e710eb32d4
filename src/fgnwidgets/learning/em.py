"""The EM cycle: exact messages, then every matrix once from its own messages (section 7).

An epoch is one :func:`e_step`, its E-step, from which an :class:`MStep` counts. A block is
*barren* in a sample without evidence on its output or below it, from which it learns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..algebra.arrays import Array, Arrays, Index, Mask, keep_memory
from ..algebra.semirings import SUM_PRODUCT
from ..data.evidence import Evidence
from ..graphs.normal_graph import Graph, NormalGraph
from ..inference.propagation import (
    CHUNK,
    LEAST,
    Chunk,
    Clamped,
    clamp,
    local_sum,
    propagate_chunk,
    propagate_chunks,
    refuse_impossible,
)
from ..loops.families import Family, joint_message
from .observed import Observed, Seen, by_belief, counts_of, served
from .rules import PAPERS, RULES, Learned, Rule, Settings, Update, configure
from .workers import one_thread_of_blas, read_workers, side_by_side

Incoming = Mapping[str, Learned]
"""By matrix, the data of its M-step: the messages on the two sides of its blocks, and weights."""


WORKSPACE = 256_000_000
"""Bytes of messages that one batch of restarts may hold; more restarts run in slices."""


LIKELIHOODS = ("aggregated", "loglik", "test_aggregated", "test_loglik")


FIRST, SECOND, PLAIN = 0, 1, 2
"""The place of matrices in a cycle of SQUAREM: ``theta0``, ``theta1``, or outside of one."""


class Progress(NamedTuple):
    """The way up of every restart, ``(restarts,)`` each: what learning goes on from.

    ``objective``, ``gain``   at the last matrices that were kept, and how much the last step gained
    ``slowest``               the largest ``s`` of the last cycles: errors shrink by ``1 - 1 / s``
    ``near``                  True where the last cycle of SQUAREM found so little left to gain
    ``settled``               True where so little is left to gain that nothing is computed any more
    ``place``                 ``FIRST``, ``SECOND`` or ``PLAIN``
    ``ceiling``               of ``s``
    ``first``                 by matrix, ``theta0`` of the cycle, ``(restarts, M_X, M_Y)``; empty
                              without SQUAREM
    ``after``                 by matrix, what an epoch of EM makes of those that were kept last
    """

    objective: Array
    gain: Array
    slowest: Array
    near: Mask
    settled: Mask
    place: NDArray[np.int8]
    ceiling: Array
    first: Arrays
    after: Arrays


class Epoch(NamedTuple):
    """The state after ``n`` updates: ``theta[name]`` is ``(restarts, M_X, M_Y)``.

    The likelihoods ``(restarts,)`` are those of these matrices, summed over the samples with their
    weights; the test ones are None without a ``test_weight``. ``dropped`` marks restarts that gave
    some sample probability zero and stay as they were. ``settled`` marks those that are computed no
    further, since nothing is left to gain, and ``progress`` is what the others go on from; both are
    None where learning only counts its epochs.
    """

    n: int
    theta: Arrays
    aggregated: Array
    loglik: Array
    test_aggregated: Array | None
    test_loglik: Array | None
    dropped: Mask
    settled: Mask | None = None
    progress: Progress | None = None

    def of(self, which: Index | Mask | slice) -> Epoch:
        """That of some of the restarts."""
        epoch: Epoch = by_restart(lambda v: v[which], self)
        return epoch

    def put(self, which: Index, other: Epoch) -> Epoch:
        """The same with that of some of the restarts in place of what it was."""

        def changed(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
            whole = np.array(old)
            whole[which] = new
            return whole

        epoch: Epoch = by_restart(changed, self, other)
        return epoch


def by_restart(function: Callable[..., NDArray[Any]], *values: Any) -> Any:
    """The function of each array in values of the same form, all with an axis of restarts first."""
    first = values[0]
    if isinstance(first, np.ndarray):
        return function(*values)
    if isinstance(first, Mapping):
        return {k: by_restart(function, *(value[k] for value in values)) for k in first}
    if isinstance(first, tuple):
        pairs = zip(*values, strict=True)
        return type(first)(*(by_restart(function, *own) for own in pairs))
    return first  # the number of an epoch, or None


class OnClique(Update):
    """The M-step of a family on a clique: what it learns from speaks of parents and child together.

    So its matrix is one row of all their pairs.
    """

    def counts(self, theta: Array, learned: Learned) -> Array:
        row = theta.reshape(*theta.shape[:-2], 1, -1)
        return super().counts(row, learned).reshape(theta.shape)


def updates_of(form: NormalGraph, rule: Rule, constants: Mapping[str, Any]) -> dict[str, Update]:
    """By matrix that is learned its M-step, that of a family on a clique in its own way."""
    updates = {}
    for name, users in form.learnable.items():
        update = configure(rule, constants, form.matrices[name], name)
        on_clique = any(isinstance(node, Family) for node in users)
        updates[name] = OnClique(**vars(update)) if on_clique else update
    return updates


@dataclass(eq=False)
class MStep:
    """The M-step of restarts with the same settings: it adds counts up, piece by piece of samples.

    ``kept`` is what was seen, where more steps follow (Nit > 1).
    """

    setting: Settings
    fixed_rows: Mapping[str, Mask]
    theta: Arrays
    counts: dict[str, Array] = field(default_factory=dict)
    kept: list[Incoming] = field(default_factory=list)

    def fresh(self) -> MStep:
        """The same that has counted nothing."""
        return replace(self, counts={}, kept=[])

    def add(self, incoming: Incoming, *, leaves: bool = False) -> None:
        """Count what some samples say; :class:`MSteps` pass some by at ``leaves``."""
        for name, learned in incoming.items():
            self.put(name, counts_of(self.setting.updates[name], self.theta[name], learned))
        if self.setting.n_it > 1:
            self.kept.append(incoming)

    def put(self, name: str, counts: Array) -> None:
        """Add counts to those of a matrix."""
        self.counts[name] = self.counts[name] + counts if name in self.counts else counts

    def take(self, other: MStep) -> None:
        """Add what another one has counted of other samples."""
        for name, counts in other.counts.items():
            self.put(name, counts)
        self.kept += other.kept

    def matrices(self) -> dict[str, Array]:
        """All matrices, those that the counts make after ``n_it`` steps."""
        new = dict(self.theta)
        for name, counts in self.counts.items():
            matrix = self.setting.updates[name].matrix(counts, self.theta[name])
            for _ in range(1, self.setting.n_it):
                matrix = self._once_more(name, matrix)
            if name in self.fixed_rows:
                matrix = self._kept_rows(name, matrix)
            if matrix.shape != new[name].shape:  # of messages that all restarts have in common
                matrix = np.broadcast_to(matrix, new[name].shape)
            new[name] = matrix
        return new

    def _kept_rows(self, name: str, matrix: Array) -> Array:
        """The matrix with the rows as they were that stay."""
        return np.where(self.fixed_rows[name], self.theta[name], matrix)

    def _once_more(self, name: str, matrix: Array) -> Array:
        """The matrix after another step on the same messages."""
        if name in self.fixed_rows:
            matrix = self._kept_rows(name, matrix)
        update = self.setting.updates[name]
        counts = [counts_of(update, matrix, own[name]) for own in self.kept if name in own]
        return update.matrix(sum(counts[1:], counts[0]), matrix)


@dataclass(eq=False)
class MSteps:
    """The M-step of restarts with several settings: one for each, and which restarts it is for.

    One by itself has no batch axis, which saves a fifth.
    """

    theta: Arrays
    each: Sequence[tuple[int | slice, MStep]]
    counts: Mapping[str, Array] = field(default_factory=dict)  # there are none of all restarts

    def fresh(self) -> MSteps:
        return MSteps(self.theta, [(share, step.fresh()) for share, step in self.each])

    def add(self, incoming: Incoming, *, leaves: bool = False) -> None:
        """Count what some samples say: at ``leaves``, where beliefs are not enough."""
        for share, step in self.each:
            if not (leaves and by_belief(step.setting)):
                own = partial(_own, share=share)
                step.add({k: (own(f), own(b), own(w)) for k, (f, b, w) in incoming.items()})

    def put(self, name: str, counts: Array) -> None:
        """Add counts by belief to those of a matrix, where beliefs are enough."""
        for share, step in self.each:
            if by_belief(step.setting):
                step.put(name, _own(counts, share))

    def take(self, other: MSteps) -> None:
        for (_, step), (_, more) in zip(self.each, other.each, strict=True):
            step.take(more)

    def matrices(self) -> dict[str, Array]:
        learned = dict.fromkeys(name for _, step in self.each for name in step.counts)
        new = {name: np.empty(self.theta[name].shape) for name in learned}
        for share, step in self.each:
            made = step.matrices()
            for name in new:
                new[name][share] = made[name]
        return {**self.theta, **new}


@dataclass(frozen=True, eq=False)
class About:
    """The part of a task that its run keeps, to be reported and gone on with."""

    graph: Graph | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    counted: bool = True
    n_rows: int | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """Learning that is ready to run: every restart has settings, a start, and maybe own weights.

    ``weight`` and ``test`` are ``(N,)`` or ``(restarts, N)`` over the folded rows. ``second`` holds
    the matrices after the first M-step where the start is given by messages. ``fixed_rows`` marks
    rows ``(M_X, 1)`` that stay as they are (``hold=``). ``table`` is the evidence before equal rows
    were folded, ``mask`` its weights, ``drawn`` the matrices that begin at random in every restart
    anew. ``workers`` is the number of threads, None as many as cores; no result depends on it.
    ``begin`` is the epoch to go on from, where learning does not begin anew. Without ``aggregate``
    the aggregated likelihoods are NaN, at no cost.
    """

    clamped: Clamped
    weight: Array
    test: Array | None
    settings: tuple[Settings, ...]
    first: Arrays
    second: Arrays | None = None
    fixed_rows: Mapping[str, Mask] = field(default_factory=dict)
    table: Evidence | None = None
    mask: Array | None = None
    drawn: frozenset[str] = frozenset()
    about: About = field(default_factory=About)
    workers: int | None = None
    begin: Epoch | None = None
    aggregate: bool = True

    @property
    def restarts(self) -> int:
        return len(self.settings)

    def needing(self, aggregate: bool) -> Self:
        """The same with a plan of those messages alone that learning reads, with or without what
        the aggregated likelihoods need."""
        learnable = self.clamped.graph.learnable.values()
        wanted = {(b, not sent) for users in learnable for node in users for b, sent in node.ports}
        if aggregate:
            carried = (name for name, _ in self.clamped.evidence_ports.values())
            wanted.update((name, forward) for name in carried for forward in (True, False))
        return replace(self, clamped=self.clamped.wanting(wanted), aggregate=aggregate)

    def add_blocks(self, chunk: Chunk, step: MStep | MSteps) -> None:
        """Count in the M-step what the blocks learn from some samples."""
        f, b = chunk.decoded()
        if not chunk.possible:  # its messages become silent
            f, b = ({k: np.nan_to_num(v) for k, v in side.items()} for side in (f, b))
        step.add(self.incoming(f, b, chunk.cut))

    def incoming(self, f: Arrays, b: Arrays, cut: slice) -> Incoming:
        """By matrix, what its blocks learn from; tied blocks side by side along the samples.

        A source has no input: its forward message is one (section 3). So has a family on a clique,
        whose backward message speaks of parents and child together.
        """
        n, one, weights = cut.stop - cut.start, self._ones[:, cut], self._weights_of(cut)
        data: dict[str, Learned] = {}
        for name, users in self.clamped.graph.learnable.items():
            if name in self.on_cliques:
                sides = [(one, joint_message(node, f, b, SUM_PRODUCT)) for node in users]
            else:
                sides = [(f[x] if x else one, b[y]) for x, y in self._ends[name]]
            fx, by = sides[0]
            if len(sides) > 1 or fx.shape[-1] != n or by.shape[-1] != n:
                fx, by = (_side_by_side(side, n) for side in zip(*sides, strict=True))
            data[name] = fx, by, weights[name]
        return data

    @cached_property
    def on_cliques(self) -> frozenset[str]:
        """The matrices of families on cliques."""
        learnable = self.clamped.graph.learnable.items()
        return frozenset(k for k, users in learnable if any(isinstance(u, Family) for u in users))

    @property
    def _row(self) -> Array:
        """The weights of all samples, ``(..., 1, N)``."""
        row = self.weight[..., None, :]
        return row[0] if row.ndim == 3 and len(row) == 1 else row

    @cached_property
    def _ends(self) -> dict[str, list[tuple[str, str]]]:
        """By matrix, the branches at the inputs ("" for a source) and outputs of its blocks."""
        return {
            name: [
                (node.inputs[0].name if node.inputs else "", node.outputs[0].name) for node in users
            ]
            for name, users in self.clamped.graph.learnable.items()
        }

    @cached_property
    def _ones(self) -> Array:
        return np.ones((1, self.clamped.evidence.n))

    @cached_property
    def _weights(self) -> dict[str, Array]:
        """By matrix the weights ``(..., 1, N)`` of all its blocks, zero where barren."""
        row, weights = self._row, {}
        for name, users in self.clamped.graph.learnable.items():
            masks = (self.clamped.informative[node.name] for node in users)
            each = [row if mask is True else row * mask for mask in masks]
            weights[name] = each[0] if len(each) == 1 else np.concatenate(each, axis=-1)
        return weights

    def _weights_of(self, cut: slice) -> dict[str, Array]:
        """The same of some samples."""
        every = self.clamped.evidence.n
        if cut == slice(0, every):
            return self._weights
        grids = {k: w.reshape(*w.shape[:-1], -1, every) for k, w in self._weights.items()}
        return {k: w[..., cut].reshape(*w.shape[:-2], -1) for k, w in grids.items()}

    @cached_property
    def rest(self) -> Problem:
        """The same without what was observed for certain, where a fast path counts that."""
        return self if self.seen is None else replace(self, clamped=self.seen.clamped)

    @cached_property
    def seen(self) -> Seen | None:
        """The fast path of hard evidence for these settings; None where it is not taken."""
        reduced, believing = self.clamped.reduced, [*map(by_belief, self.settings)]
        if reduced is None or not isinstance(observed := reduced.observed, Observed):
            return None
        if not (all(believing) or served(observed, self.settings)):
            return None
        learned, root = self.clamped.graph.learnable, observed.root
        whole = (  # a source learns by ML from its one star, observed in every sample
            root is not None
            and root.theta in learned
            and self.clamped.informative[root.name] is True
            and all(setting.rule is RULES["ml"] and setting.n_it == 1 for setting in self.settings)
        )
        return Seen(reduced, observed, self._row, learned, any(believing), all(believing), whole)

    def m_step(self, theta: Arrays) -> MStep | MSteps:
        """The M-step from these matrices, of all restarts."""
        first = self.settings[0]
        if all(setting is first for setting in self.settings):
            return MStep(first, self._staying, theta)
        return MSteps(theta, self._m_steps(theta))

    def _m_steps(self, theta: Arrays) -> list[tuple[int | slice, MStep]]:
        """Neighbouring restarts with the same settings, and their M-step."""
        steps: list[tuple[int | slice, MStep]] = []
        ends = [r for r in range(self.restarts) if self.settings[r] is not self.settings[r - 1]]
        for start, stop in pairwise(sorted({0, *ends, self.restarts})):
            share = start if stop == start + 1 else slice(start, stop)
            rows = {name: _own(mask, share) for name, mask in self._staying.items()}
            own = {name: matrices[share] for name, matrices in theta.items()}
            steps.append((share, MStep(self.settings[start], rows, own)))
        return steps

    @cached_property
    def _staying(self) -> Mapping[str, Mask]:
        """The rows that stay as they are, of a matrix that no sample reaches all."""
        rows, informative = dict(self.fixed_rows), self.clamped.informative
        for name, users in self.clamped.graph.learnable.items():
            if not any(informative[node.name] is True for node in users):
                lost = self._weights[name].sum(axis=-1, keepdims=True) <= 0
                if lost.any():
                    rows[name] = lost | rows.get(name, False)
        return rows

    def part(self, restarts: slice | Sequence[int]) -> Problem:
        """The problem of some of the restarts."""
        which = np.arange(self.restarts)[restarts]

        def some(v: Any) -> Any:
            if isinstance(v, Mapping):
                return {name: matrices[which] for name, matrices in v.items()}
            return v[which] if v is not None and v.ndim == 2 else v

        settings = tuple(self.settings[r] for r in which)
        changed = {
            name: some(getattr(self, name))
            for name in ("weight", "test", "first", "second", "mask")
        }
        begin = self.begin and self.begin.of(which)
        return replace(self, settings=settings, begin=begin, **changed)

    def parts(self) -> list[Problem]:
        """The restarts in slices; mostly one. Of more than fit in one chunk, each fills one."""
        size = max(1, int(WORKSPACE // self.bytes_of_a_restart))
        size = min(size, CHUNK // min(max(self.clamped.evidence.n, 1), LEAST))
        if size >= self.restarts:
            return [self]
        return [self.part(slice(at, at + size)) for at in range(0, self.restarts, size)]

    @property
    def bytes_of_a_restart(self) -> int:
        """The bytes of one restart at a time: the messages of a chunk, and for Nit > 1 of all."""
        clamped, n = self.rest.clamped, self.clamped.evidence.n
        graph = clamped.graph
        columns: int = clamped.pieces(self.restarts)[0].stop
        size = 16 * columns * sum(branch.size for branch in graph.branches.values())
        if any(setting.n_it > 1 for setting in self.settings):
            blocks = (node for users in self.clamped.graph.learnable.values() for node in users)
            size += 8 * n * sum(sum(node.shape) for node in blocks)
        return size

    @property
    def repeated(self) -> NDArray[np.bool_]:
        """True for a restart with the start, rule and weights of one before it, ``(restarts,)``."""
        seen, repeated = set(), np.zeros(self.restarts, dtype=bool)
        start = self.first if self.second is None else self.second
        matrices = [start[name] for name in self.clamped.graph.learnable]
        if self.weight.ndim > 1:
            return repeated
        for r, setting in enumerate(self.settings):
            key = id(setting), *(hash(matrix[r].tobytes()) for matrix in matrices)
            repeated[r] = key in seen
            seen.add(key)
        return repeated

    def epochs(self, learn: Callable[[Problem], Iterator[Epoch]]) -> Iterator[Epoch]:
        """The epochs of all restarts, by a function that learns those of a part of them."""
        keep_memory()
        parts = [self] if self.restarts == 1 else self.parts()
        return learn(self) if len(parts) == 1 else self._epochs_of([*map(learn, parts)])

    def _epochs_of(self, runs: Sequence[Iterator[Epoch]]) -> Iterator[Epoch]:
        """The epochs of all restarts, from those of their slices."""
        # One thread for slices of restarts, where their rows are in enough pieces.
        few = len(self.clamped.pieces(self.restarts)) > 1 and len(runs) < self.threads
        return _together(runs, 1 if few else self.threads)

    @cached_property
    def threads(self) -> int:
        """As many of the workers as are of use: code of others may not bear several, memory not
        many."""
        ours = all(rule.step in PAPERS for rule, *_ in self.settings)
        workers = read_workers(self.workers)
        if workers == 1 or not (ours and all(node.ours for node in self.clamped.graph.nodes)):
            return 1
        return max(1, min(workers, int(4 * WORKSPACE // self.bytes_of_a_restart)))

    @cached_property
    def structural_zeros(self) -> dict[str, Mask]:
        """Zeros at the start that never leave, ``(restarts, M_X, M_Y)`` by matrix that has any."""
        zeros = {name: self.first[name] == 0 for name in self.clamped.graph.learnable}
        return {k: zero & self._kept_zeros(k) for k, zero in zeros.items() if zero.any()}

    def _kept_zeros(self, name: str) -> Mask:
        """True where zeros stay: ML and KL multiply what is there, only pseudo-counts add to it."""
        kept = []
        for update in (setting.updates[name] for setting in self.settings):
            nothing = np.equal(0.0 if update.prior is None else update.prior, 0)
            kept.append(np.broadcast_to(update.rule.iterates & nothing, self.first[name].shape[1:]))
        return np.array(kept)

    @cached_property
    def movable(self) -> dict[str, Mask]:
        """True where learning could move a matrix: no held row, and no zero that ML would keep."""
        movable = {k: np.ones(self.first[k].shape[1:], bool) for k in self.clamped.graph.learnable}
        for name, zeros in self.structural_zeros.items():
            movable[name] &= ~zeros.all(axis=0)
        for name, rows in self.fixed_rows.items():
            movable[name] &= ~rows
        return movable

    def refuse(self, theta: Arrays) -> None:
        """Raise :class:`ImpossibleEvidence` if these matrices give a sample probability zero, by
        its number in the table, not among the folded rows."""
        if self.table is not None:
            theta = {name: m[0] if self.restarts == 1 else m for name, m in theta.items()}
            refuse_impossible(self.row_loglik(theta), self.table, self.clamped.graph)

    def row_loglik(self, theta: Arrays) -> Array:
        """``loglik`` of every row as the table has it, ``(..., N)``; 0 where the weight is zero."""
        rows = self.table or self.clamped.evidence
        whole = clamp(self.clamped.graph, rows)
        loglik = np.concatenate([chunk.loglik for chunk in propagate_chunks(whole, theta)], axis=-1)
        return loglik if self.mask is None else np.where(self.mask > 0, loglik, 0.0)


def _together(runs: Sequence[Iterator[Epoch]], threads: int) -> Iterator[Epoch]:
    """The epochs of all restarts, whose slices are learned side by side; one that is at its end
    stays as it is."""
    last: Sequence[Epoch | None] = [None] * len(runs)
    while any(states := side_by_side(threads, _next, runs)):
        last = [new or old for new, old in zip(states, last, strict=True)]
        n = max(epoch.n for epoch in last if epoch)
        yield by_restart(lambda *each: np.concatenate(each), *last)._replace(n=n)


def _next(run: Iterator[Epoch]) -> Epoch | None:
    return next(run, None)


def e_step(
    problem: Problem, theta: Arrays, step: MStep | MSteps | None
) -> tuple[dict[str, Array], Mask | bool]:
    """The E-step over all samples, whose messages an M-step sees, if there is one.

    The likelihoods by the names of :class:`Epoch`, summed over the samples; and which restarts gave
    a training sample probability zero.
    """
    seen = problem.seen
    clamped = problem.clamped if seen is None else seen.clamped
    tables = [star.log_tables(theta) for star in seen.observed.stars] if seen else []
    masks = {"": problem.weight} | ({} if problem.test is None else {"test_": problem.test})

    def of_some(cut: slice, some: Any) -> tuple[dict[str, Array], Mask | bool]:
        """The E-step of some samples."""
        chunk = seen.chunk(theta, tables, cut) if seen else propagate_chunk(clamped, theta, cut)
        logs = {"loglik": chunk.loglik}
        beliefs = seen.beliefs(chunk) if seen and problem.aggregate else []
        if problem.aggregate:
            near = seen.local_sum(theta, chunk, beliefs) if seen else local_sum(clamped, chunk)
            logs["aggregated"] = near
        sums = {
            kind + name: weighted(v, w[..., cut], finite=chunk.possible)
            for kind, w in masks.items()
            for name, v in logs.items()
        }
        if some and not (seen and seen.whole):
            problem.rest.add_blocks(chunk, some)
            if seen:
                seen.add_messages(theta, chunk, some)
        if some and seen and seen.some_believe:
            sums |= seen.sums(chunk, beliefs)
        if chunk.possible:
            return sums, False
        return sums, ((chunk.loglik == -np.inf) & (problem.weight[..., cut] > 0)).any(axis=-1)

    cuts = clamped.pieces(problem.restarts)
    # The products of the fast path are too short for several threads; tiny ones have one anyway.
    with nullcontext() if seen is None or seen.observed.few else one_thread_of_blas():
        if len(cuts) == 1:
            sums, dropped = of_some(cuts[0], step)
        else:
            sums, dropped = _in_pieces(of_some, cuts, step, problem.threads)
    if step and seen:
        seen.finish(sums, step)
    return sums, dropped


def _in_pieces(
    of_some: Callable[[slice, Any], tuple[dict[str, Array], Mask | bool]],
    cuts: Sequence[slice],
    step: Any,
    threads: int,
) -> tuple[dict[str, Array], Mask | bool]:
    """The E-step of pieces of the samples side by side, added up in their order."""
    some = [step, *(step and step.fresh() for _ in cuts[1:])]
    pieces = list(zip(cuts, some, strict=True))
    (sums, dropped), *others = side_by_side(threads, lambda piece: of_some(*piece), pieces)
    for (more, lost), counted in zip(others, some[1:], strict=True):
        sums = {name: v + more[name] for name, v in sums.items()}
        dropped = dropped | lost
        if step:
            step.take(counted)
    return sums, dropped


def em_step(
    problem: Problem, theta: Arrays, *, update: bool = True
) -> tuple[dict[str, Any], Mask, Arrays, Arrays]:
    """An E-step of all restarts at ``theta``, and the matrices that the M-step makes, if wanted.

    The likelihoods by the names of :class:`Epoch`; which restarts gave a sample probability zero;
    the matrices; and, where all learn alike, the counts that made them, ``(..., M_X, M_Y)``.
    """
    restarts = problem.restarts
    alone = restarts == 1  # a fast path: without the batch axis calls cost a third less
    # In one order: BLAS rounds by it, and a run that comes back from a file has no other.
    theta = {name: np.ascontiguousarray(m[0] if alone else m) for name, m in theta.items()}
    step = problem.m_step(theta) if update else None
    sums, impossible = e_step(problem, theta, step)
    known = LIKELIHOODS if problem.test is not None else LIKELIHOODS[:2]
    logs: dict[str, Any] = dict.fromkeys(LIKELIHOODS)
    logs |= {name: np.full(restarts, sums.get(name, np.nan)) for name in known}
    new = step.matrices() if step else {}
    if alone:
        new = {name: m[None] for name, m in new.items()}
    return logs, np.zeros(restarts, bool) | impossible, new, step.counts if step else {}


def learn(problem: Problem, n_epochs: int) -> Iterator[Epoch]:
    """Yield epoch 0 to ``n_epochs``."""
    theta, dropped = problem.first, np.zeros(problem.restarts, dtype=bool)
    before = problem.begin.n if problem.begin else 0  # epochs that there were: these count on
    for n in range(n_epochs + 1):
        given = problem.second if n == 0 else None  # of a start by messages
        update = n < n_epochs and given is None
        logs, lost, new, _ = em_step(problem, theta, update=update)
        dropped = dropped | lost
        state = Epoch(n=before + n, theta=theta, dropped=dropped, **logs)
        if n < n_epochs:  # before the state is handed out: its messages are not held meanwhile
            theta = staying(dropped, theta, new if given is None else given)
        yield state


def staying(dropped: Mask, theta: Arrays, new: Arrays) -> Arrays:
    """The new matrices, but those of restarts that were dropped as they were."""
    if not dropped.any():
        return new
    return {k: np.where(dropped[:, None, None], theta[k], m) for k, m in new.items()}


def weighted(per_sample: Array, weight: Array, *, finite: bool) -> Array:
    """``sum_n L[n] v[n]`` over the samples that count: a weight of zero silences even -inf."""
    if not finite:
        per_sample = np.where(weight > 0, per_sample, 0.0)
    if weight.ndim == 1:
        return np.asarray(per_sample.dot(weight))
    return np.asarray((per_sample * weight).sum(axis=-1))


def _own(v: NDArray[Any], share: int | slice) -> Any:
    """The part of a setting's restarts; arrays that all restarts share have no batch axis."""
    if v.ndim < 3 or (len(v) == 1 and isinstance(share, slice)):
        return v
    return v[share if len(v) > 1 else 0]


def _side_by_side(messages: Sequence[Array], n: int) -> Array:
    """Along the samples; what no evidence reaches is the same for every sample."""
    if len({v.shape for v in messages}) == 1 and messages[0].shape[-1] == n:
        return np.concatenate(messages, axis=-1)  # 25 times as fast, of 10,000 tied blocks
    batch = np.broadcast_shapes(*(v.shape[:-2] for v in messages))
    wide = [np.broadcast_to(v, (*batch, v.shape[-2], n)) for v in messages]
    return np.concatenate(wide, axis=-1)
