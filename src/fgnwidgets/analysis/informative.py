"""The variable to observe next: the information about a target that each is expected to bring.

Vocabulary
    entropy       how uncertain a variable is, in bits: H(T) = -sum_t P(t) log2 P(t)
    information   the mutual information I(T; X) = H(T) - H(T | X): by how much H(T) will fall on
                  average when X is observed
    strength      of an arrow: the information between its ends, the other parents being known

All of these are given the evidence. One propagation has a sample for each state t of the target:
it gives P(t | e) and P(X | t, e) of every variable X, hence their joint distributions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Label
from ..arguments import listing, read_names
from ..data import Table
from ..data.evidence import Evidence
from ..graphs.nodes import Node
from ..graphs.normal_graph import Graph, NormalGraph
from ..graphs.theta import Theta
from ..inference.propagation import Clamped, clamp, propagate_chunks, refuse_impossible
from ..inference.queries import belief
from ..report import Report
from .families import in_words, observed, read_case
from .scores import relative

ROUNDING = 1e-24
"""Bits below this are 0: independent variables get about 1e-30 from the rounding of messages."""

SHOWN = 10
"""The most variables, and the most arrows, that are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class Informative(Report):
    """The information of each variable about ``target``, the most
    informative first.

    ``given``                   the evidence in words
    ``states``, ``posterior``   the states of the target, and P(target | evidence), ``(M_T,)``
    ``entropy``                 H(target | evidence), in bits
    ``bits[X]``                 I(target; X | evidence)
    ``share[X]``                the same as a share of ``entropy``; NaN where that is zero
    ``strength[parent, child]`` the strength of each arrow, in bits, the strongest first
    ``joint[X]``                P(X, target | evidence), ``(M_X, M_T)``
    """

    target: str
    given: str
    states: tuple[Label, ...]
    posterior: Array
    entropy: float
    bits: Mapping[str, float]
    share: Mapping[str, float]
    strength: Mapping[tuple[str, str], float]
    joint: Mapping[str, Array]

    def span(self, name: str) -> Array:
        """The least and the greatest P(t | x, evidence) over the states x, ``(2, M_T)``.

        Between these each state of the target will lie once ``name`` has been observed.
        """
        if not isinstance(name, str) or name not in self.joint:
            raise ValueError(f"name is {name!r}: expected one of {listing(self.joint)}")
        both = self.joint[name]
        both = both[both.sum(axis=1) > 0]
        p = both / both.sum(axis=1, keepdims=True)
        return np.stack([p.min(axis=0), p.max(axis=0)])

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        top = int(self.posterior.argmax())
        state = f"P({self.target} = {self.states[top]})"
        rows: list[list[Any]] = []
        for name in [*self.bits][:SHOWN]:
            low, high = self.span(name)[:, top]
            share = self.share[name]
            percent = "-" if np.isnan(share) else f"{100 * share:.1f} %"
            rows.append([name, f"{self.bits[name]:.4f}", percent, f"{low:.4f}", f"{high:.4f}"])
        given = f" given {self.given}" if self.given else ""
        title = (
            f"What would tell of {self.target}{given}: {self.entropy:.4f} bits are unknown, "
            f"{state} = {self.posterior[top]:.4f}"
        )
        return title, ["", "bits", "share", f"{state} at least", "at most"], rows

    def _data(self) -> tuple[list[str], list[list[Any]]]:
        top = int(self.posterior.argmax())
        state = f"P({self.target} = {self.states[top]})"
        rows: list[list[Any]] = [
            [name, bits, self.share[name], *map(float, self.span(name)[:, top])]
            for name, bits in self.bits.items()
        ]
        return ["variable", "bits", "share", f"{state} at least", f"{state} at most"], rows

    def _notes(self) -> list[str]:
        notes = []
        rest = len(self.bits) - SHOWN
        if rest > 0:
            notes.append(f"{rest} more {'variable tells' if rest == 1 else 'variables tell'} less")
        arrows = [
            f"{parent} -> {child} {bits:.4f}"
            for (parent, child), bits in [*self.strength.items()][:SHOWN]
            if bits > 0
        ]
        if arrows:
            notes.append(f"the strongest arrows, in bits: {', '.join(arrows)}")
        return notes


