"""Python code that makes what was made by hand in a graph editor.

It gives the same graph, the same matrices and the same run, number by number. A table that was
dropped on the page is read from its file; for one that was set from Python there is a comment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fgnwidgets.graphs.directed import LARGEST, family_name
from fgnwidgets.graphs.theta import random_theta

from ..page.python_code import WIDTH, as_python, bracketed
from .document import Document, Learning, Matrix, parents_of, plain, states_of
from .rebuild import uniform


def python(doc: Document, *, again: bool = False) -> str:
    """The code for a document; with ``again`` its last line opens an editor with it."""
    if doc.graph is None:
        return "from fgnwidgets import GraphEditor\n\neditor = GraphEditor()"
    names = {"BayesGraph"}
    lines = ["graph = " + _graph(doc)]
    model = "graph"
    if doc.graph.loop and doc.merge:
        lines += [f"model = graph.merged()  # the loop {', '.join(doc.graph.loop)}"]
        model = "model"
    columns = ""
    if doc.data is not None:
        own = f"# table: your own, with {', '.join(doc.data.columns)}"
        lines += [f"table = read_csv({as_python(doc.data.name)})" if doc.data.name else own]
        lines += [bracketed("observed = [", [as_python(v) for v in doc.observed], "]")]
        columns = ", columns=observed"
        if doc.data.weight is not None:
            columns += f", weight={as_python(doc.data.weight)}"
    if doc.run is not None:
        if doc.how is None:
            lines += ["# run: your own"]
        else:
            names.add("fit")
            lines += _fit(doc, doc.how, model, columns)
    lines += [_theta(doc, model, names)]
    if doc.evidence:
        cells = {name: as_python(cell) for name, cell in doc.evidence.items()}
        lines += [
            bracketed("evidence = {", [f"{as_python(k)}: {v}" for k, v in cells.items()], "}")
        ]
        if not doc.loop and not doc.awaited:
            names.add("propagate")
            lines += [
                f"messages = propagate({model}, theta, {_cells(doc)})",
                "beliefs = {name: messages[name].p[:, 0] for name in graph.variables}",
            ]
    if again:
        names.add("GraphEditor")
        lines += [_editor(doc, model)]
    head = ["import numpy as np", ""] if any("np." in line for line in lines) else []
    head[:0] = ["import datetime"] if any("datetime." in line for line in lines) else []
    head += [f"from fgnwidgets import {', '.join(sorted(names, key=str.lower))}"]
    if doc.data is not None and doc.data.name:
        head += ["from fgnwidgets.data import read_csv"]
    return "\n".join([*head, "", *lines])


def _graph(doc: Document) -> str:
    graph = doc.graph
    assert graph is not None
    states = [f"{as_python(name)}: {as_python(own)}" for name, own in states_of(graph).items()]
    arrows = [f"{as_python(name)}: {as_python(list(ps))}" for name, ps in parents_of(graph).items()]
    named = {n: m for n, m in graph.theta.items() if m != family_name(n, graph.parents[n])}
    parts = [bracketed("{", states, "}", WIDTH - 8)]
    parts += [bracketed("{", arrows, "}", WIDTH - 8)] if arrows else []
    parts += [f"theta={named!r}"] if named else []
    parts += [f"fixed={sorted(graph.fixed)!r}"] if graph.fixed else []
    parts += [f"given={list(graph.given)!r}"] if graph.given else []
    codes = {name: list(own) for name, own in graph.missing.items()}
    parts += [f"missing={as_python(codes)}"] if codes else []
    parts += [f"largest={graph.largest}"] if graph.largest != LARGEST else []
    return bracketed("BayesGraph(", parts, ")", WIDTH - 8)


def _fit(doc: Document, how: Learning, model: str, columns: str) -> list[str]:
    graph = doc.graph
    assert graph is not None
    lines, fixed = [], ""
    if graph.fixed:
        known = {graph.theta[name]: doc.matrices[graph.theta[name]] for name in sorted(graph.fixed)}
        lines, fixed = [f"fixed = {_matrices(known)}"], ", theta=fixed"
    rule = "" if how.rule == "ml" else f", {as_python(how.rule)}"
    settings = f"n_epochs={how.n_epochs}, restarts={how.restarts}, seed={how.seed}"
    if how.rule == "ml":
        settings += ", accelerate=False"  # as the editor, where the path is watched
    return [*lines, f"run = fit({model}, table{rule}, {settings}{columns}{fixed})"]


def _theta(doc: Document, model: str, names: set[str]) -> str:
    """The line that makes the matrices, or their numbers; what it imports is put in ``names``."""
    if doc.run is not None and _same(doc.run.best_theta, doc.matrices):
        return "theta = run.best_theta"
    if all(m == uniform((len(m), len(m[0]))) for m in doc.matrices.values()) and not doc.loop:
        names.add("uniform_theta")
        return f"theta = uniform_theta({model})"
    if doc.seed is not None and doc.form is not None:
        rng = np.random.default_rng(doc.seed)
        if _same(random_theta(doc.form, rng), doc.matrices):
            names.add("random_theta")
            return f"theta = random_theta({model}, np.random.default_rng({doc.seed}))"
    return f"theta = {_matrices(doc.matrices)}"


def _editor(doc: Document, model: str) -> str:
    assert doc.graph is not None
    graph = model if doc.graph.loop or not doc.merge else "graph.merged()"
    parts = [graph, *(["table"] if doc.data is not None else []), "theta=theta"]
    if doc.data is not None and doc.data.weight is not None:
        parts += [f"weight={as_python(doc.data.weight)}"]
    parts += ["run=run"] if doc.run is not None else []
    parts += (
        [f"hidden={as_python([v for v in doc.variables if v in doc.hidden])}"] if doc.hidden else []
    )
    parts += ["evidence=evidence"] if doc.evidence else []
    return bracketed("editor = GraphEditor(", parts, ")")


def _cells(doc: Document) -> str:
    """Evidence as ``propagate`` takes it: a likelihood vector is one row of a column."""
    soft = [name for name, cell in doc.evidence.items() if isinstance(cell, list)]
    if not soft:
        return "evidence"
    return "{k: [v] if isinstance(v, list) else v for k, v in evidence.items()}"


def _same(theta: Mapping[str, Any], matrices: Mapping[str, Matrix]) -> bool:
    return {name: plain(matrix) for name, matrix in theta.items()} == dict(matrices)


def _matrices(matrices: Mapping[str, Matrix]) -> str:
    rows = {name: [as_python([*row]) for row in matrix] for name, matrix in matrices.items()}
    parts = [
        f"{as_python(name)}: {bracketed('[', own, ']', WIDTH - 8)}" for name, own in rows.items()
    ]
    return bracketed("{", parts, "}", WIDTH - 8)
