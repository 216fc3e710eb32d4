"""Rules that a page has for plain elements (lists, tables, code) do not reach into a widget."""

import pytest
from tiers import mostly_slow

GRAPH = """\
from fgnwidgets import BayesGraph, GraphEditor, fit, random_theta
from fgnwidgets.widgets import GraphView, LearningView
import numpy as np
graph = BayesGraph({"S": 2, "A": 2, "B": 2}, {"A": "S", "B": "S"})
rng = np.random.default_rng(0)
table = {"A": rng.integers(0, 2, 30), "B": rng.integers(0, 2, 30)}
GraphView(graph, random_theta(graph, rng))"""
LEARNING = "LearningView(fit(graph, table, restarts=2, n_epochs=5, tol=0, record=['theta']), row=0)"
LAB = """\
from fgn_notebooks import labs
labs.one_block()"""

WITHOUT = """() => {
    const rows = () => [...document.querySelectorAll(".fgn-widget")].flatMap((widget) => {
        const { left, top } = widget.getBoundingClientRect();
        const seen = [...widget.querySelectorAll("*")].filter((e) => e.checkVisibility());
        return seen.map((element) => {
            const box = element.getBoundingClientRect();
            const where = [box.left - left, box.top - top, box.width, box.height];
            const name = `${widget.classList[1]} ${element.tagName} ${element.textContent}`;
            const { whiteSpace, wordBreak } = getComputedStyle(element);
            return `${name.slice(0, 70)} ${where.map(Math.round)} ${whiteSpace} ${wordBreak}`;
        });
    });
    const before = rows();
    const taken = [];
    for (const sheet of document.styleSheets) {
        for (let place = sheet.cssRules.length - 1; place >= 0; place -= 1) {
            const { selectorText = "", cssText } = sheet.cssRules[place];
            if (/^\\.jp-OutputArea-output [a-z]/.test(selectorText)) {
                sheet.deleteRule(place);
                taken.push([sheet, cssText, place]);
            }
        }
    }
    const after = rows();
    for (const [sheet, text, place] of taken.reverse()) sheet.insertRule(text, place);
    return [taken.length, before.length, before.filter((row, k) => row !== after[k])];
}"""
"""The parts that lie, or break lines, elsewhere without JupyterLab's rules for plain elements."""


@pytest.mark.parametrize("place", mostly_slow(["doc/tree", "notebooks"], "doc/tree"))
def test_no_rule_for_plain_elements_of_outputs_moves_a_part_of_a_widget(open_notebook, place):
    if place == "notebooks":
        pytest.importorskip("notebook", reason="notebook is not installed")
    page = open_notebook(GRAPH, "GraphEditor(graph)", LEARNING, LAB, place=place)
    page.locator(".fgn-counter").first.wait_for()
    page.locator(".fgn-lab img").wait_for()
    page.get_by_text("All messages").first.click()
    page.get_by_text("The Python that does the same").click()
    page.get_by_role("button", name="what the marks mean").first.click()
    page.get_by_role("dialog", name="what the marks mean").wait_for()
    for name, look in (("numbers", "pre"), ("code", "pre"), ("files", ".fgn-lab-files")):
        page.get_by_role("button", name=name, exact=True).click()
        page.locator(f".fgn-lab-bar {look}").wait_for()
        taken, parts, moved = page.evaluate(WITHOUT)
        assert taken > 0 and parts > 300
        assert moved == [], moved[:8]
