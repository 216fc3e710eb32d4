"""A fast path where evidence is hard: a cell that was observed is an index, no zeros and ones.

It buys a factor of ten to a hundred on tables of many rows or many columns, and without it a column
of 20,000 states could not be learned from at all (``benchmarks/beside_c.py``). Two sweeps over the
whole graph give the same, and take its place where :data:`TAKEN` is False, or :func:`served` says
no.

Under ML and KL a leaf needs no message: at a delta both count the belief of the variable above it,
of all leaves at once (section 3.2). Under VIT, VAR and more steps in an epoch (Nit) every leaf gets
its own forward message, the product of all that is not it.

Vocabulary
    leaf       a block whose output has hard evidence and goes nowhere else
    star       the leaves below one variable: what they say of it together is one message
    given      a block below a given variable: what it sends is a row of its matrix
    reduced    the graph without both, on which two sweeps do the rest
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from ..algebra.arrays import Array, Arrays, Index, Mask, column_sums, i_max, times
from ..algebra.semirings import SMALLEST, SUM_PRODUCT, Logs
from ..data.evidence import Evidence
from ..graphs.nodes import Block, Diverter, Node, Source
from ..graphs.normal_graph import NormalGraph
from ..inference.propagation import (
    Chunk,
    Clamped,
    Entering,
    Samples,
    Side,
    clamp,
    local_sum,
    propagate_chunk,
    two_sweeps,
)
from ..inference.queries import belief
from .rules import (
    PAPERS,
    RULES,
    TINY,
    Learned,
    Settings,
    Update,
    kl_step,
    var_step,
    vit_step,
)

TAKEN = True
"""True if the path is taken; tests switch it off to compare."""

FEW = 1 << 11
"""Zeros and ones of hard evidence up to which two sweeps over the whole graph are as fast, but for
a graph that is a source and a star: the plain way is taken."""

SMALL = 1 << 16
"""Cells of zeros and ones up to which messages for each leaf cost no more than indices."""

NARROW = 64
"""Columns up to which the same holds where they have a quarter as many states, on average."""

DENSE = 1 << 22
"""Up to so many, a star's evidence is a matrix of them: one product is one call."""

TOGETHER = 2048
"""So many combinations of the states of neighbouring columns are looked up at once, at most."""

NEVER = -1e12
"""The logarithm of zero in a product with zeros and ones, which knows no infinity."""


@dataclass(frozen=True)
class Shape:
    """The nodes of a graph that are served: its stars, by their branches, and its given blocks."""

    graph: NormalGraph
    stars: tuple[tuple[str, tuple[Block, ...]], ...]
    given: tuple[Block, ...]

    @cached_property
    def root(self) -> Source | None:
        """The source, where the graph has nothing but it and a star."""
        first, *rest = self.graph.nodes
        if not isinstance(first, Source) or len(self.stars) != 1 or self.given or len(rest) > 1:
            return None
        way = {first.y.name, self.stars[0][0]}  # both ends of a diverter, or one branch
        alone = all(node.copies and {name for name, _ in node.ports} == way for node in rest)
        return first if alone and len(way) == 1 + len(rest) else None


@lru_cache(maxsize=256)
def shape_of(graph: NormalGraph, leaves: frozenset[str]) -> Shape | None:
    """The graph without blocks to the open branches ``leaves``; None where nothing would be left.

    The leaves of a diverter share the branch to the first of them.
    """
    stars: dict[str, list[Block]] = {}
    given: list[Block] = []
    for node in graph.nodes:
        if type(node) is not Block or len({user.learn for user in graph.users[node.theta]}) > 1:
            continue
        if node.x.given and node.x.name not in graph.tails:
            if node.y.name in graph.heads:
                given.append(node)
        elif node.y.name in leaves and node.y.size > 1 and node.x.name in graph.tails:
            above = graph.tails[node.x.name]
            stars.setdefault(above.name if above.copies else f" {node.x.name}", []).append(node)
    gone = {node.name for blocks in (*stars.values(), given) for node in blocks}
    spare = {leaf.x.name for blocks in stars.values() for leaf in blocks[1:]}

    def left(node: Node) -> Node:
        if not node.copies or not any(name in spare for name, _ in node.ports):
            return node
        return Diverter(node.name, node.inputs, (y for y in node.outputs if y.name not in spare))

    nodes = [left(node) for node in graph.nodes if node.name not in gone]
    if not gone or not nodes or graph.loop:
        return None
    by_branch = tuple((blocks[0].x.name, tuple(blocks)) for blocks in stars.values())
    return Shape(NormalGraph(nodes), by_branch, tuple(given))


