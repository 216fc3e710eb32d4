"""Branches: the variables of a normal graph and their replicas (section 2).

Vocabulary
    branch     a variable, or one of its replicas: leaves one node (its tail), enters one (its head)
    port       ``(branch, forward)``: a node sends forward on its outputs, backward on its inputs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..algebra.arrays import Label
from ..arguments import read_count, read_flag, read_kind, read_word, wrong

Port = tuple[str, bool]


class GraphError(ValueError):
    """A description that is not a cycle-free normal graph, or a name that it does not know."""


def set_fields(value: object, **fields: object) -> None:
    """The fields of a frozen value while it is made, in the way that dataclasses do it."""
    for name, field in fields.items():
        object.__setattr__(value, name, field)


@dataclass(frozen=True, init=False)
class Branch:
    """A variable's branch: its name, its number of values, and their labels if they have any.

    ``Branch("S", 4)`` or ``Branch("S", ("low", "high"))``. ``variable`` is the name of the variable
    that a replica belongs to, by default the branch's own name. A ``given`` branch has an open
    tail, where a value that is always observed enters; such branches of one variable agree.
    ``missing`` are codes by which tables say that nothing is known, such as 9 or "DK"; no state.
    """

    name: str
    size: int
    states: tuple[Label, ...] = ()
    variable: str = ""
    given: bool = False
    missing: tuple[Label, ...] = ()

    def __init__(
        self,
        name: str,
        size: int | Sequence[Label],
        states: Sequence[Label] = (),
        variable: str = "",
        given: bool = False,
        missing: Sequence[Label] = (),
    ) -> None:
        prefix = f"branch {read_word(name, 'the name of a branch', GraphError)!r}: "
        read_kind(variable, f"{prefix}variable", str, "a string", GraphError)
        whole: Any = size.tolist() if hasattr(size, "tolist") else size  # of NumPy
        if _is_sequence(whole):
            states, whole = whole, len(whole)
        try:
            count = read_count(whole, "size", 1)
        except ValueError:
            said = "a whole number >= 1, or a sequence of states"
            raise wrong(f"{prefix}size", size, said, GraphError) from None
        if not _is_sequence(states):
            raise wrong(f"{prefix}states", states, "a sequence of labels", GraphError)
        labels = tuple(label.item() if hasattr(label, "item") else label for label in states)
        if labels and (len(labels) != count or not _all_different(labels)):
            raise wrong(f"{prefix}states", labels, f"{count} different labels", GraphError)
        given = read_flag(given, f"{prefix}given", GraphError)
        codes = _codes(missing, prefix, labels, count)
        set_fields(
            self,
            name=name,
            size=count,
            states=labels,
            variable=variable or name,
            given=given,
            missing=codes,
        )

    def replica(self, number: int) -> Branch:
        """The branch ``X(number)`` of the same variable, for a diverter: ``(0)`` enters it."""
        name = f"{self.variable}({read_count(number, 'number', 0, GraphError)})"
        return Branch(name, self.size, self.states, self.variable, self.given, self.missing)


class Part(NamedTuple):
    """One variable of a product space: its branch, the space's branch, all sizes, which axis."""

    member: Branch
    whole: Branch
    sizes: tuple[int, ...]
    axis: int


def _is_sequence(given: Any) -> bool:
    """True if it is a sequence of labels: a list, a tuple, an array or a column, but no text."""
    listed = isinstance(given, Sequence) or (hasattr(given, "tolist") and np.ndim(given) == 1)
    return listed and not isinstance(given, str | bytes)


def _codes(missing: object, prefix: str, labels: Sequence[Label], size: int) -> tuple[Label, ...]:
    """Codes for no answer, each once; one that a table may use for a state is refused."""

    def key(label: Any) -> tuple[str, Any]:  # labels are compared by type; True is not 1
        number = isinstance(label, int | float) and not isinstance(label, bool)
        return "number" if number else type(label).__name__, label

    sets = isinstance(missing, set | frozenset)
    expected = "a list of codes that stand for no answer, such as [9, 99]"
    if not (sets or _is_sequence(missing)):
        raise wrong(f"{prefix}missing", missing, expected, GraphError)
    listed: Any = sorted(missing, key=repr) if isinstance(missing, set | frozenset) else missing
    codes = [code.item() if isinstance(code, np.generic) else code for code in listed]
    try:
        kept = tuple(
            {key(code): code for code in codes if code is not None and code == code}.values()
        )
        states = {key(label) for label in labels or range(size)} if kept else set()
    except (TypeError, ValueError):
        raise wrong(f"{prefix}missing", missing, expected, GraphError) from None
    for code in kept:
        if key(code) in states:
            raise GraphError(
                f"{prefix}missing holds {code!r}, which is one of its states: expected codes that "
                "are none"
            )
    return kept


def _all_different(labels: Sequence[Label]) -> bool:
    """True if labels can be told apart; NaN cannot, nor what is no key of a dict."""
    try:
        return len(set(labels)) == len(labels) and all(label == label for label in labels)
    except TypeError:
        return False


def replicas(branch: Branch, into: int, uses: int) -> tuple[list[Branch], list[Branch]]:
    """The branches around a variable's diverter: those that its blocks end on, and its uses.

    With one of each there is no diverter, and both are the branch itself.
    """
    if into == uses == 1:
        return [branch], [branch]
    first = 0 if into == 1 else 1
    made = [branch.replica(first + k) for k in range(into + uses)]
    if uses == 1:  # what several blocks make together goes by the variable's name
        made[-1] = branch
    return made[:into], made[into:]
