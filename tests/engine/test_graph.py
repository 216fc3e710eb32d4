"""Normal graphs: what they know of themselves, what they refuse, and T-junctions."""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
from checks import close
from hypothesis import given
from strategies import forests

import fgnwidgets as fg
from fgnwidgets import Block, Branch, Diverter, GraphError, NormalGraph, Source

S, S0, S1, S2, X, Y = (Branch(name, 2) for name in ("S", "S(0)", "S(1)", "S(2)", "X", "Y"))
FIGURE_2 = (
    Source("S", S0),
    Diverter("S=", [S0], [S1, S2]),
    Block("X|S", S1, X),
    Block("Y|S", S2, Y),
)


def test_a_graph_knows_its_branches_variables_and_matrices():
    graph = NormalGraph(FIGURE_2)
    assert list(graph.branches) == ["S(0)", "S(1)", "S(2)", "X", "Y"]
    assert dict(graph.variables) == {
        "S=": ("S(0)", "S(1)", "S(2)"),  # replicas that say nothing of a variable: the diverter's
        "X": ("X",),
        "Y": ("Y",),
    }
    assert dict(graph.matrices) == {"S": (1, 2), "X|S": (2, 2), "Y|S": (2, 2)}
    assert graph.open_branches == ("X", "Y")


def test_replicas_name_their_variable():
    form = fg.BayesGraph({"S": 2, "X": 2, "Y": 2}, {"X": "S", "Y": "S"}).normal_form()
    assert form.variables["S"] == ("S(0)", "S(1)", "S(2)")
    assert form.branch("S").name == "S(0)"


def test_shaded_blocks_are_not_learned():
    graph = NormalGraph([Source("S", S), Block("X|S", S, X, learn=False)])
    assert list(graph.learnable) == ["S"]


def test_a_matrix_is_fixed_where_one_of_its_users_is():
    blocks = [Block("a", S, X, theta="T"), Block("b", X, Y, theta="T", learn=False)]
    assert list(NormalGraph(blocks).learnable) == []


LOOPS = {
    "two blocks in parallel": (
        [
            Diverter("D", [], [S1, S2]),
            Block("a", S1, X),
            Block("b", S2, Y),
            Diverter("E", [X, Y], []),
        ],
        {"S(1)", "S(2)", "X", "Y"},
    ),
    "a node that feeds itself": ([Block("a", S, S)], {"S"}),
    "two branches between two diverters": (
        [Diverter("D", [], [S1, S2]), Diverter("E", [S1, S2], [])],
        {"S(1)", "S(2)"},
    ),
    "beside a tail": (
        [
            Source("S", S0),
            Diverter("D", [S0], [S1, S2]),
            Block("a", S1, X),
            Block("b", S2, Y),
            Diverter("E", [X, Y], [Branch("Z", 2)]),
        ],
        {"S(1)", "S(2)", "X", "Y"},
    ),
}


@pytest.mark.parametrize(("nodes", "around"), LOOPS.values(), ids=LOOPS)
def test_a_loop_is_refused_with_the_branches_on_it_and_no_others(nodes, around):
    with pytest.raises(GraphError, match="form a loop.*merge variables") as error:
        NormalGraph(nodes)
    assert set(error.value.branches) == around


BAD = {
    "no nodes": ([], "no nodes"),
    "no node": ([S], "is no node"),
    "two nodes of one name": ([Source("a", S), Block("a", S, X)], "two nodes are called 'a'"),
    "two heads": (
        [Source("S", S), Block("X|S", S, X), Block("Y|S", S, Y)],
        r"'S' enters two nodes \('X\|S', 'Y\|S'\).*Diverter, or build the graph with BayesGraph",
    ),
    "two tails": ([Source("a", S), Source("b", S)], r"'S' leaves two nodes \('a', 'b'\)"),
    "twice into one node": ([Diverter("D", [S, S], [])], r"'S' enters two nodes \('D', 'D'\)"),
    "two descriptions": ([Source("S", S), Block("b", Branch("S", 3), X)], "described in two ways"),
    "tied matrices of two shapes": (
        [Source("S", S, theta="T"), Block("X|S", S, X, theta="T")],
        r"theta\['T'\] is shared by nodes of shapes \(1, 2\) and \(2, 2\)",
    ),
}


@pytest.mark.parametrize(("nodes", "said"), BAD.values(), ids=BAD)
def test_nodes_that_make_no_graph_are_refused(nodes, said):
    with pytest.raises(GraphError, match=said):
        NormalGraph(nodes)