def informative(
    graph: Graph,
    theta: Theta,
    evidence: Table | Evidence,
    target: str,
    *,
    among: Iterable[str] | None = None,
) -> Informative:
    """The expected information about ``target`` from each variable that is not yet observed.

    It is the mutual information ``I(T; X | e) = sum P(t, x | e) log2(P(t, x | e) / P(t | e) /
    P(x | e))``, in bits: by how much the entropy of the target is expected to fall when X is
    observed, the evidence e of one case being known (Pearl 1988, section 6.4; "sensitivity to
    findings"). ``among`` names the variables that can be observed; by default all are asked that
    have no state in the evidence. A variable with a likelihood vector, which is soft evidence, may
    still be observed.

    The strength of an arrow from X to its child Y, whose other parents are Z, is ``I(X; Y | Z, e) =
    H(Y | Z, e) - H(Y | X, Z, e)``, in bits: the true average link strength of Ebert-Uphoff (2009).
    It is zero if an end of the arrow is observed.

    Exact, also for merged graphs, chains and given variables, by one propagation. Raises
    ``ValueError`` for a target that is observed, and :class:`ImpossibleEvidence`.
    """
    form, matrices, case = read_case(graph, theta, evidence)
    variable = form.variable_of[form.branch(target).name]
    seen = observed(form, case)
    if variable in seen:
        raise ValueError(
            f"target {target!r} is observed: expected a variable that is not, so leave it out of "
            "the evidence"
        )
    names = _candidates(form, seen, variable, among)
    clamped, log_likelihood = _by_state(form, case, variable)
    arrows = [node for node in clamped.graph.nodes if node.theta and form.family(node)[0]]
    beliefs: dict[str, list[Array]] = {name: [] for name in names}
    pairs: dict[str, list[Array]] = {node.name: [] for node in arrows}
    logs = []
    for chunk in propagate_chunks(clamped, matrices):
        logs.append(np.broadcast_to(chunk.loglik, chunk.cut.stop - chunk.cut.start))
        for name in names:
            p = belief(chunk, clamped.graph.branch(name).name)
            beliefs[name].append(np.broadcast_to(p, (len(p), len(logs[-1]))))
        for node in arrows:
            matrix = matrices[node.theta]
            pairs[node.name].append(relative(chunk, node, matrix) * matrix[..., None])
    loglik = np.concatenate(logs) + log_likelihood
    if loglik.max() == -np.inf:
        refuse_impossible(np.full(1, -np.inf), case, form)
    posterior = np.exp(loglik - loglik.max())
    posterior /= posterior.sum()
    possible = posterior > 0

    def averaged(pieces: list[Array]) -> Array:
        """Columns for the states of the target, times the probability of each."""
        columns = np.concatenate(pieces, axis=-1)
        return np.asarray(np.where(possible, columns, 0.0) * posterior)

    joint = {name: averaged(pieces) for name, pieces in beliefs.items()}
    p = posterior[possible]
    entropy = max(0.0, float(-(p * np.log2(p)).sum()))
    bits = _ranked({name: mutual_information(both) for name, both in joint.items()})
    strength: dict[tuple[str, str], float] = {}
    for node in arrows:
        strength |= _strengths(form, node, averaged(pairs[node.name]).sum(axis=-1))
    return Informative(
        variable,
        in_words(form, case),
        form.states(variable),
        posterior,
        entropy,
        bits,
        {name: value / entropy if entropy > 0 else np.nan for name, value in bits.items()},
        _ranked(strength),
        {name: joint[name] for name in bits},
    )


def _candidates(
    form: NormalGraph, seen: set[str], target: str, among: Iterable[str] | None
) -> list[str]:
    """The variables that may be observed; product spaces only where they are asked for."""
    if among is None:
        return [v for v in form.variables if v not in {*seen, *form.products, target}]
    names = [form.variable_of[form.branch(v).name] for v in read_names(among, "among", sets=True)]
    for name in names:
        if name in seen or name == target:
            what = "the target" if name == target else "observed"
            raise ValueError(
                f"among holds {name!r}, which is {what}: expected variables that are not yet "
                "observed"
            )
    return list(dict.fromkeys(names))


def _by_state(form: NormalGraph, case: Evidence, target: str) -> tuple[Clamped, Array]:
    """The evidence with a sample for each state of the target, and the log of its likelihoods."""
    size = form.branch(target).size
    rows = case.take(np.zeros(size, dtype=np.intp))
    opinion = case.vectors[target][:, 0] if target in case.vectors else np.ones(size)
    codes = {**rows.codes, target: np.arange(size)}
    vectors = {name: v for name, v in rows.vectors.items() if name != target}
    with np.errstate(divide="ignore"):
        return clamp(form, Evidence(size, codes, vectors)), np.log(opinion)


def _strengths(form: NormalGraph, node: Node, pair: Array) -> dict[tuple[str, str], float]:
    """The strength of the arrow from each parent of a block, from P(parents, child | e)."""
    parents, child = form.family(node)
    sizes = [form.branch(parent).size for parent in parents]
    grid = pair.reshape(*sizes, -1)
    return {
        (parent, child): mutual_information(np.moveaxis(grid, axis, -2))
        for axis, parent in enumerate(parents)
    }


def mutual_information(joint: Array) -> float:
    """I(A; B | C) in bits, from P(C, A, B) ``(..., M_A, M_B)``, with any number of axes for C.

    It is a sum of ``q ((1 + r) log(1 + r) - r)`` with q = P(A | C) P(B | C) P(C) and 1 + r =
    P(A, B, C) / q. No term is negative, so that a small sum is as precise as a large one.
    """
    a, b = joint.sum(axis=-1, keepdims=True), joint.sum(axis=-2, keepdims=True)
    c = joint.sum(axis=(-2, -1), keepdims=True)
    q = a * np.divide(b, c, out=np.zeros_like(b), where=c > 0)
    r = np.divide(joint - q, q, out=np.zeros_like(q), where=q > 0)
    inside = r > -1
    log = np.log1p(r, out=np.zeros_like(r), where=inside)
    bits = float((q * ((1 + r) * log - r)).sum() / np.log(2))
    return bits if bits > ROUNDING else 0.0


def _ranked(values: Mapping[Any, float]) -> dict[Any, float]:
    """The largest first; equal ones keep their order."""
    return dict(sorted(values.items(), key=lambda item: -item[1]))
