"""Layouts: every edge down, nothing on top of anything else, whatever the forest."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from drawn import random_forest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import forests

from fgnwidgets import BayesGraph, Block, Branch, Diverter, NormalGraph, Source
from fgnwidgets.draw.layout import Layout, layout_bayes, layout_normal
from fgnwidgets.draw.measures import BLOCK, DIVERTER, TERMINAL, node_label, variable_half

TOUCH = 1e-9
seeds = st.integers(0, 10**6)
sizes = st.integers(1, 30)


def segments(layout: Layout):
    return [(name, a, b) for name, path in layout.paths.items() for a, b in pairwise(path)]


def ends(graph: NormalGraph, branch: str) -> set[str]:
    return {side[branch].name for side in (graph.tails, graph.heads) if branch in side}


def meetings(graph: NormalGraph, layout: Layout) -> list[tuple[str, str]]:
    """Branches whose lines touch anywhere but on the bar of a diverter that both are joined to."""
    found = []
    for (one, a, b), (two, c, d) in combinations(segments(layout), 2):
        x = max(min(a[0], b[0]), min(c[0], d[0])), min(max(a[0], b[0]), max(c[0], d[0]))
        y = max(min(a[1], b[1]), min(c[1], d[1])), min(max(a[1], b[1]), max(c[1], d[1]))
        if one == two or x[0] > x[1] + TOUCH or y[0] > y[1] + TOUCH:
            continue
        shared = ends(graph, one) & ends(graph, two)
        bars = [layout.positions[name][1] for name in shared]
        if not any(abs(y[0] - bar) < TOUCH and abs(y[1] - bar) < TOUCH for bar in bars):
            found.append((one, two))
    return found


def half(node) -> float:
    return DIVERTER if isinstance(node, Diverter) else BLOCK


def through_nodes(graph: NormalGraph, layout: Layout) -> list[tuple[str, str]]:
    """Branches with a point inside the square of some node."""
    return [
        (name, node.name)
        for name, a, b in segments(layout)
        for node in graph.nodes
        for x, y in [layout.positions[node.name]]
        if min(a[0], b[0]) < x + half(node) - TOUCH
        and max(a[0], b[0]) > x - half(node) + TOUCH
        and min(a[1], b[1]) < y + half(node) - TOUCH
        and max(a[1], b[1]) > y - half(node) + TOUCH
    ]


def through_a_neighbour(graph, paths, positions):
    """The branch of A takes the column of B's block."""
    (x, top), (_, foot) = positions["S="], positions["B|S"]
    paths["S(1)"] = ((x, top), (positions["B|S"][0], top), (positions["B|S"][0], foot + 1))


def on_a_node(graph, paths, positions):
    """A block is pushed onto the line of another one."""
    positions["A|S"] = tuple(np.mean(paths["S(2)"][-2:], axis=0))


@pytest.mark.parametrize(
    ("check", "fault"), [(meetings, through_a_neighbour), (through_nodes, on_a_node)]
)
def test_a_layout_with_a_planted_fault_is_found_out(check, fault):
    graph = BayesGraph({"S": 2, "A": 2, "B": 2}, {"A": "S", "B": "S"}).normal_form()
    layout = layout_normal(graph)
    assert not check(graph, layout)
    paths, positions = dict(layout.paths), dict(layout.positions)
    fault(graph, paths, positions)
    assert check(graph, replace(layout, paths=paths, positions=positions))


@settings(max_examples=150, deadline=None)
@given(sizes, seeds, st.booleans())
def test_no_two_branches_of_a_forest_meet_and_none_goes_through_a_node(n, seed, bars):
    graph = random_forest(n, seed).normal_form()
    layout = layout_normal(graph, bars=bars)
    assert not meetings(graph, layout)
    assert not through_nodes(graph, layout)


@settings(max_examples=150, deadline=None)
@given(sizes, seeds, st.integers(2, 4), st.integers(0, 14), st.integers(0, 3))
def test_children_in_rows_meet_no_branch_either(n, seed, rows, many, deep):
    bayes = random_forest(n, seed)
    edges = [(p, c) for c, parents in bayes.parents.items() for p in parents]
    below = next(iter(bayes.variables))
    fan = {f"fan{k}": 2 for k in range(many)} | {f"deep{k}": 2 for k in range(deep)}
    edges += [(below, name) for name in fan] + [(f"deep{k}", f"deeper{k}") for k in range(deep)]
    names = dict.fromkeys([*bayes.variables, *fan, *(f"deeper{k}" for k in range(deep))], 2)
    graph = BayesGraph(names, edges=edges).normal_form()
    layout = layout_normal(graph, bars=True, rows=rows)
    assert not meetings(graph, layout)
    assert not through_nodes(graph, layout)


