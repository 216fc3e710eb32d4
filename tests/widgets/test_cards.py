"""Cards of variables: what stands in them has room, whatever its letters."""

from itertools import pairwise

import numpy as np
import pytest
from placed import text_width, twelve

from fgnwidgets import BayesGraph, uniform_theta
from fgnwidgets.draw.names import number
from fgnwidgets.widgets import GraphEditor, GraphView
from fgnwidgets.widgets.graph.cards import BAR, NUMBER, TITLE, card, filled, short

LABELS = ["maybe", "mmmmmmmm", "WWWW", "iiii", "a|b", "weiß nicht", "strongly agree", "100-200"]


def made(states, name="A"):
    belief = np.array([1 / len(states)] * len(states))
    return filled(card(name, states, 0.0, 0.0), belief, None, None)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(("states", "font"), [(2, 11.5), (9, 9.5)])
def test_no_state_touches_its_bar_and_none_is_far_from_it(label, states, font):
    shown = made([label, *"abcdefghi"[: states - 1]])
    end = 10 + text_width(short(label), font)  # the page begins to write at 10
    assert end + 5 <= shown["bar"] <= end + 40
    assert shown["w"] >= shown["bar"] + BAR + NUMBER


@pytest.mark.parametrize("name", [*LABELS, "Umbrella", "X1", "WWWWWMMMMMwwwww", "illilli", "é"])
@pytest.mark.parametrize(("note", "weight"), [("observed", "normal"), ("conflict", "bold")])
def test_no_name_touches_the_note_beside_it(name, note, weight):
    shown = made(["a", "b"], name)
    end = 10 + text_width(short(name, TITLE), 12.5, "bold")  # the page begins to write at 10
    assert end + 4 <= shown["w"] - 27 - text_width(note, 12.2, weight)  # the dots take 27


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1234, 4e-4, 9.9e-10, 5e-99, 9.7e-100, 5e-133])
def test_no_number_reaches_into_its_bar(value):
    assert text_width(number(value), 13.5) <= NUMBER - 7 - 1  # it ends 7 before the card's side


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (5e-324, "<0.001"),
        (3e-8, "<0.001"),
        (0.000499, "<0.001"),
        (0.0005, "0.001"),
        (0.25, "0.250"),
        (0.9994, "0.999"),
        (0.99951, ">0.999"),
        (1 - 1e-16, ">0.999"),
        (1.0, "1"),
    ],
)
def test_only_what_is_exactly_0_or_1_is_written_so_and_small_numbers_have_one_form(value, text):
    assert number(value) == text


SURVEY = {
    "likes tea": ("maybe", "no", "yes"),
    "brand, favourite": ("a,b", "a|b", "c"),
    "price|level": ("high", "low", "mid"),
    "gehört": ("ja", "nein", "weiß nicht"),
    "stars": ("1", "2", "3"),
}


def sides(cards):
    """Left, upper, right and lower sides, from left to right."""
    return sorted((c["x"], c["y"], c["x"] + c["w"], c["y"] + c["h"]) for c in cards)


def test_five_questions_below_their_class_fit_a_laptop_nearly_at_their_size():
    graph = BayesGraph({"Class": 2, **SURVEY}, dict.fromkeys(SURVEY, "Class"))
    scene = GraphView(graph, uniform_theta(graph), form="bayes").scene
    assert 1186 / scene["width"] > 0.94  # what JupyterLab leaves of 1366 pixels
    cards = [part for part in scene["parts"] if part.get("variable") in SURVEY]
    gaps = [b[0] - a[2] for a, b in pairwise(sides(cards))]
    assert min(gaps) == pytest.approx(30, abs=0.2)
    assert min(part["x"] for part in scene["parts"] if "variable" in part) == pytest.approx(
        14, abs=0.1
    )


@pytest.mark.parametrize(("form", "least"), [("bayes", 0.5), ("normal", 0.4)])
def test_twelve_questions_below_their_class_are_no_strip_of_letters_that_nobody_can_read(
    form, least
):
    graph = twelve()
    scene = GraphView(graph, uniform_theta(graph), form=form).scene
    assert min(934 / scene["width"], 1.0) > least  # what is left of 1366 pixels
    assert scene["height"] < 900


def test_a_name_that_is_cut_takes_no_more_room_than_what_is_written():
    two, long = (made(["a", "b"], name) for name in ("A name that is x", "A name that is x" * 5))
    assert long["w"] == two["w"]
    graph = twelve()
    scene = GraphView(graph, uniform_theta(graph)).scene
    texts = [
        "".join(text for text, _ in part["label"]["text"])
        for part in scene["parts"]
        if part.get("label")
    ]
    assert "Latent c…(12)" in texts
    assert max(map(len, texts)) <= 20


def test_the_cards_of_a_table_lie_side_by_side_whatever_their_widths():
    table = {name: list(states) for name, states in SURVEY.items()}
    cards = GraphEditor(table=table).scene["cards"]
    places = {card["variable"]: (card["x"], card["y"], card["w"], card["h"]) for card in cards}
    rows = [[places[name] for name in own] for own in (list(SURVEY)[:3], list(SURVEY)[3:])]
    for row in rows:
        assert len({y for _, y, _, _ in row}) == 1
        assert all(14 <= b[0] - (a[0] + a[2]) < 14 + 20 for a, b in pairwise(row))
    assert 28 <= rows[1][0][1] - (rows[0][0][1] + rows[0][0][3]) < 28 + 26


@pytest.mark.parametrize("names", [list(SURVEY), [f"{k}. {'how often? ' * 3}" for k in range(12)]])
def test_all_cards_of_a_board_lie_within_what_a_laptop_shows_of_it(names):
    """JupyterLab at 1366 pixels, with its file browser, leaves 664 to the board."""
    table = {name: ["never or once", "now and then", "every day"] for name in names}
    alone = GraphEditor(table=table).scene
    graph = BayesGraph({"Class": 2} | dict.fromkeys(names, 3), dict.fromkeys(names, "Class"))
    below = GraphEditor(graph).scene
    for scene in (alone, below):
        assert scene["width"] <= 664
    least = min(card["x"] for card in below["cards"])
    assert least > 19  # a lane for arrows of a third parent, that pass at the left


def test_a_summary_counts_in_english():
    editor = GraphEditor(table={"A": ["x", "y"]})
    assert editor.scene["summary"] == "1 variable, 0 arrows; table: 2 rows, 1 column observed."
    editor = GraphEditor(table={"A": ["x", "y"], "n": [1, 1_999_999]}, weight="n")
    assert "table: 2000000 rows" in editor.scene["summary"]
