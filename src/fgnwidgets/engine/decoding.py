"""Whole configurations of a graph: the most probable one, and random ones (section 7.1).

Vocabulary
    collect   messages towards a root, as sums (to draw) or as maxima (to decide)
    descend   from the root outwards, every branch takes a value given its neighbour's
    table     variable -> its values, ``(N,)``: labels where the variable has states, else indices
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, Index, column_sums, first_maximum
from .bayes import BayesGraph, as_normal
from .evidence import Evidence, read_evidence
from .graph import NormalGraph
from .matrices import read_theta
from .nodes import Block, Expand, Label, Node, Project, Source
from .product import around, product_to_variable
from .program import Algebra
from .propagate import refuse_impossible, run
from .setting import Setting, prepare
from .tables import Table

Choose = Callable[[Array], Index]
"""From scores ``(M, N)`` to one value per column."""


class Decoded(NamedTuple):
    """The most probable configuration of each sample, and the log of its joint probability."""

    table: dict[str, NDArray[Any]]
    logp: Array


def most_probable(
    graph: NormalGraph | BayesGraph,
    theta: Mapping[str, ArrayLike],
    evidence: Table | Evidence = None,
) -> Decoded:
    """The configuration of all variables that is most probable given the evidence, per sample.

    Max-product messages are collected, then traced back. ``logp`` is log P(configuration,
    evidence). Among equals the first value wins. Raises :class:`ImpossibleEvidence` as
    ``propagate`` does.
    """
    form = as_normal(graph)
    known = read_evidence(form, evidence)
    setting = prepare(form, known)
    matrices = _single(read_theta(form, theta), known)
    refuse_impossible(run(setting, matrices).loglik, known, form)
    wide = (
        np.broadcast_to(v, (v.shape[-2], known.n)) for v in run(setting, matrices, MAXIMA).slots
    )
    slots = list(wide)  # where no evidence reaches, messages have one column
    values = _descend(setting, matrices, slots, first_maximum)
    return Decoded(_table(form, setting.graph, values), _log_joint(setting, matrices, values))


def sample(
    graph: NormalGraph | BayesGraph,
    theta: Mapping[str, ArrayLike],
    n: int,
    rng: np.random.Generator,
    given: Table | Evidence = None,
) -> dict[str, NDArray[Any]]:
    """``n`` independent samples of all variables, a table (section 7.1, generative mode).

    A delta is drawn at the source, passes the diverter, and draws a delta in every block that it
    enters. ``given`` is evidence on one sample: then the draws are from P(variables | evidence).
    """
    if n < 1:
        raise ValueError(f"n is {n}: expected at least one sample")
    form = as_normal(graph)
    known = read_evidence(form, given)
    if known.n != 1:
        raise ValueError(
            f"given holds {known.n} samples: expected one, the condition of every draw"
        )
    setting = prepare(form, known)
    matrices = _single(read_theta(form, theta), known)
    flow = run(setting, matrices)
    refuse_impossible(flow.loglik, known, form)
    slots = [np.broadcast_to(v, (v.shape[-2], n)) for v in flow.slots]

    def draw(scores: Array) -> Index:
        rising = np.cumsum(scores, axis=-2)
        below = rising <= rng.random(n) * rising[-1]
        return np.asarray(below.sum(axis=-2), dtype=np.intp)

    return _table(form, setting.graph, _descend(setting, matrices, slots, draw))


def _best_through(theta: Array, f: Array) -> Array:
    return _relative((theta[..., :, :, None] * f[..., :, None, :]).max(axis=-3))


def _best_back_through(theta: Array, b: Array) -> Array:
    return _relative((theta[..., :, :, None] * b[..., None, :, :]).max(axis=-2))


def _best_project(v: Array, sizes: tuple[int, ...], axis: int) -> Array:
    before, size, after = around(sizes, axis)
    grid = v.reshape(*v.shape[:-2], before, size, after, v.shape[-1])
    return _relative(grid.max(axis=(-4, -2)))


def _relative(best: Array) -> Array:
    """Maxima get smaller in every block, unlike sums: only their ratios are kept."""
    return best / column_sums(best)


MAXIMA = Algebra(_best_through, _best_back_through, _best_project)
"""Max-product: sums become maxima."""


def _descend(
    setting: Setting, theta: Mapping[str, Array], slots: list[Array], choose: Choose
) -> dict[str, Index]:
    """A value for every branch, each chosen given its neighbour nearer to the root."""
    at = {name: i for i, name in enumerate(setting.graph.branches)}
    values: dict[str, Index] = {}
    names = list(setting.graph.branches)
    for forward, backward in setting.plan.roots:
        values[names[forward // 2]] = choose(slots[forward] * slots[backward])
    for ops in setting.plan.rounds[len(setting.plan.rounds) // 2 :]:
        for op in ops:
            branches = (*op.node.inputs, *op.node.outputs)
            come = next(b.name for b in branches if b.name in values)
            for port in op.wanted:
                branch = branches[port]
                incoming = slots[2 * at[branch.name] + (port >= len(op.node.inputs))]
                scores = _scores(op.node, port, values[come])
                values[branch.name] = (
                    values[come] if scores is None else choose(scores(theta) * incoming)
                )
    return values


def _scores(node: Node, port: int, known: Index) -> Callable[[Mapping[str, Array]], Array] | None:
    """How a node weighs the values of one port given the other's; None where they are equal."""
    match node:
        case Block(theta=name):
            if port == 0:
                return lambda theta: theta[name][:, known]
            return lambda theta: theta[name][known].T
        case Expand(sizes=sizes, axis=axis):
            matrix = product_to_variable(sizes, axis)
            return lambda _: matrix[known].T if port == 0 else matrix[:, known]
        case Project(sizes=sizes, axis=axis):
            matrix = product_to_variable(sizes, axis)
            return lambda _: matrix[:, known] if port == 0 else matrix[known].T
        case _:
            return None


