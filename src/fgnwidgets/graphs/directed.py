"""Variables with their parents: normal forms and junction trees are made of them (section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .branches import Branch
from .normal_graph import Graph, NormalGraph

LARGEST = 2**24
"""Values of the largest product space that is built without being asked for."""


class DirectedGraph(Graph):
    """A directed acyclic graph: by variable its branch, its parents, and the name of its matrix.

    ``given`` variables have no matrix, and those of ``fixed`` ones are not learned.
    """

    variables: Mapping[str, Branch]
    parents: Mapping[str, tuple[str, ...]]
    theta: Mapping[str, str]
    given: tuple[str, ...]
    fixed: frozenset[str]

    def normal_form(self, combine: str = "product", *, loops: bool = False) -> NormalGraph:
        """The factor graph in normal form; ``loops=True`` lets loops pass."""
        raise NotImplementedError


def family_name(name: str, parents: Sequence[str]) -> str:
    """The name of a variable's block, and of its matrix where no other name was given."""
    return f"{name}|{','.join(parents)}" if parents else name


def node_name(graph: DirectedGraph, variable: str) -> str:
    """The name of the source or block of a variable of this graph."""
    return family_name(variable, graph.parents[variable])
