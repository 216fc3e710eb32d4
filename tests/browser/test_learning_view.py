"""Learning seen on the graph, as people meet it: a hand on the curves, lists, a keyboard."""

import re

import numpy as np
import pytest
from lab_pages import LAPTOP, TABLET

from fgnwidgets import propagate

CELL = """\
import numpy as np
from fgnwidgets import BayesGraph, fit, random_theta, sample
from fgnwidgets.widgets import LearningView

graph = BayesGraph({"S": 2, "A": 2, "B": 2, "C": 3}, dict.fromkeys("ABC", "S"))
drawn = sample(graph, random_theta(graph, np.random.default_rng(4)), 90, np.random.default_rng(1))
table = {name: drawn[name] for name in "ABC"}
how = {"n_epochs": 30, "tol": 0, "progress": False, "record": ("loglik", "theta")}
run = fit(graph, table, ("ml", "var"), seed=[3, 3], **how)
view = LearningView(run, epoch=0, right=1)
view
"""


def made(**how):
    space = {}
    exec(CELL, space)  # the cell that JupyterLab runs
    view = space["view"]
    for name, value in how.items():
        setattr(view, name, value)
    return view


def on_page(bare, view, viewport=LAPTOP):
    shown = bare(view.chart, *view.views, viewport=viewport)
    shown.page.wait_for_selector(".fgn [data-part]")
    return shown.page


def numbers(page, side, variable):
    card = page.locator(".fgn-body").nth(side).locator(f"[data-part='variable:{variable}']")
    return card.locator(".fgn-number").all_text_contents()


def wait_for(page, view, epoch, row=None):
    """Until both graphs say what propagation says of this epoch and row."""
    page.locator(".fgn-counter").first.get_by_text(f"epoch {epoch} of 30").wait_for()
    for side, title in enumerate(("ML", "VAR")):  # the cursor goes with the hand, the title follows
        titles = page.locator(".fgn-title-line").nth(side)
        titles.get_by_text(f"{title}, epoch {epoch}", exact=True).wait_for()
    run = view.curves[0].run
    rows = None if row is None else run.rows.take(np.array([row]))
    for side in (0, 1):
        theta = {name: m[epoch, side] for name, m in run.theta.items()}
        wanted = [f"{p:.3f}" for p in propagate(run.graph, theta, rows)["C"].p[:, 0]]
        page.wait_for_function(
            """([side, wanted]) => {
                const body = document.querySelectorAll(".fgn-body")[side];
                const found = body.querySelectorAll("[data-part='variable:C'] .fgn-number");
                return [...found].map((n) => n.textContent).join() === wanted.join();
            }""",
            arg=[side, wanted],
        )


def at(page, epoch):
    """The point of the chart above an epoch, as its axis says it."""
    ticks = page.locator(".fgn-axes text[text-anchor=middle]").filter(has_text=re.compile(r"^\d+$"))
    ends = [(int(t.text_content()), t.bounding_box()) for t in (ticks.first, ticks.last)]
    (low, left), (high, right) = [(e, box["x"] + box["width"] / 2) for e, box in ends]
    foot = page.locator(".fgn-chart").bounding_box()["y"] + 150
    return left + (epoch - low) / (high - low) * (right - left), foot


MIDDLE = """(path) => {
    const { x, y } = path.getPointAtLength(0.8 * path.getTotalLength());
    const { left, top } = path.ownerSVGElement.getBoundingClientRect();
    return [left + x, top + y];
}"""


def test_dragging_the_cursor_moves_curves_matrices_and_both_graphs(bare):
    view = made()
    page = on_page(bare, view)
    first = page.locator(".fgn-cells rect").first.get_attribute("fill-opacity")
    page.mouse.move(*at(page, 2))
    page.mouse.down()
    page.mouse.move(*at(page, 12), steps=10)
    page.mouse.move(*at(page, 21), steps=10)
    page.mouse.up()
    wait_for(page, view, 21)
    assert view.epoch == 21
    cells = page.locator(".fgn-body").nth(1).locator("[data-part='node:A|S'] .fgn-cells rect")
    drawn = [float(cell.get_attribute("fill-opacity")) for cell in cells.all()]
    assert drawn == pytest.approx(view.curves[1].theta(21)["A|S"].ravel(), abs=1e-3)
    assert first != page.locator(".fgn-cells rect").first.get_attribute("fill-opacity")


def test_play_goes_to_the_last_epoch_and_stops(bare):
    view = made(epoch=24)
    page = on_page(bare, view)
    page.get_by_role("button", name="play").first.click()
    wait_for(page, view, 30)
    page.get_by_role("button", name="play").first.wait_for()
    assert view.epoch == 30


def test_a_row_of_the_table_sends_its_messages_at_this_epoch(bare):
    view = made(epoch=7)
    page = on_page(bare, view)
    page.get_by_label("row of the table").select_option(index=2)
    row = int(np.argsort(-view.curves[0].run.weight, kind="stable")[1])
    wait_for(page, view, 7, row)
    page.get_by_role("slider", name="epoch").press("ArrowRight")
    wait_for(page, view, 8, row)
    page.locator("[data-part='variable:S'] .fgn-head").first.click()
    page.wait_for_function(
        "document.querySelectorAll('.fgn-named select')[2].selectedOptions[0].textContent"
        " === 'evidence of your own'"
    )
    page.get_by_label("row of the table").select_option(index=1)
    wait_for(page, view, 8, int(np.argmax(view.curves[0].run.weight)))


def test_a_curve_is_chosen_by_a_click_or_from_its_list(bare):
    view = made(epoch=10)
    page = on_page(bare, view)
    line = page.locator("[data-curve='1']")
    x, y = line.evaluate(MIDDLE)
    page.mouse.click(x, y)
    page.locator(".fgn-title-line").first.get_by_text("VAR, epoch 10").wait_for()
    assert view.left == 1
    page.get_by_label("curve beside it").select_option("ML")
    page.locator(".fgn-title-line").nth(1).get_by_text("ML, epoch 10").wait_for()


def test_the_chart_says_in_words_where_the_curves_stand(bare):
    view = made(epoch=10)
    page = on_page(bare, view)
    said = page.get_by_role("img").get_attribute("aria-label")
    for curve in view.curves:
        assert f"{curve.name} {curve.history[10]:.1f}" in said
    assert said.startswith("Log-likelihood by epoch. epoch 10 of 30: ")


@pytest.mark.parametrize("size", [LAPTOP, TABLET, {"width": 700, "height": 700}])
def test_nothing_hangs_over_at_any_size(bare, size):
    page = on_page(bare, made(epoch=10), size)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    inside = page.locator(".fgn-chart").bounding_box()
    assert inside["x"] + inside["width"] <= size["width"]


@pytest.mark.parametrize("place", ["doc/tree", "notebooks"])
def test_it_lives_in_a_notebook(open_notebook, place):
    if place == "notebooks":
        pytest.importorskip("notebook", reason="notebook is not installed")
    page = open_notebook(CELL, place=place)
    page.wait_for_selector(".fgn [data-part]")
    view = made()
    page.get_by_label("row of the table").select_option(index=1)
    page.get_by_role("button", name="one epoch on").first.click()
    wait_for(page, view, 1, int(np.argmax(view.curves[0].run.weight)))