def test_many_children_stand_in_rows_that_are_read_one_after_the_other():
    children = [f"X{k}" for k in range(1, 11)]
    bayes = BayesGraph({"S": 2} | dict.fromkeys(children, 2), dict.fromkeys(children, "S"))
    graph = bayes.normal_form()
    wide, narrow = (layout_normal(graph, bars=True, rows=rows) for rows in (1, 3))
    assert narrow.width < 0.8 * wide.width
    for layout in (narrow, layout_bayes(bayes, rows=3)):
        ends = {name: layout.paths[name][-1] for name in children if name in layout.paths}
        ends = ends or {name: layout.positions[name] for name in children}
        rows = sorted({round(y, 3) for _, y in ends.values()})
        assert len(rows) == 3
        assert sorted(ends, key=lambda name: (ends[name][1], ends[name][0])) == children


def test_few_children_stay_side_by_side():
    children = [f"X{k}" for k in range(5)]
    bayes = BayesGraph({"S": 2} | dict.fromkeys(children, 2), dict.fromkeys(children, "S"))
    assert layout_bayes(bayes, rows=4) == layout_bayes(bayes)


@settings(max_examples=100, deadline=None)
@given(forests())
def test_families_that_share_their_parents_are_drawn_without_a_crossing(bayes):
    for combine in ("product", "separate"):
        try:
            graph = bayes.normal_form(combine)
        except ValueError:  # two separate blocks from each parent: a loop
            continue
        assert not meetings(graph, layout_normal(graph))


@settings(max_examples=60, deadline=None)
@given(sizes, seeds)
def test_every_branch_goes_down_from_its_tail_to_its_head(n, seed):
    layout = layout_normal(random_forest(n, seed).normal_form())
    for path in layout.paths.values():
        heights = [y for _, y in path]
        assert heights == sorted(heights) and heights[0] < heights[-1]
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(path))


@settings(max_examples=60, deadline=None)
@given(sizes, seeds)
def test_a_path_runs_from_the_border_of_its_tail_to_that_of_its_head(n, seed):
    graph = random_forest(n, seed).normal_form()
    layout = layout_normal(graph)
    for name, path in layout.paths.items():
        for side, point in ((graph.tails, path[0]), (graph.heads, path[-1])):
            if name in side:
                x, y = layout.positions[side[name].name]
                away = max(abs(point[0] - x), abs(point[1] - y))
                assert away == pytest.approx(half(side[name]))


@settings(max_examples=60, deadline=None)
@given(sizes, seeds, st.booleans())
def test_an_arrow_goes_down_from_the_border_of_a_parent_to_that_of_its_child(n, seed, bars):
    bayes = random_forest(n, seed)
    layout = layout_bayes(bayes, bars=bars)
    rows = max(branch.size for branch in bayes.variables.values()) if bars else 0
    for child, parents in bayes.parents.items():
        for parent in parents:
            path = layout.paths[f"{parent}->{child}"]
            assert path[0][1] < path[-1][1]
            for variable, (x, y) in ((parent, path[0]), (child, path[-1])):
                (u, v), half = (
                    layout.positions[variable],
                    variable_half(bayes.variables[variable], rows),
                )
                across, down = abs(x - u) / half[0], abs(y - v) / half[1]
                round_border = across**2 + down**2 == pytest.approx(1)
                assert round_border or (across, down) == pytest.approx((0, 1)), (parent, child)


@settings(max_examples=60, deadline=None)
@given(sizes, seeds)
def test_everything_lies_between_zero_and_width_and_height(n, seed):
    graph = random_forest(n, seed).normal_form()
    layout = layout_normal(graph)
    points = [p for path in layout.paths.values() for p in path]
    points += [(x + BLOCK, y + BLOCK) for x, y in layout.positions.values()]
    points += [(x - DIVERTER, y - DIVERTER) for x, y in layout.positions.values()]
    assert all(-TOUCH <= x <= layout.width + TOUCH for x, _ in points)
    assert all(-TOUCH <= y <= layout.height - TERMINAL + TOUCH for _, y in points)


def test_the_source_of_a_tree_is_on_top_and_its_leaves_are_below():
    bayes = BayesGraph(
        {"S": 2, "Y1": 2, "Y2": 2, "X1": 2, "X2": 2}, {"Y1": "S", "Y2": "S", "X1": "Y1", "X2": "Y1"}
    )
    layout = layout_normal(bayes.normal_form())
    assert min(layout.positions, key=lambda name: layout.positions[name][1]) == "S"
    lowest = max(layout.paths, key=lambda name: layout.paths[name][-1][1])
    assert lowest in ("X1", "X2")


