"""Graph and labs for people who use no mouse, or do not see: what axe-core finds, and names."""

import pytest
import student
from graph_menu import more, press
from lab_pages import DARK, LIGHT, laid_out, settled
from labs_on_pages import show_all_controls
from tiers import mostly_slow, slow
from web_pages import RULES

from fgn_notebooks import labs
from fgnwidgets import BayesGraph, fit
from fgnwidgets.widgets import GraphView, LearningView

CELLS = (
    student.CELL,
    "from fgn_notebooks import labs\nlabs.race()",
    "labs.one_hidden_variable()",
)
EDITOR = """\
from fgnwidgets import BayesGraph, GraphEditor
editor = GraphEditor(
    BayesGraph({"A": ("no", "yes"), "B": 2, "C": 2}, {"B": "A", "C": ("A", "B")}),
    {"B": [0, 1, 1], "C": [1, 0, 1]},
)
editor.selected = "B"
editor"""


NAMES = """async (part) => {
    const options = { runOnly: ["label-content-name-mismatch", "nested-interactive"] };
    const found = await axe.run(part, options);
    return found.violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 200)]);
}"""


def test_axe_has_nothing_to_say_of_a_graph_in_hand_and_of_learning(bare, axe):
    graph = GraphView(student.student(), student.THETA, {"S": "high"})
    learned = LearningView(run_of_two_rules(), epoch=2, right=1, row=0)
    for widgets in ((graph,), (learned.chart, *learned.views)):
        page = bare(*widgets).page
        page.wait_for_selector(".fgn-graph [data-part]")
        page.evaluate(axe)
        page.locator(".fgn-block .fgn-box").first.click()
        page.locator(".fgn-panel").first.get_by_role("heading", name="Block").wait_for()
        if widgets == (graph,):  # those of learning are plain
            more(page)
            assert page.locator(".fgn-graph").evaluate(RULES) == []
            press(page, "what the marks mean")
            page.get_by_role("dialog", name="what the marks mean").wait_for()
            assert page.locator(".fgn-graph").evaluate(RULES) == []
            page.keyboard.press("Escape")
            press(page, "copy as Python")
            page.get_by_role("textbox", name="the same in Python").wait_for()
        for part in page.locator(".fgn-graph").all():
            assert part.evaluate(RULES) == []
            assert part.evaluate(NAMES) == []


def run_of_two_rules():
    graph = BayesGraph({"S": 2, "A": 2, "B": 3}, {"A": "S", "B": "S"})
    table = {"A": [0, 1, 1, 0, 1], "B": [2, 1, 0, 0, 1]}
    how = {"n_epochs": 4, "tol": 0, "progress": False, "record": ("loglik", "theta")}
    return fit(graph, table, ("ml", "var"), seed=(1, 1), **how)


@pytest.mark.parametrize(
    ("place", "theme"),
    mostly_slow([("doc/tree", LIGHT), ("doc/tree", DARK), ("notebooks", LIGHT)], "doc/tree"),
)
def test_axe_has_nothing_serious_to_say(shared_notebook, axe, place, theme):
    if place == "notebooks":
        pytest.importorskip("notebook", reason="notebook is not installed")
    page = shared_notebook(*CELLS, EDITOR, place=place, theme=theme)
    page.locator("[data-part='variable:G'] .fgn-head").click()
    page.locator(".fgn-panel").get_by_role("heading", name="Variable G").wait_for()
    page.locator(".fgn-editor [data-part='variable:B']").wait_for()
    page.locator(".fgn-lab img").nth(1).wait_for()
    show_all_controls(page, labs.one_hidden_variable())
    page.evaluate(axe)
    for part in page.locator(".fgn-graph, .fgn-editor, .fgn-lab").all():
        assert part.evaluate(RULES) == []


@slow
def test_axe_has_nothing_serious_to_say_in_voila(open_in_voila, axe):
    page = open_in_voila(*CELLS, EDITOR)
    page.locator("[data-part='variable:G'] .fgn-head").click()
    page.locator(".fgn-panel").get_by_role("heading", name="Variable G").wait_for()
    page.locator(".fgn-editor [data-part='variable:B']").wait_for()
    page.locator(".fgn-lab img").nth(1).wait_for()
    show_all_controls(page, labs.one_hidden_variable())
    page.evaluate(axe)
    parts = page.locator(".fgn-graph, .fgn-editor, .fgn-lab").all()
    assert len(parts) >= 4  # a graph, an editor, two labs
    for part in parts:
        assert part.evaluate(RULES) == []


def test_the_buttons_that_play_a_race_have_names(shared_notebook):
    page = shared_notebook(CELLS[1])
    page.get_by_role("button", name="play", exact=True).wait_for()
    page.get_by_role("button", name="stop", exact=True).wait_for()


def test_the_panel_scrolls_by_keyboard(shared_notebook):
    page = shared_notebook(student.CELL, viewport={"width": 1366, "height": 400})
    page.locator(".fgn-panel summary").click()
    panel = page.get_by_role("region", name="what is selected")
    panel.focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelector('.fgn-panel').scrollTop > 0")


def least(page):
    """The shortest side of all targets of a graph, and the lowest letters, in pixels."""
    targets = page.locator(".fgn-graph :is(.fgn-row, .fgn-more, .fgn-target)")
    sides = targets.evaluate_all(
        """(all) => all.map((e) => e.getBoundingClientRect())
            .map(({ width, height }) => Math.min(width, height))"""
    )
    letters = page.locator(".fgn-stage :is(.fgn-name, .fgn-title, .fgn-state)")
    high = letters.evaluate_all("(all) => all.map((e) => parseFloat(getComputedStyle(e).fontSize))")
    scale = page.locator(".fgn-stage > svg").evaluate(
        "(e) => e.clientWidth / e.viewBox.baseVal.width"
    )
    return min(sides), min(high) * scale


def test_targets_of_the_graph_are_wide_enough_for_a_finger_on_a_laptop(shared_notebook):
    page = shared_notebook(student.CELL)
    page.wait_for_selector(".fgn-graph [data-part]")
    laid_out(page)

    def legible():
        side, letters = least(page)
        return side >= 18 and letters >= 9

    settled(page, legible)  # all of it is in sight
    part = page.locator("[data-part='variable:G'] .fgn-head")
    part.click()
    states = page.locator(".fgn-panel th button")  # the same, as large as a finger
    states.nth(2).wait_for()
    assert min(b.bounding_box()["height"] for b in states.all()) >= 24
    for _ in range(3):
        press(page, "smaller")  # the measures can fail
    side, letters = least(page)
    assert side < 18 and letters < 9


def test_the_words_for_pictures_are_not_all_the_same(shared_notebook):
    page = shared_notebook(*CELLS[1:])
    page.wait_for_function("document.querySelectorAll('.fgn-lab img[alt]').length === 2")
    page.wait_for_function(
        "[...document.querySelectorAll('.fgn-lab img')].every((e) => e.alt.length > 40)"
    )
    one, two = page.locator(".fgn-lab img").evaluate_all("(all) => all.map((e) => e.alt)")
    assert one.startswith("Race of the four rules. ") and two.startswith("One hidden variable. ")
