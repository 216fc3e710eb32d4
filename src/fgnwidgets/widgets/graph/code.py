"""Python code that gives the same beliefs as a living graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.graphs.directed import LARGEST
from fgnwidgets.graphs.nodes import Node
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.loops.junction_tree import MergedGraph

from ..page.python_code import as_python, bracketed
from .observed import Cells


def python(graph: NormalGraph | BayesGraph, theta: Mapping[str, Any], evidence: Cells) -> str:
    """Code that makes the graph, its matrices and the evidence, and prints all beliefs."""
    cells = {k: [v] if isinstance(v, list) else v for k, v in evidence.items()}
    of = graph.bayes if isinstance(graph, MergedGraph) else graph
    if isinstance(of, BayesGraph):
        names, made = ["BayesGraph"], _bayes(of) + ".merged()" * isinstance(graph, MergedGraph)
    else:
        names, made = _classes(of.nodes), _normal(of)
    homes: dict[str, list[str]] = {"fgnwidgets": ["propagate"]}
    for name in names:
        home, _, own = name.rpartition(".")
        homes.setdefault(home or "fgnwidgets", []).append(own)
    lines = [f"from {home} import {', '.join(sorted(own))}" for home, own in sorted(homes.items())]
    matrices = {name: np.asarray(matrix).tolist() for name, matrix in theta.items()}
    return "\n".join(
        [
            *lines,
            "",
            f"graph = {made}",
            f"theta = {_mapping(matrices)}",
            f"evidence = {_mapping(cells)}",
            "messages = propagate(graph, theta, evidence)",
            f"for name in {as_python(list(graph.variables))}:",
            "    print(name, messages[name].p[:, 0].round(4))",
            "",
        ]
    )


def _bayes(graph: BayesGraph) -> str:
    """The call that makes the graph, without what is as by default."""
    states = {name: branch.states or branch.size for name, branch in graph.variables.items()}
    parents = {name: own for name, own in graph.parents.items() if own}
    plain = BayesGraph(states, parents, given=graph.given, largest=graph.largest)
    arguments = [_mapping(states), _mapping(parents)]
    theta = {name: m for name, m in graph.theta.items() if plain.theta.get(name) != m}
    options: dict[str, Any] = {"theta": theta, "fixed": sorted(graph.fixed)}
    options["given"] = list(graph.given)
    options["missing"] = {name: list(codes) for name, codes in graph.missing.items()}
    if graph.largest != LARGEST:
        options["largest"] = graph.largest
    arguments += [f"{name}={as_python(value)}" for name, value in options.items() if value]
    return f"BayesGraph({', '.join(arguments)})"


def _normal(graph: NormalGraph) -> str:
    nodes = "".join(f"    {_node(node)},\n" for node in graph.nodes)
    return f"NormalGraph([\n{nodes}]{', loops=True' if graph.loop else ''})"


def _node(node: Node) -> str:
    parts = (as_python(getattr(node, k.name)) for k in fields(node))  # type: ignore[arg-type]
    return f"{type(node).__name__}({', '.join(parts)})"


def _classes(nodes: Iterable[Node]) -> list[str]:
    """The classes to import; those that are not ours are named with their module."""
    homes = {type(node): type(node).__module__ for node in nodes}
    own = [
        kind.__name__ if home.startswith("fgnwidgets.") else f"{home}.{kind.__name__}"
        for kind, home in homes.items()
    ]
    return ["Branch", "NormalGraph", *own]


def _mapping(values: Mapping[str, Any]) -> str:
    return bracketed("{", [f"{as_python(k)}: {as_python(v)}" for k, v in values.items()], "}")
