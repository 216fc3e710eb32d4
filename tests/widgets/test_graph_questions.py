"""Pins, targets and links of a living graph, its legend, and the place that is free."""

import base64
import json
import zlib
from itertools import product

import numpy as np
import pytest
from placed import polytree, wide_tree
from student import STATES, THETA, student

from fgn_notebooks import examples, paper
from fgnwidgets import BayesGraph, informative, propagate, random_theta
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.graph import contract
from fgnwidgets.widgets.graph.link import packed, unpacked
from fgnwidgets.widgets.graph.spare import boxes_of, spare


@pytest.fixture
def view():
    return GraphView(student(), THETA)


def cards(view):
    return {p["variable"]: p for p in view.scene["parts"] if p["kind"] == "variable"}


def request(view, what, gesture="", **given):
    request.number += 1
    view._handle_custom_msg(
        {"request": request.number, "from": "test", "do": what, "with": given, "gesture": gesture},
        [],
    )


request.number = 0


def said(view):
    """What Python says to the page, as it says it."""
    told = []
    view.send = lambda message, buffers=None: told.append(message)
    return told


# Pins


@pytest.mark.parametrize("form", ["normal", "bayes"])
def test_what_is_pinned_stays_whatever_changes(view, form):
    view.form = form
    before = propagate(student(), THETA)
    assert all(row["ghost"] is None for card in cards(view).values() for row in card["rows"])
    view.pin()
    view.evidence = {"G": "A"}
    view.edit("S|I", 0, 0, 0.5)
    for name, card in cards(view).items():
        ghosts = [row["ghost"] for row in card["rows"]]
        assert ghosts == pytest.approx(before[name].p[:, 0], abs=1e-5)
    assert view.scene["pinned"] == "Nothing observed"
    view.pin()
    assert view.scene["pinned"].startswith("Observed: G = A")
    view.unpin()
    assert all(row["ghost"] is None for card in cards(view).values() for row in card["rows"])


def test_a_pin_is_no_step_of_the_history(view):
    request(view, "pin")
    request(view, "observe", variable="S", cell=1)
    view.undo()
    assert view.evidence == {} and view.scene["pinned"] is not None
    view.undo()
    assert view.scene["pinned"] is not None


# Targets


@pytest.mark.parametrize("evidence", [{}, {"G": "C"}, {"L": [0.2, 1.0]}])
@pytest.mark.parametrize("form", ["normal", "bayes"])
def test_cards_say_what_informative_says(view, evidence, form):
    view.evidence, view.form, view.target = evidence, form, "I"
    found = informative(student(), THETA, {k: [v] for k, v in evidence.items()}, "I")
    for name, card in cards(view).items():
        assert ("tells" in card) == (name in found.bits), name
        if "tells" in card:
            assert card["tells"]["share"] == pytest.approx(found.share[name], abs=1e-4)
    assert cards(view)["I"]["note"] == "target"
    most = max(found.strength.values())
    strengths = {p["id"]: p["strength"] for p in view.scene["parts"] if "strength" in p}
    if form == "bayes":
        wanted = {f"edge:{a}->{b}": v / most for (a, b), v in found.strength.items()}
        assert strengths == pytest.approx(wanted, abs=1e-3)
    else:
        assert set(strengths) == {"node:S|I", "node:G|I,D", "node:L|G"}
        assert max(strengths.values()) == 1


def test_the_information_is_that_of_all_states_counted_out(view):
    """By the joint distribution, summed in plain loops."""
    view.target = "S"
    names = list(STATES)
    joint = {}
    for states in product(*(range(len(STATES[name])) for name in names)):
        at = dict(zip(names, states, strict=True))
        p = THETA["D"][0][at["D"]] * THETA["I"][0][at["I"]]
        p *= THETA["S|I"][at["I"]][at["S"]] * THETA["L|G"][at["G"]][at["L"]]
        joint[states] = p * THETA["G|I,D"][2 * at["I"] + at["D"]][at["G"]]
    s = names.index("S")
    for name in "DIGL":
        x = names.index(name)
        both = np.zeros((len(STATES[name]), 2))
        for states, p in joint.items():
            both[states[x], states[s]] += p
        parts = both.sum(axis=1, keepdims=True) * both.sum(axis=0, keepdims=True)
        bits = float((both * np.log2(both / parts)).sum())
        text = cards(view)[name]["tells"]["text"].partition(" bits")[0]
        assert float(text.lstrip("<")) == pytest.approx(bits, abs=1e-3)


