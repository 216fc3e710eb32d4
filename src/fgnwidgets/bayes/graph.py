"""Bayesian graphs and their normal form (section 2.1, figures 2 to 5).

Vocabulary
    variable   a name with a number of values, or with labels for them
    parents    the variables that a variable's conditional probability matrix depends on
    separate   the simplified model of figure 3, right: a block per parent, joined by a diverter
    given      always observed: an open tail at each child, no distribution, so no part of a loop
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ..algebra.arrays import Label
from ..arguments import listing, read_choice, read_count, read_flag, read_kind, read_names, wrong
from ..data import (
    Missing,
    Table,
    alike,
    is_full,
    labels,
    like_weights,
    many_states,
    no_answers,
    read_missing,
    weighted_columns,
)
from ..graphs.branches import Branch, GraphError
from ..graphs.directed import LARGEST, DirectedGraph, family_name, node_name
from ..graphs.normal_graph import NormalGraph
from .normal_form import build_nodes

if TYPE_CHECKING:
    from ..loops.junction_tree import MergedGraph


class BayesGraph(DirectedGraph):
    """A directed graph of variables, the picture at the left of the paper's figures.

    ``BayesGraph({"S": 4, "X1": ("no", "yes")}, {"X1": "S"})``: every variable with its size or its
    states, and the parents of those that have any, in the order of the matrix's rows. Or
    ``edges=[("S", "X1")]``, pairs ``(parent, child)``. ``theta`` gives a variable's matrix another
    name than the default ``"X1|S"``; variables that share a name share the matrix (tied).
    ``fixed`` names variables whose matrices are not learned. ``largest`` is the number of values
    above which the product space of a variable's parents is refused, 2^24 by default.

    ``given`` names variables that are always observed and have no parents: covariates, inputs. The
    model is then of the others, given these; every table needs their columns, without blanks.

    ``missing`` are codes by which tables say that there is no answer: ``{"X1": [9, "DK"]}``, or a
    list for all variables. Wherever a table is read for this graph, such a cell is blank, as None
    is. They are compared by type, and none of them can be a state.

    It may be any directed acyclic graph. Where its normal form would have a loop, that is refused
    with the variables on it, and :meth:`merged` is the way out.
    """

    def __init__(
        self,
        states: Mapping[str, int | Sequence[Label]],
        parents: Mapping[str, str | Sequence[str]] | None = None,
        *,
        edges: Iterable[tuple[str, str]] | None = None,
        theta: Mapping[str, str] | None = None,
        fixed: Iterable[str] = (),
        given: Iterable[str] = (),
        missing: Missing = None,
        largest: int = LARGEST,
    ) -> None:
        arrows = _read_parents(parents, edges)
        expected = "a mapping from variables to their number of states, or to the states"
        read_kind(states, "states", Mapping, expected, GraphError)
        expected = "a mapping from variables to matrix names"
        renamed = read_kind(theta, "theta", Mapping | None, expected, GraphError) or {}
        self.given = tuple(dict.fromkeys(read_names(given, "given")))
        self.missing = MappingProxyType(_read_missing(missing, list(states)))
        self.variables = MappingProxyType(
            {
                name: Branch(
                    name, size, given=name in self.given, missing=self.missing.get(name, ())
                )
                for name, size in states.items()
            }
        )
        self.parents = MappingProxyType({name: arrows.get(name, ()) for name in self.variables})
        for name, matrix in renamed.items():
            if not isinstance(matrix, str) or not matrix:
                expected = "the name of a matrix, a string"
                raise wrong(f"theta[{name!r}]", matrix, expected, GraphError)
        names = {name: node_name(self, name) for name in self.variables if name not in self.given}
        self.theta = MappingProxyType({**names, **renamed})
        self.fixed = frozenset(read_names(fixed, "fixed", sets=True))
        self.largest = read_count(largest, "largest", 1)
        self._check([*arrows, *renamed, *self.fixed, *self.given])
        self._form = NormalGraph(build_nodes(self, separate=False), loops=True)

    @classmethod
    def from_table(
        cls,
        table: Table,
        parents: Mapping[str, str | Sequence[str]] | None = None,
        *,
        edges: Iterable[tuple[str, str]] | None = None,
        hidden: Mapping[str, int | Sequence[Label]] | None = None,
        columns: Iterable[str] | None = None,
        weight: str | None = None,
        given: Iterable[str] = (),
        missing: Missing = None,
    ) -> BayesGraph:
        """A graph with a variable per column, its states read from the cells, and hidden ones.

        States are sorted; declared categories keep their order (a Categorical of pandas, an Enum of
        polars, a dictionary of Arrow, an ENUM of DuckDB). ``columns`` and ``weight`` are as in
        ``fit``. ``missing`` names codes for no answer, ``{"A": [9, 99]}``, or a list for all
        columns; the graph keeps them, so that ``fit`` and whatever else reads a table for it takes
        them for blanks.

        ``hidden={"S": 3}`` adds a variable that has no column. If the table has a column S, that is
        used: S is observed, and these are its states. For a column without gaps that ``columns``
        does not name this is a warning.

        A column with about as many states as rows is a warning, and so are states that look like
        codes for no answer (9 beside 1 to 5, "DK", "nan"), states that differ in spaces, capitals
        or type alone, and what looks like weights.
        """
        expected = "a mapping from hidden variables to their number of states, such as {'S': 3}"
        unseen = dict(read_kind(hidden, "hidden", Mapping | None, expected, GraphError) or {})
        read_kind(weight, "weight", str | None, "the name of a column", GraphError)
        cells, counts = weighted_columns(table, columns, weight)
        lengths = {name: len(c) for name, c in cells.items() if hasattr(c, "__len__")}
        if len(set(lengths.values())) > 1:
            raise GraphError(f"the table's columns have different lengths, {lengths}: expected one")
        blank = _read_missing(missing, [*cells, *(n for n in unseen if n not in cells)], [*cells])
        levels = {
            name: labels(column, name, blank.get(name, ()))
            for name, column in cells.items()
            if name not in unseen
        }
        rows = max(lengths.values(), default=0) if counts is None else float(np.sum(counts))
        arrows = _read_parents(parents, edges)
        named = dict.fromkeys(arrows, "child") | {p: "parent" for ps in arrows.values() for p in ps}
        for name, states in levels.items():
            many = many_states(name, len(states), rows) if rows else ""
            asked = name in named or columns is not None
            odd = (many, no_answers(name, states), alike(name, states))
            for said in filter(None, (*odd, "" if asked else like_weights(name, states))):
                warnings.warn(said, UserWarning, stacklevel=2)
        for name in () if columns is not None else unseen.keys() & cells.keys():
            if is_full(cells[name], blank.get(name, ())):
                warnings.warn(
                    f"{name!r} is in hidden and is a column of the table, without a gap: the "
                    f"column is used, so {name!r} is observed in every row. To keep it hidden, "
                    "leave the column out by columns=[...]; if it is meant, name it there",
                    UserWarning,
                    stacklevel=2,
                )
        for name in sorted(name for name in named if isinstance(name, str)):
            if name not in unseen and name not in levels:
                raise GraphError(
                    f"{name!r} is a {named[name]} but no column of the table, which has "
                    f"{listing(levels)}: if it is hidden, say hidden={{{name!r}: 3}} with its "
                    "number of states"
                )
        return cls({**unseen, **levels}, arrows, given=given, missing=blank)

    def normal_form(self, combine: str = "product", *, loops: bool = False) -> NormalGraph:
        """The factor graph in normal form; ``loops=True`` lets loops pass, for teaching.

        A variable with several children gets a diverter. One with several parents gets a product
        space with its shaded blocks, which children with the same parents share, each with the rows
        of its matrix in the order in which it names them; or, with
        ``combine="separate"``, a block for each parent and a diverter that multiplies their
        messages: a parent's influence cannot then depend on the others.
        """
        read_flag(loops, "loops")
        form = self._form
        if read_choice(combine, "combine", ("product", "separate")) == "separate":
            form = NormalGraph(build_nodes(self, separate=True), loops=True)
        if form.loop and not loops:
            around = self.loop or dict.fromkeys(form.variable_of[name] for name in form.loop)
            name, values, size = self._merged.price
            raise GraphError(
                f"the variables {', '.join(around)} form a loop, on which messages are not exact: "
                f"graph.merged() makes product variables of such loops; its largest is {name} with "
                f"{values:,} values, and a sample takes {size:,} bytes"
            )
        return form

    @cached_property
    def loop(self) -> tuple[str, ...]:
        """The variables on a loop of the normal form, in its order; empty if there is none.

        Where it passes through a product space, between two of its variables, the children of that
        space are on it too; its variables are where it passes from one of its children to another.
        """
        form = self._form
        around = dict.fromkeys(form.variable_of[name] for name in form.loop)
        loop: list[str] = []
        for name in around:
            members = form.products.get(name)
            space = {*members} if members else set()  # in whatever order a child names them
            children = [child for child, parents in self.parents.items() if space == {*parents}]
            sides = (children, members) if members else ()
            loop += next(filter(around.keys().isdisjoint, sides), () if members else (name,))
        return tuple(dict.fromkeys(loop))

    def merged(self) -> MergedGraph:
        """The graph as a forest of product variables, exact whatever its loops (a cluster tree).

        Everything goes by the original names; without a loop it is the normal form. Rules but ML
        need a message on each side of a block, and are refused where a family shares its cluster.
        A product space of more values than ``largest`` is refused before memory is taken.
        """
        name, values, size = self._merged.price
        if values > self.largest:
            raise GraphError(
                f"merging the loops needs the product variable {name} with {values:,} values, more "
                f"than {self.largest:,}, and {size:,} bytes per sample: take out arrows of the "
                f"loop {', '.join(self.loop)}, or ask for it by largest={values}"
            )
        return self._merged

    @cached_property
    def _merged(self) -> MergedGraph:
        from ..loops.junction_tree import ClusterTree, MergedGraph  # late: most graphs ask for none

        if self._form.loop:
            return ClusterTree(self).graph()
        return MergedGraph(self._form.nodes, self, self._form.products)

    @cached_property
    def _key(self) -> tuple[object, ...]:
        items = (tuple(m.items()) for m in (self.variables, self.parents, self.theta))
        return (*items, self.fixed, self.given, self.largest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BayesGraph) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[object, ...]:
        states = {name: b.states or b.size for name, b in self.variables.items()}
        named = {k: getattr(self, k) for k in ("fixed", "given", "largest")}
        named |= {"theta": dict(self.theta), "missing": dict(self.missing)}
        return partial(BayesGraph, **named), (states, dict(self.parents))

    def __repr__(self) -> str:
        few = list(self.parents.items())[:8]
        said = (
            "given " * (name in self.given)
            + family_name(listing([name]), [listing([parent]) for parent in parents])
            for name, parents in few
        )
        more = ", ..." if len(self.variables) > 8 else ""
        return f"BayesGraph({', '.join(said)}{more})"

    def _check(self, named: Iterable[str]) -> None:
        if not self.variables:
            raise GraphError("the graph has no variables")
        names = listing(self.variables)
        for name in named:
            if name not in self.variables:
                also = f"; names are text, {str(name)!r}" if str(name) in self.variables else ""
                raise GraphError(f"no variable {name!r}: the variables are {names}{also}")
        for name, parents in self.parents.items():
            odd = [parent for parent in parents if parent not in self.variables]
            if odd:
                raise GraphError(f"parent {odd[0]!r} of {name!r} is no variable: there are {names}")
            family = family_name(name, parents)
            if parents and family in self.variables:
                raise GraphError(
                    f"{family!r} is a variable, and what the block of {name!r} is called: give one "
                    "of these variables another name"
                )
            if len({name, *parents}) <= len(parents):
                raise GraphError(
                    f"{name!r} has the parents {parents}: expected different variables, not itself"
                )
            values = math.prod(self.variables[parent].size for parent in parents)
            if values > self.largest:
                raise GraphError(
                    f"{name!r} has the parents {', '.join(parents)}: their product space has "
                    f"{values:,} values, more than {self.largest:,}; give {name!r} fewer parents, "
                    f"or ask for it by largest={values}"
                )
        for name in self.given:
            if self.parents[name]:
                has = f"the parents {', '.join(self.parents[name])}: a given variable has none"
            elif not any(name in parents for parents in self.parents.values()):
                has = "no children: it would say nothing"
            elif name in self.theta or name in self.fixed:
                has = "no distribution of its own, so no matrix to name or to fix"
            else:
                continue
            raise GraphError(f"{name!r} is given and has {has}")
        try:
            TopologicalSorter(self.parents).prepare()
        except CycleError as error:
            raise GraphError(
                f"the arrows {' -> '.join(error.args[1])} go in a circle: no variable can be its "
                "own ancestor; turn or remove one of these arrows"
            ) from None


def _read_missing(
    missing: Missing, names: Sequence[str], listed: Sequence[str] | None = None
) -> dict[str, tuple[Label, ...]]:
    """The codes for no answer by variable; a list of them holds for the variables ``listed``."""
    try:
        return read_missing(
            missing, names if isinstance(missing, Mapping) or listed is None else listed
        )
    except ValueError as error:
        raise GraphError(str(error)) from None


def _read_parents(parents: object, edges: object) -> dict[str, tuple[str, ...]]:
    """The parents of each variable that has any, from a mapping or from ``(parent, child)``."""
    if parents is not None and edges is not None:
        raise GraphError("parents and edges are both given: one of them says it all")
    expected = "a mapping from each child to its parents, or edges=[(parent, child), ...]"
    listed = read_kind(parents, "parents", Mapping | None, expected, GraphError) or {}
    if edges is None:
        return {name: read_names(ps, f"the parents of {name!r}") for name, ps in listed.items()}
    if isinstance(edges, set | frozenset):
        expected = "pairs (parent, child) in an order, which is that of a matrix's rows"
        raise wrong("edges", edges, expected, GraphError)
    arrows: dict[str, tuple[str, ...]] = {}
    for pair in edges if isinstance(edges, Iterable) and not isinstance(edges, str) else [edges]:
        both = tuple(pair) if isinstance(pair, tuple | list) else ()
        if len(both) != 2 or not all(isinstance(name, str) for name in both):
            raise wrong("one of edges", pair, "a pair (parent, child)", GraphError)
        arrows[both[1]] = (*arrows.get(both[1], ()), both[0])
    return arrows
