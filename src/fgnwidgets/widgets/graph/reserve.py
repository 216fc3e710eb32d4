"""Reserve places, so that evidence does not move a drawn graph.

A graph is laid out as if there were evidence on every variable. Evidence on a variable splits one
of its branches by a T-junction (figure 6), for which there is then room.

Vocabulary
    whole    the graph with a T-junction on every variable that has none of its own
    pieces   the branches of the whole along which a drawn branch runs: one, or the two around a
             T-junction that is not drawn
    stub     the open branch of such a T-junction, where evidence enters
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fgnwidgets.graphs.normal_graph import NormalGraph


@dataclass(frozen=True)
class Reserve:
    """The whole of a graph, the pieces of every drawn branch, and the stubs."""

    whole: NormalGraph
    pieces: Mapping[str, tuple[str, ...]]
    stubs: frozenset[str]

    def home(self, branch: str) -> str:
        """The piece beside which a branch has its label and messages."""
        return self.pieces[branch][0]


def reserve(base: NormalGraph, shown: NormalGraph) -> Reserve:
    """The reserve of ``shown``, which is ``base``, perhaps with T-junctions.

    For any other graph the whole is the graph itself.
    """
    split = [v for v in base.variables if shown.variables.get(v) != base.variables[v]]
    inner = [v for v in base.variables if v not in base.products and not is_open(base, v)]
    whole = base.split(*dict.fromkeys([*inner, *split]))
    pieces: dict[str, tuple[str, ...]] = {}
    for name in shown.branches:
        if name in whole.branches:
            pieces[name] = (name,)
            continue
        tail, head = shown.tails.get(name), shown.heads.get(name)
        upper = [b.name for n in whole.nodes if tail and n.name == tail.name for b in n.outputs]
        lower = [b.name for n in whole.nodes if head and n.name == head.name for b in n.inputs]
        members = whole.variables.get(shown.variable_of[name], ())
        around = [b for b in upper if b in members][:1] + [b for b in lower if b in members][:1]
        if len(around) != 2:
            return _unreserved(shown)
        pieces[name] = (around[0], around[1])
    if not {node.name for node in shown.nodes} <= {node.name for node in whole.nodes}:
        return _unreserved(shown)
    stubs = frozenset(b for b in whole.open_branches if b not in base.branches)
    return Reserve(whole, pieces, stubs)


def _unreserved(shown: NormalGraph) -> Reserve:
    return Reserve(shown, {name: (name,) for name in shown.branches}, frozenset())


def is_open(graph: NormalGraph, variable: str) -> bool:
    """True if a variable has an open branch, at which evidence enters without a T-junction."""
    return any(branch in graph.open_branches for branch in graph.variables[variable])
