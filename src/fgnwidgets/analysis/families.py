"""The rows of a matrix in words, also in a merged graph, and the values of given variables.

Vocabulary
    condition   a combination of values that the given variables had in some row of the table
    case        the evidence on one sample
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Index
from ..arguments import read_batch
from ..data import Table
from ..data.evidence import Evidence, grouped
from ..graphs.nodes import Node
from ..graphs.normal_graph import Graph, NormalGraph, as_normal
from ..graphs.theta import Theta, read_theta
from ..inference.evidence import read_evidence
from ..learning.run import Run
from ..loops.families import Family


def row_states(form: NormalGraph, node: Node) -> tuple[Any, ...]:
    """The label of each row of a matrix: a parent's state, a tuple of several parents' states, or
    "" for the one row of a source."""
    if not isinstance(node, Family):
        return form.states(node.inputs[0].name) if node.inputs else ("",)
    parents, _ = form.family(node)
    if len(parents) == 1:
        return form.states(parents[0])
    return tuple(product(*map(form.states, parents)))


def read_case(
    graph: Graph, theta: Theta, evidence: Table | Evidence
) -> tuple[NormalGraph, dict[str, Array], Evidence]:
    """The normal form, the matrices of one model, and the evidence of one case, all checked."""
    form = as_normal(graph)
    matrices = read_theta(form, theta)
    batch = read_batch(matrices)
    if batch:
        raise ValueError(f"theta has the batch axes {batch}: expected one model, (M_X, M_Y) each")
    case = read_evidence(form, evidence)
    if case.n != 1:
        raise ValueError(
            f"the evidence is a table of {case.n} samples: expected one case, such as {{'X': 1}}, "
            "so ask for each sample by itself"
        )
    if any(vectors.ndim > 2 for vectors in case.vectors.values()):
        raise ValueError("the evidence has batch axes: expected one case, a vector (M,) a variable")
    return form, matrices, case


def observed(form: NormalGraph, case: Evidence) -> set[str]:
    """The variables whose state is known in the first sample; soft evidence does not count."""
    return {*form.given, *(name for name, codes in case.codes.items() if codes[0] >= 0)}


def in_words(form: NormalGraph, case: Evidence) -> str:
    """The first sample in words, as they stand behind the bar of P(... | ...); "" if nothing."""
    words = [
        f"{name} = {form.states(name)[codes[0]]}"
        for name, codes in case.codes.items()
        if codes[0] >= 0
    ]
    return ", ".join([*words, *(f"soft evidence on {name}" for name in case.vectors)])


def conditions(run: Run) -> tuple[Evidence, Index]:
    """The different conditions of a run's rows, and the index of the condition of each, ``(N,)``.

    Without given variables there is one condition, in which nothing is known.
    """
    given = {name: run.rows.codes[name] for name in as_normal(run.graph).given}
    if not given:
        return Evidence(1), np.zeros(run.rows.n, dtype=np.intp)
    return grouped(Evidence(run.rows.n, given))
