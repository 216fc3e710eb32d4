"""Messages as values, as users see them (section 2).

Vocabulary
    forward    ``f``: what a branch's tail side says of its variable, ``(..., M, N)``
    backward   ``b``: what its head side says
    belief     ``p``, proportional to ``f * b``: all that is known of the variable
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..algebra.arrays import Array, Arrays
from ..algebra.semirings import SUM_PRODUCT
from ..graphs.nodes import Node
from ..graphs.normal_graph import NormalGraph
from ..loops.families import Family, joint_message


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
    per sample, ``(..., N)``; None in the middle of a schedule. Two of them are equal where they are
    one object: comparing arrays has many answers, and would build every belief.
    """

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    graph: NormalGraph
    theta: Arrays
    f: Arrays
    b: Arrays
    n: int
    loglik: Array | None = None
    p: Arrays | None = None

    def __getitem__(self, name: str) -> Belief:
        branch = self.graph.branch(name)
        belief = None if self.p is None else self._wide(self.p[branch.name])
        f, b = self._wide(self.f[branch.name]), self._wide(self.b[branch.name])
        return Belief(name, f, b, branch.states, belief, self.approximate)

    @property
    def approximate(self) -> bool:
        """True if the graph has a loop: what went round it was counted more than once."""
        return bool(self.graph.loop)

    def __iter__(self) -> Iterator[str]:
        return iter(self.graph.branches)

    def __len__(self) -> int:
        return len(self.graph.branches)

    def __contains__(self, name: object) -> bool:
        return name in self.graph.branches or name in self.graph.variables

    def at_block(self, name: str) -> tuple[Array, Array]:
        """The messages that reach a source or block: ``f`` at its input and ``b`` at its output.

        A source has no input: its ``f`` is one, ``(1, N)`` (section 3).
        """
        node = self._with_matrix(name)
        if isinstance(node, Family):
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
        both = self._wide(joint_message(node, self.f, self.b, SUM_PRODUCT))
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
