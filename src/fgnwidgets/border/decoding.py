"""Whole configurations of a graph: the most probable one, and random ones (section 7.1).

Vocabulary
    descend   from the root outwards, every branch takes a value given its neighbour's: what its
              node would send were that value observed, times what comes from the other side
    table     variable -> its values, ``(N,)``: labels where the variable has states, else indices
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import TIE_TOLERANCE, Array, Arrays, Index
from ..engine.branches import Label
from ..engine.graph import Graph, NormalGraph, as_normal
from ..engine.messages import MAXIMA, Evidence, Logs, one_hot
from ..engine.propagate import Clamped, Flow, flow, flows, refuse_impossible
from ..readers import read_count, read_generator
from ..tables import Table
from .queries import ask, flows_of, joined
from .theta import Theta


class Decoded(NamedTuple):
    """The most probable configuration of each sample, and the log of its joint probability."""

    table: dict[str, NDArray[Any]]
    logp: Array


def most_probable(graph: Graph, theta: Theta, evidence: Table | Evidence = None) -> Decoded:
    """The configuration of all variables that is most probable given the evidence, per sample.

    Max-product messages are collected, then traced back. ``logp`` is log P(configuration,
    evidence). Among equals the first value wins. Raises as :func:`propagate` does.
    """
    form = as_normal(graph)
    known, kind, clamped, matrices = ask(form, theta, evidence)
    _refuse_batches(matrices, known)
    loglik = joined([f.loglik for f in flows_of(clamped.wanting([]), matrices)])
    refuse_impossible(loglik[kind], known, form)
    found = list(flows(clamped, matrices, rings=(MAXIMA,)))
    pieces = [_descend(clamped, f, matrices, _first_of_logs) for f in found]
    logs = [_log_joint(clamped, matrices, v, f.cut) for v, f in zip(pieces, found, strict=True)]
    values = {name: np.concatenate([piece[name] for piece in pieces])[kind] for name in pieces[0]}
    return Decoded(_table(form, clamped.graph, values), np.concatenate(logs)[kind])


def sample(
    graph: Graph,
    theta: Theta,
    n: int,
    rng: np.random.Generator,
    given: Table | Evidence = None,
) -> dict[str, NDArray[Any]]:
    """``n`` independent samples of all variables, a table (section 7.1, generative mode).

    ``given`` is evidence on one sample: then the draws are from P(variables | evidence).
    """
    size = read_count(n, "n", 1)
    read_generator(rng)
    form = as_normal(graph)
    known, _, clamped, matrices = ask(form, theta, given)
    if known.n != 1:
        raise ValueError(
            f"given holds {known.n} samples: expected one, the condition of every draw"
        )
    _refuse_batches(matrices, known)
    found = flow(clamped, matrices, slice(0, 1))
    refuse_impossible(found.loglik, known, form)

    def draw(scores: Array) -> Index:
        if isinstance(found.ring, Logs):
            scores = np.exp(scores - scores.max(axis=-2, keepdims=True))
        rising = np.cumsum(scores, axis=-2)
        below = rising <= rng.random(size) * rising[-1]
        return np.asarray(below.sum(axis=-2), dtype=np.intp)

    return _table(form, clamped.graph, _descend(clamped, found, matrices, draw))


def _first_of_logs(scores: Array) -> Index:
    """The first maximum of logarithms: what is a ratio there is a difference here."""
    top: Index = np.argmax(scores >= scores.max(axis=-2, keepdims=True) - TIE_TOLERANCE, axis=-2)
    return top


def _descend(
    clamped: Clamped, found: Flow, theta: Arrays, choose: Callable[[Array], Index]
) -> dict[str, Index]:
    """A value for every branch, each chosen from scores given its neighbour nearer to the root."""
    ring, plan = found.ring, clamped.plan
    matrices = {name: ring.encode(matrix) for name, matrix in theta.items()}
    values: dict[str, Index] = {}
    f, b = dict(found.f), dict(found.b)

    def settle(name: str, index: Index) -> None:
        n = found.cut.stop - found.cut.start
        values[name] = np.broadcast_to(index, (n,)) if len(index) == 1 else index
        f[name] = b[name] = ring.encode(one_hot(values[name], clamped.graph.branches[name].size))

    for root in plan.roots:
        settle(root, choose(ring.multiply(f[root], b[root])))
    for node, to, _, send in (s for sendings in plan.rounds[plan.collecting :] for s in sendings):
        come = next(name for name, _ in node.ports if name in values)
        for port in to:
            name, forward = port
            if node.copies:
                values[name], f[name], b[name] = values[come], f[come], b[come]
            else:
                (sent,) = send((port,), f, b, matrices, ring)
                settle(name, choose(ring.multiply(sent, b[name] if forward else f[name])))
    return values


def _log_joint(clamped: Clamped, theta: Arrays, values: Mapping[str, Index], cut: slice) -> Array:
    total = np.zeros(cut.stop - cut.start)
    for node in clamped.graph.nodes:
        total = total + node.weigh(values, theta)
    for name, vectors in clamped.evidence.vectors.items():
        at = values[clamped.graph.branch(name).name]
        with np.errstate(divide="ignore"):
            total += np.log(vectors[:, cut][at, np.arange(len(at))])
    return total


def _table(
    graph: NormalGraph, split: NormalGraph, values: Mapping[str, Index]
) -> dict[str, NDArray[Any]]:
    branches = {v: split.branch(v) for v in graph.variables if v not in graph.products}
    return {v: _labelled(np.array(values[b.name]), b.states) for v, b in branches.items()}


def _labelled(codes: Index, states: tuple[Label, ...]) -> NDArray[Any]:
    """Labels as they are: NumPy would make strings of ``(1, "a")``, and a matrix of tuples."""
    if not states:
        return codes
    if len({type(label) for label in states}) == 1 and isinstance(states[0], str | int | float):
        return np.array(states)[codes]
    return np.fromiter(states, dtype=object, count=len(states))[codes]


def _refuse_batches(theta: Arrays, evidence: Evidence) -> None:
    odd = {k: a.shape for k, a in {**theta, **evidence.vectors}.items() if a.ndim > 2}
    if odd:
        raise ValueError(f"there are batch axes, {odd}: expected one model, without batch axes")
