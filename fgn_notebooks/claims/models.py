"""The tables of the claims: from many generative models, and real ones.

Vocabulary
    family   a function that makes groups: from the paper's model, random ones, or real tables
    group    a graph and the tables from which it learns
    number   the seed of a table, which draws its model (if that is random), its rows and its start
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fgnwidgets import (
    BayesGraph,
    read_evidence,
    sample,
)

from .. import paper
from ..experiments import deeper_graph, hidden_variable, which_rule

Table = Mapping[str, np.ndarray]
Matrices = Mapping[str, np.ndarray]


class Group(NamedTuple):
    """A graph, the tables from which it learns, and their numbers."""

    graph: BayesGraph
    tables: Sequence[Table]
    numbers: Sequence[int]


def paper_model(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """Section 7.1 as printed: tables from one generative model."""
    drawn = [hidden_variable.samples(n, k) for k in range(tables)]
    return [Group(paper.one_hidden_graph(m_s), drawn, range(tables))]


def random_models(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """The graph and the sizes of section 7.1, another generative model for each table."""
    truth = paper.one_hidden_graph()
    drawn = [_drawn(truth, hidden_variable.CHILDREN, n, k) for k in range(tables)]
    return [Group(paper.one_hidden_graph(m_s), drawn, range(tables))]


SIZES = ((2, (2, 2, 2)), (3, (2, 3, 4)), (3, (2, 2, 2, 2)), (4, (3, 3, 3)), (5, (2, 4, 5)),
         (2, (3, 3, 3, 3)), (4, (2,) * 5), (6, (4, 4, 4)))  # fmt: skip
"""The sizes of S and of its children that models of other sizes have."""


def other_sizes(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """Random generative models with one hidden variable of eight different sizes."""
    groups = []
    for k, (states, sizes) in enumerate(SIZES):
        numbers = range(k, tables, len(SIZES))
        graph = star(states, sizes)
        drawn = [_drawn(graph, children_of(graph), n, t) for t in numbers]
        groups.append(Group(graph, drawn, numbers))
    return groups


MOST_TOGETHER = 7
"""With more binary children tables share few rows, so that each is a batch of its own."""


def wide(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """Random generative models with ``m_s`` hidden states and ``children`` binary children."""
    graph = star(m_s, (2,) * children)
    drawn = [_drawn(graph, children_of(graph), n, k) for k in range(tables)]
    if children <= MOST_TOGETHER:
        return [Group(graph, drawn, range(tables))]
    return [Group(graph, [table], [k]) for k, table in enumerate(drawn)]


def real(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """The carcinoma table with ``m_s`` hidden states; ``n`` has no effect."""
    return [_counted(*which_rule.real_tables()["carcinoma"], m_s, 0)]


def published(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """The course's six real tables with ``m_s`` hidden states; ``n`` has no effect."""
    known = which_rule.real_tables().values()
    return [_counted(columns, counts, m_s, k) for k, (columns, counts) in enumerate(known)]


def _counted(columns: Table, counts: np.ndarray, m_s: int, number: int) -> Group:
    """A hidden variable above all columns of a table of counts, whose rows are repeated."""
    graph = BayesGraph.from_table(columns, dict.fromkeys(columns, "S"), hidden={"S": m_s})
    codes = read_evidence(graph, columns).codes
    return Group(graph, [{v: np.repeat(c, counts) for v, c in codes.items()}], [number])


