"""Whole configurations of a graph: the most probable one, and random ones (section 7.1).

Vocabulary
    descend   from the root outwards, every branch takes a value given its neighbour's: what its
              node would send were that value observed, times what comes from the other side
    table     variable -> its values, ``(N,)``: labels where the variable has states, else indices
    barren    a variable with no evidence on it or below it: its factor sums to one, so it is summed
              out by leaving the factor out (Shachter 1986)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra.arrays import TIE_TOLERANCE, Array, Arrays, Index, Label, Mask
from ..algebra.semirings import MAX_PRODUCT, Logs
from ..arguments import read_count, read_generator, read_names, refuse_beyond_memory
from ..data import Table
from ..data.evidence import Evidence, one_hot
from ..graphs.nodes import Node
from ..graphs.normal_graph import Graph, NormalGraph, as_normal
from ..graphs.theta import Theta
from ..loops.junction_tree import MergedGraph
from .propagation import (
    Chunk,
    Clamped,
    Plan,
    Samples,
    either,
    propagate_chunk,
    propagate_chunks,
    refuse_impossible,
)
from .queries import ask, joined


class Decoded(NamedTuple):
    """The most probable configuration of each sample, and the log of its joint probability.

    A variable that was summed out in a sample has None there, in a column of objects.
    """

    table: dict[str, NDArray[Any]]
    logp: Array


def most_probable(
    graph: Graph,
    theta: Theta,
    evidence: Table | Evidence = None,
    *,
    variables: str | Iterable[str] | None = None,
) -> Decoded:
    """The configuration that is most probable given the evidence, per sample: MPE, Viterbi's path.

    It is of the variables that have evidence on them or below them, in that sample. All others are
    *barren* and summed out, so that they cannot move it: a hidden Markov model decodes a sequence
    that is padded with blanks as it does the sequence itself, and steps after the end get no state,
    None. So do leaves that were not observed.

    ``variables`` are asked for too, one name or several; what lies between them and the evidence is
    then part of the configuration. ``variables=graph.variables`` asks for all, and so does a call
    without evidence, or with given variables alone.

    Max-product messages are collected, then traced back. ``logp`` is log P(configuration,
    evidence). Among equals the first value wins. Raises as :func:`propagate` does.
    """
    form = as_normal(graph)
    asked = _read_asked(form, variables)
    samples, row, clamped, matrices = ask(form, theta, evidence)
    _refuse_batches(matrices, samples)
    if variables is None and not set(samples.variables) - form.given.keys():
        asked = {*form.variables}
    loglik = joined([f.loglik for f in propagate_chunks(clamped.wanting([]), matrices)])
    refuse_impossible(loglik[row], samples, form)
    silent, alive = _barren(clamped, asked)
    chosen, logs = [], []
    for cut in clamped.pieces():
        mute = {name: mask[cut] for name, mask in silent.items()}
        here = replace(clamped, plan=_without(clamped.plan, mute)) if mute else clamped
        best = propagate_chunk(here, matrices, cut, (MAX_PRODUCT,))
        chosen.append(_descend(here, best, matrices, _first_of_logs))
        logs.append(_log_joint(clamped, matrices, chosen[-1], cut, mute))
    values = {name: np.concatenate([piece[name] for piece in chosen])[row] for name in chosen[0]}
    table = _table(form, clamped.graph, values)
    for name, seen in alive.items():
        if name in table and not seen.all():
            table[name] = table[name].astype(object)
            table[name][~seen[row]] = None
    return Decoded(table, np.concatenate(logs)[row])


def _read_asked(form: NormalGraph, variables: Any) -> set[str]:
    """The variables that are asked for by name."""
    if isinstance(variables, Mapping):
        variables = list(variables)
    names = () if variables is None else read_names(variables, "variables", sets=True)
    return {form.variable_of[form.branch(name).name] for name in names}


def _barren(clamped: Clamped, asked: set[str]) -> tuple[dict[str, Mask], dict[str, Mask]]:
    """By node, the samples in which its factor is left out; by variable, where it has a value.

    Only what maps its input to a distribution of its output is ever left out. What a diverter of
    several variables' blocks multiplies (``combine="separate"``) does not sum to one, nor need what
    a reader's own node sends.
    """
    graph, n = clamped.graph, clamped.evidence.n
    single = {v for v in graph.variables if graph.branch(v).size == 1}  # known, and says nothing
    told = (v for v in clamped.evidence.variables if v not in single)
    said: dict[str, Samples] = {v: clamped.evidence.known(v) for v in told}
    said |= dict.fromkeys(asked, True)
    at = graph.variable_of
    if isinstance(graph, MergedGraph):  # a cluster tree says by variables what lies below a node
        nodes = {k: either(said.get(v, False) for v in over) for k, over in graph.below.items()}
        alive = {over[0]: nodes[name] for name, over in graph.below.items()}
    else:
        nodes, branches = {}, dict[str, Samples]()
        for node in graph.from_below:
            for y in node.outputs:
                below = nodes[graph.heads[y.name].name] if y.name in graph.heads else False
                branches[y.name] = either((said.get(at[y.name], False), below))
            nodes[node.name] = _binds(node, graph) or either(branches[y.name] for y in node.outputs)
            if not node.copies and nodes[node.name] is True:
                branches.update((y.name, True) for y in node.outputs)
        alive = {
            v: either(branches.get(name, True) for name in names)  # without a tail: no distribution
            for v, names in graph.variables.items()
        }
        nodes = {k: v for k, v in nodes.items() if _is_stochastic(graph.node(k))}
    alive |= dict.fromkeys((*graph.given, *single), True)
    silent = {name: np.broadcast_to(np.logical_not(live), (n,)) for name, live in nodes.items()}
    masks = {name: np.broadcast_to(live, (n,)) for name, live in alive.items()}
    return {name: mask for name, mask in silent.items() if mask.any()}, masks


def _binds(node: Node, graph: NormalGraph) -> bool:
    """True if a node ties its inputs to one another, or weighs them, with nothing known below."""
    if node.copies:
        joined = (graph.tails.get(x.name) for x in node.inputs)
        return len(node.inputs) > 1 and any(tail is None or tail.part is None for tail in joined)
    return node.part is None and not _is_stochastic(node)


def _is_stochastic(node: Node) -> bool:
    """True if it maps its input to a distribution of its one output."""
    return True in node.normalized and node.part is None and len(node.outputs) == 1


def _without(plan: Plan, silent: Mapping[str, Mask]) -> Plan:
    """The plan of the graph in which some nodes' factors are one in some samples, in logarithms."""

    def left_out(send: Callable[..., list[Array]], mask: Mask) -> Any:
        def sent(*entered: Any) -> list[Array]:
            return [np.where(mask, 0.0, v) for v in send(*entered)]

        return sent

    rounds = (
        tuple(
            s._replace(send=left_out(s.send, silent[s.node.name])) if s.node.name in silent else s
            for s in sendings
        )
        for sendings in plan.rounds
    )
    return replace(plan, rounds=tuple(rounds))


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
    refuse_beyond_memory(
        16.0 * size * sum(branch.size for branch in form.branches.values()),
        f"{size:,} samples of {len(form.variables)} variables",
        "draw them in parts, with one generator",
    )
    condition, _, clamped, matrices = ask(form, theta, given)
    if condition.n != 1:
        raise ValueError(
            f"given holds {condition.n} samples: expected one, the condition of every draw"
        )
    _refuse_batches(matrices, condition)
    chunk = propagate_chunk(clamped, matrices, slice(0, 1))
    refuse_impossible(chunk.loglik, condition, form)

    def draw(scores: Array) -> Index:
        if isinstance(chunk.semiring, Logs):
            scores = np.exp(scores - scores.max(axis=-2, keepdims=True))
        rising = np.cumsum(scores, axis=-2)
        below = rising <= rng.random(size) * rising[-1]
        return np.asarray(below.sum(axis=-2), dtype=np.intp)

    return _table(form, clamped.graph, _descend(clamped, chunk, matrices, draw))


