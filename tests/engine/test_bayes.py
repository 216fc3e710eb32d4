"""Bayesian graphs and their normal forms."""

import numpy as np
import pytest
from checks import close
from hypothesis import given
from oracles import branch_table, joint
from strategies import cases

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Diverter, Expand, GraphError


def names(graph):
    return [node.name for node in graph.nodes]


def test_a_variable_with_one_child_needs_no_diverter():
    form = BayesGraph({"S": 3, "X": 2}, {"X": "S"}).normal_form()
    assert names(form) == ["S", "X|S"]
    assert list(form.branches) == ["S", "X"]


def test_a_variable_with_several_children_gets_a_diverter_with_replicas():
    form = BayesGraph({"S": 3, "X": 2, "Y": 2}, {"X": "S", "Y": "S"}).normal_form()
    assert names(form) == ["S", "S=", "X|S", "Y|S"]
    assert form.variables["S"] == ("S(0)", "S(1)", "S(2)")


def test_several_parents_become_a_product_space_with_shaded_blocks():
    form = BayesGraph({"A": 2, "B": 3, "C": 2}, {"C": ("A", "B")}).normal_form()
    assert form.matrices["C|A,B"] == (6, 2)
    shaded = [node for node in form.nodes if isinstance(node, Expand)]
    assert [(node.x.name, node.sizes, node.axis) for node in shaded] == [
        ("A", (2, 3), 0),
        ("B", (2, 3), 1),
    ]
    assert "(A,B)" in form.variables


def test_children_of_the_same_parents_share_one_product_space():
    graph = BayesGraph({"A": 2, "B": 2, "C": 2, "D": 2}, {"C": ("A", "B"), "D": ("A", "B")})
    assert sum(isinstance(node, Expand) for node in graph.normal_form().nodes) == 2


def test_the_simplified_model_has_a_block_per_parent():
    graph = BayesGraph({"A": 2, "B": 3, "C": 2}, {"C": ("A", "B")})
    form = graph.normal_form("separate")
    assert dict(form.matrices) == {"A": (1, 2), "B": (1, 3), "C|A": (2, 2), "C|B": (3, 2)}
    assert sum(isinstance(node, Diverter) for node in form.nodes) == 1


def test_another_way_to_combine_is_refused():
    with pytest.raises(ValueError, match="combine is 'sum': expected 'product' or 'separate'"):
        BayesGraph({"A": 2}).normal_form("sum")


@given(cases(max_variables=4))
def test_the_normal_form_is_the_same_distribution(case):
    form = case.graph.normal_form()
    table = branch_table(form, case.theta, {}, 0)
    axes = [list(form.branches).index(form.branch(v).name) for v in case.graph.variables]
    marginal = np.einsum(table, list(range(table.ndim)), axes)
    close(marginal, joint(case.graph, case.theta))


SIZES = {"A": 2, "B": 2, "C": 2, "D": 2, "E": 2}
LOOPS = {
    "a diamond": ({"B": "A", "C": "A", "D": ("B", "C")}, {"A", "B", "C"}),
    "through a product": ({"C": ("A", "B"), "D": ("B", "A"), "A": "B"}, {"A", "B"}),
    "beside two orders": (
        {"C": ("A", "B"), "D": ("B", "A"), "E": ("C", "D")},
        {"A", "B", "C", "D"},
    ),
}


@pytest.mark.parametrize(
    ("parents", "way"),
    [({"B": "A", "C": "B", "A": "C"}, "A -> B -> C -> A"), ({"B": "A", "A": "B"}, "A -> B -> A")],
)
def test_arrows_in_a_circle_are_refused_and_nobody_is_told_to_merge(parents, way):
    with pytest.raises(GraphError, match=f"the arrows {way} go in a circle") as error:
        BayesGraph(SIZES, parents)
    assert "merge" not in str(error.value)


@pytest.mark.parametrize(("parents", "around"), LOOPS.values(), ids=LOOPS)
def test_a_loop_is_refused_with_the_variables_on_it(parents, around):
    graph = BayesGraph(SIZES, parents)
    with pytest.raises(GraphError, match=r"form a loop.*graph.merged\(\)") as error:
        graph.normal_form()
    for name in around:
        assert name in str(error.value).split(" form ")[0]


BAD = {
    "no variables": (({},), {}, "the graph has no variables"),
    "cardinality zero": (({"A": 0},), {}, "branch 'A': size is 0: expected a whole number >= 1"),
    "unknown parent": ((SIZES, {"A": "Q"}), {}, "parent 'Q' of 'A' is no variable: there are A, B"),
    "unknown child": ((SIZES, {"Q": "A"}), {}, "no variable 'Q': the variables are A, B, C, D"),
    "its own parent": ((SIZES, {"A": "A"}), {}, "'A' has the parents.*not itself"),
    "a parent twice": ((SIZES, {"A": ("B", "B")}), {}, "'A' has the parents.*different variables"),
    "unknown matrix owner": ((SIZES,), {"theta": {"Q": "T"}}, "no variable 'Q'"),
    "unknown fixed variable": ((SIZES,), {"fixed": ["Q"]}, "no variable 'Q'"),
    "a name like a replica's": (
        ({"S": 2, "S(1)": 2, "X": 2, "Y": 2}, {"X": "S", "Y": "S"}),
        {},
        r"branch 'S\(1\)' is described in two ways",
    ),
}


@pytest.mark.parametrize(("arguments", "options", "said"), BAD.values(), ids=BAD)
def test_what_is_no_graph_is_refused(arguments, options, said):
    with pytest.raises(GraphError, match=said):
        BayesGraph(*arguments, **options)


def test_every_entry_point_refuses_what_is_no_graph():
    with pytest.raises(TypeError, match="graph is a dict: expected a BayesGraph or a NormalGraph"):
        fg.propagate({"S": 2}, {})


def test_the_order_of_the_variables_changes_nothing(rng):
    sizes, parents = {"S": 3, "X": 2, "Y": 4}, {"X": "S", "Y": "S"}
    one = BayesGraph(sizes, parents)
    two = BayesGraph(dict(reversed(sizes.items())), parents)
    theta = fg.random_theta(one, rng)
    evidence = {"X": [0, 1, -1], "Y": [3, -1, 2]}
    for name in sizes:
        close(
            fg.posterior(one, theta, evidence, name),
            fg.posterior(two, theta, dict(reversed(evidence.items())), name),
        )


def test_from_table_reads_sizes_and_labels_and_adds_hidden_variables():
    table = {"X": ["no", "yes", None], "Y": [2, 0, None]}
    graph = BayesGraph.from_table(table, {"X": "S", "Y": "S"}, hidden={"S": 3})
    assert {name: b.states or b.size for name, b in graph.variables.items()} == {
        "S": 3,
        "X": ("no", "yes"),
        "Y": (0, 2),
    }


def test_hidden_also_gives_the_states_that_a_column_does_not_show():
    graph = BayesGraph.from_table({"X": ["a", None]}, hidden={"X": ("a", "b")})
    assert graph.variables["X"].states == ("a", "b")
