"""The settings of the paper's experiments as constants, and its graphs as functions.

Palmieri, "A Comparison of Algorithms for Learning Hidden Variables in Normal Graphs". Two graphs
are shown in pictures only, and this is how we read them:

- the hierarchy of figure 4 is S -> Y1, Y2; Y1 -> X1, X2; Y2 -> X3, X4;
- the forest of figure 5 is S1 -> Y1 -> X1, X2; S1, S2 -> Y2; Y2, S3 -> X3, which agrees with the
  superscripts in the formulas of section 7.2.

The sizes of figures 3 and 4 are ours too: the paper gives none.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np

from fgnwidgets import BayesGraph, Block, Branch, NormalGraph, random_theta, row_normalize

ONE_HIDDEN_SIZES: Mapping[str, int] = {"S": 4, "X1": 2, "X2": 2, "X3": 3}
"""Section 7.1: one embedding variable S with three children (figure 2)."""

ONE_HIDDEN_THETA: Mapping[str, np.ndarray] = {
    "S": np.array([[0.25, 0.25, 0.25, 0.25]]),
    "X1|S": np.array([[0.1, 0.9], [0.1, 0.9], [0.9, 0.1], [0.3, 0.7]]),
    "X2|S": np.array([[0.1, 0.9], [0.99, 0.01], [0.5, 0.5], [0.2, 0.8]]),
    "X3|S": np.array([[0.1, 0.89, 0.01], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]),
}
"""Section 7.1: the prior and the matrices of the generative model."""

ONE_HIDDEN_N = 400
ONE_HIDDEN_NE = 60
ONE_HIDDEN_NIT = 3
"""Section 7.1, experiment 1: samples, epochs (Ne), steps of ML and KL in each (Nit)."""

MISMATCHED = (2, 7)
"""Section 7.1, experiment 2: sizes of S that the generative model does not have."""

TEST_N = 300
TEST_SIZES = (4, 9)
"""Section 7.1, experiment 3: samples, half of them for training; the sizes of S."""

NITS = (1, 3, 5, 10, 20)
"""Section 7.1: the values of Nit of figure 11, right, each run ten times."""

FOREST_SIZES: Mapping[str, int] = {
    "S1": 4,
    "S2": 2,
    "S3": 3,
    "Y1": 3,
    "Y2": 4,
    "X1": 3,
    "X2": 2,
    "X3": 3,
}
"""Section 7.2: the forest of figure 5."""

FOREST_N = 100
FOREST_NE = 600
FOREST_NIT = 3
"""Section 7.2: samples, epochs, steps of ML and KL in each."""


@cache
def one_hidden_graph(size: int = ONE_HIDDEN_SIZES["S"]) -> BayesGraph:
    """Figure 2: S with the children X1, X2, X3; ``size`` is that of S.

    A graph cannot be changed, and labs ask for it at every step: so it is made once.
    """
    return BayesGraph({**ONE_HIDDEN_SIZES, "S": size}, {"X1": "S", "X2": "S", "X3": "S"})


def three_parents_graph() -> BayesGraph:
    """Figure 3: the parents S1, S2, S3 of one child, X."""
    return BayesGraph({"S1": 2, "S2": 2, "S3": 2, "X": 2}, {"X": ("S1", "S2", "S3")})


def hierarchy_graph() -> BayesGraph:
    """Figure 4: two levels below S."""
    return BayesGraph(
        {"S": 4, "Y1": 3, "Y2": 3, "X1": 2, "X2": 2, "X3": 2, "X4": 2},
        {"Y1": "S", "Y2": "S", "X1": "Y1", "X2": "Y1", "X3": "Y2", "X4": "Y2"},
    )


@cache
def forest_graph() -> BayesGraph:
    """Figure 5: three sources, four layers, two product spaces."""
    return BayesGraph(
        FOREST_SIZES,
        {"Y1": "S1", "X1": "Y1", "X2": "Y1", "Y2": ("S1", "S2"), "X3": ("Y2", "S3")},
    )


def random_model(graph: BayesGraph, seed: int) -> dict[str, np.ndarray]:
    """A generative model, as the paper does not give its own: random matrices, sharpened."""
    theta = random_theta(graph, np.random.default_rng(seed))
    return {name: row_normalize(matrix**4) for name, matrix in theta.items()}


def forest_theta() -> dict[str, np.ndarray]:
    """The generative model of the forest that the chapters use."""
    return random_model(forest_graph(), 72)


def one_block(size_x: int, size_y: int, copies: int = 1) -> NormalGraph:
    """A single block from X to Y; several copies share its matrix (figures 7 and 8, section 6)."""
    names = [""] if copies == 1 else [f"[{n + 1}]" for n in range(copies)]
    return NormalGraph(
        Block(f"Y{n}|X{n}", Branch(f"X{n}", size_x), Branch(f"Y{n}", size_y), theta="Y|X")
        for n in names
    )
