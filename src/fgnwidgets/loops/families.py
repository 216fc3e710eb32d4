"""Families on a clique: a matrix on a product variable that it shares with others (section 2.1).

Vocabulary
    clique   a product variable that holds a family, maybe with others
    axes     places of some variables among those of a product space
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..algebra.arrays import Array, Arrays, Index
from ..algebra.products import marginal, widened
from ..algebra.semirings import SumProduct
from ..graphs.branches import Branch
from ..graphs.nodes import Link, Node, Ports


@dataclass(frozen=True)
class Family(Link):
    """A conditional probability matrix on a cluster ``y`` that it shares with other variables.

    ``sizes`` are those of the cluster's variables, ``axes`` the places of the parents and then of
    the child among them.
    """

    name: str
    y: Branch
    sizes: tuple[int, ...]
    axes: tuple[int, ...]
    theta: str = ""
    learn: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        *rows, size = (self.sizes[axis] for axis in self.axes)
        return math.prod(rows), size

    def send(
        self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, semiring: SumProduct
    ) -> list[Array]:
        """Every configuration of the cluster gets its cell of the matrix."""
        matrix = theta[self.theta]
        cells = matrix.reshape(*matrix.shape[:-2], -1, 1)
        return [widened(cells, self.sizes, self.axes)]

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        at = np.unravel_index(values[self.y.name], self.sizes)
        grid = theta[self.theta].reshape([self.sizes[axis] for axis in self.axes])
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(grid[tuple(at[axis] for axis in self.axes)]))


def joint_message(node: Node, f: Arrays, b: Arrays, semiring: SumProduct) -> Array:
    """The message of the rest about rows and columns of a matrix together, ``(..., M_X * M_Y, N)``.

    At a source or block it is ``f_X b_Y^T``; at a :class:`Family`, what enters its clique, where
    the other variables are summed out.
    """
    by = b[node.outputs[0].name]
    if isinstance(node, Family):
        return marginal(by, node.sizes, node.axes, semiring.total)
    if not node.inputs:
        return by
    fx = f[node.inputs[0].name]
    pairs = semiring.multiply(fx[..., :, None, :], by[..., None, :, :])
    return pairs.reshape(*pairs.shape[:-3], -1, pairs.shape[-1])
