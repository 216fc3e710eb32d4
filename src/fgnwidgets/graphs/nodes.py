"""The nodes of a normal graph, and what they send (sections 2 and 2.1).

Vocabulary
    semiring   how messages are multiplied and summed (``algebra.semirings``)
    scale      what normalising takes out of a column, a sample's message

A node is one class that says all it does: what it sends (:meth:`Node.send`), what it weighs
(:meth:`Node.weigh`). Another kind of node is another class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..algebra.arrays import Array, Arrays, Index
from ..algebra.products import expand, marginal, read_sizes, widened
from ..algebra.semirings import SumProduct
from ..arguments import read_kind, read_word, wrong
from .branches import Branch, GraphError, Part, Port, set_fields

Ports = Sequence[Port]


class Node:
    """A factor with its branches; a subclass is a frozen dataclass that says what it sends."""

    kinds: ClassVar[dict[str, type[Node]]] = {}
    copies: ClassVar[bool] = False
    """True if all its branches carry one value."""
    normalized: ClassVar[tuple[bool, ...]] = ()
    """Directions, True for forward, of messages that sum to one where those that enter do."""
    part: Part | None = None
    """The variable and the product space that it joins, for shaded blocks."""
    kept: tuple[int, ...] = ()
    """The axes of the product space at its input that its output keeps, in their order."""

    name: str
    theta: str = ""
    """The name of its matrix, if it has one."""
    learn: bool = False
    inputs: tuple[Branch, ...]
    outputs: tuple[Branch, ...]

    ours: ClassVar[bool] = False
    """True if its class is one of the library's, which send right; another's is checked."""

    def __init_subclass__(cls) -> None:
        Node.kinds[cls.__name__] = cls
        cls.ours = cls.__module__.partition(".")[0] == __name__.partition(".")[0]

    def send(
        self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, semiring: SumProduct
    ) -> list[Array]:
        """The messages on the ports ``to``, from those that entered its other branches (section 2).

        An input's ``f`` and an output's ``b`` enter; ``semiring`` multiplies and adds them, and
        holds them and ``theta`` encoded. A message has any scale in each sample.
        """
        raise NotImplementedError

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        """The log of its factor at given values of its branches, ``(N,)``; 0 for an equality."""
        raise NotImplementedError(
            f"node {self.name!r}: {type(self).__name__} does not say what it weighs; define "
            "weigh(values, theta), the log of its factor (0.0 where it only copies or projects)"
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The shape ``(M_X, M_Y)`` of its matrix, if it has one."""
        return math.prod(x.size for x in self.inputs), math.prod(y.size for y in self.outputs)

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """The ports on which it sends: backward on its inputs, forward on its outputs."""
        return (*((x.name, False) for x in self.inputs), *((y.name, True) for y in self.outputs))

    def rewired(self, cut: Mapping[str, tuple[Branch, Branch]]) -> Node:
        """The same node where branches are cut in two: the piece at the tail, and at the head."""

        def new(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(new, value))
            if isinstance(value, Branch) and value.name in cut:
                return cut[value.name][value in self.inputs]
            return value

        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return type(self)(**{name: new(getattr(self, name)) for name in names})


class Link(Node):
    """A node with one output ``y``, and one input ``x`` unless it has none."""

    x: Branch
    y: Branch

    @cached_property
    def inputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.x,) if hasattr(self, "x") else ()

    @cached_property
    def outputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.y,)


class WithMatrix(Link):
    """A factor that is a matrix, by default of the node's own name."""

    normalized = (True,)

    def __post_init__(self) -> None:
        _check(self)
        set_fields(self, theta=self.theta or self.name)

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        row = values[self.inputs[0].name] if self.inputs else 0
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(theta[self.theta][row, values[self.outputs[0].name]]))


@dataclass(frozen=True)
class Source(WithMatrix):
    """A prior, the block to ``y`` without an input; its matrix is ``(1, M_Y)``."""

    name: str
    y: Branch
    theta: str = ""
    learn: bool = True

    def send(
        self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, semiring: SumProduct
    ) -> list[Array]:
        """The prior itself."""
        return [theta[self.theta].swapaxes(-1, -2)]


@dataclass(frozen=True)
class Block(WithMatrix):
    """A block P(Y|X) with a single input ``x`` and a single output ``y`` (SISO).

    ``theta`` names its matrix, ``(M_X, M_Y)``, by default the block's own name; blocks that name
    the same matrix are tied and learn it together. ``learn=False`` fixes the matrix (shaded).
    """

    name: str
    x: Branch
    y: Branch
    theta: str = ""
    learn: bool = True

    def send(
        self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, semiring: SumProduct
    ) -> list[Array]:
        """``f_Y = theta^T f_X`` and ``b_X = theta b_Y`` (section 2)."""
        matrix = theta[self.theta]
        return [
            semiring.apply(matrix.swapaxes(-1, -2), f[self.x.name])
            if forward
            else semiring.apply(matrix, b[self.y.name])
            for _, forward in to
        ]