def clamp_observed(graph: NormalGraph, evidence: Evidence) -> Clamped:
    """:func:`clamp`, and beside it the same evidence on the reduced graph, where there is one."""
    whole = clamp(graph, evidence)
    ports = whole.evidence_ports.items()
    hard = {b: evidence.codes[v] for v, (b, fwd) in ports if v in evidence.codes and not fwd}
    shape = shape_of(whole.graph, frozenset(hard)) if TAKEN and not whole.shortcut else None
    few = evidence.n * sum(whole.graph.branch(v).size for v in evidence.codes) <= FEW
    if shape is None or (few and shape.root is None):
        return whole
    stars = tuple(star_of(branch, leaves, hard) for branch, leaves in shape.stars)
    gone = {leaf.y.name for star in stars for leaf in star.leaves}
    reduced = replace(
        whole,
        graph=shape.graph,
        plan=two_sweeps(shape.graph),
        evidence_ports={v: port for v, port in ports if port[0] not in gone},
        observed=Observed(whole, stars, shape.given, few, shape.root),
    )
    return replace(whole, reduced=reduced)


@dataclass(frozen=True, eq=False)
class ColumnGroup:
    """Neighbouring columns of a star, whose codes together are the index into one table."""

    places: slice
    sizes: tuple[int, ...]
    codes: Index

    def table(self, tables: Sequence[Array]) -> Array:
        """The sums of one entry of each table, ``(..., M, C)`` for ``C`` combinations of codes."""
        first, *rest = tables[self.places]
        for other in rest:
            both = first[..., :, None] + other[..., None, :]
            first = both.reshape(*both.shape[:-2], -1)
        return first

    def split(self, counts: Array) -> list[Array]:
        """The counts of each column, from those of combinations."""
        if len(self.sizes) == 1:
            return [counts]
        grid = counts.reshape(*counts.shape[:-1], *self.sizes)
        axes = range(-len(self.sizes), 0)
        return [grid.sum(axis=tuple(a for a in axes if a != axis)) for axis in axes]


