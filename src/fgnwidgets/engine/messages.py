"""Messages as values, and the semirings in which they are multiplied and summed (section 2).

Vocabulary
    evidence   what a table says of each sample: hard (a code), soft (a likelihood vector), missing
    forward    ``f``: what a branch's tail side says of its variable, ``(..., M, N)``
    backward   ``b``: what its head side says
    belief     ``p``, proportional to ``f * b``: all that is known of the variable
    LOGS       sums of probabilities by their logarithms: slower, and no ratio is too small for them
    MAXIMA     logarithms with the maximum in place of the sum: the most probable configuration
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, Arrays, Index
from .branches import Label
from .nodes import SUMS, Node, Sums

if TYPE_CHECKING:
    from .graph import NormalGraph

SMALLEST = 1e-280
"""A product below this may have lost digits."""

FLOOR = 1e-140
"""What a message from :data:`LOGS` holds at least where it is not zero: products of two survive."""


class ImpossibleEvidence(ValueError):
    """Evidence of probability zero under the model; ``sample`` is the first such sample."""

    def __init__(self, sample: int, says: str, batch: tuple[int, ...] = ()) -> None:
        super().__init__(sample, says, batch)
        self.sample, self.says, self.batch = sample, says, batch

    def __str__(self) -> str:
        where = f" (batch {self.batch})" if self.batch else ""
        return (
            f"sample {self.sample}{where} has probability zero under the model: {self.says}. Check "
            "its cells, or give the matrices no exact zeros there"
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence on ``n`` samples by variable: ``codes`` where it is hard, ``vectors`` elsewhere.

    ``codes[name]`` is ``(N,)`` with -1 for missing; ``vectors[name]`` is ``(..., M, N)``, any
    non-negative likelihoods. A hard one is the delta, a missing one the ones of equation 3.
    """

    n: int
    codes: Mapping[str, Index] = field(default_factory=dict)
    vectors: Arrays = field(default_factory=dict)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that carry evidence, in the order of the table's columns."""
        return (*self.codes, *self.vectors)

    def likelihood(self, name: str, size: int, cut: slice = slice(None)) -> Array:
        """The likelihood vectors ``(..., M, N)`` of a variable, all ones where it is missing."""
        if name in self.codes:
            return one_hot(self.codes[name][cut], size)
        return self.vectors[name][..., cut]

    def known(self, name: str) -> NDArray[np.bool_]:
        """Where a variable's cells say something, ``(N,)``: a constant vector says nothing."""
        if name in self.codes:
            return np.asarray(self.codes[name] >= 0)
        v = self.vectors[name]
        says = (v != v[..., :1, :]).any(axis=-2)
        return np.asarray(says.reshape(-1, self.n).any(axis=0))

    def take(self, samples: slice | Index) -> Evidence:
        """The evidence of some of the samples."""
        codes = {name: v[samples] for name, v in self.codes.items()}
        vectors = {name: v[..., samples] for name, v in self.vectors.items()}
        return Evidence(len(np.arange(self.n)[samples]), codes, vectors)

    def says(self, sample: int, states: Mapping[str, tuple[Label, ...]]) -> str:
        """What one sample says, for people: ``X1 = 'yes', X2 = [0.2, 0.8]``."""
        words = []
        for name, codes in self.codes.items():
            if codes[sample] >= 0:
                code = int(codes[sample])
                words.append(f"{name} = {states[name][code] if states.get(name) else code!r}")
        for name, v in self.vectors.items():
            column = v[..., sample]
            rounded = np.round(column, 4).tolist() if column.ndim == 1 else "a likelihood vector"
            words.append(f"{name} = {rounded}")
        return ", ".join(words) or "nothing"


def one_hot(codes: Index, size: int) -> Array:
    """Delta functions ``(M, N)`` at the codes, all ones where one is missing."""
    return np.asarray((np.arange(size)[:, None] == codes) | (codes == -1), np.float64)


@dataclass(frozen=True, eq=False)
class Belief:
    """The two messages of one branch, ``(..., M, N)``, each column summing to one.

    ``known`` is the belief where they contradict each other more strongly than floats can hold.
    ``approximate`` says that they went round a loop.
    """

    name: str
    f: Array
    b: Array
    states: tuple[object, ...] = ()
    known: Array | None = None
    approximate: bool = False

    @cached_property
    def p(self) -> Array:
        """``p`` proportional to ``f * b`` (section 2)."""
        if self.known is not None:
            return self.known
        product = (self.f / self.f.max(axis=-2, keepdims=True)) * self.b
        product = product / product.max(axis=-2, keepdims=True)  # so small a sum may lose digits
        return np.asarray(product / product.sum(axis=-2, keepdims=True))

    def __repr__(self) -> str:
        size, n = np.broadcast_shapes(self.f.shape, self.b.shape)[-2:]
        word = ", approximate" if self.approximate else ""
        return f"Belief({self.name!r}, {size} values, {n} samples{word})"


