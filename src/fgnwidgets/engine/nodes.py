"""The parts of a normal graph: branches, sources, SISO blocks, diverters (sections 2 and 2.1).

Vocabulary
    branch     a variable, or one of its replicas: leaves one node (its tail), enters one (its head)
    source     a prior, the block without an input
    block      a conditional probability matrix P(Y|X), single input and single output (SISO)
    diverter   the equality constraint between the replicas of one variable
    expand     the shaded block of Appendix A, from a variable to a product space; ``Project`` is
               its way back. Their matrices follow from the sizes
    port       ``(branch, forward)``: a node sends forward on its outputs, backward on its inputs

A node is one class that says all it does: what it sends (:meth:`Node.send`), what it weighs
(:meth:`Node.weigh`). Another kind of node is another class, and a way to draw it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..readers import read_count, wrong
from .arrays import Array, Index, expand, read_sizes
from .semirings import Sums

Label = Hashable
Port = tuple[str, bool]
Ports = Sequence[Port]
Messages = Mapping[str, Array]
"""Messages of one direction by branch, ``(..., M, N)``."""


class GraphError(ValueError):
    """A description that is not a cycle-free normal graph, or a name that it does not know."""


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
            raise wrong("a branch's name", name, "a string that is not empty", GraphError)
        own = f"branch {name!r}: "
        if not isinstance(variable, str):
            raise wrong(f"{own}variable", variable, "a string", GraphError)
        whole: Any = size.tolist() if hasattr(size, "tolist") else size  # of NumPy
        if _is_sequence(whole):
            states, whole = whole, len(whole)
        try:
            count = read_count(whole, "size", 1)
        except ValueError:
            said = "a whole number >= 1, or a sequence of states"
            raise wrong(f"{own}size", size, said, GraphError) from None
        if not _is_sequence(states):
            raise wrong(f"{own}states", states, "a sequence of labels", GraphError)
        labels = tuple(label.item() if hasattr(label, "item") else label for label in states)
        if labels and (len(labels) != count or not _all_different(labels)):
            raise wrong(f"{own}states", labels, f"{count} different labels", GraphError)
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

    def send(self, to: Ports, f: Messages, b: Messages, theta: Messages, ring: Sums) -> list[Array]:
        """What leaves on the ports ``to``, from what entered its other branches (section 2).

        An input's ``f`` and an output's ``b`` enter; ``ring`` is the semiring that multiplies and
        adds them, and holds them and ``theta`` encoded. A message is sent up to a scale that is the
        same for all values of a sample; where it is not one, :meth:`keeps` says so.
        """
        raise NotImplementedError

    def keeps(self, forward: bool) -> bool:
        """Whether what it sends sums to one where what enters does."""
        return False

    def joint(self, f: Messages, b: Messages, ring: Sums) -> Array:
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
    def shape(self) -> tuple[int, int]:
        """The shape ``(M_X, M_Y)`` of its matrix, if it has one."""
        return math.prod(x.size for x in self.inputs), math.prod(y.size for y in self.outputs)

    @property
    def part(self) -> Part | None:
        """Which variable of which product space it joins, for shaded blocks."""
        return None

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Where it sends: backward on its inputs, forward on its outputs."""
        return (*((x.name, False) for x in self.inputs), *((y.name, True) for y in self.outputs))

    def moved(self, cut: Mapping[str, tuple[Branch, Branch]]) -> Node:
        """The same node where branches are cut in two: the piece at the tail, and at the head."""
        inside = {x.name for x in self.inputs}

        def new(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(new, value))
            if isinstance(value, Branch) and value.name in cut:
                tail, head = cut[value.name]
                return head if value.name in inside else tail
            return value

        assert is_dataclass(self)
        return type(self)(**{k.name: new(getattr(self, k.name)) for k in fields(self)})


class _WithMatrix(Node):
    """A source or block: a factor that is a matrix, by default of the node's own name."""

    def __post_init__(self) -> None:
        _check(self)
        object.__setattr__(self, "theta", self.theta or self.name)

    def weigh(self, values: Mapping[str, Index], theta: Messages) -> Array | float:
        row = values[self.inputs[0].name] if self.inputs else 0
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(theta[self.theta][row, values[self.outputs[0].name]]))


@dataclass(frozen=True)
class Source(_WithMatrix):
    """The prior of ``y``; ``theta`` names its matrix, ``(1, M_Y)``, by default as the source."""

    name: str
    y: Branch
    theta: str = ""
    learn: bool = True

    @property
    def inputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return ()

    @property
    def outputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.y,)

    def send(self, to: Ports, f: Messages, b: Messages, theta: Messages, ring: Sums) -> list[Array]:
        """The prior itself."""
        return [theta[self.theta].swapaxes(-1, -2)]

    def keeps(self, forward: bool) -> bool:
        return True


class Link(Node):
    """A node with one input ``x`` and one output ``y``."""

    x: Branch
    y: Branch

    @property
    def inputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.x,)

    @property
    def outputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.y,)


@dataclass(frozen=True)
class Block(Link, _WithMatrix):
    """A SISO block P(Y|X) from branch ``x`` to branch ``y``.

    ``theta`` names its matrix, ``(M_X, M_Y)``, by default the block's own name; blocks that name
    the same matrix are tied and learn it together. ``learn=False`` fixes the matrix (shaded).
    """

    name: str
    x: Branch
    y: Branch
    theta: str = ""
    learn: bool = True

    def send(self, to: Ports, f: Messages, b: Messages, theta: Messages, ring: Sums) -> list[Array]:
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


