"""Graphs with their matrices in one JSON file, exactly: names, types and floats.

Vocabulary
    model   a graph and its theta; a file holds one, and nothing that could be executed
"""

from __future__ import annotations

import contextlib
import math
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Label
from ..arguments import read_kind
from ..graphs.branches import Branch
from ..graphs.nodes import Node
from ..graphs.normal_graph import Graph, NormalGraph, as_normal
from ..graphs.theta import Theta, read_some
from ..loops.junction_tree import MergedGraph
from .graph import BayesGraph

FORMAT = "fgnwidgets model"
VERSION = 1
FORMATS = {FORMAT: VERSION}


def save(path: str | os.PathLike[str], graph: Graph, theta: Theta) -> None:
    """Write a graph and its matrices to a JSON file; a ``Run`` stands for its best matrices.

    Floats are written so that they read back to the same bits; labels keep their type, so they must
    be strings, numbers, booleans or None.
    """
    content = {"format": FORMAT, "version": VERSION, **describe(graph, theta)}
    write(path, content)


def describe(graph: Graph, theta: Theta) -> dict[str, Any]:
    """A model as what JSON holds."""
    form = graph.merged() if isinstance(graph, BayesGraph) else as_normal(graph)
    for name, label in unsaved_labels(form).items():
        raise ValueError(
            f"{name}: the state {label!r} is a {type(label).__name__}: a file holds strings, "
            "finite numbers, booleans and None"
        )
    matrices = {name: matrix.tolist() for name, matrix in read_some(form, theta).items()}
    bayes = graph.bayes if isinstance(graph, MergedGraph) else graph
    if not isinstance(bayes, BayesGraph):
        return {"kind": "NormalGraph", **_normal(form), "theta": matrices}
    return {
        "kind": type(graph).__name__,
        "variables": [_variable(branch) for branch in bayes.variables.values()],
        "parents": {name: list(parents) for name, parents in bayes.parents.items() if parents},
        "names": dict(bayes.theta),
        "fixed": sorted(bayes.fixed),
        "given": list(bayes.given),
        "theta": matrices,
    }


def write(path: str | os.PathLike[str], content: dict[str, Any]) -> None:
    """Write what JSON holds, exactly."""
    import json  # late: it would be a tenth of the time of ``import fgnwidgets``

    read_kind(path, "path", str | os.PathLike, "the name of a file")
    replace(path, json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n")


def replace(path: str | os.PathLike[str], text: str) -> None:
    """Write a file whole or not at all: beside the old one, which it then replaces.

    A link stays a link, and the rights of the old file are kept. Where the folder takes no other
    file, or what is there is no file (``/dev/stdout``), it is written in place.
    """
    import threading  # late: ``import fgnwidgets`` needs none

    encoded = text.encode()  # before anything is opened: an error leaves the old file
    target = os.path.realpath(os.fsdecode(path))
    beside = f"{target}.{os.getpid()}-{threading.get_ident()}.part"
    mode = None
    with contextlib.suppress(OSError):
        mode = os.stat(target).st_mode
    try:
        if mode is not None and not (stat.S_ISREG(mode) and os.access(target, os.W_OK)):
            raise PermissionError
        with open(beside, "wb") as file:
            file.write(encoded)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            with contextlib.suppress(OSError):
                os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, target)
    except PermissionError:
        _remove(beside)
        with open(path, "wb") as file:  # or this says what is wrong
            file.write(encoded)
    except BaseException as error:
        _remove(beside)
        if isinstance(error, OSError) and error.filename == beside:
            error.filename = target  # the file that was asked for
        raise


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)


def load(path: str | os.PathLike[str]) -> tuple[Graph, dict[str, Array]]:
    """Read what :func:`save` wrote: the graph, and theta.

    Raises ``ValueError`` for a file that is broken or not of this format, with what is wrong.
    """
    return restore(read(path), path)


def read(path: str | os.PathLike[str], formats: Mapping[str, int] = FORMATS) -> dict[str, Any]:
    """The content of a JSON file of one of these formats."""
    import json

    read_kind(path, "path", str | os.PathLike, "the name of a file")
    try:
        with open(path, encoding="utf-8-sig") as file:
            content = json.load(file, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a JSON file: {error}") from None
    if not isinstance(content, dict) or content.get("format") not in formats:
        raise ValueError(f"{path} is not a model of fgnwidgets: its 'format' is not {FORMAT!r}")
    version = formats[content["format"]]
    if content.get("version") != version:
        raise ValueError(
            f"{path} has version {content.get('version')!r}: this fgnwidgets reads version "
            f"{version}"
        )
    return content


def restore(content: dict[str, Any], path: object) -> tuple[Graph, dict[str, Array]]:
    """The model that :func:`describe` described."""
    with broken(path):
        kind = content["kind"]
        graph = _read_normal(content) if kind == "NormalGraph" else _read_bayes(content)
        form = graph.merged() if isinstance(graph, BayesGraph) else graph
        theta = read_some(form, {name: np.array(m, float) for name, m in content["theta"].items()})
        return form if kind == "MergedGraph" else graph, theta


@contextlib.contextmanager
def broken(path: object) -> Iterator[None]:
    """Errors in here are the file's fault."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        says = error if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f"{path} is broken: {says}") from None


def _read_bayes(content: dict[str, Any]) -> BayesGraph:
    states = {v["name"]: v.get("states") or v["size"] for v in content["variables"]}
    given = content.get("given", ())  # files of the first edition have none
    missing = {v["name"]: v["missing"] for v in content["variables"] if "missing" in v}
    options = {"theta": content["names"], "fixed": content["fixed"], "given": given}
    options["missing"] = missing or None
    return BayesGraph(states, content["parents"], **options)


ENDS = ("x", "y", "inputs", "outputs")
"""Names of a node's fields that hold names of branches; others say so."""


def _normal(graph: NormalGraph) -> dict[str, Any]:
    def plain(value: Any, end: bool) -> Any:
        if isinstance(value, Branch):
            return value.name if end else {"branch": value.name}
        return [plain(v, end) for v in value] if isinstance(value, tuple) else value

    branches = [_variable(b) | {"variable": b.variable} for b in graph.branches.values()]
    nodes = []
    for node in graph.nodes:
        names: Any = (field.name for field in fields(node))  # type: ignore[arg-type]
        values = {name: plain(getattr(node, name), name in ENDS) for name in names}
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
    optional: dict[str, Any] = {"states": list(branch.states), "given": branch.given}
    optional["missing"] = list(branch.missing)  # what there is none of is left out
    return {"name": branch.name, "size": branch.size, **{k: v for k, v in optional.items() if v}}


def unsaved_labels(graph: NormalGraph) -> dict[str, Label]:
    """The variables whose labels no file can hold, each with one of these labels."""
    labels = {}
    for branch in graph.branches.values():
        for label in (*branch.states, *branch.missing):  # a code for no answer goes for one
            finite = math.isfinite(label) if isinstance(label, float) else True
            if not finite or type(label) not in (str, bool, int, float, type(None)):
                labels[branch.variable] = label
    return labels


def _no_constant(text: str) -> float:
    raise ValueError(f"the number {text} stands in it, which no matrix can hold")
