"""The parts of a normal graph: branches, sources, SISO blocks, diverters (sections 2 and 2.1).

Vocabulary
    branch     a variable, or one of its replicas: leaves one node (its tail), enters one (its head)
    source     a prior, the block without an input
    block      a conditional probability matrix P(Y|X), single input and single output (SISO)
    diverter   the equality constraint between the replicas of one variable
    expand     the shaded block of Appendix A, from a variable to a product space; ``Project`` is
               its way back. Their matrices follow from the sizes
    port       ``(branch, forward)``: a node sends forward on its outputs, backward on its inputs

A node is one class that says all it does: what it sends (:meth:`Node.send`), and what it weighs
(:meth:`Node.weigh`). Another kind of node is another class, and a way to draw it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from .arrays import Array, Index, expand
from .readers import shown

Label = Hashable
Port = tuple[str, bool]
Messages = Mapping[str, Array]
"""Messages of one direction by branch, ``(..., M, N)``."""


class GraphError(ValueError):
    """A description that is not a cycle-free normal graph, or a name that it does not know."""


class Ring(Protocol):
    """What a node asks of a semiring: how messages multiply, and how they are summed over."""

    def through(self, theta: Array, f: Array) -> Array:
        """``theta^T f``."""

    def back_through(self, theta: Array, b: Array) -> Array:
        """``theta b``."""

    def others(self, vectors: Sequence[Any], wanted: Sequence[int]) -> list[Array]:
        """For each wanted place, the product of the vectors at all other places."""

    def multiply(self, one: Array, two: Array, /) -> Array:
        """The product of two messages."""

    def project(self, v: Array, sizes: Sequence[int], axis: int) -> Array:
        """From a product space to one of its variables."""

    def marginal(self, v: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
        """From a product space to the product of some of its variables."""


@dataclass(frozen=True, init=False)
class Branch:
    """A variable's branch: its name, its number of values, and their labels if they have any.

    ``Branch("S", 4)`` or ``Branch("S", ("low", "high"))``. ``variable`` is the name of the variable
    that a replica belongs to, by default the branch's own name. A ``given`` branch has an open
    tail, where a value that is always observed enters; such branches of one variable agree.
    """

    name: str
    size: int
    states: tuple[Label, ...] = ()
    variable: str = ""
    given: bool = False

    def __init__(
        self,
        name: str,
        size: int | Sequence[Label],
        states: Sequence[Label] = (),
        variable: str = "",
        given: bool = False,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise GraphError(f"a branch's name is {name!r}: expected a string that is not empty")
        if not isinstance(variable, str):
            raise GraphError(f"branch {name!r}: variable is {variable!r}, expected a string")
        if hasattr(size, "tolist"):  # a NumPy array of labels, or a NumPy integer
            size = size.tolist()
        for listed in (size, states):
            if isinstance(listed, str):
                raise GraphError(
                    f"branch {name!r}: the states {listed!r} are a string, expected a sequence"
                )
        if isinstance(size, Sequence):
            states, size = size, len(size)
        try:
            count = size.__index__()
        except AttributeError:
            raise GraphError(
                f"branch {name!r} has size {shown(size)}: expected a whole number or a sequence of "
                "states"
            ) from None
        if count < 1 or isinstance(size, bool):
            raise GraphError(f"branch {name!r} has {size!r} values: a variable needs at least one")
        try:
            labels = tuple(label.item() if hasattr(label, "item") else label for label in states)
        except TypeError:
            raise GraphError(
                f"branch {name!r}: the states are {shown(states)}, expected a sequence"
            ) from None
        if labels and (len(labels) != count or not _all_different(labels)):
            raise GraphError(
                f"branch {name!r}: the states {labels} are not {count} different labels"
            )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "size", count)
        object.__setattr__(self, "states", labels)
        object.__setattr__(self, "variable", variable or name)
        object.__setattr__(self, "given", bool(given))

    def replica(self, number: int) -> Branch:
        """The branch ``X(number)`` of the same variable, for a diverter: ``(0)`` enters it."""
        name = f"{self.variable}({number})"
        return Branch(name, self.size, self.states, self.variable, self.given)


class Part(NamedTuple):
    """One variable of a product space: its branch, the space's branch, all sizes, which axis."""

    member: Branch
    whole: Branch
    sizes: tuple[int, ...]
    axis: int