def test_a_target_that_is_observed_has_no_answer_and_says_so(view):
    view.target = "S"
    view.evidence = {"S": "high"}
    assert view.scene["asked"] == "S is observed: nothing is left to ask."
    assert not any("tells" in card for card in cards(view).values())
    view.evidence = {}
    assert all("tells" in card for name, card in cards(view).items() if name != "S")


def test_nothing_is_computed_without_a_target(view, monkeypatch):
    from fgnwidgets.widgets.graph import graph_view

    asked = []
    own = graph_view.ask
    monkeypatch.setattr(graph_view, "ask", lambda *a: asked.append(a) or own(*a))
    view.evidence = {"S": "high"}
    view.selected = "G"
    assert asked == []
    view.target = "I"
    assert len(asked) == 1
    view.selected, view.round = None, 2
    assert len(asked) == 1  # the same evidence has the same answer
    view.evidence = {"S": "low"}
    assert len(asked) == 2


@pytest.mark.parametrize("name", ["Q", "(I,D)", "branch:S"])
def test_a_target_that_is_no_variable_is_refused(view, name):
    with pytest.raises(ValueError, match=r"target is .*: expected None, or one of D, I, G, S, L"):
        view.target = name
    assert view.target is None


# Links


def test_a_link_brings_another_view_to_the_same_state(view):
    view.evidence = {"S": "high", "G": [0.25, 1.0, 0.5]}
    view.form, view.schedule, view.start, view.target = "bayes", "flooding", 3, "I"
    view.round, view.selected = 2, "variable:G"
    link = view.link()
    assert link.startswith("#state=1.") and len(link) < 200
    assert set(link) <= set("#=.-_") | set(map(chr, range(48, 58))) | set(map(chr, range(65, 123)))
    other = GraphView(student(), THETA, {"D": "easy"})
    other.open_link(f"https://example.org/a/graph.html{link}")
    for name in ("evidence", "form", "schedule", "start", "round", "selected", "target"):
        assert getattr(other, name) == getattr(view, name), name
    assert other.link() == link


def test_the_link_of_a_fresh_view_opens_as_one(view):
    other = GraphView(student(), THETA, {"D": "easy"}, form="bayes")
    other.round = 0
    other.open_link(view.link())
    assert other.evidence == {} and other.form == "normal" and other.round == other.rounds


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("", "expected an address that ends with #state="),
        (None, "expected an address that ends with #state="),
        ("#state=7.abc", "the link has version '7': expected '1'"),
        ("#state=1.abc", "the link is not whole"),
        ("#state=1.é", "the link is not whole"),
        (packed({"evidence": {"S": 1}})[:-4], "the link is not whole"),
        (packed({"evidence": {"Q": 1}}), "of another graph: this one has no 'Q'"),
        (packed({"evidence": {"S": 9}}), "of another graph"),
        (packed({"evidence": {"S": "x" * 9}}), "S"),
        (packed({"evidence": [1]}), "of another graph"),
        (packed({"form": "round"}), "form is 'round'"),
        (packed({"target": "Q"}), "target is 'Q'"),
        (packed({"round": 900}), "round is 900"),
        (packed({"selected": "Q"}), "selected is 'Q'"),
    ],
)
def test_a_link_that_is_none_or_of_another_graph_is_refused_and_nothing_changes(view, link, words):
    view.evidence = {"D": "easy"}
    with pytest.raises(ValueError, match=words):
        view.open_link(link)
    assert view.evidence == {"D": "easy"} and view.round == view.rounds


def test_a_link_that_unpacks_to_very_much_is_refused():
    text = json.dumps({"e": {"S": "a" * 10_000_000}}).encode()
    version = packed({"evidence": {"S": "a"}}).partition(".")[0]
    bomb = f"{version}.{base64.urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip('=')}"
    assert len(bomb) < 20_000
    with pytest.raises(ValueError, match="the link is not whole"):
        unpacked(bomb)


def test_the_page_gets_code_and_link_as_events(view):
    told = said(view)
    request(view, "link")
    assert {"event": "link", "from": "test", "text": view.link()} in told