def test_unknown_names_are_refused_with_the_known_ones():
    graph = NormalGraph(FIGURE_2)
    with pytest.raises(GraphError, match="no variable or branch 'Q': the variables are S=, X, Y"):
        graph.branch("Q")
    with pytest.raises(GraphError, match=r"no node 'Q': the nodes are S, S=, X\|S, Y\|S"):
        graph.node("Q")
    with pytest.raises(GraphError, match="no variable or branch 'Q'"):
        graph.split("Q")


@given(forests())
def test_graphs_are_values(graph):
    form = graph.normal_form()
    again = NormalGraph(form.nodes)
    assert form == again
    assert hash(form) == hash(again)
    assert pickle.loads(pickle.dumps(form)) == form
    assert copy.deepcopy(graph) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert " at 0x" not in repr(form) + repr(graph)


def test_splitting_a_branch_puts_a_diverter_into_it():
    graph = NormalGraph([Source("S", S), Block("X|S", S, X)]).split("S")
    assert graph.variables["S"] == ("S(0)", "S(1)", "S(2)")
    assert set(graph.open_branches) == {"S(2)", "X"}
    assert graph.matrices == {"S": (1, 2), "X|S": (2, 2)}


def test_splitting_a_variable_that_has_a_diverter_adds_a_port():
    form = fg.BayesGraph({"S": 2, "X": 2, "Y": 2}, {"X": "S", "Y": "S"}).normal_form()
    split = form.split("S")
    assert split.variables["S"] == ("S(0)", "S(1)", "S(2)", "S(3)")
    assert set(split.open_branches) - set(form.open_branches) == {"S(3)"}


@given(forests())
def test_a_split_changes_no_message(graph):
    theta = fg.random_theta(graph, np.random.default_rng(1))
    split = graph.normal_form().split(*graph.variables)
    before, after = fg.propagate(graph, theta), fg.propagate(split, theta)
    for name in graph.variables:
        close(before[name].p, after[name].p)


def test_splitting_nothing_is_the_same_graph():
    graph = NormalGraph(FIGURE_2)
    assert graph.split() is graph


def test_the_diameter_of_a_chain_is_its_number_of_nodes():
    branches = [Branch(f"X{k}", 2) for k in range(6)]
    blocks = [Block(f"b{k}", x, y) for k, (x, y) in enumerate(pairwise(branches))]
    assert NormalGraph([Source("s", branches[0]), *blocks]).diameter == 6


@pytest.mark.parametrize("seed", range(30))
def test_the_branches_of_a_loop_are_named_in_their_order_around_it(seed):
    rng = np.random.default_rng(seed)
    names = [f"V{k}" for k in range(7)]
    parents = {
        child: tuple(p for p in names[:k] if rng.random() < 0.4) for k, child in enumerate(names)
    }
    parents["V6"] = tuple(dict.fromkeys((*parents["V6"], "V0", "V1")))
    parents["V1"] = ("V0",)  # so that there is a loop
    bayes = fg.BayesGraph(dict.fromkeys(names, 2), parents)
    form = bayes.normal_form(loops=True)
    semiring = form.loop
    for one, other in zip(semiring, (*semiring[1:], semiring[0]), strict=True):
        ends = [{form.tails.get(b), form.heads.get(b)} - {None} for b in (one, other)]
        assert ends[0] & ends[1], (one, other)
    variables = bayes.loop  # and so are the variables, with the children of product spaces
    assert set(variables) <= set(names) and len(set(variables)) == len(variables) > 2
    for one, other in zip(variables, (*variables[1:], variables[0]), strict=True):
        family = parents[one], parents[other]
        assert one in family[1] or other in family[0] or family[0] == family[1], (one, other)


def test_a_loop_through_a_product_space_names_the_child_once():
    diamond = fg.BayesGraph(dict.fromkeys("ABCD", 2), {"B": "A", "C": "A", "D": ("B", "C")})
    assert diamond.loop == ("A", "C", "D", "B")
    triangle = fg.BayesGraph(dict.fromkeys("ABC", 2), {"B": "C", "A": ("C", "B")})
    assert sorted(triangle.loop) == ["A", "B", "C"]
    through = fg.BayesGraph(
        dict.fromkeys("ABCDE", 2), {"C": ("A", "B"), "D": ("A", "B"), "E": ("C", "D")}
    )
    assert sorted(through.loop) == [*"ABCDE"]  # C and D meet in E, and in their parents