@dataclass(frozen=True, init=False)
class Diverter(Node):
    """The equality constraint: all its branches carry replicas of one variable (section 2)."""

    copies: ClassVar[bool] = True
    name: str
    inputs: tuple[Branch, ...]
    outputs: tuple[Branch, ...]

    def __init__(self, name: str, inputs: Iterable[Branch], outputs: Iterable[Branch]) -> None:
        for side, branches in {"inputs": inputs, "outputs": outputs}.items():
            if isinstance(branches, str) or not isinstance(branches, Iterable):
                raise wrong(f"diverter {name!r}: {side}", branches, "branches", GraphError)
        set_fields(self, name=name, inputs=tuple(inputs), outputs=tuple(outputs))
        ends = (*self.inputs, *self.outputs)
        _check(self, *ends)
        sizes = {branch.name: branch.size for branch in ends}
        if not sizes:
            raise GraphError(f"diverter {name!r} has no branches")
        if len(set(sizes.values())) > 1:
            raise GraphError(f"diverter {name!r}: its branches have different sizes, {sizes}")

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        return 0.0

    @cached_property
    def _place(self) -> dict[Port, int]:
        return {port: k for k, port in enumerate(self.ports)}

    def send(
        self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, semiring: SumProduct
    ) -> list[Array]:
        """On each port the product of what enters at all the others (section 2)."""
        # What enters on the only port that is sent to may not be there yet, and is not asked for.
        entering: list[Any] = [b.get(x) if forward else f.get(x) for x, forward in self.ports]
        return semiring.others(entering, [self._place[port] for port in to])


@dataclass(frozen=True)
class _Shaded(Link):
    """A shaded block between a variable and a product space (Appendix A)."""

    widens: ClassVar[bool]
    """True if the product space is at its output."""
    name: str
    x: Branch
    y: Branch
    sizes: tuple[int, ...]
    axis: int

    def __post_init__(self) -> None:
        _check(self)
        sizes = read_sizes(self.sizes, self.axis, f"{self.name!r}: ", GraphError)
        set_fields(self, sizes=sizes)
        member, whole, *_ = self.part
        size, product = sizes[self.axis], math.prod(sizes)
        if (member.size, whole.size) != (size, product):
            raise GraphError(
                f"{self.name!r} joins {member.name!r} of size {member.size} and {whole.name!r} of "
                f"size {whole.size}: expected {size} and {product} for the sizes {sizes}"
            )

    @property
    def part(self) -> Part:  # type: ignore[override]
        member, whole = (self.x, self.y) if self.widens else (self.y, self.x)
        return Part(member, whole, self.sizes, self.axis)

    def send(
        self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, semiring: SumProduct
    ) -> list[Array]:
        """To the product space every configuration gets its variable's value; back, a sum."""
        return [
            (expand if forward == self.widens else semiring.project)(
                f[self.x.name] if forward else b[self.y.name], self.sizes, self.axis
            )
            for _, forward in to
        ]

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        return 0.0


class Expand(_Shaded):
    """The shaded block from variable ``x`` to product space ``y`` (Appendix A, equation 31).

    ``sizes`` are those of all the variables of the product, ``axis`` says which of them ``x`` is.
    """

    widens: ClassVar[bool] = True
    normalized = (False,)


class Project(_Shaded):
    """The way back, from product space ``x`` to its variable ``y`` (Appendix A, equation 30)."""

    widens: ClassVar[bool] = False
    normalized = (True,)


def _check(node: Node, *joined: Any) -> None:
    """Refuse what no node has; ``joined`` are the ends that have no name of their own."""
    kind = type(node).__name__.lower()
    prefix = f"{kind} {read_word(node.name, f'the name of a {kind}', GraphError)!r}: "
    read_kind(node.theta, f"{prefix}theta", str, "the name of its matrix", GraphError)
    read_kind(node.learn, f"{prefix}learn", bool, "True or False", GraphError)
    named = [(side, getattr(node, side)) for side in ("x", "y") if hasattr(node, side)]
    for side, branch in (*named, *(("an end", branch) for branch in joined)):
        read_kind(branch, f"{prefix}{side}", Branch, "a Branch", GraphError)


@dataclass(frozen=True)
class Marginal(Link):
    """The shaded block from a product space ``x`` to the product ``y`` of some of its variables.

    ``sizes`` are those of all the variables of ``x``, ``axes`` say which of them ``y`` keeps, in
    which order: where it keeps all, ``y`` is the same space, numbered in another order.
    """

    normalized = (True,)
    name: str
    x: Branch
    y: Branch
    sizes: tuple[int, ...]
    axes: tuple[int, ...]

    @property
    def kept(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.axes

    def send(
        self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, semiring: SumProduct
    ) -> list[Array]:
        """Forward a sum over the other variables; backward every configuration gets its part's."""
        return [
            marginal(f[self.x.name], self.sizes, self.axes, semiring.total)
            if forward
            else widened(b[self.y.name], self.sizes, self.axes)
            for _, forward in to
        ]

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        return 0.0