def test_sources_that_meet_in_a_product_space_stand_in_a_row_in_their_order():
    bayes = BayesGraph({"A": 2, "B": 2, "C": 2, "X": 2}, {"X": ("A", "B", "C")})
    places = [layout_normal(bayes.normal_form()).positions[name] for name in "ABC"]
    assert len({y for _, y in places}) == 1
    assert sorted(places) == places


def test_children_stand_in_their_order_and_evenly_under_their_parent():
    bayes = BayesGraph({"S": 2, "A": 2, "B": 2, "C": 2}, {"A": "S", "B": "S", "C": "S"})
    layout = layout_bayes(bayes)
    a, b, c = (layout.positions[name][0] for name in "ABC")
    assert b - a == pytest.approx(c - b) and a < b
    assert layout.positions["S"][0] == pytest.approx(b)


@settings(max_examples=30, deadline=None)
@given(sizes, seeds)
def test_a_layout_is_the_same_every_time(n, seed):
    graph = random_forest(n, seed).normal_form()
    assert layout_normal(graph) == layout_normal(NormalGraph(graph.nodes))


def test_a_chain_of_thousands_of_blocks_needs_no_recursion():
    branches = [Branch(f"B{k}", 2) for k in range(3001)]
    blocks = [Block(f"P{k}", x, y, theta="T") for k, (x, y) in enumerate(pairwise(branches))]
    layout = layout_normal(NormalGraph([Source("B0", branches[0]), *blocks]))
    assert len({x for x, _ in layout.positions.values()}) == 1  # one straight line
    assert layout.height > 3000


def test_a_hidden_markov_chain_is_a_straight_column_with_its_leaves_beside_it():
    n = 12
    states = {f"{kind}{k}": 2 for k in range(n) for kind in "SX"}
    parents = {f"S{k}": f"S{k - 1}" for k in range(1, n)} | {f"X{k}": f"S{k}" for k in range(n)}
    layout = layout_bayes(BayesGraph(states, parents))
    assert len({layout.positions[f"S{k}"][0] for k in range(n - 2)}) == 1
    assert layout.width < 3


def test_a_diverter_with_hundreds_of_ports_is_one_wide_bar():
    bayes = BayesGraph(
        {"S": 2, **{f"X{k}": 2 for k in range(300)}}, {f"X{k}": "S" for k in range(300)}
    )
    graph = bayes.normal_form()
    layout = layout_normal(graph)
    columns = [layout.positions[f"X{k}|S"][0] for k in range(300)]
    assert columns == sorted(columns) and len(set(columns)) == 300
    assert not through_nodes(graph, layout)


def test_trees_that_do_not_fit_side_by_side_stand_on_several_shelves():
    layout = layout_normal(BayesGraph({f"V{k}": 2 for k in range(60)}).normal_form())
    rows = {y for _, y in layout.positions.values()}
    assert 2 < len(rows) < 20
    assert layout.width < 20


def test_both_open_ends_of_a_branch_are_on_its_path():
    x, y = Branch("X", 2), Branch("Y", 2)
    layout = layout_normal(NormalGraph([Block("Y|X", x, y)]))
    block = layout.positions["Y|X"]
    assert layout.paths["X"][-1] == (block[0], block[1] - BLOCK)
    assert layout.paths["Y"][0] == (block[0], block[1] + BLOCK)
    assert layout.paths["X"][0][1] < block[1] < layout.paths["Y"][-1][1]


def test_room_that_is_asked_for_beside_a_branch_stays_free():
    graph = BayesGraph({"S": 2, "A": 2, "B": 2}, {"A": "S", "B": "S"}).normal_form()
    layout = layout_normal(graph, bars=True, room={"A": 3.0})
    assert layout.paths["B"][-1][0] - layout.paths["A"][-1][0] >= 3.0


def test_a_block_is_labelled_by_its_matrix_and_a_product_block_not_at_all():
    graph = BayesGraph({"A": 2, "B": 2, "X": 2}, {"X": ("A", "B")}).normal_form()
    labels = {node.name: node_label(node) for node in graph.nodes}
    assert labels == {
        "A": "π A",
        "B": "π B",
        "X|A,B": "P(X|A,B)",
        "(A,B)(1)|A": "",
        "(A,B)(2)|B": "",
        "(A,B)=": "",
    }
    tied = Block("Y[1]|X[1]", Branch("X[1]", 2), Branch("Y[1]", 2), theta="Y|X")
    assert node_label(tied) == "Y|X"