def _first_of_logs(scores: Array) -> Index:
    """The first maximum of logarithms: what is a ratio there is a difference here."""
    top: Index = np.argmax(scores >= scores.max(axis=-2, keepdims=True) - TIE_TOLERANCE, axis=-2)
    return top


def _descend(
    clamped: Clamped, chunk: Chunk, theta: Arrays, choose: Callable[[Array], Index]
) -> dict[str, Index]:
    """A value for every branch, each chosen from scores given its neighbour nearer to the root."""
    semiring, plan = chunk.semiring, clamped.plan
    matrices = semiring.encode_all(theta)
    values: dict[str, Index] = {}
    f, b = dict(chunk.f), dict(chunk.b)

    def settle(name: str, index: Index) -> None:
        n = chunk.cut.stop - chunk.cut.start
        values[name] = np.broadcast_to(index, (n,)) if len(index) == 1 else index
        f[name] = b[name] = semiring.encode(
            one_hot(values[name], clamped.graph.branches[name].size)
        )

    for root in plan.roots:
        settle(root, choose(semiring.multiply(f[root], b[root])))
    for node, to, _, send, _ in (s for s in plan.sendings if not s.collecting):
        come = next(name for name, _ in node.ports if name in values)
        for port in to:
            name, forward = port
            if node.copies:
                values[name], f[name], b[name] = values[come], f[come], b[come]
            else:
                (sent,) = send((port,), f, b, matrices, semiring)
                settle(name, choose(semiring.multiply(sent, b[name] if forward else f[name])))
    return values


def _log_joint(
    clamped: Clamped,
    theta: Arrays,
    values: Mapping[str, Index],
    cut: slice,
    silent: Mapping[str, Mask],
) -> Array:
    total = np.zeros(cut.stop - cut.start)
    for node in clamped.graph.nodes:
        weighs = node.weigh(values, theta)
        total = total + (
            np.where(silent[node.name], 0.0, weighs) if node.name in silent else weighs
        )
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
