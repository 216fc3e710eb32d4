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
from ..engine.branches import Branch, Port
from ..engine.nodes import Link, Node, Sums


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

    def send(
        self, to: Sequence[Port], f: Arrays, b: Arrays, theta: Arrays, ring: Sums
    ) -> list[Array]:
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
    name: str
    y: Branch
    sizes: tuple[int, ...]
    axes: tuple[int, ...]
    theta: str = ""
    learn: bool = True

    @property
    def inputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return ()

    @property
    def outputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.y,)

    @property
    def shape(self) -> tuple[int, int]:
        *rows, size = (self.sizes[axis] for axis in self.axes)
        return math.prod(rows), size

    def send(
        self, to: Sequence[Port], f: Arrays, b: Arrays, theta: Arrays, ring: Sums
    ) -> list[Array]:
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
    batch, n = v.shape[:-2], v.shape[-1]
    grid = v.reshape(*batch, *sizes, n)
    for axis in range(len(sizes)):
        if axis not in axes:  # the axes after it keep their places from the end
            grid = ring.total(grid, axis - len(sizes) - 1)
    ordered = sorted(axes)
    grid = _moved(grid, len(batch), [ordered.index(axis) for axis in axes])
    return grid.reshape(*batch, -1, n)


def _widened(v: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Back: every configuration of the product space gets what its part has."""
    batch, n = v.shape[:-2], v.shape[-1]
    grid = v.reshape(*batch, *(sizes[axis] for axis in axes), n)
    grid = _moved(grid, len(batch), [int(k) for k in np.argsort(axes)])
    own = (size if axis in axes else 1 for axis, size in enumerate(sizes))
    grid = grid.reshape(*batch, *own, n)
    return np.broadcast_to(grid, (*batch, *sizes, n)).reshape(*batch, -1, n)


def _moved(grid: Array, first: int, order: Sequence[int]) -> Array:
    """The axes of the variables, which begin at ``first``, in another order."""
    return grid.transpose(*range(first), *(first + k for k in order), grid.ndim - 1)
