"""The parts of a drawing have their places; and the checks that say so find planted faults."""

from itertools import pairwise

import numpy as np
import pytest
from drawn import random_forest
from placed import (
    SCENE_CHECKS,
    astray,
    boxes,
    card_box,
    crossed,
    leaving,
    loose,
    meeting,
    overfull,
    overlapping,
    polytree,
    scene_faults,
    twelve,
    wide_tree,
)
from student import student

from fgnwidgets import BayesGraph, Block, Source, propagate, random_theta
from fgnwidgets.draw import layout_bayes, layout_normal
from fgnwidgets.widgets import GraphEditor
from fgnwidgets.widgets.graph.rounds import Round
from fgnwidgets.widgets.graph.scene import scene


def made(bayes, form, seen=None):
    at = Round(propagate(bayes, random_theta(bayes, np.random.default_rng(0)), seen))
    return scene(bayes if form == "bayes" else bayes.normal_form(), at, evidence=seen)


def some(bayes, count):
    """Evidence on so many variables, from the first on."""
    return dict.fromkeys(list(bayes.variables)[:count], 1)


@pytest.mark.parametrize("bayes", [student(), wide_tree(), twelve(), *map(polytree, range(20))])
@pytest.mark.parametrize("form", ["bayes", "normal"])
@pytest.mark.parametrize("count", [0, 3])
def test_everything_has_its_place_and_lies_on_nothing_else(bayes, form, count):
    drawn = made(bayes, form, some(bayes, count))
    assert {p["variable"] for p in drawn["parts"] if "variable" in p} == set(bayes.variables)
    assert scene_faults(drawn) == []
    if form == "bayes":  # cards of a row have room between them
        cards = boxes(p for p in drawn["parts"] if "variable" in p)
        assert meeting(cards, apart=14) == []


@pytest.mark.parametrize("bayes", [student(), wide_tree()])
def test_parents_stand_above_their_children_and_children_in_their_order(bayes):
    drawn = made(bayes, "bayes")
    at = {p["variable"]: p["at"] for p in drawn["parts"] if "variable" in p}
    for child, parents in bayes.parents.items():
        assert all(at[parent][1] < at[child][1] for parent in parents), child
    if bayes != student():
        first = [f"X{i}" for i in (1, 2, 3)]
        assert all(at[one][0] < at[two][0] for one, two in pairwise(first))


def child_of(*parents, others=()):
    """A child of these parents, which are declared in the order of the alphabet, and ``others``."""
    own = {"C": parents} | dict(others)
    return BayesGraph(dict.fromkeys([*sorted(parents), *own], 2), own)


FAMILIES = [
    student(),
    child_of("B", "A"),
    child_of("B", "A", others=[("D", "A"), ("E", "C"), ("F", "D")]),
    child_of("A", "B", others=[("D", "A"), ("E", "A"), ("F", "B")]),
    child_of("L", "K", "M"),
    child_of("L", "K", "M", others=[("D", "K"), ("E", "M"), ("F", "C")]),
    child_of("M", "L", "K", others=[("C2", ("M", "L", "K"))]),
    *(random_forest(3 + seed % 12, seed) for seed in (4, 6, 8, 11, 14, 22, 28, 32)),
]


@pytest.mark.parametrize("bayes", FAMILIES)
def test_every_picture_has_parents_from_left_to_right_as_their_child_names_them(bayes):
    form = bayes.normal_form()
    across = {}
    for bars in (False, True):
        drawn = layout_bayes(bayes, bars=bars).positions
        across["Bayesian", bars] = {name: drawn[name][0] for name in bayes.variables}
        drawn = layout_normal(form, bars=bars).positions
        across["normal", bars] = {
            branch.variable: drawn[node.name][0]
            for node in form.nodes
            if isinstance(node, Source | Block)
            for branch in node.outputs
        }
    for kind, evidence in (("bayes", 0), ("normal", 0), ("normal", 3)):
        parts = made(bayes, kind, some(bayes, evidence))["parts"]
        cards = [p for p in parts if "variable" in p]
        shift = [p["w"] / 2 if kind == "bayes" else 0.0 for p in cards]  # centre, or line beside
        across["living", kind, evidence] = {
            p["variable"]: p["x"] + s for p, s in zip(cards, shift, strict=True)
        }
    for picture, x in across.items():
        for child, parents in bayes.parents.items():
            assert list(parents) == sorted(parents, key=x.__getitem__), (picture, child)


