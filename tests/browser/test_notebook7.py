"""The labs and the living graph in Notebook 7, which takes the arrow keys for itself."""

import pytest
import student
from lab_pages import laid_out, settled
from student import wait_for_beliefs

from fgn_notebooks import labs
from fgnwidgets import propagate

pytest.importorskip("notebook", reason="notebook is not installed")

LAB = "from fgn_notebooks import labs\nlabs.product_space()"


def test_arrow_keys_move_a_slider_and_the_picture_says_so(shared_notebook):
    page = shared_notebook(LAB, place="notebooks")
    slider = page.locator(".fgn-lab [role=slider][aria-label^='M_1: ']")
    slider.wait_for()
    assert slider.get_attribute("aria-valuetext") == "2"
    slider.focus()
    for key, value in (("ArrowRight", 3), ("ArrowUp", 4), ("ArrowLeft", 3), ("ArrowDown", 2)):
        page.keyboard.press(key)
        page.locator(f"[aria-label^='M_1: '][aria-valuetext='{value}']").wait_for()
    page.keyboard.press("ArrowRight")
    lab = labs.product_space()
    lab.set(m_1=3)
    assert "18x3" in lab.picture.alt
    page.wait_for_function(
        "(words) => document.querySelector('.fgn-lab img').alt === words", arg=lab.picture.alt
    )


def test_arrow_keys_of_the_notebook_still_leave_a_cell(shared_notebook):
    page = shared_notebook("x = 1", "y = 2", place="notebooks")
    active = """(number) => [...document.querySelectorAll(".jp-Cell")].findIndex(
        (cell) => cell.classList.contains("jp-mod-active")) === number"""
    page.locator(".jp-Cell .cm-content").nth(1).click()
    page.wait_for_function(active, arg=1)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    page.wait_for_function(active, arg=0)


def test_a_click_on_the_living_graph_moves_its_messages(shared_notebook):
    page = shared_notebook(student.CELL, place="notebooks")
    wait_for_beliefs(page, {})
    page.locator("[data-part='variable:S'] .fgn-head").click()
    wait_for_beliefs(page, {"S": "low"})


def test_arrow_keys_move_a_logarithmic_slider_by_equal_ratios(shared_notebook):
    page = shared_notebook("from fgn_notebooks import labs\nlabs.one_block()", place="notebooks")
    slider = page.locator(".fgn-lab [role=slider][aria-label^='EX: ']")
    slider.wait_for()
    slider.focus()
    for value in ("1.12", "1.26", "1.41"):
        page.keyboard.press("ArrowRight")
        page.locator(f"[aria-label^='EX: '][aria-valuetext='{value}']").wait_for()


def card(page, variable):
    return page.locator(f"[data-part='variable:{variable}']")


def beliefs(page, variable):
    return [float(text) for text in card(page, variable).locator(".fgn-number").all_text_contents()]


def test_hands_on_the_living_graph_drag_a_belief_edit_a_matrix_and_take_both_back(shared_notebook):
    page = shared_notebook(student.CELL, place="notebooks")
    wait_for_beliefs(page, {})
    laid_out(page)
    first = {name: beliefs(page, name) for name in student.STATES}
    bar = card(page, "S").locator(".fgn-track").nth(1).bounding_box()
    height = bar["y"] + bar["height"] / 2
    page.mouse.move(bar["x"] + 2, height)
    page.mouse.down()
    page.mouse.move(bar["x"] + 0.8 * bar["width"], height, steps=5)
    page.mouse.up()
    settled(page, lambda: abs(beliefs(page, "S")[1] - 0.8) < 0.03)
    assert card(page, "S").locator(".fgn-note").text_content() == "soft"
    dragged = {name: beliefs(page, name) for name in student.STATES}
    low, high = (
        propagate(student.student(), student.THETA, {"S": [state]})["G"].p[:, 0]
        for state in student.STATES["S"]
    )
    mixed = dragged["S"][0] * low + dragged["S"][1] * high  # another card follows
    assert dragged["G"] == pytest.approx(mixed, abs=2e-3)

    page.locator("[data-part='node:S|I']").click()
    field = page.locator(".fgn-panel [data-cell]").first
    field.wait_for()
    field.click(click_count=3)
    page.keyboard.type("0,3")
    page.keyboard.press("Enter")
    cells = page.locator(".fgn-panel [data-cell]")
    settled(page, lambda: [cell.input_value() for cell in cells.all()[:2]] == ["0.300", "0.700"])
    assert beliefs(page, "I") != dragged["I"]

    for expected in (dragged, first):
        page.keyboard.press("Control+z")
        settled(page, lambda e=expected: {name: beliefs(page, name) for name in e} == e)
    page.keyboard.press("Control+Shift+Z")
    settled(page, lambda: {name: beliefs(page, name) for name in dragged} == dragged)
    assert card(page, "S").locator(".fgn-note").text_content() == "soft"