def forest(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """Section 7.2: its forest and sizes, another generative model for each table."""
    drawn = [deeper_graph.samples(n, k)[0] for k in range(tables)]
    return [Group(paper.forest_graph(), drawn, range(tables))]


MISMATCHES = ({"S1": 2, "Y1": 2}, {"S1": 2, "S2": 3, "S3": 2, "Y1": 4, "Y2": 2}, {"Y2": 6, "S3": 4})
"""Hidden sizes of graphs for section 7.2 that differ from those of the generative model."""


def forest_mismatched(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """Section 7.2, learned with other hidden sizes than those of the generative model."""
    groups = []
    for k, sizes in enumerate(MISMATCHES):
        numbers = range(k, tables, len(MISMATCHES))
        drawn = [deeper_graph.samples(n, t)[0] for t in numbers]
        groups.append(Group(deeper_graph.sized(sizes), drawn, numbers))
    return groups


FOREST_SIZES = (
    {"S1": 2, "S2": 2, "S3": 2, "Y1": 2, "Y2": 2, "X1": 2, "X2": 2, "X3": 2},
    {"S1": 3, "S2": 3, "S3": 3, "Y1": 3, "Y2": 3, "X1": 4, "X2": 4, "X3": 4},
    {"S1": 2, "S2": 4, "S3": 2, "Y1": 4, "Y2": 3, "X1": 5, "X2": 3, "X3": 2},
)
"""Other sizes for the forest of section 7.2."""


def forest_other_sizes(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """The forest of section 7.2 with other sizes, generative model and learner alike."""
    groups = []
    for k, sizes in enumerate(FOREST_SIZES):
        numbers, graph = range(k, tables, len(FOREST_SIZES)), deeper_graph.sized(sizes)
        drawn = [_drawn(graph, deeper_graph.OBSERVED, n, t) for t in numbers]
        groups.append(Group(graph, drawn, numbers))
    return groups


GRAPHS: Mapping[str, BayesGraph] = {
    "two levels": paper.hierarchy_graph(),
    "chain of three": BayesGraph(
        {"H1": 3, "H2": 3, "H3": 3, "X1": 3, "X2": 3, "X3": 3},
        {"H2": "H1", "H3": "H2", "X1": "H1", "X2": "H2", "X3": "H3"}),
    "chain of four": BayesGraph(
        {"H1": 2, "H2": 2, "H3": 2, "H4": 2, "X1": 2, "X2": 2, "X3": 2, "X4": 2, "X5": 2},
        {"H2": "H1", "H3": "H2", "H4": "H3", "X1": "H1", "X2": "H2", "X3": "H3", "X4": "H4",
         "X5": "H4"}),
    "star of four": BayesGraph(
        {"S": 3, **{f"X{k}": 3 for k in range(1, 5)}}, {f"X{k}": "S" for k in range(1, 5)}),
    "star of seven": BayesGraph(
        {"S": 4, **{f"X{k}": 2 for k in range(1, 8)}}, {f"X{k}": "S" for k in range(1, 8)}),
    "two causes of a star": BayesGraph(
        {"S1": 2, "S2": 3, "Y": 3, "X1": 3, "X2": 3, "X3": 2},
        {"Y": ("S1", "S2"), "X1": "Y", "X2": "Y", "X3": "Y"}),
    "a shared child": BayesGraph(
        {"S1": 2, "S2": 2, "X1": 3, "X2": 3, "X3": 3},
        {"X1": "S1", "X2": ("S1", "S2"), "X3": "S2"}),
    "three branches": BayesGraph(
        {"S": 3, "Y1": 2, "Y2": 2, "Y3": 2, **{f"X{k}": 2 for k in range(1, 7)}},
        {"Y1": "S", "Y2": "S", "Y3": "S", "X1": "Y1", "X2": "Y1", "X3": "Y2", "X4": "Y2",
         "X5": "Y3", "X6": "Y3"}),
    "one deep branch": BayesGraph(
        {"S": 4, "Y": 3, "X1": 3, "X2": 3, "X3": 3, "X4": 3},
        {"X1": "S", "X2": "S", "Y": "S", "X3": "Y", "X4": "Y"}),
    "a shared cause": BayesGraph(
        {"S1": 2, "S2": 2, "S3": 2, "Y1": 3, "Y2": 3, "X1": 3, "X2": 3, "X3": 3, "X4": 3},
        {"Y1": ("S1", "S2"), "Y2": ("S2", "S3"), "X1": "Y1", "X2": "Y1", "X3": "Y2",
         "X4": "Y2"}),
}  # fmt: skip
"""Ten cycle-free graphs for section 7.3, which prints none: hierarchies, chains, wide and narrow
stars, common causes and common effects. Variables called X... are observed."""


def ten_graphs(tables: int, n: int, m_s: int, children: int) -> list[Group]:
    """Section 7.3: random generative models of each of ten graphs."""
    groups = []
    for k, graph in enumerate(GRAPHS.values()):
        numbers = range(k, tables, len(GRAPHS))
        seen = [name for name in graph.variables if name.startswith("X")]
        groups.append(Group(graph, [_drawn(graph, seen, n, t) for t in numbers], numbers))
    return groups


Family = Callable[[int, int, int, int], list[Group]]

FAMILIES: Mapping[str, Family] = {
    "paper": paper_model,
    "random": random_models,
    "sizes": other_sizes,
    "wide": wide,
    "real": real,
    "published": published,
    "forest": forest,
    "forest mismatched": forest_mismatched,
    "forest sizes": forest_other_sizes,
    "graphs": ten_graphs,
}


def star(states: int, sizes: Sequence[int]) -> BayesGraph:
    """A hidden variable S with ``states`` states, and children X1, X2, ... of these sizes."""
    children = {f"X{k + 1}": size for k, size in enumerate(sizes)}
    return BayesGraph({"S": states, **children}, dict.fromkeys(children, "S"))


def children_of(graph: BayesGraph) -> list[str]:
    """The variables that have parents: in a star all but S."""
    return [name for name in graph.variables if graph.parents[name]]


def _drawn(graph: BayesGraph, seen: Iterable[str], n: int, number: int) -> Table:
    """``n`` rows of the variables ``seen`` from a random model."""
    rows = sample(graph, paper.random_model(graph, number), n, np.random.default_rng(number))
    return {name: rows[name] for name in seen}
