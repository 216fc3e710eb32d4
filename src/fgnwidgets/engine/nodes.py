"""The nodes of a normal graph, and what they send (sections 2 and 2.1).

Vocabulary
    semiring   how messages are multiplied and summed; ``SUMS`` is the paper's
    scale      what normalising takes out of a column, a sample's message

A node is one class that says all it does: what it sends (:meth:`Node.send`), what it weighs
(:meth:`Node.weigh`). Another kind of node is another class.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np

from ..readers import read_kind, read_word, shown, wrong
from .arrays import Array, Arrays, Index, around, column_sums, expand, read_sizes, times
from .branches import Branch, GraphError, Part, Port

Ports = Sequence[Port]


class Sums:
    """Probabilities: block ``theta^T f`` and ``theta b``, diverter ``f1 * f2 * ...``."""

    multiply: Callable[[Array, Array], Array] = staticmethod(operator.mul)
    together: ClassVar[int] = 8
    """Scales that are multiplied before a logarithm is taken: none is larger than its branch."""

    def encode(self, v: Array) -> Array:
        """A matrix or message of probabilities as this semiring holds it."""
        return v

    def decode(self, v: Array) -> Array:
        """A message of this semiring as probabilities."""
        return v

    def holds(self, v: Array) -> bool:
        """Whether these are numbers of this semiring: finite and not negative."""
        return bool(((v >= 0) & (v < np.inf)).all())

    def total(self, v: Array, axis: int) -> Array:
        """The sum over an axis."""
        return np.asarray(v.sum(axis=axis))

    def through(self, matrix: Array, v: Array) -> Array:
        """Through a block: its matrix times ``b_Y``, or transposed times ``f_X`` (section 2)."""
        return times(matrix, v)

    def project(self, v: Array, sizes: Sequence[int], axis: int) -> Array:
        """From a product space to one of its variables: a sum over the others (equation 30)."""
        grid = v.reshape(*v.shape[:-2], *around(sizes, axis), v.shape[-1])
        return self.total(self.total(grid, -2), -3)

    def others(self, vectors: Sequence[Array], wanted: Sequence[int]) -> list[Array]:
        """At a diverter: for each wanted port, the product of what enters at all the others.

        Prefix and suffix products: nothing is divided, so zeros are safe. ``wanted`` ascends.
        """
        last = len(vectors) - 1
        if last == 0:  # a single port: an empty product says nothing, for any number of values
            shape = (1, 1) if vectors[0] is None else vectors[0].shape
            return [self.encode(np.ones(shape))]
        before = list(accumulate(vectors[: wanted[-1]], self.multiply))
        after = list(accumulate(vectors[: wanted[0] : -1], self.multiply))
        return [
            after[last - 1]
            if i == 0
            else before[i - 1]
            if i == last
            else self.multiply(before[i - 1], after[last - i - 1])
            for i in wanted
        ]

    def normalized(self, v: Array) -> tuple[Array, Array]:
        """Columns scaled to sum to one, and the scale that was taken out."""
        scale = column_sums(v)
        return v / scale, scale

    def overlap(self, f: Array, b: Array) -> Array:
        """``sum_m f_m b_m``, a scale: how well two messages agree."""
        return column_sums(self.multiply(f, b))

    def log(self, scales: Sequence[Array]) -> Array:
        """The log of a product of scales, ``(..., N)``; -inf where :attr:`together` are too small.

        A logarithm costs as much as ten products.
        """
        rows, size = [scale[..., 0, :] for scale in scales], self.together
        logs = [np.log(reduce(operator.mul, rows[k : k + size])) for k in range(0, len(rows), size)]
        return sum(logs[1:], logs[0])


SUMS = Sums()


class Node:
    """A factor with its branches; a subclass is a frozen dataclass that says what it sends."""

    kinds: ClassVar[dict[str, type[Node]]] = {}
    copies: ClassVar[bool] = False
    """Whether all its branches carry one value."""
    keeps: ClassVar[tuple[bool, ...]] = ()
    """In which directions, True for forward, what it sends sums to one where what enters does."""
    shares: ClassVar[bool] = False
    """Whether its matrix is on a cluster, with no branch to each side (``merging``)."""
    part: Part | None = None
    """Which variable of which product space it joins, for shaded blocks."""

    name: str
    theta: str = ""
    """The name of its matrix, if it has one."""
    learn: bool = False
    inputs: tuple[Branch, ...]
    outputs: tuple[Branch, ...]

    ours: ClassVar[bool] = False
    """Whether its class is one of the library's, which send right; another's is checked."""

    def __init_subclass__(cls) -> None:
        Node.kinds[cls.__name__] = cls
        cls.ours = cls.__module__.partition(".")[0] == __name__.partition(".")[0]

    def send(self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, ring: Sums) -> list[Array]:
        """What leaves on the ports ``to``, from what entered its other branches (section 2).

        An input's ``f`` and an output's ``b`` enter; ``ring`` is the semiring that multiplies and
        adds them, and holds them and ``theta`` encoded. A message has any scale in each sample.
        """
        raise NotImplementedError

    def joint(self, f: Arrays, b: Arrays, ring: Sums) -> Array:
        """What the rest says of its input and output together, ``(..., M_X * M_Y, N)``."""
        by = b[self.outputs[0].name]
        if not self.inputs:
            return by
        fx = f[self.inputs[0].name]
        pairs = ring.multiply(fx[..., :, None, :], by[..., None, :, :])
        return pairs.reshape(*pairs.shape[:-3], -1, pairs.shape[-1])

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
        """Where it sends: backward on its inputs, forward on its outputs."""
        return (*((x.name, False) for x in self.inputs), *((y.name, True) for y in self.outputs))

    def moved(self, cut: Mapping[str, tuple[Branch, Branch]]) -> Node:
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

    keeps = (True,)

    def __post_init__(self) -> None:
        _check(self)
        self.__dict__["theta"] = self.theta or self.name

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

    def send(self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, ring: Sums) -> list[Array]:
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

    def send(self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, ring: Sums) -> list[Array]:
        """``f_Y = theta^T f_X`` and ``b_X = theta b_Y`` (section 2)."""
        matrix = theta[self.theta]
        return [
            ring.through(matrix.swapaxes(-1, -2), f[self.x.name])
            if forward
            else ring.through(matrix, b[self.y.name])
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
        self.__dict__.update(name=name, inputs=tuple(inputs), outputs=tuple(outputs))
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

    def send(self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, ring: Sums) -> list[Array]:
        """On each port the product of what enters at all the others (section 2)."""
        # What enters on the only port that is sent to may not be there yet, and is not asked for.
        entering: list[Any] = [b.get(x) if forward else f.get(x) for x, forward in self.ports]
        return ring.others(entering, [self._place[port] for port in to])


@dataclass(frozen=True)
class _Shaded(Link):
    """A shaded block between a variable and a product space (Appendix A)."""

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
        self.__dict__["sizes"] = sizes
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

    def send(self, to: Ports, f: Arrays, b: Arrays, theta: Arrays, ring: Sums) -> list[Array]:
        """To the product space every configuration gets its variable's value; back, a sum."""
        return [
            (expand if forward == self.widens else ring.project)(
                f[self.x.name] if forward else b[self.y.name], self.sizes, self.axis
            )
            for _, forward in to
        ]

    def weigh(self, values: Mapping[str, Index], theta: Arrays) -> Array | float:
        return 0.0