@dataclass(frozen=True, eq=False)
class Star:
    """The evidence below one variable; ``branch`` is where it enters the reduced graph.

    By leaf, ``codes`` has the codes of its column, a missing cell one more than the states have,
    and ``sizes`` the number of codes.
    """

    branch: str
    leaves: tuple[Block, ...]
    codes: list[Index]
    sizes: list[int]

    @cached_property
    def parts(self) -> tuple[ColumnGroup, ...]:
        """Columns together, as long as there are many more rows than combinations of codes."""
        most = min(TOGETHER, len(self.codes[0]) // 4)
        starts = [0]
        for k in range(1, len(self.sizes)):
            if math.prod(self.sizes[starts[-1] : k + 1]) > most:
                starts.append(k)
        groups = []
        for start, stop in zip(starts, [*starts[1:], len(self.sizes)], strict=True):
            codes = self.codes[start]
            for size, more in zip(
                self.sizes[start + 1 : stop], self.codes[start + 1 : stop], strict=True
            ):
                codes = codes * size + more
            groups.append(ColumnGroup(slice(start, stop), tuple(self.sizes[start:stop]), codes))
        return tuple(groups)

    def tables(self, theta: Arrays) -> list[Array]:
        """By leaf, what each code says: its column of the matrix; a missing cell, the row sums."""
        return [
            theta[leaf.theta] if size == leaf.y.size else _with_sums(theta[leaf.theta])
            for leaf, size in zip(self.leaves, self.sizes, strict=True)
        ]

    def log_tables(self, theta: Arrays) -> list[Array]:
        """The logs of :meth:`tables`, of columns together."""
        with np.errstate(divide="ignore"):
            logs = list(map(np.log, self.tables(theta)))
            return [part.table(logs) for part in self.parts]

    def logs(self, tables: Sequence[Array], cut: slice) -> Array:
        """The log of what the leaves say together, ``(..., M, n)``: a sum of their logarithms.

        Below :data:`NEVER` / 2 it is the log of zero.
        """
        first, *rest = self.parts
        total = np.take(tables[0], first.codes[cut], axis=-1, mode="clip")
        for table, part in zip(tables[1:], rest, strict=True):
            said = np.take(table, part.codes[cut], axis=-1, mode="clip")
            total = np.add(total, said, out=said if said.ndim > total.ndim else total)
        return total

    def relative_logs(self, tables: Sequence[Array], cut: slice) -> tuple[Array, Array]:
        """The same beside the largest of each sample, and these, ``(..., n)``; 0 if all are 0."""
        said = self.logs(tables, cut)
        top = np.maximum.reduce(said, axis=-2, keepdims=True)
        top = np.where(top < NEVER / 2, 0.0, top)
        said -= top
        return said, top[..., 0, :]

    def counts(self, weights: Array, cut: slice) -> Array:
        """``sum_n weights`` where each code was seen, ``(..., M, C)``: of columns together, one
        after another."""
        sizes = (math.prod(part.sizes) for part in self.parts)
        each = [tally(weights, p.codes[cut], n) for p, n in zip(self.parts, sizes, strict=True)]
        return np.concatenate(each, axis=-1)

    def split(self, counts: Array) -> list[Array]:
        """The counts ``(..., M_X, M_Y)`` of each leaf: missing cells counted for none."""
        ends = [*accumulate(math.prod(part.sizes) for part in self.parts)]
        pieces = np.split(counts, ends[:-1], axis=-1)
        together = (part.split(own) for part, own in zip(self.parts, pieces, strict=True))
        each = (own for columns in together for own in columns)
        return [own[..., : leaf.y.size] for leaf, own in zip(self.leaves, each, strict=True)]

    def predictive(
        self, theta: Arrays, belief: Array, cut: slice, log_rest: Callable[[], Array]
    ) -> Array:
        """The log of what the rest of the graph gives each observed cell, summed, ``(..., n)``.

        A term of equation 28 for each leaf, ``1 / sum_k p_k / theta_k``. Where an entry is zero, or
        too small to be divided by, its part of the sum is what all other leaves say of the state:
        ``log_rest`` is then asked for what the rest of the graph says.
        """
        tables = self.tables(theta)
        small = [table < INVERTIBLE for table in tables]
        others = self._others(tables, log_rest(), cut) if any(map(np.any, small)) else None
        total: Array | float = 0.0
        product, least, most = np.ones(1), 1.0, 1.0  # of quotients, whose log is taken together
        for leaf, table, tiny, codes in zip(self.leaves, tables, small, self.codes, strict=True):
            inverse = np.where(tiny, 0.0, 1.0 / table)
            inverse[..., leaf.y.size :] = 1.0  # a missing cell is no term
            cells = np.take(inverse, codes[cut], axis=-1, mode="clip")
            quotient = np.einsum("...mn,...mn->...n", cells, belief)
            if others is not None and tiny.any():
                total = total - others.with_tiny(np.log(quotient), table, tiny, codes[cut])
                continue
            low, high = inverse.min(), inverse.max()
            if least * low < SAFE or most * high > 1 / SAFE:
                total, product, least, most = total - np.log(product), np.ones(1), 1.0, 1.0
            product, least, most = product * quotient, least * low, most * high
        return np.asarray(total - np.log(product))

    def _others(self, tables: Sequence[Array], log_rest: Array, cut: slice) -> Others:
        """What all entries but zeros say of each state, beside the whole sample."""
        said, zeros = log_rest, np.zeros((1, 1))
        for table, codes in zip(tables, self.codes, strict=True):
            odd = table == 0
            logs = np.log(np.where(odd, 1.0, table))
            said = said + np.take(logs, codes[cut], axis=-1, mode="clip")
            if odd.any():
                zeros = zeros + np.take(odd, codes[cut], axis=-1, mode="clip")
        whole = np.where(zeros == 0, said, -np.inf)
        top = whole.max(axis=-2, keepdims=True)
        top = np.where(top > -np.inf, top, np.inf)  # of an impossible sample it is nothing
        whole = top + np.log(np.exp(whole - top).sum(axis=-2, keepdims=True))
        said = said - whole
        at = np.flatnonzero(np.isfinite(said) & (said > UNLIKELY))
        states, samples = np.divmod(at, said.shape[-1])
        zeros = np.broadcast_to(zeros, said.shape).ravel()[at]
        return Others(said.shape[:-1], states, samples, said.ravel()[at], zeros)

    def without_each(self, theta: Arrays, log_rest: Array, cut: slice) -> Iterator[Array]:
        """For each leaf the forward message ``(..., M, n)``: all but what it says itself.

        Sums of logarithms before and after it, so that zeros are safe; each column sums to one.
        """
        with np.errstate(divide="ignore"):
            logs = [
                np.take(np.log(table), codes[cut], axis=-1, mode="clip")
                for table, codes in zip(self.tables(theta), self.codes, strict=True)
            ]
        after: list[Array | float] = [0.0]
        for log in logs[:0:-1]:
            after.append(after[-1] + log)
        before = log_rest
        for log, rest in zip(logs, after[::-1], strict=True):
            yield softmax(before + rest)
            before = before + log


@dataclass(frozen=True, eq=False)
class DenseStar(Star):
    """A star of a small table: its evidence is one matrix, and all columns are one product."""

    @cached_property
    def dense(self) -> Array:
        """Zeros and ones, a row for each code of each column, ``(C, N)``."""
        columns = zip(self.sizes, self.codes, strict=True)
        seen = [np.equal.outer(np.arange(size), codes) for size, codes in columns]
        return np.concatenate(seen, dtype=np.float64)

    def log_tables(self, theta: Arrays) -> list[Array]:
        """The logs of :meth:`tables`, all side by side."""
        with np.errstate(divide="ignore"):
            return [np.maximum(np.log(np.concatenate(self.tables(theta), axis=-1)), NEVER)]

    def logs(self, tables: Sequence[Array], cut: slice) -> Array:
        rows = tables[0].reshape(-1, tables[0].shape[-1])  # one product for all restarts
        return times(rows, self.dense[:, cut]).reshape(*tables[0].shape[:-1], -1)

    def counts(self, weights: Array, cut: slice) -> Array:
        rows = weights.reshape(-1, weights.shape[-1])  # likewise: the evidence is the same for all
        return times(rows, self.dense[:, cut].T).reshape(*weights.shape[:-1], -1)

    def split(self, counts: Array) -> list[Array]:
        columns = zip(accumulate(self.sizes, initial=0), self.leaves, strict=False)
        return [counts[..., at : at + leaf.y.size] for at, leaf in columns]


def star_of(branch: str, leaves: tuple[Block, ...], columns: Mapping[str, Index]) -> Star:
    """The star of leaves with these columns, a :class:`DenseStar` where its matrix is small."""
    codes, sizes = [], []
    for leaf, column in ((leaf, columns[leaf.y.name]) for leaf in leaves):
        blank = bool(column.min() < 0)
        codes.append(np.where(column < 0, leaf.y.size, column) if blank else column)
        sizes.append(leaf.y.size + blank)
    kind = DenseStar if sum(sizes) * len(codes[0]) <= DENSE else Star
    return kind(branch, leaves, codes, sizes)


def _with_sums(matrix: Array) -> Array:
    """A matrix with the sums of its rows as another column."""
    return np.concatenate([matrix, matrix.sum(axis=-1, keepdims=True)], axis=-1)


@dataclass(frozen=True, eq=False)
class Others:
    """Of the states that are likely enough to count, by sample: what all entries but zeros say.

    ``shape`` is ``(..., M)``, and ``states`` are places in it, one after another; ``said`` are the
    logs there, beside that of the whole sample, and ``zeros`` the numbers of entries that are zero.
    """

    shape: tuple[int, ...]
    states: Index
    samples: Index
    said: Array
    zeros: Array

    def with_tiny(self, logs: Array, table: Array, tiny: Mask, here: Index) -> Array:
        """The logs of a leaf's terms, to which those of entries are added that are too small to be
        divided by."""
        n_codes = table.shape[-1]
        values = np.broadcast_to(table, (*self.shape, n_codes)).ravel()
        marks = np.broadcast_to(tiny, (*self.shape, n_codes)).ravel()
        concerned = np.logical_or.reduce(marks.reshape(-1, n_codes), axis=-1)
        at = np.flatnonzero(concerned[self.states])
        entries = self.states[at] * n_codes + here[self.samples[at]]
        at, entries = at[marks[entries]], entries[marks[entries]]
        cells = values[entries]
        alone = self.zeros[at] == (cells == 0)
        at, cells = at[alone], cells[alone]
        more = self.said[at] - np.log(np.where(cells == 0, 1.0, cells))
        restarts = self.states[at] // self.shape[-1]
        np.logaddexp.at(logs.reshape(-1), restarts * logs.shape[-1] + self.samples[at], more)
        return logs


UNLIKELY = -800.0
"""Below it a state adds less than the rounding of the whole: the least entry has the log -745."""

SAFE = 1e-280
"""Products of numbers from this to its inverse are floats, and leave room for rounding."""

INVERTIBLE = 1e-290
"""A number that underflowed stays nothing when it is divided by an entry above this."""


def softmax(logs: Array) -> Array:
    """``exp(logs)``, each column normalised; NaN where all are impossible."""
    with np.errstate(invalid="ignore"):
        v = np.exp(logs - logs.max(axis=-2, keepdims=True))
        v /= v.sum(axis=-2, keepdims=True)
    return np.asarray(v)


def tally(weights: Array, codes: Index, size: int) -> Array:
    """``sum_n weights[..., n]`` by the code of n, ``(..., size)``."""
    rows = weights.reshape(-1, weights.shape[-1])
    sums = np.empty((len(rows), size))
    for counts, row in zip(sums, rows, strict=True):
        counts[:] = np.bincount(codes, row, size)
    return sums.reshape(*weights.shape[:-1], size)


@dataclass(frozen=True, eq=False)
class Observed:
    """The evidence that the reduced graph has not: how it enters, and whose it is."""

    whole: Clamped
    stars: tuple[Star, ...]
    given: tuple[Block, ...]
    few: bool  # zeros and ones, at most FEW
    root: Source | None = None  # where there is nothing but it and a star

    @property
    def informative(self) -> dict[str, Samples]:
        """As the whole graph has it: what was observed is below the nodes that are left."""
        return self.whole.informative

    def entering(
        self, entering: Entering, theta: Arrays, tables: Sequence[list[Array]], cut: slice
    ) -> Entering:
        """The messages that enter the reduced graph: those of the whole one, times the evidence."""
        f, b, log_scale = dict(entering[0]), dict(entering[1]), entering[2] - self.unknown
        for block in self.given:
            rows = np.take(theta[block.theta], self.codes_of(block)[cut], axis=-2, mode="clip")
            f[block.y.name] = np.ascontiguousarray(rows.swapaxes(-1, -2))
        for star, star_tables in zip(self.stars, tables, strict=True):
            said, top = star.relative_logs(star_tables, cut)
            said = np.exp(said, out=said)
            if star.branch not in self.diverted:  # no diverter normalises it: KL and VAR see it
                sums = column_sums(said)
                said, top = said / sums, top + np.log(sums[..., 0, :])
            b[star.branch] = said
            log_scale = log_scale + top
        return f, b, log_scale

    def source_and_star(
        self, theta: Arrays, tables: Sequence[list[Array]], cut: slice, *, bare: bool
    ) -> Chunk | None:
        """The messages of a graph that is a source and a star, in a third of the time of sweeps.

        None of any other graph, and where a float may not hold a sample. ``bare`` leaves out the
        message to the source.
        """
        if self.root is None:
            return None
        (star,), prior, root = self.stars, theta[self.root.theta], self.root.y.name
        said, top = star.relative_logs(tables[0], cut)
        said = np.exp(said, out=said)
        mass = times(prior, said)
        if not np.minimum.reduce(mass, axis=None) > 1e-200:
            return None
        forward = prior.swapaxes(-1, -2)
        f, b = {root: forward, star.branch: forward}, {star.branch: said}
        if not bare:
            b[root] = said / column_sums(said)
        return Chunk(f, b, np.log(mass[..., 0, :]) + top, SUM_PRODUCT, cut, True)

    def logs(self, tables: Sequence[list[Array]], cut: slice) -> Side:
        """The messages of the stars by logarithms, for states that are below floats."""
        messages: Side = {}
        for star, star_tables in zip(self.stars, tables, strict=True):
            said, _ = star.relative_logs(star_tables, cut)
            said[said < NEVER / 2] = -np.inf
            if star.branch not in self.diverted:
                said -= np.log(np.exp(said).sum(axis=-2, keepdims=True))
            messages[star.branch] = said
        return messages

    def loses(self, tables: Sequence[list[Array]], cut: slice) -> bool:
        """True if a message of a star is not zero, and too small for a float."""
        least = math.log(SMALLEST)
        return any(((-np.inf < v) & (v < least)).any() for v in self.logs(tables, cut).values())

    @cached_property
    def diverted(self) -> frozenset[str]:
        """The branches of stars that leave a diverter."""
        tails = self.whole.graph.tails
        return frozenset(star.branch for star in self.stars if tails[star.branch].copies)

    @cached_property
    def unknown(self) -> float:
        """The log of the scale of the uniform messages in whose place the observed ones enter."""
        ends = (*(block.y for block in self.given), *(star.leaves[0].x for star in self.stars))
        return sum(math.log(branch.size) for branch in ends)

    @property
    def small(self) -> bool:
        """True if dense messages cost no more."""
        sizes = [(block.x.size,) for block in self.given] + [star.sizes for star in self.stars]
        cells = sum(map(sum, sizes)) * self.whole.evidence.n
        narrow = all(len(own) <= NARROW and 4 * sum(own) <= NARROW * len(own) for own in sizes)
        return narrow or cells <= SMALL

    def codes_of(self, block: Block) -> Index:
        """The codes of the given variable above a block."""
        return self.whole.evidence.codes[block.x.variable]


BY_BELIEF = (RULES["ml"], RULES["kl"])
"""The rules that count a leaf's belief: with a delta at its output they coincide (section 3.2)."""


@dataclass(frozen=True, eq=False)
class OneHot:
    """A hard message as the index that it is, where a dense one is ``(M, n)`` zeros and ones.

    A missing cell has the code ``size``, and no weight.
    """

    codes: Index
    size: int
    ndim = 2  # as the dense one: it has no batch axis

    @property
    def shape(self) -> tuple[int, int]:
        return self.size, len(self.codes)

    def of(self, matrix: Array) -> Array:
        """The product of a matrix and the dense message: its columns at the codes."""
        return np.take(matrix, self.codes, axis=-1, mode="clip")

    def count(self, weights: Array) -> Array:
        """The product of ``(..., M_X, n)`` and the dense message transposed, ``(..., M_X, M)``."""
        return tally(weights, self.codes, self.size + 1)[..., : self.size]


class AnyMStep(Protocol):
    """An M-step, which counts."""

    def add(self, incoming: Mapping[str, Any], *, leaves: bool = False) -> None: ...

    def put(self, name: str, counts: Array) -> None: ...


def by_belief(setting: Settings) -> bool:
    """True if a setting needs no message at a leaf."""
    return setting.n_it == 1 and setting.rule in BY_BELIEF


def served(observed: Observed, settings: Iterable[Settings]) -> bool:
    """True if these rules can count by indices, and gain by it.

    A rule with another step than the paper's gets dense messages, in ``RULES`` or not. Ties that
    are drawn are drawn as they lie there; on a small table dense messages cost no more.
    """
    for setting in settings:
        if by_belief(setting):
            continue
        others = setting.rule.step not in PAPERS
        drawn = any(u.constants.get("ties") == "random" for u in setting.updates.values())
        if observed.small or others or drawn:
            return False
    return True


@dataclass(eq=False)
class Seen:
    """The leaves and the blocks below given variables, as E-steps read them.

    ``clamped`` is the evidence on the reduced graph, ``observed`` that of the leaves. ``row`` holds
    the weights of the samples, ``(..., 1, N)``; ``learned`` the matrices that learn;
    ``some_believe`` says whether beliefs are enough for the M-step of some restarts, ``whole``
    whether they are all that is learned from, the source's too.
    """

    clamped: Clamped
    observed: Observed
    row: Array
    learned: Container[str]
    some_believe: bool
    all_believe: bool
    whole: bool = False

    def chunk(self, theta: Arrays, tables: list[list[Array]], cut: slice) -> Chunk:
        """The messages of some samples; ``tables`` are the logs of the stars' matrices."""
        direct = self.observed.source_and_star(theta, tables, cut, bare=self.whole)
        return direct or propagate_chunk(self.clamped, theta, cut, tables=tables)

    def beliefs(self, chunk: Chunk) -> list[Array]:
        """By star, the belief of the variable above it, ``(..., M, n)``; 0 where impossible."""
        if chunk.possible and not isinstance(chunk.semiring, Logs):
            products = (chunk.f[star.branch] * chunk.b[star.branch] for star in self.observed.stars)
            return [np.divide(p, column_sums(p), out=p) for p in products]
        beliefs = [belief(chunk, star.branch) for star in self.observed.stars]
        return beliefs if chunk.possible else list(map(np.nan_to_num, beliefs))

    def sums(self, chunk: Chunk, beliefs: Sequence[Array]) -> dict[Any, Array]:
        """By star, what beliefs count in some samples, for M-steps that need no more."""
        sums: dict[Any, Array] = {}
        for star, p in zip(self.observed.stars, beliefs or self.beliefs(chunk), strict=True):
            weights = p * self.row[..., chunk.cut]
            sums[star] = star.counts(weights, chunk.cut)
            if self.whole:  # the belief above the one star is that of the source
                sums["source"] = weights.sum(axis=-1)[..., None, :]
        return sums

    def finish(self, sums: dict[Any, Array], step: AnyMStep) -> None:
        """After all samples: what :meth:`sums` counted is put to the matrices that learn."""
        if self.whole and self.observed.root is not None:
            step.put(self.observed.root.theta, sums["source"])
        for star in self.observed.stars if self.some_believe else ():
            for leaf, counts in zip(star.leaves, star.split(sums[star]), strict=True):
                if leaf.theta in self.learned:
                    step.put(leaf.theta, counts)

    def add_messages(self, theta: Arrays, chunk: Chunk, step: AnyMStep) -> None:
        """Count what is learned from messages: below given variables, and where beliefs are not
        enough."""
        for incoming in self.at_given(chunk):
            step.add(incoming)
        if not self.all_believe:
            for incoming in self.at_leaves(theta, chunk):
                step.add(incoming, leaves=True)

    def at_given(self, chunk: Chunk) -> Iterator[dict[str, Any]]:
        """The data of blocks below given variables, one by one."""
        b = chunk.decoded()[1]
        for block in self.observed.given:
            if block.theta in self.learned:
                by = b[block.y.name] if chunk.possible else np.nan_to_num(b[block.y.name])
                codes = self.observed.codes_of(block)[chunk.cut]
                mask = self.observed.informative[block.name]
                weight = self.row[..., chunk.cut]
                if mask is not True:
                    weight = weight * (mask if mask is False else mask[chunk.cut])
                yield {block.theta: (OneHot(codes, block.x.size), by, weight)}

    def at_leaves(self, theta: Arrays, chunk: Chunk) -> Iterator[dict[str, Any]]:
        """The data of leaves where the belief above them is not enough, one by one."""
        for star in self.observed.stars:
            each = self.without_each(theta, chunk, star)
            for leaf, codes, f in zip(star.leaves, star.codes, each, strict=True):
                if leaf.theta in self.learned:
                    seen, row = codes[chunk.cut], self.row[..., chunk.cut]
                    weight = row * (seen < leaf.y.size)
                    yield {leaf.theta: (f, OneHot(seen, leaf.y.size), weight)}

    def log_rest(self, chunk: Chunk, star: Star) -> Array:
        """The log of the message from all but its leaves to the variable above a star."""
        rest = chunk.f[star.branch]
        if isinstance(chunk.semiring, Logs):
            return rest
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(rest))

    def without_each(self, theta: Arrays, chunk: Chunk, star: Star) -> Iterator[Array]:
        """By leaf, the forward message at its input."""
        for f in star.without_each(theta, self.log_rest(chunk, star), chunk.cut):
            yield f if chunk.possible else np.nan_to_num(f)

    def local_sum(self, theta: Arrays, chunk: Chunk, beliefs: Sequence[Array]) -> Array:
        """The aggregated log-likelihood (equation 28) of the leaves and the rest, ``(..., n)``."""
        total = np.zeros(chunk.loglik.shape)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for star, p in zip(self.observed.stars, beliefs, strict=True):
                total += star.predictive(theta, p, chunk.cut, partial(self.log_rest, chunk, star))
        if self.clamped.evidence_ports:
            total += local_sum(self.clamped, chunk)
        return total if chunk.possible else np.where(chunk.loglik == -np.inf, -np.inf, total)


