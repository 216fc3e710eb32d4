"""The family that a matrix belongs to, also in a merged graph, and the values of given variables.

Vocabulary
    family      a variable and its parents: they label the columns and the rows of its matrix. A
                merged graph keeps the matrix inside a cluster (:mod:`..border.merging`)
    condition   a combination of values that the given variables had in some row of the table
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..border.folding import grouped
from ..border.run import Run
from ..engine.arrays import Index
from ..engine.graph import NormalGraph, as_normal
from ..engine.messages import Evidence
from ..engine.nodes import Node


def family(form: NormalGraph, node: Node) -> tuple[tuple[str, ...], str]:
    """The parents and the child of a source or block."""
    form = form.families
    node = form.node(node.name)
    parents = [form.variable_of[x.name] for x in node.inputs]
    members = [v for name in parents for v in form.products.get(name, (name,))]
    return tuple(members), form.variable_of[node.outputs[0].name]


def row_states(form: NormalGraph, node: Node) -> tuple[Any, ...]:
    """The label of each row of a matrix: a parent's state, a tuple of several parents' states, or
    "" for the one row of a source."""
    if not node.shares:
        return form.states(node.inputs[0].name) if node.inputs else ("",)
    parents, _ = family(form, node)
    if len(parents) == 1:
        return form.states(parents[0])
    return tuple(product(*map(form.states, parents)))


def conditions(run: Run) -> tuple[Evidence, Index]:
    """The different conditions of a run's rows, and the index of the condition of each, ``(N,)``.

    Without given variables there is one condition, in which nothing is known.
    """
    given = {name: run.rows.codes[name] for name in as_normal(run.graph).given}
    if not given:
        return Evidence(1), np.zeros(run.rows.n, dtype=np.intp)
    return grouped(Evidence(run.rows.n, given))