# The legend


def test_the_legend_is_drawn_by_the_contract_of_the_scene_and_every_mark_has_words(view):
    marks = json.loads(json.dumps(view.legend))
    assert [fault for mark in marks for fault in contract.faults(mark, contract.LegendMark)] == []
    keys = [mark["key"] for mark in marks]
    assert len(keys) == len(set(keys))
    assert all(mark["name"] and mark["words"] for mark in marks)
    view.pin()
    view.target = "S"
    assert list(contract.faults(json.loads(json.dumps(view.scene)), contract.Scene)) == []


# The place that is free


def random_boxes(seed):
    rng = np.random.default_rng(seed)
    left, top = rng.uniform(0, 800, 12), rng.uniform(0, 500, 12)
    return tuple(
        (x, y, x + w, y + h)
        for x, y, w, h in zip(
            left, top, rng.uniform(5, 160, 12), rng.uniform(5, 90, 12), strict=True
        )
    )


def apart(place, boxes):
    x, y, w, h = place
    return all(x + w <= a or c <= x or y + h <= b or d <= y for a, b, c, d in boxes)


@pytest.mark.parametrize("seed", range(30))
def test_the_place_that_is_free_meets_nothing_and_no_other_is_larger(seed):
    boxes = random_boxes(seed)
    found = spare(boxes, 900.0, 600.0)
    size = 0.0
    if found is not None:
        x, y, w, h = found
        assert x >= 0 and y >= 0 and x + w <= 900 and y + h <= 600
        assert w >= 300 and h >= 150
        assert apart(found, boxes)
        size = min(w, 560) * min(h, 380)
    rng = np.random.default_rng(seed)
    for _ in range(3000):  # others, a little further from all boxes than the net is wide
        w, h = rng.uniform(300, 560), rng.uniform(150, 380)
        place = (rng.uniform(0, 900 - w), rng.uniform(0, 600 - h), w, h)
        wide = [(a - 16, b - 16, c + 16, d + 16) for a, b, c, d in boxes]
        if apart(place, wide):
            assert (w - 20) * (h - 20) <= size


def test_a_full_drawing_has_no_free_place():
    assert spare(((0.0, 0.0, 900.0, 600.0),), 900.0, 600.0) is None
    assert spare((), 200.0, 100.0) is None


def test_a_slanting_line_takes_what_it_crosses_and_no_more():
    boxes = boxes_of([(0, 0), (400, 300), (400, 500)])
    assert all(c - a <= 30 and d - b <= 30 for a, b, c, d in boxes[:-1])
    assert boxes[-1] == (400, 300, 400, 500)


SHOWN = [student(), wide_tree(), *map(polytree, range(8)), paper.one_hidden_graph()]


@pytest.mark.parametrize("graph", SHOWN)
@pytest.mark.parametrize("form", ["normal", "bayes"])
def test_nothing_is_ever_drawn_where_a_place_is_free(graph, form):
    if form == "bayes" and not isinstance(graph, BayesGraph):
        return
    view = GraphView(graph, random_theta(graph, np.random.default_rng(0)), form=form)
    place = view.scene["spare"]
    branches = {v: view.graph.branch(v) for v in view.graph.variables}
    view.evidence = {
        v: b.states[0] if b.states else 0
        for v, b in branches.items()
        if v not in view.graph.products
    }
    assert view.scene["spare"] == place  # evidence moves nothing
    if place is None:
        return
    boxes = []
    for part in view.scene["parts"]:
        boxes += boxes_of(part.get("points", []))
        boxes += [
            (c["x"], c["y"], c["x"] + c["w"], c["y"] + c["h"]) for c in part.get("messages", [])
        ]
        if part["kind"] == "variable":
            boxes.append((part["x"], part["y"], part["x"] + part["w"], part["y"] + part["h"]))
    assert apart(place, boxes)


def test_the_first_graph_of_the_course_has_room_for_its_panel_and_fits_a_laptop():
    scene = GraphView(*examples.student()).scene
    scale = min(647 / scene["width"], 580 / scene["height"])
    assert scale * 13.5 >= 10  # numbers, in pixels
    _, _, wide, high = scene["spare"]
    assert scale * wide >= 300 and scale * high >= 150