class Node:
    """A factor with its branches; a subclass is a frozen dataclass that says what it sends."""

    kinds: ClassVar[dict[str, type[Node]]] = {}
    copies: ClassVar[bool] = False
    """Whether all its branches carry one value."""
    shares: ClassVar[bool] = False
    """Whether its matrix is on a cluster, with no branch to each side (``merging``)."""

    name: str
    theta: str = ""
    """The name of its matrix, if it has one."""
    learn: bool = False
    inputs: tuple[Branch, ...]
    outputs: tuple[Branch, ...]

    def __init_subclass__(cls) -> None:
        Node.kinds[cls.__name__] = cls

    def send(
        self, to: Sequence[Port], f: Messages, b: Messages, theta: Messages, ring: Ring
    ) -> list[Array]:
        """What leaves on the ports ``to``, from what entered its other branches (section 2).

        An input's ``f`` and an output's ``b`` enter; a message is sent up to a scale that is the
        same for all values of a sample, and that :meth:`keeps` speaks of.
        """
        raise NotImplementedError

    def keeps(self, forward: bool) -> bool:
        """Whether what it sends sums to one where what enters does."""
        return False

    def joint(self, f: Messages, b: Messages, ring: Ring) -> Array:
        """What the rest says of its input and output together, ``(..., M_X * M_Y, N)``."""
        by = b[self.outputs[0].name]
        if not self.inputs:
            return by
        fx = f[self.inputs[0].name]
        pairs = ring.multiply(fx[..., :, None, :], by[..., None, :, :])
        return pairs.reshape(*pairs.shape[:-3], -1, pairs.shape[-1])

    def weigh(self, values: Mapping[str, Index], theta: Messages) -> Array | float:
        """The log of its factor at given values of its branches, ``(N,)``."""
        return 0.0

    @property
    def gain(self) -> float:
        """The log of the largest scale that it can take out; that of most is one at most."""
        return 0.0 if self.part is None else math.log(self.part.whole.size / self.part.member.size)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape ``(M_X, M_Y)`` of its matrix."""
        raise NotImplementedError

    @property
    def part(self) -> Part | None:
        """Which variable of which product space it joins, for shaded blocks."""
        return None

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Where it sends: backward on its inputs, forward on its outputs."""
        return (*((x.name, False) for x in self.inputs), *((y.name, True) for y in self.outputs))

    def moved(self, tail: Callable[[Branch], Branch], head: Callable[[Branch], Branch]) -> Node:
        """The same node on other branches: ``head`` renames its inputs, ``tail`` its outputs."""
        inside = {x.name for x in self.inputs}

        def new(value: Any) -> Any:
            if isinstance(value, Branch):
                return head(value) if value.name in inside else tail(value)
            return tuple(map(new, value)) if isinstance(value, tuple) else value

        assert hasattr(self, "__dataclass_fields__")
        return type(self)(**{k.name: new(getattr(self, k.name)) for k in fields(self)})


@dataclass(frozen=True)
class Source(Node):
    """The prior of ``y``; ``theta`` names its matrix, ``(1, M_Y)``, by default as the source."""

    name: str
    y: Branch
    theta: str = ""
    learn: bool = True

    def __post_init__(self) -> None:
        _check_fields(self, "y")
        object.__setattr__(self, "theta", self.theta or self.name)

    @property
    def inputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return ()

    @property
    def outputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.y,)

    @property
    def shape(self) -> tuple[int, int]:
        return (1, self.y.size)

    def send(
        self, to: Sequence[Port], f: Messages, b: Messages, theta: Messages, ring: Ring
    ) -> list[Array]:
        """The prior itself."""
        return [theta[self.theta].swapaxes(-1, -2)]

    def keeps(self, forward: bool) -> bool:
        return True

    def weigh(self, values: Mapping[str, Index], theta: Messages) -> Array | float:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(theta[self.theta][0, values[self.y.name]]))


@dataclass(frozen=True)
class Link(Node):
    """A node with one input and one output."""

    name: str
    x: Branch
    y: Branch

    @property
    def inputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.x,)

    @property
    def outputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.y,)


