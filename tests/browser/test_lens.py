"""A drawing too small to read has a lens: what is pointed at, or has the focus, is large."""

import numpy as np
import pytest
from graph_menu import press
from lab_pages import laid_out, settled
from student import THETA, student
from tiers import mostly_slow

from fgnwidgets import BayesGraph, random_theta
from fgnwidgets.widgets import GraphView

LEAVES = {f"leaf {i}": ("absent", "present") for i in range(40)}
WIDE = BayesGraph({"root": ("one", "two", "three"), **LEAVES}, dict.fromkeys(LEAVES, "root"))
RECT = """(look) => document.querySelector(look).getBoundingClientRect().toJSON()"""
MET = """([x, y]) => document.elementFromPoint(x, y).closest(".fgn-row, .fgn-head")?.textContent"""


@pytest.fixture
def view():
    return GraphView(WIDE, random_theta(WIDE, np.random.default_rng(0)))


@pytest.fixture
def page(bare, view):
    page = bare(view).page
    page.wait_for_selector(".fgn-graph [data-part]")
    press(page, "all in sight")  # by itself a drawing never becomes so small
    laid_out(page)
    return page


def letters(page, variable):
    """How high the letters of a card's states are, in pixels of the screen."""
    return page.evaluate(RECT, f"[data-part='variable:{variable}'] .fgn-state")["height"]


@pytest.mark.parametrize(
    "variable", mostly_slow(["root", "leaf 0", "leaf 15", "leaf 39"], "root", "leaf 39")
)
def test_a_card_under_the_pointer_is_legible_and_stays_under_the_pointer(page, view, variable):
    assert letters(page, variable) < 8
    row = page.evaluate(RECT, f"[data-part='variable:{variable}'] .fgn-row:last-child")
    at = [row["x"] + row["width"] / 2, row["y"] + row["height"] / 2]
    before = page.evaluate(MET, at)
    page.mouse.move(*at)
    page.wait_for_selector(".fgn-lens")
    assert letters(page, variable) >= 12
    assert page.evaluate(MET, at) == before
    box = page.evaluate(RECT, ".fgn-lens .fgn-card")
    stage = page.evaluate(RECT, ".fgn-stage")
    assert box["left"] >= stage["left"] and box["top"] >= stage["top"] - 1
    assert box["right"] <= stage["right"]
    page.mouse.click(*at)
    page.wait_for_function("document.querySelectorAll('.fgn-lens .fgn-on').length === 1")
    assert set(view.evidence) == {variable}
    page.mouse.move(5, 5)
    page.wait_for_function("document.querySelectorAll('.fgn-lens').length === 0")
    assert letters(page, variable) < 8


def test_a_bar_under_the_lens_follows_the_hand(page, view):
    look = "[data-part='variable:leaf 3'] .fgn-track"
    track = page.evaluate(RECT, look)
    page.mouse.move(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2)
    page.wait_for_selector(".fgn-lens")
    track = page.evaluate(RECT, look)
    assert track["width"] > 40
    middle = track["y"] + track["height"] / 2
    page.mouse.move(track["x"] + 0.5 * track["width"], middle)
    page.mouse.down()
    page.mouse.move(track["x"] + 0.75 * track["width"], middle, steps=5)
    page.mouse.up()
    settled(page, lambda: abs(view.messages["leaf 3"].p[0, 0] - 0.75) < 0.03)


def test_the_focus_has_a_lens_too(page):
    page.get_by_role("button", name="what the marks mean").focus()
    page.keyboard.press("Tab")
    page.wait_for_selector("[data-part='variable:root'].fgn-lens")
    assert letters(page, "root") >= 12
    assert page.evaluate("document.activeElement.dataset.part") == "variable:root"
    page.keyboard.press("Tab")  # to its first bar
    assert page.locator("[data-part='variable:root'].fgn-lens").count() == 1


def test_a_drawing_that_can_be_read_has_none(bare):
    page = bare(GraphView(student(), THETA)).page
    page.locator("[data-part='variable:S'] .fgn-row").first.hover()
    laid_out(page)
    assert page.locator(".fgn-lens").count() == 0
