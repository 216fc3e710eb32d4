"""The counts of what was observed for certain: the learning half of a fast path (section 3).

``inference.observed`` says what it buys; the E-step goes the ordinary way where :func:`served` says
no, and what is counted is the same. Under ML and KL a leaf needs no message: at a delta both count
the belief of the variable above it, of all leaves at once. Under VIT, VAR and more steps in an
epoch (Nit) every leaf gets its own forward message, the product of all that is not it.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from ..algebra.arrays import Array, Arrays, Index, column_sums, i_max
from ..algebra.semirings import Logs
from ..inference.observed import Observed, Star, tally
from ..inference.propagation import Chunk
from ..inference.queries import belief
from .rules import RULES, TINY, Learned, Update

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
    """An M-step, and which setting it is for."""

    setting: Any
    counts: dict[Any, Array]

    def add(self, incoming: Mapping[str, Any]) -> None: ...

    def add_counts(self, counts: Mapping[str, Array]) -> None: ...


def by_belief(updates: Mapping[str, Update], n_it: int) -> bool:
    """True if a setting needs no message at a leaf."""
    return n_it == 1 and all(update.rule in BY_BELIEF for update in updates.values())


def served(observed: Observed, settings: Iterable[tuple[Mapping[str, Update], int]]) -> bool:
    """True if these rules can count by indices, and gain by it.

    A reader's own rule gets dense messages, and ties that are drawn are drawn as they lie there; on
    a small table dense messages cost no more.
    """
    for updates, n_it in settings:
        if by_belief(updates, n_it):
            continue
        for update in updates.values():
            others = RULES.get(update.rule.name) is not update.rule
            if observed.small or others or update.constants.get("ties") == "random":
                return False
    return True


@dataclass(eq=False)
class Seen:
    """The leaves and the blocks below given variables, as E-steps read them.

    ``row`` holds the weights of the samples, ``(..., 1, N)``; ``learned`` the matrices that learn;
    ``believing`` says of each M-step whether beliefs are enough for it; ``whole``, whether they are
    all that is learned from, the source's too.
    """

    observed: Observed
    row: Array
    learned: Container[str]
    believing: Sequence[bool]
    whole: bool = False

    @cached_property
    def products(self) -> int:
        """The multiplications of a restart, of all codes with all states above them."""
        stars = self.observed.stars
        cells: int = sum(star.leaves[0].x.size * sum(star.sizes) for star in stars)
        cells += sum(math.prod(block.shape) for block in self.observed.given)
        return cells * self.observed.whole.evidence.n

    def beliefs(self, chunk: Chunk) -> list[Array]:
        """By star, the belief of the variable above it, ``(..., M, n)``; 0 where impossible."""
        stars = [star.branch for star in self.observed.stars]
        if not chunk.possible or isinstance(chunk.semiring, Logs):
            beliefs = [belief(chunk, branch) for branch in stars]
            return beliefs if chunk.possible else list(map(np.nan_to_num, beliefs))
        products = [chunk.f[branch] * chunk.b[branch] for branch in stars]
        return [np.divide(p, column_sums(p), out=p) for p in products]

    def add(
        self, theta: Arrays, chunk: Chunk, beliefs: Sequence[Array], steps: Sequence[AnyMStep]
    ) -> None:
        """Count some samples in every M-step: by belief where that is enough."""
        for incoming in self.at_given(chunk) if self.observed.given else ():
            for step in steps:
                step.add(incoming)
        if any(self.believing):
            sums: dict[Any, Array] = {}
            for star, p in zip(self.observed.stars, beliefs, strict=True):
                weights = p * self.row[..., chunk.cut]
                sums |= star.counts(weights, chunk.cut)
                if self.whole and self.observed.root is not None:
                    sums[self.observed.root.theta] = weights.sum(axis=-1)[..., None, :]
            for step, believes in zip(steps, self.believing, strict=True):
                if believes:
                    step.add_counts(sums)
        if not all(self.believing):
            for incoming in self.at_leaves(theta, chunk):
                for step, believes in zip(steps, self.believing, strict=True):
                    if not believes:
                        step.add(incoming)

    def finish(self, steps: Sequence[AnyMStep]) -> None:
        """After all samples: what was counted by star is put to its matrices."""
        for counts in (s.counts for s, by in zip(steps, self.believing, strict=True) if by):
            for star in self.observed.stars:
                for leaf, sums in zip(star.leaves, star.split(counts), strict=True):
                    if leaf.theta in self.learned:
                        old = counts.get(leaf.theta)
                        counts[leaf.theta] = sums if old is None else old + sums

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
        """The terms of the leaves in the aggregated log-likelihood (equation 28), ``(..., n)``."""
        total = np.zeros(chunk.loglik.shape)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for star, p in zip(self.observed.stars, beliefs, strict=True):
                total += star.predictive(theta, p, chunk.cut, partial(self.log_rest, chunk, star))
        return total if chunk.possible else np.where(chunk.loglik == -np.inf, 0.0, total)


def counts_of(update: Update, theta: Array, learned: Learned) -> Array:
    """The counts of some samples, ``(..., M_X, M_Y)``, where a message may be a :class:`OneHot`."""
    f, b, weight = learned
    if isinstance(b, OneHot):
        return _at_leaf(update, theta, f, b, weight)
    if isinstance(f, OneHot):
        return _at_given(update, theta, f, b, weight)
    return update.counts(theta, learned)


def _at_leaf(update: Update, theta: Array, f: Array, b: OneHot, weight: Array) -> Array:
    constants = update.constants
    if update.rule.name == "vit":
        e_x = i_max(f)
        if constants["empty"] == "refill":
            e_x = e_x + constants["delta"]
        e_x = e_x * weight
        return np.asarray(b.count(e_x) + constants["delta"] * e_x.sum(axis=-1, keepdims=True))
    if update.rule.name == "var":
        return b.count(f * weight)
    q = np.maximum(column_sums(b.of(theta) * f), TINY)  # of KL, too: elsewhere its b is zero
    return np.asarray(theta * b.count(f * (weight / q)))


def _at_given(update: Update, theta: Array, f: OneHot, b: Array, weight: Array) -> Array:
    constants = update.constants
    if update.rule.name == "vit":
        e_y = (i_max(b) + constants["delta"]) * weight
        counts = f.count(e_y).swapaxes(-1, -2)
        if constants["empty"] == "refill":
            counts = counts + constants["delta"] * e_y.sum(axis=-1)[..., None, :]
        return counts
    if update.rule.name == "var":
        return f.count(b * weight).swapaxes(-1, -2)
    forward = f.of(theta.swapaxes(-1, -2))
    if update.rule.name == "kl":
        ratio = b / np.maximum(forward, TINY)
    else:
        ratio = b / np.maximum(column_sums(forward * b), TINY)
    return np.asarray(theta * f.count(ratio * weight).swapaxes(-1, -2))