def counts_of(update: Update, theta: Array, learned: Learned) -> Array:
    """The counts of some samples, ``(..., M_X, M_Y)``, where a message may be a :class:`OneHot`."""
    f, b, weight = learned
    if isinstance(b, OneHot):
        return _at_leaf(update, theta, f, b, weight)
    if isinstance(f, OneHot):
        return _at_given(update, theta, f, b, weight)
    return update.counts(theta, learned)


def _at_leaf(update: Update, theta: Array, f: Array, b: OneHot, weight: Array) -> Array:
    step, constants = update.rule.step, update.constants
    if step is vit_step:
        e_x = i_max(f)
        if constants["empty"] == "refill":
            e_x = e_x + constants["delta"]
        e_x = e_x * weight
        return np.asarray(b.count(e_x) + constants["delta"] * e_x.sum(axis=-1, keepdims=True))
    if step is var_step:
        return b.count(f * weight)
    q = np.maximum(column_sums(b.of(theta) * f), TINY)  # of KL, too: elsewhere its b is zero
    return np.asarray(theta * b.count(f * (weight / q)))


def _at_given(update: Update, theta: Array, f: OneHot, b: Array, weight: Array) -> Array:
    step, constants = update.rule.step, update.constants
    if step is vit_step:
        e_y = (i_max(b) + constants["delta"]) * weight
        counts = f.count(e_y).swapaxes(-1, -2)
        if constants["empty"] == "refill":
            counts = counts + constants["delta"] * e_y.sum(axis=-1)[..., None, :]
        return counts
    if step is var_step:
        return f.count(b * weight).swapaxes(-1, -2)
    forward = f.of(theta.swapaxes(-1, -2))
    if step is kl_step:
        ratio = b / np.maximum(forward, TINY)
    else:
        ratio = b / np.maximum(column_sums(forward * b), TINY)
    return np.asarray(theta * f.count(ratio * weight).swapaxes(-1, -2))
