"""The rounds: messages glide along their branches, and every number says how it came about."""

import numpy as np
import pytest
from lab_pages import LAPTOP, laid_out
from student import THETA, student

from fgnwidgets.widgets import GraphView


@pytest.fixture
def view():
    view = GraphView(student(), THETA, {"S": "high"})
    view.round = 0
    return view


@pytest.fixture
def page(bare, view):
    page = bare(view).page
    page.wait_for_selector(".fgn-graph [data-part]")
    return page


def step(page, number):
    """One round on, in slow motion: a busy machine has time to hold it."""
    session = page.context.new_cdp_session(page)
    session.send("Animation.enable")
    session.send("Animation.setPlaybackRate", {"playbackRate": 0.05})
    page.get_by_role("button", name="one round on").click()
    page.locator(".fgn-counter").get_by_text(f"round {number} of").wait_for()


def stand_still(page, at):
    """Hold all motion at so many ms of the round."""
    page.wait_for_selector(".fgn-traveller", state="attached")
    page.evaluate(
        "(at) => document.getAnimations().forEach((a) => { a.pause(); a.currentTime = at; })", at
    )


def middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_message_that_is_sent_leaves_its_node_and_ends_at_its_place(page, view):
    step(page, 1)
    (sent, *_) = view.scene["rounds"]["travels"]
    stand_still(page, 1204)
    ghosts = page.locator(".fgn-traveller.fgn-f, .fgn-traveller.fgn-b")
    assert ghosts.count() >= 1
    color = "(one) => getComputedStyle(one.querySelector('rect:not(.fgn-frame)')).fill"
    at_rest = f"[data-part='{sent['branch']}'] [data-direction='{sent['direction']}']"
    of_its_way = page.locator(f".fgn-traveller.fgn-{sent['direction']}").first
    assert of_its_way.evaluate(color) == page.locator(at_rest).evaluate(color)
    node = page.locator(f"[data-part='{sent['node']}'] .fgn-box").bounding_box()
    way = f"[data-part='{sent['branch']}'] [data-direction='{sent['direction']}'] .fgn-frame"
    place = page.locator(way).bounding_box()
    boxes = page.locator(".fgn-traveller .fgn-frame")
    near = min(
        max(abs(a - b) for a, b in zip(middle(box.bounding_box()), middle(node), strict=True))
        for box in boxes.all()
    )
    assert near <= 30  # at the border of its node
    page.evaluate("document.getAnimations().forEach((a) => { a.currentTime = 1599; })")
    home = min(
        max(abs(a - b) for a, b in zip(middle(box.bounding_box()), middle(place), strict=True))
        for box in boxes.all()
    )
    assert home <= 3
    page.evaluate("document.getAnimations().forEach((a) => a.finish())")
    page.wait_for_function("document.querySelectorAll('.fgn-traveller, .fgn-sign').length === 0")


def pieces(page, length, across):
    """The lengths of the pieces on a stage, added up by where they stand across; in this order."""
    found = {}
    for piece in page.locator(".fgn-piece").all():
        box = piece.bounding_box()
        middle = round(box[across] + box[{"x": "width", "y": "height"}[across]] / 2)
        near = next((m for m in found if abs(m - middle) <= 4), middle)
        found[near] = found.get(near, 0) + box[length]
    lengths = np.array([found[m] for m in sorted(found)])
    return lengths / lengths.sum()


def test_a_block_bends_a_message_piece_by_piece_through_its_matrix(page, view):
    view.edit("S|I", 0, 0, 0.1)
    view.round = 9
    came = view.messages["I(2)"].f[:, 0]
    shown = page.get_by_role("slider", name="round")
    shown.fill("9")
    page.locator(".fgn-counter").get_by_text("round 9 of").wait_for()
    step(page, 10)  # S|I sends forward
    stand_still(page, 550)
    assert page.locator(".fgn-piece").count() == 4
    assert pieces(page, "width", "y") == pytest.approx(came, abs=0.04)  # whole bars, by rows
    page.evaluate("document.getAnimations().forEach((a) => { a.currentTime = 1120; })")
    sent = view.messages["S"].f[:, 0]
    assert pieces(page, "height", "x") == pytest.approx(sent, abs=0.04)  # stacked, by columns
    assert not np.allclose(came, sent, atol=0.2)
    page.evaluate("document.getAnimations().forEach((a) => a.finish())")
    page.wait_for_function("document.querySelectorAll('.fgn-bend').length === 0")


def test_back_or_far_nothing_travels(page):
    step(page, 1)
    stand_still(page, 300)
    page.get_by_role("slider", name="round").fill("7")
    page.locator(".fgn-counter").get_by_text("round 7 of").wait_for()
    assert page.locator(".fgn-traveller").count() == 0
    page.get_by_role("button", name="one round back").click()
    page.locator(".fgn-counter").get_by_text("round 6 of").wait_for()
    assert page.locator(".fgn-traveller").count() == 0


def test_nothing_travels_for_who_asked_for_less_motion(chromium, view):
    from bare_page import Bare

    context = chromium.new_context(viewport=LAPTOP, reduced_motion="reduce")
    page = Bare(context.new_page(), (view,)).page
    page.wait_for_selector(".fgn-graph [data-part]")
    step(page, 1)
    laid_out(page)
    assert page.locator(".fgn-traveller, .fgn-bend").count() == 0
    assert page.evaluate("document.getAnimations().length") == 0
    context.close()


def test_a_number_says_how_it_came_about_to_pointer_and_focus(page, view):
    page.locator("[data-part='branch:I(2)'] .fgn-frame").first.click()
    page.locator(".fgn-panel").get_by_role("heading", name="Branch I(2)").wait_for()
    note = page.get_by_role("tooltip")
    assert not note.is_visible()
    cells = page.locator(".fgn-panel tbody td")
    cells.nth(2).hover()
    note.get_by_text("0.500 × 0.500 = 0.250, scaled to 0.500 (product rule").wait_for()
    page.mouse.move(5, 5)
    note.wait_for(state="hidden")
    page.get_by_role("button", name="what the marks mean").hover()
    page.locator("[data-part='variable:S'] .fgn-number").nth(1).hover()
    note.get_by_text("0.500 × 1 = 0.500, scaled to 1").wait_for()
    page.locator("[data-part='variable:S']").focus()
    page.keyboard.press("Tab")
    note.get_by_text("0.500 × 0 = 0").wait_for()
    described = page.get_by_role("slider", name="belief in low of S")
    assert described.get_attribute("aria-description").startswith("0.500 × 0")