@dataclass(frozen=True)
class Expand(_Shaded):
    """The shaded block from variable ``x`` to product space ``y`` (Appendix A, equation 31).

    ``sizes`` are those of all the variables of the product, ``axis`` says which of them ``x`` is.
    """

    widens: ClassVar[bool] = True
    keeps = (False,)


@dataclass(frozen=True)
class Project(_Shaded):
    """The way back, from product space ``x`` to its variable ``y`` (Appendix A, equation 30)."""

    widens: ClassVar[bool] = False
    keeps = (True,)


def asked(node: Node, to: Ports, f: Arrays, b: Arrays, theta: Arrays, ring: Sums) -> list[Array]:
    """What a node of a reader's own sends; ``ValueError`` by its name where that is no message."""
    own = f"node {node.name!r}: {type(node).__name__}.send"
    try:
        sent = [np.asarray(v) for v in node.send(to, f, b, theta, ring)]
        if len(sent) != len(to):
            raise ValueError(f"it gave {len(sent)} messages for {len(to)} ports")
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ValueError(
            f"{own} failed ({type(error).__name__}: {error}); expected a list with a message "
            "(..., M, N) for each port that it is asked for"
        ) from error
    sizes = {branch.name: branch.size for branch in (*node.inputs, *node.outputs)}
    entered = [(b if forward else f).get(name) for name, forward in node.ports]
    known = [v for v in entered if v is not None]
    widths = {1, *(v.shape[-1] for v in known)}
    for (name, forward), v in zip(to, sent, strict=True):
        shaped = v.ndim > 1 and v.shape[-2] == sizes[name] and v.shape[-1] in widths
        found = f"{v.dtype} of shape {v.shape}"
        if shaped and v.dtype.kind in "buif":
            # Where what entered holds NaN, its sample is impossible.
            if ring.holds(v) or not all(map(ring.holds, known)):
                continue
            found = f"numbers that are negative or not finite, {shown(v)}"
        raise ValueError(
            f"{own} gave as the {'forward' if forward else 'backward'} message on {name!r} "
            f"{found}: expected (..., {sizes[name]}, N), proportional to distributions, with N "
            f"one of {sorted(widths)}"
        )
    return [v.astype(np.float64, copy=False) for v in sent]


def _check(node: Node, *joined: Any) -> None:
    """Refuse what no node has; ``joined`` are the ends that have no name of their own."""
    kind = type(node).__name__.lower()
    own = f"{kind} {read_word(node.name, f'the name of a {kind}', GraphError)!r}: "
    read_kind(node.theta, f"{own}theta", str, "the name of its matrix", GraphError)
    read_kind(node.learn, f"{own}learn", bool, "True or False", GraphError)
    named = [(side, getattr(node, side)) for side in ("x", "y") if hasattr(node, side)]
    for side, branch in (*named, *(("an end", branch) for branch in joined)):
        read_kind(branch, f"{own}{side}", Branch, "a Branch", GraphError)
