"""The parts of a normal graph: branches, sources, SISO blocks, diverters (sections 2 and 2.1).

Vocabulary
    branch     a variable, or one of its replicas: leaves one node (its tail), enters one (its head)
    source     a prior, the block without an input
    block      a conditional probability matrix P(Y|X), single input and single output (SISO)
    diverter   the equality constraint between the replicas of one variable
    expand     the shaded block of Appendix A, from a variable to a product space; ``Project`` is
               its way back. Their matrices follow from the sizes
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

Label = Hashable


class GraphError(ValueError):
    """A description that is not a cycle-free normal graph, or a name that it does not know."""


@dataclass(frozen=True, init=False)
class Branch:
    """A variable's branch: its name, its number of values, and their labels if they have any.

    ``Branch("S", 4)`` or ``Branch("S", ("low", "high"))``. ``variable`` is the name of the variable
    that a replica belongs to, by default the branch's own name.
    """

    name: str
    size: int
    states: tuple[Label, ...] = ()
    variable: str = ""

    def __init__(
        self,
        name: str,
        size: int | Sequence[Label],
        states: Sequence[Label] = (),
        variable: str = "",
    ) -> None:
        if not isinstance(name, str) or not name:
            raise GraphError(f"a branch's name is {name!r}: expected a string that is not empty")
        labels = tuple(states)
        if hasattr(size, "tolist"):  # a NumPy array of labels, or a NumPy integer
            size = size.tolist()
        if isinstance(size, str):
            raise GraphError(
                f"branch {name!r}: the states {size!r} are a string, expected a sequence"
            )
        if isinstance(size, Sequence):
            labels, size = tuple(size), len(size)
        try:
            count = size.__index__()
        except AttributeError:
            raise GraphError(
                f"branch {name!r} has size {size!r}: expected a whole number or a sequence of "
                "states"
            ) from None
        if count < 1 or isinstance(size, bool):
            raise GraphError(f"branch {name!r} has {size!r} values: a variable needs at least one")
        labels = tuple(label.item() if hasattr(label, "item") else label for label in labels)
        if labels and (len(labels) != count or not _all_different(labels)):
            raise GraphError(
                f"branch {name!r}: the states {labels} are not {count} different labels"
            )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "size", count)
        object.__setattr__(self, "states", labels)
        object.__setattr__(self, "variable", variable or name)

    def replica(self, number: int) -> Branch:
        """The branch ``X(number)`` of the same variable, for a diverter: ``(0)`` enters it."""
        return Branch(f"{self.variable}({number})", self.size, self.states, self.variable)


@dataclass(frozen=True)
class Source:
    """The prior of ``y``; ``theta`` names its matrix, ``(1, M_Y)``, by default as the source."""

    name: str
    y: Branch
    theta: str = ""
    learn: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "theta", self.theta or self.name)

    @property
    def inputs(self) -> tuple[Branch, ...]:
        return ()

    @property
    def outputs(self) -> tuple[Branch, ...]:
        return (self.y,)

    @property
    def shape(self) -> tuple[int, int]:
        return (1, self.y.size)


@dataclass(frozen=True)
class _Link:
    """A node with one input and one output."""

    name: str
    x: Branch
    y: Branch

    @property
    def inputs(self) -> tuple[Branch, ...]:
        return (self.x,)

    @property
    def outputs(self) -> tuple[Branch, ...]:
        return (self.y,)


@dataclass(frozen=True)
class Block(_Link):
    """A SISO block P(Y|X) from branch ``x`` to branch ``y``.

    ``theta`` names its matrix, ``(M_X, M_Y)``, by default the block's own name; blocks that name
    the same matrix are tied and learn it together. ``learn=False`` fixes the matrix (shaded).
    """

    theta: str = ""
    learn: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "theta", self.theta or self.name)

    @property
    def shape(self) -> tuple[int, int]:
        return (self.x.size, self.y.size)


@dataclass(frozen=True, init=False)
class Diverter:
    """The equality constraint: all its branches carry replicas of one variable (section 2)."""

    name: str
    inputs: tuple[Branch, ...]
    outputs: tuple[Branch, ...]

    def __init__(self, name: str, inputs: Iterable[Branch], outputs: Iterable[Branch]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "inputs", tuple(inputs))
        object.__setattr__(self, "outputs", tuple(outputs))
        sizes = {b.name: b.size for b in (*self.inputs, *self.outputs)}
        if not sizes:
            raise GraphError(f"diverter {name!r} has no branches")
        if len(set(sizes.values())) > 1:
            raise GraphError(f"diverter {name!r}: its branches have different sizes, {sizes}")


@dataclass(frozen=True)
class Expand(_Link):
    """The shaded block from variable ``x`` to the product space ``y`` (Appendix A).

    ``sizes`` are those of all the variables of the product, ``axis`` says which of them ``x`` is.
    """

    sizes: tuple[int, ...]
    axis: int

    def __post_init__(self) -> None:
        _check_product(self.name, self.x, self.y, self.sizes, self.axis)


@dataclass(frozen=True)
class Project(_Link):
    """The shaded block from the product space ``x`` to one of its variables, ``y`` (Appendix A)."""

    sizes: tuple[int, ...]
    axis: int

    def __post_init__(self) -> None:
        _check_product(self.name, self.y, self.x, self.sizes, self.axis)


Node = Source | Block | Diverter | Expand | Project


def _all_different(labels: Sequence[Label]) -> bool:
    """Whether labels can be told apart; NaN cannot, nor what is no key of a dict."""
    try:
        return len(set(labels)) == len(labels) and all(label == label for label in labels)
    except TypeError:
        return False


def _check_product(
    name: str, variable: Branch, product: Branch, sizes: Sequence[int], axis: int
) -> None:
    if not 0 <= axis < len(sizes):
        raise GraphError(f"{name!r} has axis {axis}: expected 0 to {len(sizes) - 1}")
    if variable.size != sizes[axis] or product.size != math.prod(sizes):
        raise GraphError(
            f"{name!r} joins {variable.name!r} of size {variable.size} and {product.name!r} of "
            f"size {product.size}: expected {sizes[axis]} and {math.prod(sizes)} for the sizes "
            f"{tuple(sizes)}"
        )
