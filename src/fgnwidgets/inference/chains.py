"""A fast path for long chains: the messages of all steps side by side (section 2.2).

It buys a factor of twenty on one sequence of 10,000 steps (``benchmarks/sequences.py``). It is
taken where no message is zero or nearly so; elsewhere, and without it, two sweeps give the same.

Vocabulary
    step    a variable of the chain: what comes from the step before, goes to the next, and leaves
    leaf    a block from a step to an open branch, where evidence enters; all steps have the same
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..algebra.arrays import Array
from ..algebra.semirings import SMALLEST, SUM_PRODUCT, Underflow
from ..graphs.nodes import Block, Source
from ..graphs.normal_graph import NormalGraph
from ..loops.junction_tree import MergedGraph

LONG = 64
"""Steps from which a chain is worth it."""

FEW = 64
"""Up to so many numbers, of a map between states for each column, stretches go side by side."""

RESCALED = 8
"""Steps after which the messages on their way are scaled to sum to one."""


@dataclass(frozen=True, eq=False)
class Chain:
    """A source, and steps that share a block; names of branches by step.

    ``entering`` are the branches from the step before, ``leaving`` those to the next (one less);
    ``leaves`` holds for each leaf its matrix, the branches to it, and those beyond it.
    """

    source: str
    block: str
    entering: tuple[str, ...]
    leaving: tuple[str, ...]
    leaves: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]

    def sweep(self, f: dict[str, Array], b: dict[str, Array], theta: Mapping[str, Array]) -> Array:
        """Every message, into ``f`` and ``b``; the log of the mass, ``(..., N)``.

        Raises :class:`Underflow` where a message is zero or nearly so.
        """
        names = (self.source, self.block, *(name for name, *_ in self.leaves))
        batch = np.broadcast_shapes(*(theta[name].shape[:-2] for name in names))
        if batch:  # all matrices have it
            wide = ((name, theta[name]) for name in names)
            theta = {name: np.broadcast_to(m, (*batch, *m.shape[-2:])) for name, m in wide}
        said = []
        log_mass: Array | float = 0.0
        for name, _, beyond in self.leaves:
            entering = _stacked([b[x] for x in beyond], theta[name])
            back, scale = SUM_PRODUCT.normalized(theta[name] @ entering)
            said.append(back)
            log_mass = log_mass + np.log(scale[..., 0, :]).sum(axis=0)
        w = math.prod(said[1:], start=said[0])
        prior, matrix = theta[self.source].swapaxes(-1, -2), theta[self.block]
        ahead, log_scale = _along(matrix.swapaxes(-1, -2), prior * w[0], w[1:])
        ahead = _watched(ahead)
        forward = SUM_PRODUCT.normalized(ahead)[0]
        log_mass = log_mass + log_scale + np.log(ahead[-1].sum(axis=-2))
        back, _ = _along(matrix, w[-1], w[-2::-1])
        backward = SUM_PRODUCT.normalized(_watched(back[::-1]))[0]
        first = np.broadcast_to(prior, forward[:1].shape)
        come = np.concatenate([first, matrix.swapaxes(-1, -2) @ forward[:-1]])
        towards = SUM_PRODUCT.normalized(matrix @ backward[1:])[0]
        f.update(zip(self.entering, come, strict=True))
        b.update(zip(self.entering, backward, strict=True))
        f.update(zip(self.leaving, forward[:-1], strict=True))
        b.update(zip(self.leaving, towards, strict=True))
        rest = come.copy()
        rest[:-1] *= towards
        for k, (name, to, beyond) in enumerate(self.leaves):
            others = math.prod(said[:k] + said[k + 1 :], start=rest)
            out = SUM_PRODUCT.normalized(_watched(others))[0]
            f.update(zip(to, out, strict=True))
            b.update(zip(to, said[k], strict=True))
            f.update(zip(beyond, theta[name].swapaxes(-1, -2) @ out, strict=True))
        return np.asarray(log_mass)


def _along(matrix: Array, first: Array, weights: Array) -> tuple[Array, Array | float]:
    """``v <- (matrix v) * w`` step by step: all of them, and the log of what was scaled out.

    Of few columns, stretches of the chain go side by side: first each from every state, which says
    where the next one begins, then all of them from there.
    """
    stretch = math.isqrt(len(weights))
    size, n = first.shape[-2:]
    if first.size * size > FEW or stretch < 2:
        return _stepwise(matrix, first, weights, n)
    whole = stretch * (len(weights) // stretch)
    side = weights[:whole].reshape(-1, stretch, *weights.shape[1:]).swapaxes(0, 1)
    every = np.broadcast_to(np.eye(size)[..., None], (*first.shape[:-2], size, size, n))
    each = np.repeat(side[..., None, :], size, axis=-2).reshape(*side.shape[:-1], size * n)
    start = np.broadcast_to(every.reshape(*every.shape[:-2], -1), each.shape[1:])
    maps = _stepwise(matrix, start, each, n)[0][-1].reshape(-1, *every.shape)
    begins = [SUM_PRODUCT.normalized(first)[0]]
    for one in maps[:-1]:
        v = (one * begins[-1][..., None, :, :]).sum(axis=-2)
        begins.append(SUM_PRODUCT.normalized(v)[0])
    steps, scales = _stepwise(matrix, np.array(begins), side, n)
    ends = steps[-1]
    log_scale = np.log(first.sum(axis=-2)) + np.sum(scales, axis=0)
    log_scale = log_scale + np.log(ends[:-1].sum(axis=-2)).sum(axis=0)
    steps = steps[1:].swapaxes(0, 1).reshape(whole, *first.shape)
    rest, more = _stepwise(matrix, ends[-1], weights[whole:], n)
    return np.concatenate([first[None], steps, rest[1:]]), log_scale + more


def _stepwise(matrix: Array, first: Array, weights: Array, n: int) -> tuple[Array, Array | float]:
    """The same, one step after the other; every ``n``-th column has the same scale."""
    steps = np.empty((len(weights) + 1, *first.shape))
    steps[0] = v = first
    log_scale: Array | float = 0.0
    plain = matrix.ndim == v.ndim == 2
    for t, w in enumerate(weights, 1):
        v = (matrix.dot(v) if plain else matrix @ v) * w
        if t % RESCALED == 0:
            grid = v.reshape(*v.shape[:-1], -1, n)
            scale = grid.sum(axis=(-3, -2), keepdims=True)
            v = (grid / scale).reshape(v.shape)
            log_scale = log_scale + np.log(scale[..., 0, 0, :])
        steps[t] = v
    return steps, log_scale


def _watched(v: Array) -> Array:
    if not v.min() >= SMALLEST:
        raise Underflow
    return v


def _stacked(messages: Sequence[Array], matrix: Array) -> Array:
    """Messages by step on a first axis, with room for the batch of the matrix."""
    n = max(v.shape[-1] for v in messages)
    if any(v.shape[-1] != n for v in messages):
        messages = [np.broadcast_to(v, (*v.shape[:-1], n)) for v in messages]
    stack = np.array(messages)
    return stack.reshape(len(stack), *(1,) * (matrix.ndim - 2), *stack.shape[1:])


@lru_cache(maxsize=256)
def chain_of(graph: NormalGraph) -> Chain | None:
    """The chain that a graph is, or None where it is anything else."""
    sources = [node for node in graph.nodes if isinstance(node, Source)]
    short = len(sources) != 1 or len(graph.nodes) < 2 * LONG
    if short or graph.loop or isinstance(graph, MergedGraph):
        return None
    at, blocks = graph.variable_of, dict[str, dict[str, Block]]()  # by matrix and by step
    for node in graph.nodes:
        if isinstance(node, Block):
            blocks.setdefault(node.theta, {})[at[node.x.name]] = node
    between = [m for m, own in blocks.items() if any(b.y.name in graph.heads for b in own.values())]
    if len(between) != 1:
        return None
    ahead = blocks.pop(between[0])
    steps = [at[sources[0].y.name]]
    for step in steps:  # grows as it is walked through
        steps += [at[ahead[step].y.name]] if step in ahead else []
    if len(steps) < LONG or not blocks or any(own.keys() != {*steps} for own in blocks.values()):
        return None
    on = [ahead[step] for step in steps[:-1]]
    entering = (sources[0].y.name, *(block.y.name for block in on))
    leaving = tuple(block.x.name for block in on)
    leaves = tuple(
        (name, tuple(own[step].x.name for step in steps), tuple(own[step].y.name for step in steps))
        for name, own in blocks.items()
    )
    passed = {*entering, *leaving, *(b for _, *sides in leaves for side in sides for b in side)}
    nodes = len(steps) * (1 + len(leaves)) + sum(node.copies for node in graph.nodes)
    if len(passed) != len(graph.branches) or nodes != len(graph.nodes):
        return None
    return Chain(sources[0].theta, between[0], entering, leaving, leaves)
