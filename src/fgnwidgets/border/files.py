"""Graphs with their matrices in one JSON file, exactly: names, types and floats.

Vocabulary
    model   a graph and its theta; a file holds one, and nothing that could be executed
"""

from __future__ import annotations

import math
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.arrays import Array
from ..engine.branches import Branch, Label
from ..engine.graph import Graph, NormalGraph, as_normal
from ..engine.nodes import Node
from ..readers import wrong
from .bayes import BayesGraph
from .merging import MergedGraph
from .theta import Theta, read_some

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "fgnwidgets model"
VERSION = 1


def save(path: str | os.PathLike[str], graph: Graph, theta: Theta) -> None:
    """Write a graph and its matrices to a JSON file; a ``Run`` stands for its best matrices.

    Floats are written so that they read back to the same bits; labels keep their type, so they must
    be strings, numbers, booleans or None.
    """
    import json  # late, as pathlib: they would be a fifth of the time of ``import fgnwidgets``

    form = graph.merged() if isinstance(graph, BayesGraph) else as_normal(graph)
    matrices = {name: matrix.tolist() for name, matrix in read_some(form, theta).items()}
    described = _normal(form)
    if isinstance(graph, BayesGraph | MergedGraph):
        bayes = graph.bayes if isinstance(graph, MergedGraph) else graph
        described = {"kind": type(graph).__name__, **_bayes(bayes)}
    content = {"format": FORMAT, "version": VERSION, **described, "theta": matrices}
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    _path(path).write_bytes((text + "\n").encode())  # encoded first: an error leaves the old file


def load(path: str | os.PathLike[str]) -> tuple[Graph, dict[str, Array]]:
    """Read what :func:`save` wrote: the graph, and theta.

    Raises ``ValueError`` for a file that is broken or not of this format, with what is wrong.
    """
    import json

    path = _path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_no_constant)
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
        graph: BayesGraph | NormalGraph = (
            _read_normal(content) if kind == "NormalGraph" else _read_bayes(content)
        )
        if isinstance(graph, BayesGraph) and kind == "MergedGraph":
            graph = graph.merged()
        form = graph.merged() if isinstance(graph, BayesGraph) else graph
        theta = read_some(form, {name: np.array(m, float) for name, m in content["theta"].items()})
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"{path} is broken: {type(error).__name__}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path} is broken: {error}") from None
    return graph, theta


def _path(path: str | os.PathLike[str]) -> Path:
    from pathlib import Path

    try:
        return Path(path)
    except TypeError:
        raise wrong("path", path, "the name of a file") from None


def _bayes(graph: BayesGraph) -> dict[str, Any]:
    return {
        "variables": [_variable(branch) for branch in graph.variables.values()],
        "parents": {name: list(parents) for name, parents in graph.parents.items() if parents},
        "names": dict(graph.theta),
        "fixed": sorted(graph.fixed),
        "given": list(graph.given),
    }


def _read_bayes(content: dict[str, Any]) -> BayesGraph:
    states = {v["name"]: v.get("states") or v["size"] for v in content["variables"]}
    return BayesGraph(
        states,
        content["parents"],
        theta=content["names"],
        fixed=content["fixed"],
        given=content.get("given", ()),  # files of the first edition have none
    )


def _normal(graph: NormalGraph) -> dict[str, Any]:
    return {
        "kind": "NormalGraph",
        "loops": bool(graph.loop),
        "branches": [
            {**_variable(branch), "variable": branch.variable} for branch in graph.branches.values()
        ],
        "nodes": [_node(node) for node in graph.nodes],
    }


ENDS = ("x", "y", "inputs", "outputs")
"""Where a node's field has one of these names, it holds names of branches."""


def _node(node: Node) -> dict[str, Any]:
    """A node's fields, its branches by name; in other fields than :data:`ENDS` they say so."""

    def plain(value: Any, end: bool) -> Any:
        if isinstance(value, Branch):
            return value.name if end else {"branch": value.name}
        return [plain(v, end) for v in value] if isinstance(value, tuple) else value

    names = [field.name for field in fields(node)]  # type: ignore[arg-type]
    own = {name: plain(getattr(node, name), name in ENDS) for name in names}
    return {"type": type(node).__name__, **own}


def _read_normal(content: dict[str, Any]) -> NormalGraph:
    branches = {
        b["name"]: Branch(
            b["name"], b["size"], b.get("states", ()), b["variable"], b.get("given", False)
        )
        for b in content["branches"]
    }

    def read(value: Any, end: bool) -> Any:
        if isinstance(value, list):
            return tuple(read(v, end) for v in value)
        if isinstance(value, dict):
            return branches[value["branch"]]
        return branches[value] if end else value

    nodes: list[Node] = []
    for given in content["nodes"]:
        values = dict(given)
        kind = values.pop("type")
        if kind not in Node.kinds:
            raise ValueError(
                f"the node {values.get('name')!r} is a {kind}, a class that is not known here: "
                "import the module that defines it, then load the file again"
            )
        nodes.append(Node.kinds[kind](**{k: read(v, k in ENDS) for k, v in values.items()}))
    return NormalGraph(nodes, loops=content.get("loops", False))


def _variable(branch: Branch) -> dict[str, Any]:
    for label in branch.states:
        if not _is_plain(label):
            raise ValueError(
                f"{branch.name}: the state {label!r} is a {type(label).__name__}: a file holds "
                "strings, finite numbers, booleans and None"
            )
    plain: dict[str, Any] = {"name": branch.name, "size": branch.size}
    if branch.states:
        plain["states"] = list(branch.states)
    if branch.given:
        plain["given"] = True
    return plain


def unsaved_labels(graph: NormalGraph) -> dict[str, Label]:
    """The variables whose labels no file can hold, each with one of these labels."""
    labels = ((b.variable, label) for b in graph.branches.values() for label in b.states)
    return {name: label for name, label in labels if not _is_plain(label)}


def _is_plain(label: Label) -> bool:
    if type(label) is float:
        return math.isfinite(label)
    return label is None or type(label) in (str, bool, int)


def _no_constant(text: str) -> float:
    raise ValueError(f"the number {text} stands in it, which no matrix can hold")
