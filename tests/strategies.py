"""Random graphs, matrices and evidence for hypothesis, small enough to enumerate."""

from dataclasses import dataclass

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from oracles import evidence_probability

from fgnwidgets import BayesGraph, Evidence

MAX_VARIABLES = 7
MAX_CELLS = 1500
"""Cells of the joint table."""

seeds = st.integers(0, 2**32 - 1)


@st.composite
def forests(draw: st.DrawFn, max_variables: int = MAX_VARIABLES) -> BayesGraph:
    """A graph whose normal form has no loop: several parents, children, roots, isolated variables.

    Variables come in any order, sizes go down to one, and some children share all their parents.
    """
    n = draw(st.integers(1, max_variables), label="variables")
    names = [f"V{k}" for k in range(n)]
    sizes = {name: draw(st.integers(1, 4 if n < 5 else 3)) for name in names}
    assume(np.prod(list(sizes.values())) <= MAX_CELLS)
    tree = {name: name for name in names}  # which connected part a variable belongs to
    parents: dict[str, tuple[str, ...]] = {}
    for k, child in enumerate(names):
        families = [family for family in parents.values() if len(family) > 1]
        if families and draw(st.booleans()):
            family = draw(st.sampled_from(families))  # one more child of a product space,
            family = tuple(draw(st.permutations(family)))  # with its rows in an order of its own
        else:
            known = draw(st.permutations(names[:k]))
            apart: dict[str, str] = {}
            for parent in known:
                apart.setdefault(tree[parent], parent)  # two from one part would close a loop
            family = tuple(apart.values())[: draw(st.integers(0, 3))]
        if family:
            parents[child] = family
            joined = {tree[v] for v in (child, *family)}
            tree = {v: child if part in joined else part for v, part in tree.items()}
    order = draw(st.permutations(names))
    return BayesGraph({name: sizes[name] for name in order}, parents)


def matrices(graph: BayesGraph, seed: int, zeros: float = 0.2) -> dict[str, np.ndarray]:
    """Random matrices of a graph; every entry is an exact zero with probability ``zeros``."""
    rng = np.random.default_rng(seed)
    theta = {}
    for name, parents in graph.parents.items():
        rows = int(np.prod([graph.variables[p].size for p in parents], dtype=int))
        matrix = rng.random((rows, graph.variables[name].size)) + 1e-3
        kept = rng.random(matrix.shape) >= zeros
        kept[np.arange(rows), rng.integers(0, matrix.shape[1], rows)] = True
        matrix = matrix * kept
        theta[graph.theta[name]] = matrix / matrix.sum(axis=1, keepdims=True)
    return theta


@dataclass(frozen=True)
class Case:
    """A model with evidence, as the engine reads it and as the oracles do."""

    graph: BayesGraph
    theta: dict[str, np.ndarray]
    table: dict[str, np.ndarray]  # codes (N,), or likelihood vectors (N, M)
    likelihoods: dict[str, np.ndarray]  # the same as (M, N)
    n: int


def evidence(graph: BayesGraph, seed: int, n: int, kinds: str) -> Case:
    """Evidence on some of the variables, hidden or not: "h" hard, "s" soft, "m" with gaps."""
    rng = np.random.default_rng(seed)
    table: dict[str, np.ndarray] = {}
    likelihoods: dict[str, np.ndarray] = {}
    for name, branch in graph.variables.items():
        kind = rng.choice([*kinds, ""])
        if kind == "s":
            vectors = rng.random((n, branch.size)) * (rng.random((n, branch.size)) > 0.2)
            vectors[~vectors.any(axis=1)] = 1.0
            table[name], likelihoods[name] = vectors, vectors.T
        elif kind:
            codes = rng.integers(0, branch.size, n)
            if kind == "m":
                codes[rng.random(n) < 0.5] = -1
            table[name] = codes
            likelihoods[name] = np.where(codes < 0, 1.0, np.arange(branch.size)[:, None] == codes)
    return Case(graph, {}, table, likelihoods, n)


@st.composite
def cases(
    draw: st.DrawFn,
    max_variables: int = MAX_VARIABLES,
    kinds: str = "hsm",
    zeros: float = 0.2,
    possible: bool = True,
) -> Case:
    """A forest with matrices and evidence; ``possible`` keeps to evidence that can happen."""
    graph = draw(forests(max_variables))
    theta = matrices(graph, draw(seeds), zeros)
    n = draw(st.integers(1, 4), label="samples")
    case = evidence(graph, draw(seeds), n, kinds)
    case = Case(graph, theta, case.table, case.likelihoods, n)
    if possible:
        keep = evidence_probability(graph, theta, case.likelihoods, n) > 0
        assume(keep.any())
        case = some_samples(case, np.flatnonzero(keep))
    return case


def some_samples(case: Case, at: np.ndarray) -> Case:
    table = {name: column[at] for name, column in case.table.items()}
    likelihoods = {name: v[:, at] for name, v in case.likelihoods.items()}
    return Case(case.graph, case.theta, table, likelihoods, len(at))


def as_evidence(case: Case) -> Evidence:
    """The evidence with its number of samples, which an empty table would not say."""
    codes = {name: v for name, v in case.table.items() if v.ndim == 1}
    vectors = {name: v.T for name, v in case.table.items() if v.ndim == 2}
    return Evidence(case.n, codes, vectors)
