"""The scene of a living graph, a plain value: what it says is what the engine computed."""

import json

import numpy as np
import pytest
from placed import wide_tree
from student import QUERIES, THETA, student

from fgnwidgets import BayesGraph, propagate, random_theta
from fgnwidgets.graphs.theta import read_theta
from fgnwidgets.widgets.graph.rounds import Round, rounds_of
from fgnwidgets.widgets.graph.scene import part_named, scene

BAYES = student()
FORM = BAYES.normal_form()
MATRICES = read_theta(FORM, THETA)


def at_end(evidence=None):
    return rounds_of(FORM, MATRICES, evidence)[-1]


def parts(drawn, kind=None):
    return {p["id"]: p for p in drawn["parts"] if kind is None or p["kind"] == kind}


def card(drawn, variable):
    return parts(drawn)[f"variable:{variable}"]


@pytest.mark.parametrize("graph", [BAYES, FORM])
@pytest.mark.parametrize(("variable", "state", "given", "p"), QUERIES)
def test_the_bars_of_a_card_are_the_published_posteriors(graph, variable, state, given, p):
    drawn = scene(graph, at_end(given or None), evidence=given)
    row = card(drawn, variable)["rows"][state]
    assert row["p"] == pytest.approx(p, abs=1e-5)
    assert row["number"] == f"{p:.3f}"


def test_a_scene_is_plain_json():
    for graph in (BAYES, FORM):
        at = at_end({"S": "high"})
        drawn = scene(graph, at, evidence={"S": 1}, prior=at.messages, selected="node:I=")
        assert json.loads(json.dumps(drawn)) == drawn


def test_a_branch_shows_its_two_messages_and_says_them():
    at = at_end({"S": "high"})
    branch = parts(scene(FORM, at))["branch:I(2)"]
    forward, backward = branch["messages"]
    assert forward["values"] == pytest.approx(at.messages["I(2)"].f[:, 0], abs=1e-4)
    assert backward["values"] == pytest.approx(at.messages["I(2)"].b[:, 0], abs=1e-4)
    assert branch["name"] == "branch I(2), forward (0.700, 0.300), backward (0.059, 0.941)"


def test_a_matrix_inside_its_block_has_names_for_its_cells_and_a_fixed_one_is_not_edited():
    drawn = parts(scene(FORM, at_end()))
    block = drawn["node:G|I,D"]
    assert block["cells"] == THETA["G|I,D"]
    assert (block["about"], block["edit"]) == ("G", "G|I,D")
    assert block["states"] == ["A", "B", "C"]
    assert block["given"] == ["low, easy", "low, hard", "high, easy", "high, hard"]
    assert drawn["node:D"]["cells"] == THETA["D"]
    assert drawn["node:D"]["given"] == [""]
    shaded = [part for part in drawn.values() if part.get("look") == "shaded"]
    assert shaded and all(part["cells"] == [] and "edit" not in part for part in shaded)


def test_every_branch_node_and_variable_is_a_part_and_product_spaces_have_no_card():
    drawn = scene(FORM, at_end())
    assert {i for i in parts(drawn) if i.startswith("branch:")} == {
        f"branch:{b}" for b in FORM.branches
    }
    assert {i for i in parts(drawn) if i.startswith("node:")} == {
        f"node:{n.name}" for n in FORM.nodes
    }
    assert set(parts(drawn, "variable")) == {f"variable:{v}" for v in "DIGSL"}


def test_evidence_on_a_hidden_variable_shows_the_t_junction_of_the_split():
    before, after = scene(FORM, at_end()), scene(FORM, at_end({"G": "C"}), evidence={"G": 2})
    assert "node:G=" not in parts(before)
    assert parts(after)["node:G="]["kind"] == "diverter"
    assert {"branch:G(0)", "branch:G(1)", "branch:G(2)"} <= set(parts(after))
    assert len(parts(after)["branch:G(2)"]["ends"]) == 1
    assert card(after, "G")["note"] == "observed"


def test_a_card_says_what_is_observed_in_words():
    drawn = scene(FORM, at_end({"S": "high"}), evidence={"S": 1})
    assert card(drawn, "S")["name"] == "variable S, observed high: low 0, high 1"
    assert [row["on"] for row in card(drawn, "S")["rows"]] == [False, True]
    assert card(drawn, "D")["name"].startswith("variable D, not observed: easy 0.600")
    soft = scene(FORM, at_end({"S": [[0.2, 0.8]]}), evidence={"S": [0.2, 0.8]})
    assert card(soft, "S")["note"] == "soft"


def test_the_messages_of_a_round_are_numbered_and_those_to_come_wait():
    at = rounds_of(FORM, MATRICES, None)[2]
    charts = {
        (p["id"], m["direction"]): m
        for p in scene(FORM, at)["parts"]
        for m in p.get("messages", ())
    }
    numbers = {key: chart["number"] for key, chart in charts.items() if chart["number"]}
    assert numbers == {
        (f"branch:{step.branch}", step.direction): i + 1 for i, step in enumerate(at.sent)
    }
    waiting = {key for key, chart in charts.items() if chart["waiting"]}
    assert waiting == {(f"branch:{b}", d) for b, d in at.waiting}


def test_a_variable_keeps_its_colour_in_both_forms_and_colours_differ():
    at = at_end({"G": "C"})
    one, two = (
        {i: p["hue"] for i, p in parts(scene(g, at), "variable").items()} for g in (BAYES, FORM)
    )
    assert one == two
    assert len(set(one.values())) == 5


def test_a_bayesian_graph_has_an_arrow_for_every_parent():
    arrows = {i for i in parts(scene(BAYES, at_end())) if i.startswith("edge:")}
    assert arrows == {"edge:I->G", "edge:D->G", "edge:I->S", "edge:G->L"}


