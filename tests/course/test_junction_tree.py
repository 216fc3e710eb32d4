"""The junction tree of a chapter's picture, against the definition and against enumeration."""

import numpy as np
import pytest

from fgn_notebooks import examples
from fgn_notebooks.figures.junction import draw_junction_tree, junction_tree
from fgnwidgets import BayesGraph, loglik, random_theta, unfold

GRAPHS = {
    "asia": examples.asia()[0],
    "sprinkler": examples.sprinkler()[0],
    "two chains": unfold({"A": 2, "B": 2, "X": 2}, {"X": ("A", "B")}, {"A": "A", "B": "B"}, n=3),
    "panel": unfold({"S": 2, "T": 2, "M": 2, "N": 2}, {"M": "S", "N": "T", "T": "S"},
                    {"S": "S", "T": "T"}, n=2),
    "three causes": BayesGraph(dict.fromkeys("RABCX", 2),
                               {"A": "R", "B": "R", "C": "R", "X": ("A", "B", "C")}),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_every_family_lies_in_a_cluster_and_what_holds_a_variable_hangs_together(name):
    graph = GRAPHS[name]
    tree = junction_tree(graph)
    held = [matrix for names in tree.holds.values() for matrix in names]
    assert sorted(held) == sorted(n.name for n in graph.merged().nodes if n.theta)
    assert len(tree.edges) == len(tree.holds) - 1
    for variable in graph.variables:
        having = [c for c in tree.holds if variable in c]
        between = [e for e in tree.edges if variable in e[1]]
        assert len(between) == len(having) - 1  # running intersection: a tree within the tree
        assert all(variable in one and variable in other for one, _, other in between)


@pytest.mark.parametrize("name", ["asia", "sprinkler", "three causes"])
def test_the_joint_is_the_product_of_clusters_divided_by_that_of_separators(name):
    graph = GRAPHS[name]
    merged, names = graph.merged(), list(graph.variables)
    theta = random_theta(merged, np.random.default_rng(0))
    cells = np.array(list(np.ndindex(*[2] * len(names))))
    table = {v: cells[:, k] for k, v in enumerate(names)}
    joint = np.exp(loglik(merged, theta, table)).reshape([2] * len(names))
    np.testing.assert_allclose(joint.sum(), 1)

    def marginal(members):
        others = tuple(k for k, v in enumerate(names) if v not in members)
        return joint.sum(axis=others, keepdims=True)

    tree, built = junction_tree(graph), np.ones([1] * len(names))
    for cluster in tree.holds:
        built = built * marginal(cluster)
    for _, between, _ in tree.edges:
        built = built / marginal(between)
    np.testing.assert_allclose(built, joint, atol=1e-12)


def test_the_picture_names_every_cluster_and_every_separator():
    tree = junction_tree(GRAPHS["asia"])
    said = [text.get_text() for text in draw_junction_tree(tree).axes[0].texts]
    for members in (*tree.holds, *(between for _, between, _ in tree.edges)):
        assert ", ".join(members) in said