@pytest.mark.parametrize("bayes", [student(), wide_tree(), twelve(), *map(polytree, range(8))])
def test_the_cards_of_an_editor_lie_apart_with_parents_above(bayes):
    cards = {card["variable"]: card_box(card) for card in GraphEditor(bayes).scene["cards"]}
    assert set(cards) == set(bayes.variables)
    assert meeting(cards, apart=12) == []
    for child, parents in bayes.parents.items():
        assert all(cards[parent][3] < cards[child][1] for parent in parents), child


# Planted faults


def part(drawn, name):
    return next(p for p in drawn["parts"] if p["id"] == name)


def a_card_on_another(drawn):
    part(drawn, "variable:S")["x"] = part(drawn, "variable:G")["x"]
    part(drawn, "variable:S")["y"] = part(drawn, "variable:G")["y"] + 40


def a_message_under_a_card(drawn):
    part(drawn, "branch:S")["messages"][1]["x"] += 40


def a_name_under_a_card(drawn):
    part(drawn, "node:S|I")["label"]["y"] += 40


def a_drawing_that_is_too_narrow(drawn):
    drawn["width"] *= 0.8


def a_line_outside(drawn):
    part(drawn, "branch:S")["points"][-1][1] = drawn["height"] + 8


def a_row_too_many(drawn):
    part(drawn, "variable:S")["rows"].append({})


def bars_out_of_their_card(drawn):
    part(drawn, "variable:S")["bar"] += 80


def rows_too_low_for_a_finger(drawn):
    part(drawn, "variable:S")["row"] = 20


def an_arrow_through_a_card(drawn):
    part(drawn, "edge:G->L")["points"].insert(1, part(drawn, "variable:S")["at"])


def a_line_through_a_block(drawn):
    y = part(drawn, "node:S|I")["y"]
    part(drawn, "branch:S")["points"][0][1] = y - 5


def an_arrow_that_stops_before_its_card(drawn):
    part(drawn, "edge:I->G")["points"][-1][1] -= 20


def an_arrow_into_its_card(drawn):
    part(drawn, "edge:I->G")["points"][-1][1] += 10


def a_line_that_stops_before_its_block(drawn):
    part(drawn, "branch:S")["points"][0][1] += 10


def an_open_end_beside_its_line(drawn):
    x, y = part(drawn, "branch:S")["ends"][0]
    part(drawn, "branch:S")["ends"] = [[x + 10, y]]


def forward_and_backward_swapped(drawn):
    one, two = part(drawn, "branch:S")["messages"]
    one["x"], two["x"] = two["x"], one["x"]


def a_message_far_from_its_line(drawn):
    for chart in part(drawn, "branch:S")["messages"]:
        chart["x"] -= 30


def a_head_beside_its_line(drawn):
    part(drawn, "edge:I->G")["arrow"]["x"] += 10


def a_head_that_points_back(drawn):
    arrow = part(drawn, "edge:I->G")["arrow"]
    arrow["towards"] = [-v for v in arrow["towards"]]


def two_names_of_branches_swapped(drawn):
    one, two = part(drawn, "branch:I(1)"), part(drawn, "branch:I(2)")
    one["label"], two["label"] = two["label"], one["label"]


def a_name_inside_its_block(drawn):
    part(drawn, "node:S|I")["label"]["x"] -= 20


PLANTED = [
    (overlapping, "bayes", a_card_on_another),
    (overlapping, "normal", a_message_under_a_card),
    (overlapping, "normal", a_name_under_a_card),
    (leaving, "normal", a_drawing_that_is_too_narrow),
    (leaving, "normal", a_line_outside),
    (overfull, "bayes", a_row_too_many),
    (overfull, "bayes", bars_out_of_their_card),
    (overfull, "bayes", rows_too_low_for_a_finger),
    (crossed, "bayes", an_arrow_through_a_card),
    (crossed, "normal", a_line_through_a_block),
    (loose, "bayes", an_arrow_that_stops_before_its_card),
    (loose, "bayes", an_arrow_into_its_card),
    (loose, "normal", a_line_that_stops_before_its_block),
    (loose, "normal", an_open_end_beside_its_line),
    (astray, "normal", forward_and_backward_swapped),
    (astray, "normal", a_message_far_from_its_line),
    (astray, "bayes", a_head_beside_its_line),
    (astray, "bayes", a_head_that_points_back),
    (astray, "normal", two_names_of_branches_swapped),
    (astray, "normal", a_name_inside_its_block),
]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("check", "form", "fault"), PLANTED, ids=[fault.__name__ for *_, fault in PLANTED]
)
def test_a_planted_fault_is_found(check, form, fault):
    drawn = made(student(), form)
    assert check(drawn) == []
    fault(drawn)
    found = check(drawn)
    assert found


@pytest.mark.quick
def test_every_check_has_a_planted_fault():
    assert {check for check, *_ in PLANTED} == set(SCENE_CHECKS)
