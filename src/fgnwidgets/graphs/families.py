"""Variables that share their matrices, such as the states of a chain, are told as one.

Vocabulary
    slices   variables that share the matrices below them: ``S1``, ``S2``, ..., together ``"S"``
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .nodes import Node
from .normal_graph import Graph, NormalGraph, as_normal, joined


def slices(graph: Graph, variables: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Variables by what they are told as: those that share the matrices below them are one.

    The states ``S1``, ``S2``, ... of a chain are ``"S"``; others keep their own name. The last
    state of a chain may have nothing below it: it joins those that it shares its own matrix with.
    """
    form, wanted = as_normal(graph), tuple(variables)
    roles: dict[str, list[tuple[str, int]]] = {name: [] for name in wanted}
    made: dict[str, list[tuple[str, int]]] = {name: [] for name in wanted}
    for node in with_matrices(form):
        parents, child = form.family(node)
        for place, parent in enumerate(parents):
            roles.get(parent, []).append((node.theta, place))
        made.get(child, []).append((node.theta, -1))
    ends = {name: [role] for name, own in made.items() if not roles[name] for role in own}
    near = {role: name for name, own in made.items() if roles[name] for role in own}
    for name, (role,) in ends.items():
        roles[name] = roles[near[role]][:1] if role in near else [role]
    groups = joined((name, roles[name] or [(name, 0)]) for name in wanted)
    order = {name: k for k, name in enumerate(wanted)}
    ordered = (tuple(sorted(group, key=order.__getitem__)) for group in groups)
    return {_told(form, group): group for group in ordered}


def with_matrices(form: NormalGraph) -> list[Node]:
    """The sources and blocks of all families."""
    return [node for node in form.nodes if node.theta and node.outputs]


def base_name(variable: str) -> str:
    """The name that the variables of all steps of a chain have in common: ``"S"`` of ``"S12"``."""
    return re.sub(r"\d+$", "", variable)


def _told(form: NormalGraph, group: tuple[str, ...]) -> str:
    if len(group) == 1:
        return group[0]
    bases = set(map(base_name, group))
    base = next(iter(bases))
    return (
        base
        if len(bases) == 1 and base and base not in form.variables
        else "/".join((group[0], "...", group[-1]))
    )
