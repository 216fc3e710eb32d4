"""The labs and the living graph in Notebook 7, which takes the arrow keys for itself."""

import pytest
import student

pytest.importorskip("notebook", reason="notebook is not installed")

LAB = "from fgn_notebooks import labs\nlabs.product_space()"


def test_arrow_keys_move_a_slider_and_the_picture_says_so(open_notebook):
    page = open_notebook(LAB, place="notebooks")
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


def test_arrow_keys_of_the_notebook_still_leave_a_cell(open_notebook):
    page = open_notebook("x = 1", "y = 2", place="notebooks")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    page.wait_for_function(
        "[...document.querySelectorAll('.jp-Cell')].findIndex("
        "(cell) => cell.classList.contains('jp-mod-active')) === 0"
    )


def test_a_click_on_the_living_graph_moves_its_messages(open_notebook):
    page = open_notebook(student.CELL, place="notebooks")
    head = page.locator("[data-part='variable:S'] .fgn-head")
    head.wait_for()
    numbers = "[...document.querySelectorAll('.fgn-number')].map((n) => n.textContent).join()"
    before = page.evaluate(numbers)
    head.click()
    page.wait_for_function(f"(before) => {numbers} !== before", arg=before)


def test_arrow_keys_move_a_logarithmic_slider_by_equal_ratios(open_notebook):
    page = open_notebook("from fgn_notebooks import labs\nlabs.one_block()", place="notebooks")
    slider = page.locator(".fgn-lab [role=slider][aria-label^='EX: ']")
    slider.wait_for()
    slider.focus()
    for value in ("1.12", "1.26", "1.41"):
        page.keyboard.press("ArrowRight")
        page.locator(f"[aria-label^='EX: '][aria-valuetext='{value}']").wait_for()
