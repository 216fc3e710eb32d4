"""The scene as types: real scenes are of them, and the page's declarations are made from them."""

import itertools
import re

import pytest
from student import THETA, student

from fgnwidgets import NormalGraph
from fgnwidgets.widgets import GraphEditor, GraphView
from fgnwidgets.widgets.graph import contract
from fgnwidgets.widgets.graph.contract import EditorCurve, EditorScene, Scene, faults
from fgnwidgets.widgets.page.scripts import STATIC


@pytest.mark.parametrize("form", ["normal", "bayes"])
@pytest.mark.parametrize("evidence", [{}, {"S": "high", "G": [0.2, 0.3, 1]}])
def test_every_scene_is_as_the_contract_says(form, evidence):
    view = GraphView(student(), THETA, evidence, form=form)
    for part, number in itertools.product((None, "S", "node:S|I", "branch:D", "node:I="), (0, 3)):
        view.selected, view.round = part, number
        assert list(faults(view.scene, Scene)) == []


def test_a_scene_of_a_graph_without_names_and_in_conflict_is_too():
    graph: NormalGraph = student().normal_form()
    view = GraphView(graph, {**THETA, "S|I": [[1, 0], [1, 0]]})
    view.offer(evidence={"S": "high"})
    assert view.scene["status"]
    assert list(faults(view.scene, Scene)) == []


TABLE = {"A": ["no", "yes", "yes"] * 5, "B": [0, 1, 2] * 5, "n": [1, 2, 4] * 5, "x": ["a"] * 15}


def editors():
    yield GraphEditor()
    editor = GraphEditor(student(), theta=THETA, evidence={"S": "high", "G": [0.2, 0.3, 1]})
    for part in (None, "S", "arrow:I->S"):
        editor.selected = part
        yield editor
    editor = GraphEditor(table=TABLE, weight="n")
    yield editor
    for name in "ST":
        editor.edit("add", name, 3)
        editor.edit("connect", name, "A")
        editor.edit("connect", name, "B")  # a loop
        yield editor
    editor.merge = True
    editor.learn(restarts=2, n_epochs=3)
    yield editor


def test_every_scene_and_curve_of_an_editor_is_as_the_contract_says():
    curves = 0
    for editor in editors():
        assert list(faults(editor.scene, EditorScene)) == []
        if editor.curve:
            assert list(faults(editor.curve, EditorCurve, "curve")) == []
            curves += 1
    assert curves == 1
    spoiled = {**editor.scene, "cards": [{**editor.scene["cards"][0], "lit": 1}]}
    assert list(faults(spoiled, EditorScene)) == ["scene.cards[0].lit is 1: expected bool"]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda s: s.pop("rounds"), "scene.rounds is missing"),
        (lambda s: s.update(width="wide"), "scene.width is 'wide': expected a number"),
        (lambda s: s.update(plain=1), "scene.plain is 1: expected bool"),
        (lambda s: s.update(more=1), "scene.more: Scene has no such thing"),
        (lambda s: s["parts"][0].pop("points"), "scene.parts[0].points is missing"),
        (
            lambda s: s["rounds"].update(travels=None),
            "scene.rounds.travels is None: expected a list",
        ),
    ],
)
def test_a_scene_that_is_not_is_told_by_its_place(spoil, says):
    scene = dict(GraphView(student(), THETA).scene)
    spoil(scene)
    assert says in list(faults(scene, Scene))


def test_the_declarations_of_the_page_are_not_stale():
    assert contract.TYPES.read_text(encoding="utf-8") == contract.typescript()


# Style sheets

OWN = {
    "graph_view": "fgn-graph",
    "graph_editor": "fgn-editor",
    "learning": "fgn-learning-view",
}
"""The root class of each sheet; those that are not made from ``js/`` yet are not here."""


SHARED = ("fgn-widget", "jupyter-widgets-disconnected")
"""What the rules of all widgets begin with: they come from one file."""

DRAWING = ":where(.fgn-drawing)"
"""What those of a graph begin with: they weigh less than a widget's own, so that their order on a
page with several widgets does not count."""


def rules(text):
    """The selectors of a sheet, of all media."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for selectors in re.findall(r"([^{}]+)\{", text):
        if not selectors.strip().startswith("@"):
            yield from re.split(r",(?![^(]*\))", selectors.strip())


@pytest.mark.parametrize("name", OWN)
def test_every_rule_of_a_sheet_stays_in_its_own_widget(name):
    text = (STATIC / f"{name}.css").read_text(encoding="utf-8")
    roots = (
        f".{OWN[name]}",
        DRAWING,
        ".fgn-widget",
        ".jupyter-widgets-disconnected:has(>.fgn-widget)",
    )
    loose = [s for s in rules(text) if not s.strip().startswith(roots)]
    assert loose == []


def test_no_two_sheets_declare_the_same_class():
    declared = {}
    for name in OWN:
        text = (STATIC / f"{name}.css").read_text(encoding="utf-8")
        for selector in rules(text):
            first = re.match(r"\.([\w-]+)", selector.strip())
            if first and first[1] not in SHARED:
                declared.setdefault(first[1], set()).add(name)
    assert all(len(names) == 1 for names in declared.values()), declared


def test_rules_of_all_widgets_are_the_same_in_every_sheet():
    """A notebook may have both on its page: what one sheet adds, the other would get."""
    shared = {}
    for name in (*OWN, "lab"):
        text = (STATIC / f"{name}.css").read_text(encoding="utf-8")
        shared[name] = [s for s in rules(text) if s.strip().startswith(".fgn-widget")]
    assert shared["graph_view"]
    assert all(own == shared["graph_view"] for own in shared.values()), shared


def test_cards_and_tables_of_a_graph_and_of_the_editor_have_the_same_rules():
    drawn = [
        [s for s in rules((STATIC / f"{name}.css").read_text(encoding="utf-8")) if DRAWING in s]
        for name in ("graph_view", "graph_editor")
    ]
    assert drawn[0] and drawn[0] == drawn[1]


def test_a_rule_that_reaches_out_of_its_widget_is_found():
    found = list(rules(".fgn-graph .a{x:y}.fgn-copy{x:y}@media print{.b{x:y}}"))
    assert found == [".fgn-graph .a", ".fgn-copy", ".b"]
