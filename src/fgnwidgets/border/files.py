"""Graphs with their matrices in one JSON file, exactly: names, types and floats.

Vocabulary
    model   a graph and its theta; a file holds one, and nothing that could be executed
"""

from __future__ import annotations

import math
import os
from dataclasses import fields
from typing import Any

import numpy as np

from ..engine.arrays import Array
from ..engine.branches import Branch, Label
from ..engine.graph import Graph, NormalGraph, as_normal
from ..engine.nodes import Node
from ..readers import read_kind
from .bayes import BayesGraph
from .merging import MergedGraph
from .theta import Theta, read_some

FORMAT = "fgnwidgets model"
VERSION = 1


def save(path: str | os.PathLike[str], graph: Graph, theta: Theta) -> None:
    """Write a graph and its matrices to a JSON file; a ``Run`` stands for its best matrices.

    Floats are written so that they read back to the same bits; labels keep their type, so they must
    be strings, numbers, booleans or None.
    """
    import json  # late: it would be a tenth of the time of ``import fgnwidgets``

    form = graph.merged() if isinstance(graph, BayesGraph) else as_normal(graph)
    for name, label in unsaved_labels(form).items():
        raise ValueError(
            f"{name}: the state {label!r} is a {type(label).__name__}: a file holds strings, "
            "finite numbers, booleans and None"
        )
    matrices = {name: matrix.tolist() for name, matrix in read_some(form, theta).items()}
    bayes = graph.bayes if isinstance(graph, MergedGraph) else graph
    kind, described = "NormalGraph", _normal(form)
    if isinstance(bayes, BayesGraph):
        kind, described = (
            type(graph).__name__,
            {
                "variables": [_variable(branch) for branch in bayes.variables.values()],
                "parents": {
                    name: list(parents) for name, parents in bayes.parents.items() if parents
                },
                "names": dict(bayes.theta),
                "fixed": sorted(bayes.fixed),
                "given": list(bayes.given),
            },
        )
    content = {"format": FORMAT, "version": VERSION, "kind": kind, **described, "theta": matrices}
    read_kind(path, "path", str | os.PathLike, "the name of a file")
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    encoded = text.encode()  # before the file is opened: an error leaves the old one
    with open(path, "wb") as file:
        file.write(encoded)


def load(path: str | os.PathLike[str]) -> tuple[Graph, dict[str, Array]]:
    """Read what :func:`save` wrote: the graph, and theta.

    Raises ``ValueError`` for a file that is broken or not of this format, with what is wrong.
    """
    import json

    read_kind(path, "path", str | os.PathLike, "the name of a file")
    try:
        with open(path, encoding="utf-8-sig") as file:
            content = json.load(file, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a JSON file: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path} is not a model of fgnwidgets: its 'format' is not {FORMAT!r}")
    if content.get("version") != VERSION:
        raise ValueError(
            f"{path} has version {content.get('version')!r}: this fgnwidgets reads version "
            f"{VERSION}"
        )
    try:
        kind = content["kind"]
        graph = _read_normal(content) if kind == "NormalGraph" else _read_bayes(content)
        form = graph.merged() if isinstance(graph, BayesGraph) else graph
        theta = read_some(form, {name: np.array(m, float) for name, m in content["theta"].items()})
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        says = error if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f"{path} is broken: {says}") from None
    return form if kind == "MergedGraph" else graph, theta


def _read_bayes(content: dict[str, Any]) -> BayesGraph:
    states = {v["name"]: v.get("states") or v["size"] for v in content["variables"]}
    given = content.get("given", ())  # files of the first edition have none
    own = {"theta": content["names"], "fixed": content["fixed"], "given": given}
    return BayesGraph(states, content["parents"], **own)


ENDS = ("x", "y", "inputs", "outputs")
"""Where a node's field has one of these names, it holds names of branches; others say so."""


def _normal(graph: NormalGraph) -> dict[str, Any]:
    def plain(value: Any, end: bool) -> Any:
        if isinstance(value, Branch):
            return value.name if end else {"branch": value.name}
        return [plain(v, end) for v in value] if isinstance(value, tuple) else value

    branches = [_variable(b) | {"variable": b.variable} for b in graph.branches.values()]
    nodes = []
    for node in graph.nodes:
        own: Any = (field.name for field in fields(node))  # type: ignore[arg-type]
        values = {name: plain(getattr(node, name), name in ENDS) for name in own}
        nodes.append({"type": type(node).__name__, **values})
    return {"loops": bool(graph.loop), "branches": branches, "nodes": nodes}


def _read_normal(content: dict[str, Any]) -> NormalGraph:
    branches = {described["name"]: Branch(**described) for described in content["branches"]}

    def read(value: Any, end: bool) -> Any:
        if isinstance(value, list):
            return tuple(read(v, end) for v in value)
        if isinstance(value, dict):
            return branches[value["branch"]]
        return branches[value] if end else value

    nodes: list[Node] = []
    for own in content["nodes"]:
        kind = own.pop("type")
        if kind not in Node.kinds:
            raise ValueError(
                f"the node {own.get('name')!r} is a {kind}, a class that is not known here: import "
                "the module that defines it, then load the file again"
            )
        nodes.append(Node.kinds[kind](**{k: read(v, k in ENDS) for k, v in own.items()}))
    return NormalGraph(nodes, loops=content.get("loops", False))


def _variable(branch: Branch) -> dict[str, Any]:
    own = {"states": list(branch.states), "given": branch.given}  # where there are any
    return {"name": branch.name, "size": branch.size, **{k: v for k, v in own.items() if v}}


def unsaved_labels(graph: NormalGraph) -> dict[str, Label]:
    """The variables whose labels no file can hold, each with one of these labels."""
    found = {}
    for branch in graph.branches.values():
        for label in branch.states:
            finite = math.isfinite(label) if isinstance(label, float) else True
            if not finite or type(label) not in (str, bool, int, float, type(None)):
                found[branch.variable] = label
    return found


def _no_constant(text: str) -> float:
    raise ValueError(f"the number {text} stands in it, which no matrix can hold")