def _log_joint(setting: Setting, theta: Mapping[str, Array], values: Mapping[str, Index]) -> Array:
    total = np.zeros(setting.evidence.n)
    with np.errstate(divide="ignore"):
        for node in setting.graph.nodes:
            if isinstance(node, Source):
                total += np.log(theta[node.theta][0, values[node.y.name]])
            elif isinstance(node, Block):
                total += np.log(theta[node.theta][values[node.x.name], values[node.y.name]])
        for name in setting.evidence.vectors:
            at = values[setting.graph.variables[name][0]]
            vectors = setting.evidence.vectors[name]
            total += np.log(vectors[at, np.arange(setting.evidence.n)])
    return total


def _table(
    graph: NormalGraph, split: NormalGraph, values: Mapping[str, Index]
) -> dict[str, NDArray[Any]]:
    products = {node.y.variable for node in graph.nodes if isinstance(node, Expand)}
    table: dict[str, NDArray[Any]] = {}
    for variable in graph.variables:
        if variable in products:
            continue
        branch = split.branch(variable)
        codes = values[branch.name]
        table[variable] = _as_array(branch.states)[codes] if branch.states else codes
    return table


def _as_array(states: tuple[Label, ...]) -> NDArray[Any]:
    """Labels as they are: NumPy would make strings of ``(1, "a")``, and a matrix of tuples."""
    if len({type(label) for label in states}) == 1 and isinstance(states[0], str | int | float):
        return np.array(states)
    kept = np.empty(len(states), dtype=object)
    for k, label in enumerate(states):
        kept[k] = label
    return kept


def _single(theta: dict[str, Array], evidence: Evidence) -> dict[str, Array]:
    named = {f"theta[{name!r}]": matrix for name, matrix in theta.items()}
    for name, array in {**named, **evidence.vectors}.items():
        if array.ndim != 2:
            raise ValueError(
                f"{name} has shape {array.shape}: configurations need one model, without batch axes"
            )
    return theta
