"""Branches: the variables of a normal graph and their replicas (section 2).

Vocabulary
    branch     a variable, or one of its replicas: leaves one node (its tail), enters one (its head)
    port       ``(branch, forward)``: a node sends forward on its outputs, backward on its inputs
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..readers import read_count, read_flag, read_kind, read_word, wrong

Label = Hashable
Port = tuple[str, bool]


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
        own = f"branch {read_word(name, 'the name of a branch', GraphError)!r}: "
        read_kind(variable, f"{own}variable", str, "a string", GraphError)
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
        given = read_flag(given, f"{own}given", GraphError)
        values = {"name": name, "size": count, "states": labels, "variable": variable or name}
        self.__dict__.update(values, given=given)  # it is frozen

    def replica(self, number: int) -> Branch:
        """The branch ``X(number)`` of the same variable, for a diverter: ``(0)`` enters it."""
        name = f"{self.variable}({read_count(number, 'number', 0, GraphError)})"
        return Branch(name, self.size, self.states, self.variable, self.given)


class Part(NamedTuple):
    """One variable of a product space: its branch, the space's branch, all sizes, which axis."""

    member: Branch
    whole: Branch
    sizes: tuple[int, ...]
    axis: int


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
