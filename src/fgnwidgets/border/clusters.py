"""The nodes of product variables that hold several families (section 2.1, Appendix A).

Vocabulary
    cluster   a product variable that holds a family, maybe with others
    axes      places of some variables among those of a product space
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..engine.arrays import Array, Arrays, Index
from ..engine.branches import Branch
from ..engine.nodes import Link, Node, Ports, Sums


@dataclass(frozen=True)
class Marginal(Link):
    """The shaded block from a product space ``x`` to the product ``y`` of some of its variables.

    ``sizes`` are those of all the variables of ``x``, ``axes`` say which of them ``y`` keeps.
    """

    name: str
    x: Branch
    y: Branch
    sizes: tuple[int, ...]
    axes: tuple[int, ...]

    def send(self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, ring: Sums) -> list[Array]:
        """Forward a sum over the other variables; backward every configuration gets its part's."""
        return [
            _kept(f[self.x.name], self.sizes, self.axes, ring)
            if forward
            else _widened(b[self.y.name], self.sizes, self.axes)
            for _, forward in to
        ]

    def keeps(self, forward: bool) -> bool:
        return forward

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        return 0.0


@dataclass(frozen=True)
class Family(Node):
    """A conditional probability matrix on a cluster ``y`` that it shares with other variables.

    ``sizes`` are those of the cluster's variables, ``axes`` the places of the parents and then of
    the child among them.
    """

    shares: ClassVar[bool] = True
    inputs = ()
    name: str
    y: Branch
    sizes: tuple[int, ...]
    axes: tuple[int, ...]
    theta: str = ""
    learn: bool = True

    @property
    def outputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.y,)

    @property
    def shape(self) -> tuple[int, int]:
        *rows, size = (self.sizes[axis] for axis in self.axes)
        return math.prod(rows), size

    def send(self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, ring: Sums) -> list[Array]:
        """Every configuration of the cluster gets its cell of the matrix."""
        matrix = theta[self.theta]
        cells = matrix.reshape(*matrix.shape[:-2], -1, 1)
        return [_widened(cells, self.sizes, self.axes)]

    def joint(self, f: Arrays, b: Arrays, ring: Sums) -> Array:
        """What the rest says of the family's variables together: the others are summed out."""
        return _kept(b[self.y.name], self.sizes, self.axes, ring)

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        at = np.unravel_index(values[self.y.name], self.sizes)
        grid = theta[self.theta].reshape([self.sizes[axis] for axis in self.axes])
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(grid[tuple(at[axis] for axis in self.axes)]))


def _kept(v: Array, sizes: Sequence[int], axes: Sequence[int], ring: Sums) -> Array:
    """From a product space to the product of some of its variables, in the order of ``axes``."""
    grid = v.reshape(*v.shape[:-2], *sizes, v.shape[-1]).transpose(_order(v.ndim, sizes, axes))
    for _ in range(len(sizes) - len(axes)):
        grid = ring.total(grid, v.ndim - 2)
    return grid.reshape(*v.shape[:-2], -1, v.shape[-1])


def _widened(v: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Back: every configuration of the product space gets what its part has."""
    own = (*(1,) * (len(sizes) - len(axes)), *(sizes[axis] for axis in axes))
    grid = v.reshape(*v.shape[:-2], *own, v.shape[-1])
    grid = grid.transpose(np.argsort(_order(v.ndim, sizes, axes)))
    whole = np.broadcast_to(grid, (*v.shape[:-2], *sizes, v.shape[-1]))
    return whole.reshape(*v.shape[:-2], -1, v.shape[-1])


def _order(ndim: int, sizes: Sequence[int], axes: Sequence[int]) -> list[int]:
    """The axes of a grid of messages that have ``ndim``: those of ``axes`` after the others."""
    first, rest = ndim - 2, [axis for axis in range(len(sizes)) if axis not in axes]
    return [*range(first), *(first + axis for axis in (*rest, *axes)), first + len(sizes)]
