"""The computation of a number of a living graph: its product or sum, written out (section 2).

Vocabulary
    why      a line for each state of a message or belief, such as ``0.700 × 0.500 = 0.350``
    scaled   divided by the sum over all states, so that the message or belief sums to one
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.algebra.products import product_to_variable, variable_to_product
from fgnwidgets.analysis.families import row_states
from fgnwidgets.draw.names import number, state_labels
from fgnwidgets.graphs.nodes import Node
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.inference.messages import Messages
from fgnwidgets.loops.families import Family

from .rounds import Round

MOST_TERMS = 6
"""Most terms of a sum that are written out."""

PRODUCT = "product rule: p ∝ f ⊙ b, section 2"
DIVERTER = "diverter: the product of what enters, section 2"
FORWARD, BACKWARD = "block: f of Y ∝ θᵀ f of X, section 2", "block: b of X ∝ θ b of Y, section 2"


def why_belief(messages: Messages, branch: str) -> list[str]:
    """The belief on a branch, state by state, as the product of its two messages."""
    belief = messages[branch]
    f, b, p = belief.f[:, 0], belief.b[:, 0], belief.p[:, 0]
    return [
        _written([[f[i], b[i]]], float(f[i] * b[i]), float(p[i]), PRODUCT) for i in range(len(p))
    ]


def why_message(at: Round, branch: str, direction: str) -> list[str]:
    """A message, state by state, as computed from other messages."""
    graph = at.messages.graph
    made = value_of(at.messages, branch, direction)
    node = (graph.tails if direction == "f" else graph.heads).get(branch)
    if node is None:
        known = bool((made != made[0]).any())
        says = "what was observed enters here" if known else "nothing is known out here: all alike"
        return [says] * len(made)
    if (branch, direction) in at.waiting:
        return ["not sent yet: as it was at the start"] * len(made)
    sent = any((s.branch, s.direction) == (branch, direction) for s in at.sent)
    source = at.before if sent and at.before is not None else at.messages
    if node.copies:
        ports = entering(node, branch)
        values = np.array([value_of(source, *port) for port in ports])
        return [
            _written([list(values[:, i])], float(values[:, i].prod()), float(made[i]), DIVERTER)
            for i in range(len(made))
        ]
    matrix = matrix_of(at.messages, node)
    if matrix is None:
        return [f"made by {node.name}"] * len(made)
    if not node.inputs:
        return [f"{number(float(v))}, the prior: matrix {node.theta}" for v in made]
    if direction == "f":
        rows, other, rule = matrix.T, value_of(source, node.inputs[0].name, "f"), FORWARD
    else:
        rows, other, rule = matrix, value_of(source, node.outputs[0].name, "b"), BACKWARD
    return [
        _written(np.stack([row, other], axis=1).tolist(), float(row @ other), float(value), rule)
        for row, value in zip(rows, made, strict=True)
    ]


def matrix_of(messages: Messages, node: Node) -> Array | None:
    """The matrix ``(M_X, M_Y)`` of a source or block, shaded or not; None for other nodes."""
    if node.theta:
        matrix: Array = messages.theta[node.theta]
        return matrix
    if node.part is None:
        return None
    of = variable_to_product if node.part.whole == node.outputs[0] else product_to_variable
    return of(node.part.sizes, node.part.axis)


def cell_labels(graph: NormalGraph, node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of the rows and columns of a matrix; of a family in a cluster, too."""
    if node.theta and isinstance(node, Family):
        rows, states = row_states(graph, node), graph.states(graph.family(node)[1])
        texts = (", ".join(map(str, r)) if isinstance(r, tuple) else str(r) for r in rows)
        return tuple(texts), tuple(map(str, states))
    given = state_labels(graph, node.inputs[0]) if node.inputs else ("",)
    return given, state_labels(graph, node.outputs[0])


def entering(node: Node, leaving: str) -> list[tuple[str, str]]:
    """The messages ``(branch, direction)`` that enter a node on all branches but ``leaving``."""
    ports = [(b.name, "f") for b in node.inputs] + [(b.name, "b") for b in node.outputs]
    return [port for port in ports if port[0] != leaving]


def value_of(messages: Messages, branch: str, direction: str) -> Array:
    """A message of the view's one sample, ``(M,)``."""
    belief = messages[branch]
    values: Array = (belief.f if direction == "f" else belief.b)[:, 0]
    return values


def _written(terms: Sequence[Sequence[Any]], raw: float, value: float, rule: str) -> str:
    """A sum of products, its value, and the value after scaling."""
    words = [" × ".join(number(float(v)) for v in term) for term in terms[:MOST_TERMS]]
    words += ["…"] * (len(terms) > MOST_TERMS)
    made = number(raw)
    made = f"{made[0]} {made[1:]}" if made[0] in "<>" else f"= {made}"
    scaled = f", scaled to {number(value)}" if number(raw) != number(value) else ""
    return f"{' + '.join(words)} {made}{scaled} ({rule})"
