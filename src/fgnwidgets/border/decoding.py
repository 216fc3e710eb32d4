"""Whole configurations of a graph: the most probable one, and random ones (section 7.1).

Vocabulary
    collect   messages towards a root, as sums (to draw) or as maxima (to decide)
    descend   from the root outwards, every branch takes a value given its neighbour's: what its
              node would send were that value observed, times what comes from the other side
    table     variable -> its values, ``(N,)``: labels where the variable has states, else indices
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import TIE_TOLERANCE, Array, Index
from ..engine.branches import Label
from ..engine.graph import Graph, NormalGraph, as_normal
from ..engine.messages import MAXIMA, Evidence, Logs, one_hot
from ..engine.propagate import Clamped, Flow, flow, flows, refuse_impossible
from ..readers import read_count, read_generator
from ..tables import Table
from .chains import clamp_with_shortcut
from .evidence import read_evidence
from .folding import grouped
from .theta import Theta, read_theta

Choose = Callable[[Array], Index]
"""From scores ``(M, N)`` to one value per column."""


class Decoded(NamedTuple):
    """The most probable configuration of each sample, and the log of its joint probability."""

    table: dict[str, NDArray[Any]]
    logp: Array


def most_probable(graph: Graph, theta: Theta, evidence: Table | Evidence = None) -> Decoded:
    """The configuration of all variables that is most probable given the evidence, per sample.

    Max-product messages are collected, then traced back. ``logp`` is log P(configuration,
    evidence). Among equals the first value wins. Raises :class:`ImpossibleEvidence` as
    ``propagate`` does.
    """
    form = as_normal(graph)
    known = read_evidence(form, evidence)
    matrices = _single(read_theta(form, theta), known)
    rows, kind = grouped(known)
    clamped = clamp_with_shortcut(form, rows)
    loglik = np.concatenate([f.loglik for f in flows(clamped.wanting([]), matrices)], axis=-1)
    refuse_impossible(loglik[..., kind], known, form)
    pieces, logs = [], []
    for cut in clamped.cuts():
        found = flow(clamped, matrices, cut, (MAXIMA,))
        values = _descend(clamped, found, matrices, _first_of_logs)
        pieces.append(values)
        logs.append(_log_joint(clamped, matrices, values, cut))
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

    A delta is drawn at the source, passes the diverter, and draws a delta in every block that it
    enters. ``given`` is evidence on one sample: then the draws are from P(variables | evidence).
    """
    size = read_count(n, "n", 1)
    read_generator(rng)
    form = as_normal(graph)
    known = read_evidence(form, given)
    if known.n != 1:
        raise ValueError(
            f"given holds {known.n} samples: expected one, the condition of every draw"
        )
    matrices = _single(read_theta(form, theta), known)
    clamped = clamp_with_shortcut(form, known)
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
    clamped: Clamped, found: Flow, theta: Mapping[str, Array], choose: Choose
) -> dict[str, Index]:
    """A value for every branch, each chosen given its neighbour nearer to the root."""
    ring, plan = found.ring, clamped.plan
    sizes = {name: branch.size for name, branch in clamped.graph.branches.items()}
    matrices = {name: ring.encode(matrix) for name, matrix in theta.items()}
    values: dict[str, Index] = {}
    n = found.cut.stop - found.cut.start

    def chosen(scores: Array) -> Index:
        index = choose(scores)
        return np.broadcast_to(index, (n,)) if len(index) == 1 else index

    for root in plan.roots:
        values[root] = chosen(ring.multiply(found.f[root], found.b[root]))
    for node, to, _, send in (s for sendings in plan.rounds[plan.collecting :] for s in sendings):
        come = next(name for name, _ in node.ports if name in values)
        if node.copies:
            values.update((name, values[come]) for name, _ in to)
            continue
        f = {name: found.f[name] for name, _ in node.ports}
        b = {name: found.b[name] for name, _ in node.ports}
        f[come] = b[come] = ring.encode(one_hot(values[come], sizes[come]))
        for port in to:
            name, forward = port
            (sent,) = send((port,), f, b, matrices, ring)
            values[name] = chosen(ring.multiply(sent, b[name] if forward else f[name]))
            f[name] = b[name] = ring.encode(one_hot(values[name], sizes[name]))
    return values


def _log_joint(
    clamped: Clamped, theta: Mapping[str, Array], values: Mapping[str, Index], cut: slice
) -> Array:
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
    table: dict[str, NDArray[Any]] = {}
    for variable in graph.variables:
        if variable not in graph.products:
            branch = split.branch(variable)
            codes = np.array(values[branch.name])
            table[variable] = _as_array(branch.states)[codes] if branch.states else codes
    return table


def _as_array(states: tuple[Label, ...]) -> NDArray[Any]:
    """Labels as they are: NumPy would make strings of ``(1, "a")``, and a matrix of tuples."""
    if len({type(label) for label in states}) == 1 and isinstance(states[0], str | int | float):
        return np.array(states)
    return np.fromiter(states, dtype=object, count=len(states))


def _single(theta: dict[str, Array], evidence: Evidence) -> dict[str, Array]:
    named = {f"theta[{name!r}]": matrix for name, matrix in theta.items()}
    for name, array in {**named, **evidence.vectors}.items():
        if array.ndim != 2:
            raise ValueError(
                f"{name} has shape {array.shape}: configurations need one model, without batch axes"
            )
    return theta