def test_texts_of_users_go_in_as_they_are():
    evil = "<img src=x onerror=alert(1)>"
    bayes = BayesGraph({"<b>A</b>": (evil, "other"), "B": 2}, {"B": "<b>A</b>"})
    at = rounds_of(bayes.normal_form(), random_theta(bayes, np.random.default_rng(0)), None)[-1]
    drawn = scene(bayes, at)
    assert card(drawn, "<b>A</b>")["rows"][0]["full"] == evil


def panel(selected, at=None):
    return scene(FORM, at or at_end({"S": "high"}), selected=selected)["panel"]


def cells(table):
    return [[cell[0] for cell in row[1:]] for row in table["rows"]]


def test_the_panel_of_a_block_is_its_matrix_with_the_names_of_states():
    found = panel("node:G|I,D")
    (table,) = found["tables"]
    assert table["head"] == ["", "A", "B", "C"]
    assert [row[0] for row in table["rows"]] == [
        "low, easy",
        "low, hard",
        "high, easy",
        "high, hard",
    ]
    assert cells(table)[1] == ["0.050", "0.250", "0.700"]
    assert found["lines"][0] == "P(G|I,D), learned"
    assert "shaded" in panel("node:(I,D)(1)|I")["lines"][0]


def test_the_panel_of_a_branch_has_both_messages_and_their_product():
    (table,) = panel("branch:I(2)")["tables"]
    assert table["head"][1:] == ["forward f", "backward b", "belief p"]
    assert cells(table) == [["0.700", "0.059", "0.127"], ["0.300", "0.941", "0.873"]]


@pytest.mark.parametrize("schedule", ["two sweeps", "flooding"])
def test_the_panel_of_a_diverter_shows_products_that_are_right_in_every_round(schedule):
    for at in rounds_of(FORM, MATRICES, {"S": "high"}, schedule=schedule, seed=3):
        for table in panel("node:I=", at)["tables"]:
            if "not sent yet" in table["caption"]:
                continue
            values = np.array([[cell[1] for cell in row[1:]] for row in table["rows"]])
            product = values[:, :-1].prod(axis=1)
            assert values[:, -1] == pytest.approx(product / product.sum(), abs=1e-3)


def test_nothing_selected_offers_all_messages_in_numbers():
    assert panel(None)["tables"] == []
    assert [row[0] for row in panel(None)["more"]["rows"]] == list(FORM.branches)
    assert panel("branch:not there") == panel(None)


def test_a_bare_name_stands_for_its_part_and_an_unknown_one_is_refused():
    assert part_named(FORM, "S") == "variable:S"
    assert part_named(FORM, "I(1)") == "branch:I(1)"
    assert part_named(FORM, "S|I") == "node:S|I"
    assert part_named(FORM, None) is None
    with pytest.raises(ValueError, match="selected is 'Z'.*variable:D"):
        part_named(FORM, "Z")


def test_the_summary_names_what_is_observed_and_its_probability():
    assert scene(FORM, at_end({"S": "high"}), evidence={"S": 1})["summary"] == (
        f"Observed: S = high. log P(evidence) = {np.log(0.275):.4f}"
    )
    assert scene(FORM, at_end())["summary"] == "Nothing observed."


def places(drawn):
    return {
        p["id"]: (p["x"], p["y"]) if "x" in p else p["points"][0]
        for p in drawn["parts"]
        if "->" not in p["id"]
    }


@pytest.mark.parametrize("bayes", [BAYES, wide_tree()])
def test_evidence_on_any_variables_moves_no_part_of_the_drawing(bayes):
    form = bayes.normal_form()
    theta = random_theta(bayes, np.random.default_rng(0))
    still = scene(form, Round(propagate(bayes, theta)))
    names = list(bayes.variables)
    for seen in ({names[0]: 1}, dict.fromkeys(names[:4], 0), dict.fromkeys(names, 1)):
        moved = scene(form, Round(propagate(bayes, theta, seen)), evidence=seen)
        assert (moved["width"], moved["height"]) == (still["width"], still["height"])
        here, there = places(still), places(moved)
        assert {i: there[i] for i in here if i in there} == {i: here[i] for i in here if i in there}
        assert {i for i in here if i.startswith("variable:")} <= set(there)


def test_a_line_without_evidence_is_straight_where_a_t_junction_may_come():
    chain = BayesGraph({"A": 2, "B": 2, "C": 2}, {"B": "A", "C": "B"})
    drawn = scene(
        chain.normal_form(), Round(propagate(chain, random_theta(chain, np.random.default_rng(0))))
    )
    for name in ("branch:A", "branch:B"):
        assert len({x for x, _ in parts(drawn)[name]["points"]}) == 1


def test_evidence_on_a_product_space_from_python_is_drawn_too():
    at = Round(propagate(FORM, THETA, {"(I,D)": np.array([[0.0, 1.0, 0.0, 0.0]])}))
    drawn = scene(FORM, at, evidence={"(I,D)": [0.0, 1.0, 0.0, 0.0]})
    assert card(drawn, "(I,D)")["note"] == "soft"


@pytest.mark.parametrize("graph", [FORM, BAYES], ids=["normal", "bayes"])
def test_what_is_done_to_a_scene_is_not_done_to_the_next_one(graph):
    at = rounds_of(FORM, MATRICES, {"S": "high"})[-1]
    first = scene(graph, at, evidence={"S": 0})
    untouched = json.dumps(first)
    for part in first["parts"]:
        for value in part.values():
            if isinstance(value, list | dict):
                value.clear()
    assert json.dumps(scene(graph, at, evidence={"S": 0})) == untouched