@dataclass(frozen=True, init=False)
class Diverter(Node):
    """The equality constraint: all its branches carry replicas of one variable (section 2)."""

    copies: ClassVar[bool] = True
    name: str
    inputs: tuple[Branch, ...]
    outputs: tuple[Branch, ...]

    def __init__(self, name: str, inputs: Iterable[Branch], outputs: Iterable[Branch]) -> None:
        object.__setattr__(self, "name", name)
        for side, branches in {"inputs": inputs, "outputs": outputs}.items():
            if isinstance(branches, str) or not isinstance(branches, Iterable):
                raise wrong(f"diverter {name!r}: {side}", branches, "branches", GraphError)
            object.__setattr__(self, side, tuple(branches))
        ports = (*self.inputs, *self.outputs)
        _check(self, *ports)
        sizes = {branch.name: branch.size for branch in ports}
        if not sizes:
            raise GraphError(f"diverter {name!r} has no branches")
        if len(set(sizes.values())) > 1:
            raise GraphError(f"diverter {name!r}: its branches have different sizes, {sizes}")

    @cached_property
    def _place(self) -> dict[Port, int]:
        return {port: k for k, port in enumerate(self.ports)}

    def send(self, to: Ports, f: Messages, b: Messages, theta: Messages, ring: Sums) -> list[Array]:
        """On each port the product of what enters at all the others (section 2)."""
        # What enters on the only port that is sent to may not be there yet, and is not asked for.
        entering: list[Any] = [b.get(x) if forward else f.get(x) for x, forward in self.ports]
        return ring.others(entering, [self._place[port] for port in to])


@dataclass(frozen=True)
class _Shaded(Link):
    """A shaded block between a variable and a product space (Appendix A).

    ``sizes`` are those of all the variables of the product, ``axis`` says which of them it joins.
    """

    widens: ClassVar[bool]
    """Whether the product space is at its output."""
    name: str
    x: Branch
    y: Branch
    sizes: tuple[int, ...]
    axis: int

    def __post_init__(self) -> None:
        _check(self)
        sizes = read_sizes(self.sizes, self.axis, f"{self.name!r}: ", GraphError)
        object.__setattr__(self, "sizes", sizes)
        member, whole, sizes, axis = self.part
        if member.size != sizes[axis] or whole.size != math.prod(sizes):
            raise GraphError(
                f"{self.name!r} joins {member.name!r} of size {member.size} and {whole.name!r} of "
                f"size {whole.size}: expected {sizes[axis]} and {math.prod(sizes)} for the sizes "
                f"{sizes}"
            )

    @property
    def part(self) -> Part:
        member, whole = (self.x, self.y) if self.widens else (self.y, self.x)
        return Part(member, whole, self.sizes, self.axis)

    def send(self, to: Ports, f: Messages, b: Messages, theta: Messages, ring: Sums) -> list[Array]:
        """To the product space every configuration gets its variable's value; back, a sum."""
        sent = []
        for _, forward in to:
            v = f[self.x.name] if forward else b[self.y.name]
            if forward == self.widens:
                sent.append(expand(v, self.sizes, self.axis))
            else:
                sent.append(ring.project(v, self.sizes, self.axis))
        return sent

    def keeps(self, forward: bool) -> bool:
        return forward != self.widens


@dataclass(frozen=True)
class Expand(_Shaded):
    """The shaded block from variable ``x`` to the product space ``y`` (Appendix A).

    ``sizes`` are those of all the variables of the product, ``axis`` says which of them ``x`` is.
    """

    widens: ClassVar[bool] = True


@dataclass(frozen=True)
class Project(_Shaded):
    """The shaded block from the product space ``x`` to one of its variables, ``y`` (Appendix A)."""

    widens: ClassVar[bool] = False


def _is_sequence(given: Any) -> bool:
    """Whether it is a sequence of labels: a list, a tuple, an array or a column, but no text."""
    listed = isinstance(given, Sequence) or (hasattr(given, "tolist") and np.ndim(given) == 1)
    return listed and not isinstance(given, str | bytes)


def _all_different(labels: Sequence[Label]) -> bool:
    """Whether labels can be told apart; NaN cannot, nor what is no key of a dict."""
    try:
        return len(set(labels)) == len(labels) and all(label == label for label in labels)
    except TypeError:
        return False


def _check(node: Node, *joined: Any) -> None:
    """Refuse what no node has; ``joined`` are the ends that have no name of their own."""
    kind = type(node).__name__.lower()
    if not isinstance(node.name, str) or not node.name:
        raise wrong(f"a {kind}'s name", node.name, "a string, not empty", GraphError)
    own = f"{kind} {node.name!r}: "
    if not isinstance(node.theta, str):
        raise wrong(f"{own}theta", node.theta, "the name of its matrix", GraphError)
    if not isinstance(node.learn, bool):
        raise wrong(f"{own}learn", node.learn, "True or False", GraphError)
    named = [(side, getattr(node, side)) for side in ("x", "y") if hasattr(node, side)]
    for side, branch in (*named, *(("an end", branch) for branch in joined)):
        if not isinstance(branch, Branch):
            raise wrong(f"{own}{side}", branch, "a Branch", GraphError)