@dataclass(frozen=True, eq=False)
class Messages(Mapping[str, Belief]):
    """All messages of a graph at one moment: ``messages["X"].f``, ``.b`` and ``.p``.

    Names are those of branches, or of variables (their first branch: ``.p`` is the same on all).
    ``graph`` has the T-junctions that evidence asked for. ``loglik`` is the exact log P(evidence)
    per sample, ``(..., N)``; None in the middle of a schedule.
    """

    graph: NormalGraph
    theta: Arrays
    f: Arrays
    b: Arrays
    n: int
    loglik: Array | None = None
    p: Arrays | None = None

    def __getitem__(self, name: str) -> Belief:
        branch = self.graph.branch(name)
        known = None if self.p is None else self._wide(self.p[branch.name])
        f, b = self._wide(self.f[branch.name]), self._wide(self.b[branch.name])
        return Belief(name, f, b, branch.states, known, self.approximate)

    @property
    def approximate(self) -> bool:
        """Whether the graph has a loop: what went round it was counted more than once."""
        return bool(self.graph.loop)

    def __iter__(self) -> Iterator[str]:
        return iter(self.graph.branches)

    def __len__(self) -> int:
        return len(self.graph.branches)

    def __contains__(self, name: object) -> bool:
        return name in self.graph.branches or name in self.graph.variables

    def at_block(self, name: str) -> tuple[Array, Array]:
        """What reaches a source or block: ``f`` at its input and ``b`` at its output.

        A source has no input: its ``f`` is one, ``(1, N)`` (section 3).
        """
        node = self._with_matrix(name)
        if node.shares:
            raise ValueError(
                f"{name!r} shares its cluster {node.outputs[0].variable!r} with other variables: "
                f"there is no branch to each side of it; pair({name!r}) is what they say together"
            )
        f = self.f[node.inputs[0].name] if node.inputs else np.ones((1, self.n))
        return self._wide(f), self._wide(self.b[node.outputs[0].name])

    def pair(self, name: str) -> Array:
        """P(X, Y | evidence) at a block, ``(..., M_X, M_Y, N)``: ``f_X theta b_Y``, normalised."""
        node = self._with_matrix(name)
        theta = self.theta[node.theta]
        both = self._wide(node.joint(self.f, self.b, SUMS))
        joint = both.reshape(*both.shape[:-2], *node.shape, -1) * theta[..., :, :, None]
        return np.asarray(joint / joint.sum(axis=(-3, -2), keepdims=True))

    def __repr__(self) -> str:
        word = ", approximate" if self.approximate else ""
        return f"Messages({len(self.graph.branches)} branches, {self.n} samples{word})"

    def _with_matrix(self, name: str) -> Node:
        node = self.graph.node(name)
        if not node.theta:
            raise ValueError(
                f"node {name!r} is a {type(node).__name__}: expected a source or a block"
            )
        return node

    def _wide(self, v: Array) -> Array:
        """A view with a column per sample: a message that no evidence reaches has only one."""
        view = v.view() if v.shape[-1] == self.n else np.broadcast_to(v, (*v.shape[:-1], self.n))
        view.flags.writeable = False
        return view


class Logs(Sums):
    """Logarithms; ``add`` is the sum of two of them."""

    multiply = staticmethod(operator.add)

    def __init__(self, add: np.ufunc) -> None:
        self.add = add

    def encode(self, v: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(v))

    def decode(self, v: Array) -> Array:
        """Probabilities; what a float cannot hold stands at :data:`FLOOR`, zeros stay zeros."""
        return np.where(v > -np.inf, np.maximum(np.exp(v), FLOOR), 0.0)

    def holds(self, v: Array) -> bool:
        return bool((v < np.inf).all())  # NaN is not

    def total(self, v: Array, axis: int) -> Array:
        return np.asarray(self.add.reduce(v, axis=axis))

    def through(self, matrix: Array, v: Array) -> Array:
        return self.total(matrix[..., None] + v[..., None, :, :], -2)

    def normalized(self, v: Array) -> tuple[Array, Array]:
        scale = self.total(v, -2)[..., None, :]
        return v - scale, scale

    def overlap(self, f: Array, b: Array) -> Array:
        return self.total(f + b, -2)[..., None, :]

    def log(self, scales: Sequence[Array]) -> Array:
        return np.asarray(sum(scale[..., 0, :] for scale in scales))


class Underflow(ArithmeticError):
    """A product of messages is smaller than a float can hold."""


class Watched(Sums):
    """A fast path: :class:`Sums` that raise :class:`Underflow` where a product lost digits.

    It costs twice as much as :data:`SUMS`, a fifth of :data:`LOGS`: long evidence is carried by it.
    """

    together = 1

    def through(self, matrix: Array, v: Array) -> Array:
        return _watched(super().through(matrix, v), lambda: (matrix > 0) @ (v > 0))

    @staticmethod
    def multiply(one: Array, two: Array) -> Array:
        return _watched(one * two, lambda: (one > 0) & (two > 0))


def _watched(v: Array, positive: Callable[[], NDArray[np.bool_]]) -> Array:
    if not np.minimum.reduce(v, axis=None) >= SMALLEST and ((v < SMALLEST) & positive()).any():
        raise Underflow
    return v


WATCHED = Watched()
LOGS = Logs(np.logaddexp)
MAXIMA = Logs(np.maximum)