@dataclass(frozen=True)
class Block(Link):
    """A SISO block P(Y|X) from branch ``x`` to branch ``y``.

    ``theta`` names its matrix, ``(M_X, M_Y)``, by default the block's own name; blocks that name
    the same matrix are tied and learn it together. ``learn=False`` fixes the matrix (shaded).
    """

    theta: str = ""
    learn: bool = True

    def __post_init__(self) -> None:
        _check_fields(self, "x", "y")
        object.__setattr__(self, "theta", self.theta or self.name)

    @property
    def shape(self) -> tuple[int, int]:
        return (self.x.size, self.y.size)

    def send(
        self, to: Sequence[Port], f: Messages, b: Messages, theta: Messages, ring: Ring
    ) -> list[Array]:
        """``f_Y = theta^T f_X`` and ``b_X = theta b_Y`` (section 2)."""
        matrix = theta[self.theta]
        return [
            ring.through(matrix, f[self.x.name])
            if forward
            else ring.back_through(matrix, b[self.y.name])
            for _, forward in to
        ]

    def keeps(self, forward: bool) -> bool:
        return forward

    def weigh(self, values: Mapping[str, Index], theta: Messages) -> Array | float:
        with np.errstate(divide="ignore"):
            cells = theta[self.theta][values[self.x.name], values[self.y.name]]
            return np.asarray(np.log(cells))


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
                raise GraphError(
                    f"diverter {name!r}: {side} is {shown(branches)}, expected branches"
                )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "inputs", tuple(inputs))
        object.__setattr__(self, "outputs", tuple(outputs))
        _check_fields(self)
        for branch in (*self.inputs, *self.outputs):
            if not isinstance(branch, Branch):
                raise GraphError(f"diverter {name!r} joins {shown(branch)}: expected a Branch")
        sizes = {b.name: b.size for b in (*self.inputs, *self.outputs)}
        if not sizes:
            raise GraphError(f"diverter {name!r} has no branches")
        if len(set(sizes.values())) > 1:
            raise GraphError(f"diverter {name!r}: its branches have different sizes, {sizes}")

    @cached_property
    def _place(self) -> dict[Port, int]:
        return {port: k for k, port in enumerate(self.ports)}

    def send(
        self, to: Sequence[Port], f: Messages, b: Messages, theta: Messages, ring: Ring
    ) -> list[Array]:
        """On each port the product of what enters at all the others (section 2)."""
        # What enters on the only port that is sent to may not be there yet, and is not asked for.
        entering = [b.get(name) if forward else f.get(name) for name, forward in self.ports]
        return ring.others(entering, [self._place[port] for port in to])


@dataclass(frozen=True)
class _Shaded(Link):
    """A shaded block between a variable and a product space (Appendix A).

    ``sizes`` are those of all the variables of the product, ``axis`` says which of them it joins.
    """

    sizes: tuple[int, ...]
    axis: int

    def __post_init__(self) -> None:
        _check_fields(self, "x", "y")
        try:
            object.__setattr__(self, "sizes", tuple(int(size) for size in self.sizes))
            inside = 0 <= self.axis < len(self.sizes)
        except (TypeError, ValueError):
            raise GraphError(
                f"{self.name!r} has sizes {shown(self.sizes)} and axis {shown(self.axis)}: "
                "expected whole numbers"
            ) from None
        if not inside:
            raise GraphError(
                f"{self.name!r} has axis {self.axis}: expected 0 to {len(self.sizes) - 1}"
            )
        member, whole, sizes, axis = self.part
        if member.size != sizes[axis] or whole.size != math.prod(sizes):
            raise GraphError(
                f"{self.name!r} joins {member.name!r} of size {member.size} and {whole.name!r} of "
                f"size {whole.size}: expected {sizes[axis]} and {math.prod(sizes)} for the sizes "
                f"{sizes}"
            )

    @property
    def part(self) -> Part:
        raise NotImplementedError

    def send(
        self, to: Sequence[Port], f: Messages, b: Messages, theta: Messages, ring: Ring
    ) -> list[Array]:
        """To the product space every configuration gets its variable's value; back, a sum."""
        widens = self.part.whole == self.y  # as seen by a forward message
        return [
            expand(v, self.sizes, self.axis)
            if forward == widens
            else ring.project(v, self.sizes, self.axis)
            for v, forward in ((f[self.x.name] if fwd else b[self.y.name], fwd) for _, fwd in to)
        ]

    def keeps(self, forward: bool) -> bool:
        return forward != (self.part.whole == self.y)


@dataclass(frozen=True)
class Expand(_Shaded):
    """The shaded block from variable ``x`` to the product space ``y`` (Appendix A).

    ``sizes`` are those of all the variables of the product, ``axis`` says which of them ``x`` is.
    """

    @property
    def part(self) -> Part:
        return Part(self.x, self.y, self.sizes, self.axis)


@dataclass(frozen=True)
class Project(_Shaded):
    """The shaded block from the product space ``x`` to one of its variables, ``y`` (Appendix A)."""

    @property
    def part(self) -> Part:
        return Part(self.y, self.x, self.sizes, self.axis)


def _all_different(labels: Sequence[Label]) -> bool:
    """Whether labels can be told apart; NaN cannot, nor what is no key of a dict."""
    try:
        return len(set(labels)) == len(labels) and all(label == label for label in labels)
    except TypeError:
        return False


def _check_fields(node: Node, *branches: str) -> None:
    kind = type(node).__name__.lower()
    if not isinstance(node.name, str) or not node.name:
        raise GraphError(f"a {kind}'s name is {shown(node.name)}: expected a string, not empty")
    if not isinstance(node.theta, str):
        raise GraphError(
            f"{kind} {node.name!r}: theta is {shown(node.theta)}, expected its matrix's name"
        )
    for side in branches:
        if not isinstance(getattr(node, side), Branch):
            raise GraphError(
                f"{kind} {node.name!r}: {side} is {shown(getattr(node, side))}, expected a Branch"
            )
