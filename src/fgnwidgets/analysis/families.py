"""Whose matrix it is, and under which conditions: families and given values by original names.

Vocabulary
    family      a variable with its parents, the columns and the rows of its matrix, wherever a
                graph keeps it (:mod:`..border.merging`)
    condition   one of the different rows of values that the given variables had
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
    """What each row of a matrix is given: a state, several parents' states, "" of a source."""
    if not node.shares:
        return form.states(node.inputs[0].name) if node.inputs else ("",)
    parents, _ = family(form, node)
    if len(parents) == 1:
        return form.states(parents[0])
    return tuple(product(*map(form.states, parents)))


def conditions(run: Run) -> tuple[Evidence, Index]:
    """The different conditions of a run's rows, and which of them each row has, ``(N,)``."""
    given = {name: run.rows.codes[name] for name in as_normal(run.graph).given}
    if not given:
        return Evidence(1), np.zeros(run.rows.n, dtype=np.intp)
    return grouped(Evidence(run.rows.n, given))
