"""The labs and the living graph in Notebook 7, which takes the arrow keys for itself."""

import pytest
import student
from lab_pages import settled

pytest.importorskip("notebook", reason="notebook is not installed")

LAB = "from fgn_notebooks import labs\nlabs.product_space()"


def test_arrow_keys_move_a_slider_and_the_picture_says_so(shared_notebook):
    page = shared_notebook(LAB, place="notebooks")
    slider = page.locator(".fgn-lab [role=slider][aria-label^='M_1: ']")
    slider.wait_for()
    picture = page.locator(".fgn-lab img")
    assert slider.get_attribute("aria-valuetext") == "2"
    before = picture.get_attribute("src")
    slider.focus()
    for key, value in (("ArrowRight", 3), ("ArrowUp", 4), ("ArrowLeft", 3), ("ArrowDown", 2)):
        page.keyboard.press(key)
        page.locator(f"[aria-label^='M_1: '][aria-valuetext='{value}']").wait_for()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "(before) => document.querySelector('.fgn-lab img').src !== before", arg=before
    )
    page.wait_for_function("document.querySelector('.fgn-lab img').alt.includes('18x3')")


def test_arrow_keys_of_the_notebook_still_leave_a_cell(shared_notebook):
    page = shared_notebook("x = 1", "y = 2", place="notebooks")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    page.wait_for_function(
        "[...document.querySelectorAll('.jp-Cell')].findIndex("
        "(cell) => cell.classList.contains('jp-mod-active')) === 0"
    )


def test_a_click_on_the_living_graph_moves_its_messages(shared_notebook):
    page = shared_notebook(student.CELL, place="notebooks")
    head = page.locator("[data-part='variable:S'] .fgn-head")
    head.wait_for()
    numbers = "[...document.querySelectorAll('.fgn-number')].map((n) => n.textContent).join()"
    before = page.evaluate(numbers)
    head.click()
    page.wait_for_function(f"(before) => {numbers} !== before", arg=before)


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
    card(page, "S").locator(".fgn-head").wait_for()
    page.wait_for_timeout(500)
    first = {name: beliefs(page, name) for name in student.STATES}
    bar = card(page, "S").locator(".fgn-track").nth(1).bounding_box()
    height = bar["y"] + bar["height"] / 2
    page.mouse.move(bar["x"] + 2, height)
    page.mouse.down()
    page.mouse.move(bar["x"] + 0.8 * bar["width"], height, steps=5)
    page.mouse.up()
    settled(page, lambda: abs(beliefs(page, "S")[1] - 0.8) < 0.03)
    assert card(page, "S").locator(".fgn-note").text_content() == "soft"
    settled(page, lambda: beliefs(page, "G") != first["G"])  # another card follows
    dragged = {name: beliefs(page, name) for name in student.STATES}

    page.locator("[data-part='node:S|I']").click()
    field = page.locator(".fgn-panel [data-cell]").first
    field.wait_for()
    field.click(click_count=3)
    page.keyboard.type("0,3")
    page.keyboard.press("Enter")
    settled(page, lambda: beliefs(page, "I") != dragged["I"])
    row = [float(cell.input_value().replace(",", "."))
           for cell in page.locator(".fgn-panel [data-cell]").all()[:2]]  # fmt: skip
    assert row == pytest.approx([0.3, 0.7])

    for expected in (dragged, first):
        page.keyboard.press("Control+z")
        settled(page, lambda e=expected: {name: beliefs(page, name) for name in e} == e)
    page.keyboard.press("Control+Shift+Z")
    settled(page, lambda: {name: beliefs(page, name) for name in dragged} == dragged)
    assert card(page, "S").locator(".fgn-note").text_content() == "soft"
