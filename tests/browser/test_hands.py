"""Hands on the living graph: bars that are dragged, cells that are typed, dragged and stepped."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
from bare_page import Bare
from fingers import swipe
from graph_menu import press, tick
from lab_pages import LAPTOP, laid_out, settled
from student import CELL, THETA, student, wait_for_beliefs

from fgnwidgets import propagate
from fgnwidgets.widgets import GraphEditor, GraphView


@pytest.fixture
def view():
    return GraphView(student(), THETA)


NARROW = {"width": 500, "height": 800}  # where a drawing scrolls


def test_a_finger_drags_a_bar_and_a_cell_and_does_not_scroll_the_drawing(bare, view):
    view.selected = "node:S|I"
    page = bare(view, viewport=NARROW).page
    page.wait_for_selector(".fgn-graph [data-part]")
    part(page, "variable:S").locator(".fgn-track").nth(1).scroll_into_view_if_needed()
    at = track(page, "S", 1)
    swipe(page, *(at(share) for share in (0.1, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8)))
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.8) < 0.03)
    before = view.theta["S|I"]
    cell = part(page, "node:S|I").locator(".fgn-editable rect").first.bounding_box()
    x, y = cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2
    swipe(page, *((x - step, y) for step in range(0, 40, 6)))
    settled(page, lambda: view.theta["S|I"] is not before)


AS_LITE = """window.asSent = (state) => {
    if (Array.isArray(state)) return state.map(window.asSent);
    if (state === null) return undefined;
    if (typeof state !== "object") return state;
    return Object.fromEntries(Object.entries(state).map(([k, v]) => [k, window.asSent(v)]));
}"""
"""What is None in Python is undefined on the pages of JupyterLite, and null on all others."""


@pytest.fixture
def page(bare, view):
    page = bare(view).page
    page.wait_for_selector(".fgn-graph [data-part]")
    return page


def part(page, name):
    return page.locator(f"[data-part='{name}']")


def track(page, variable, state):
    box = page.evaluate(
        """([variable, state]) => {
            const card = document.querySelector(`[data-part='variable:${variable}']`);
            return card.querySelectorAll(".fgn-track")[state].getBoundingClientRect().toJSON();
        }""",
        [variable, state],
    )
    return lambda share: (box["x"] + share * box["width"], box["y"] + box["height"] / 2)


def drag(page, at, *shares):
    page.mouse.move(*at(shares[0]))
    page.mouse.down()
    for share in shares[1:]:
        page.mouse.move(*at(share), steps=4)
    page.mouse.up()


def drawn(page, variable):
    rows = part(page, f"variable:{variable}").locator(".fgn-number")
    return [float(text.lstrip("<>")) for text in rows.all_text_contents()]


def test_a_bar_is_a_handle_and_the_other_beliefs_follow(page, view):
    drag(page, track(page, "S", 1), 0.1, 0.5, 0.8)
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.8) < 0.03)
    exact = propagate(student(), THETA, {"S": [view.evidence["S"]]})
    for variable in "DIGSL":
        settled(
            page,
            lambda v=variable: np.allclose(drawn(page, v), exact[v].p[:, 0], atol=6e-4),
        )
    assert part(page, "variable:S").locator(".fgn-note").text_content() == "soft"
    assert isinstance(view.evidence["S"], list)  # the end of the drag was no click


def test_a_double_click_takes_evidence_back_and_one_undo_brings_it_again(page, view):
    drag(page, track(page, "G", 2), 0.2, 0.9)
    settled(page, lambda: abs(view.messages["G"].p[2, 0] - 0.9) < 0.01)
    settled(page, lambda: abs(drawn(page, "G")[2] - 0.9) < 0.01)
    page.evaluate("document.getAnimations().forEach((a) => a.finish())")  # where it stays
    before = view.evidence
    page.mouse.dblclick(*track(page, "G", 2)(0.5))
    settled(page, lambda: view.evidence == {})
    page.keyboard.press("Control+z")
    settled(page, lambda: view.evidence == before)
    page.keyboard.press("Control+z")
    settled(page, lambda: view.evidence == {})
    page.keyboard.press("Control+Shift+Z")
    settled(page, lambda: view.evidence == before)


def test_a_click_is_taken_where_an_answer_comes_between_press_and_release(bare, view):
    shown = bare(view)
    page = shown.page
    page.mouse.move(*track(page, "S", 1)(0.5))
    page.mouse.down()
    view.evidence = {"I": "low"}
    shown.sync()
    page.mouse.up()
    settled(page, lambda: view.evidence == {"I": "low", "S": "high"})
    wait_for_beliefs(page, {"I": "low", "S": "high"})


TWICE = """(row) => {
    for (const type of ["pointerdown", "pointerup", "pointerdown"]) {
        row.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true, button: 0 }));
    }
}"""
"""A click and the press after it, with no pause between them."""


def test_the_end_of_a_click_is_not_the_end_of_the_press_that_follows_at_once(bare, view):
    shown = bare(view)
    page = shown.page
    row = page.query_selector("[data-part='variable:S'] .fgn-row")
    row.evaluate(TWICE)
    view.evidence = {"I": "low"}
    shown.sync()
    page.wait_for_timeout(100)  # nothing is drawn anew meanwhile
    assert row.evaluate("(e) => e.isConnected")
    page.mouse.up()
    wait_for_beliefs(page, {"I": "low"})


def test_an_arrow_key_during_a_press_goes_to_what_is_drawn(bare, view):
    view.form = "bayes"
    shown = bare(view)
    page = shown.page
    part(page, "variable:G").focus()
    page.query_selector("[data-part='variable:S'] .fgn-row").evaluate(TWICE)
    view.form = "normal"
    shown.sync()
    for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)  # most parts of the other form are not there yet
    assert part(page, page.evaluate("document.activeElement.dataset.part")).count() == 1


def test_a_film_goes_on_after_a_press_during_which_a_round_came(bare, view):
    view.round = 0
    shown = bare(view)
    page = shown.page
    page.get_by_role("button", name="play").click()
    page.locator(".fgn-panel h4").hover()  # where a click asks for nothing
    page.mouse.down()
    settled(page, lambda: view.round == 1)
    page.wait_for_timeout(1800)  # a press that lasts longer than a round
    page.mouse.up()
    settled(page, lambda: view.round == 2)


def test_steps_are_not_lost_where_keys_are_quicker_than_answers(page, view):
    page.get_by_role("slider", name="belief in high of S").focus()
    page.evaluate(KEYS, ["ArrowRight", "ArrowRight", "ArrowRight"])
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.425) < 1e-4)
    part(page, "node:S|I").locator(".fgn-box").click()
    cell(page, 0, 0).focus()
    page.evaluate(KEYS, ["ArrowDown", "ArrowDown", "ArrowDown"])
    settled(page, lambda: abs(view.theta["S|I"][0, 0] - 0.92) < 1e-9)
    page.get_by_role("slider", name="P(S = low | high)").focus()
    page.evaluate(KEYS, ["ArrowRight", "ArrowRight"])
    settled(page, lambda: abs(view.theta["S|I"][1, 0] - 0.3) < 1e-9)
    tick(page, "go round by round")
    for name in ("one round back", "one round back", "one round back", "one round on"):
        page.get_by_role("button", name=name).evaluate("(button) => button.click()")
    settled(page, lambda: view.round == view.rounds - 2)


def test_a_second_press_takes_the_first_one_back_although_it_has_no_answer_yet(page, view):
    page.evaluate(
        """() => {
            const press = (look) => document.querySelector(look).dispatchEvent(
                new MouseEvent("click", { bubbles: true, composed: true, detail: 1 }));
            const row = "[data-part='variable:S'] .fgn-row";
            for (const look of [row, row, row, row, "[data-part='node:S|I']"]) press(look);
            press("[data-part='node:S|I']");
            press("[data-part='variable:D'] .fgn-row");
            for (const _ of [1, 2]) press("[data-part='variable:L'] .fgn-head");
        }"""
    )
    settled(page, lambda: view.evidence == {"D": "easy", "L": "strong"})
    assert view.selected == "variable:L"
    wait_for_beliefs(page, {"D": "easy", "L": "strong"})


KEYS = """(keys) => {
    for (const key of keys) {
        const made = { key, bubbles: true, composed: true, cancelable: true };
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", made));
    }
}"""
"""Keys in one go, sooner than anything is answered."""


def test_no_undo_is_lost_while_the_kernel_is_busy(open_notebook):
    page = open_notebook(CELL, "import time")
    laid_out(page)
    seen = {}
    for variable, state in (("S", "high"), ("D", "hard"), ("L", "strong")):
        row = part(page, f"variable:{variable}").locator(".fgn-row").nth(1)
        row.click()
        seen[variable] = state
        wait_for_beliefs(page, seen)
    page.evaluate(
        """() => {
            const { session } = jupyterapp.shell.currentWidget.sessionContext;
            session.kernel.requestExecute({ code: "time.sleep(1)" });
        }"""
    )
    for _ in range(3):
        page.keyboard.press("Control+z")
    wait_for_beliefs(page, {})


def test_arrow_keys_move_a_bar_that_has_the_focus(page, view):
    part(page, "variable:S").focus()
    page.keyboard.press("Tab")
    bar = page.get_by_role("slider", name="belief in low of S")
    assert bar.evaluate("(e) => e === document.activeElement")
    page.keyboard.press("ArrowDown")
    high = page.get_by_role("slider", name="belief in high of S")
    assert high.evaluate("(e) => e === document.activeElement")
    page.keyboard.press("ArrowRight")
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.325) < 1e-4)
    settled(page, lambda: high.get_attribute("aria-valuetext") == "0.325")  # a step begins there
    page.keyboard.press("Shift+ArrowLeft")
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.315) < 1e-4)
    settled(page, lambda: high.get_attribute("aria-valuetext") == "0.315")
    page.keyboard.press(" ")
    settled(page, lambda: view.evidence == {"S": "high"})
    page.keyboard.press("Delete")
    settled(page, lambda: view.evidence == {})
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.part") == "variable:S"


def cell(page, i, j):
    return page.locator(f".fgn-panel [data-cell='{i},{j}']")


def test_a_number_is_typed_into_a_matrix_and_everything_follows(page, view):
    part(page, "node:S|I").locator(".fgn-box").click()
    field = page.get_by_role("spinbutton", name="probability of low given high")
    field.fill("0,9")
    field.press("Enter")
    settled(page, lambda: view.theta["S|I"][1].tolist() == [0.9, 0.1])
    settled(page, lambda: cell(page, 1, 1).input_value() == "0.100")
    assert part(page, "node:S|I").locator(".fgn-cells rect").nth(2).get_attribute(
        "fill-opacity"
    ) == ("0.9")
    theta = {**THETA, "S|I": [THETA["S|I"][0], [0.9, 0.1]]}
    exact = propagate(student(), theta)["S"].p[:, 0]
    settled(page, lambda: np.allclose(drawn(page, "S"), exact, atol=6e-4))
    field.fill("a lot")
    field.press("Enter")
    page.get_by_role("status").get_by_text("'a lot' is no probability").wait_for()
    assert cell(page, 1, 0).input_value() == "0.900"


def test_a_cell_is_dragged_to_the_side_and_its_row_stays_a_distribution(page, view):
    part(page, "node:G|I,D").locator(".fgn-box").click()
    cell(page, 2, 1).wait_for()
    box = cell(page, 2, 1).bounding_box()
    x, y = box["x"] + 20, box["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=3)
    page.mouse.move(x + 75, y, steps=3)
    page.mouse.up()
    settled(page, lambda: abs(view.theta["G|I,D"][2, 1] - (0.08 + 0.5)) < 0.01)
    row = view.theta["G|I,D"][2]
    assert row.sum() == pytest.approx(1)
    assert row[0] / row[2] == pytest.approx(0.9 / 0.02)
    page.keyboard.press("Control+z")
    part(page, "node:G|I,D").focus()
    page.keyboard.press("Control+z")
    settled(page, lambda: view.theta["G|I,D"][2].tolist() == [0.9, 0.08, 0.02])


def test_a_prior_is_stepped_by_arrow_keys_and_the_focus_stays(page, view):
    part(page, "node:D").locator(".fgn-box").click()
    field = page.get_by_role("spinbutton", name="probability of easy")
    field.focus()
    for wanted in (0.61, 0.62):
        page.keyboard.press("ArrowUp")
        settled(page, lambda w=wanted: abs(view.theta["D"][0, 0] - w) < 1e-9)
        settled(page, lambda w=wanted: cell(page, 0, 0).input_value() == f"{w:.3f}")
    page.keyboard.press("Shift+ArrowDown")
    settled(page, lambda: abs(view.theta["D"][0, 0] - 0.52) < 1e-9)
    assert page.evaluate("document.activeElement.dataset.cell") == "0,0"


def test_what_is_copied_as_python_gives_the_same_beliefs(page, view):
    drag(page, track(page, "S", 1), 0.1, 0.7)
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.7) < 0.01)
    part(page, "node:S|I").locator(".fgn-box").click()
    cell(page, 0, 0).fill("0.6")
    cell(page, 0, 0).press("Enter")
    settled(page, lambda: view.theta["S|I"][0, 0] == 0.6)
    press(page, "copy as Python")
    code = page.get_by_role("textbox", name="the same in Python")
    code.wait_for()
    space = {}
    with redirect_stdout(io.StringIO()):
        exec(code.input_value(), space)
    for variable in "DIGSL":
        assert np.array_equal(space["messages"][variable].p, view.messages[variable].p)
    page.keyboard.press("Escape")
    assert code.count() == 0
    assert page.evaluate("document.activeElement.textContent") == "more"


def entry(page, node, i, j):
    """A cell of a matrix as it is drawn inside its block."""
    return part(page, f"node:{node}").locator(f"[data-place='{i},{j}']")


def drag_entry(page, node, i, j, *steps):
    x, y = middle_of(entry(page, node, i, j))
    page.mouse.move(x, y)
    page.mouse.down()
    for step in steps:
        page.mouse.move(x + step, y, steps=3)
    page.mouse.up()


def middle_of(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_cell_is_dragged_inside_its_block_and_beliefs_and_messages_follow(page, view):
    drag_entry(page, "G|I,D", 2, 1, 30, 75)
    settled(page, lambda: abs(view.theta["G|I,D"][2, 1] - (0.08 + 0.5)) < 0.01)
    row = view.theta["G|I,D"][2]
    assert row.sum() == pytest.approx(1)
    assert row[0] / row[2] == pytest.approx(0.9 / 0.02)
    exact = propagate(student(), view.theta)
    for variable in "DIGSL":
        settled(
            page,
            lambda v=variable: np.allclose(drawn(page, v), exact[v].p[:, 0], atol=6e-4),
        )
    shade = float(entry(page, "G|I,D", 2, 1).get_attribute("fill-opacity"))
    assert shade == pytest.approx(row[1], abs=6e-4)
    sent = next(p for p in view.scene["parts"] if p["id"] == "branch:G")["messages"][0]
    bars = part(page, "branch:G").locator("[data-direction='f'] > rect:not(.fgn-frame)")
    drawn_bars = [float(bar.get_attribute("height")) for bar in bars.all()]
    assert drawn_bars == pytest.approx([v * (sent["h"] - 2) for v in exact["G"].f[:, 0]], abs=0.02)
    assert view.selected is None  # the end of the drag was no click
    page.mouse.click(*middle_of(entry(page, "G|I,D", 2, 1)))
    settled(page, lambda: view.selected == "node:G|I,D")


def test_a_drag_inside_a_block_is_taken_back_as_one_and_made_again(page, view):
    drag_entry(page, "D", 0, 0, -15, -30, -45)
    settled(page, lambda: abs(view.theta["D"][0, 0] - 0.3) < 0.01)
    after = view.theta["D"].tolist()
    part(page, "variable:D").focus()
    page.keyboard.press("Control+z")
    settled(page, lambda: view.theta["D"].tolist() == [[0.6, 0.4]])
    settled(page, lambda: drawn(page, "D") == [0.6, 0.4])
    page.keyboard.press("Control+Shift+Z")
    settled(page, lambda: view.theta["D"].tolist() == after)


def test_a_cell_in_the_hand_says_its_number_beside_the_block(page, view):
    x, y = middle_of(entry(page, "S|I", 1, 0))
    page.mouse.move(x, y)
    note = page.get_by_role("tooltip")
    note.get_by_text("P(S = low | high) = 0.200: drag it to the side").wait_for()
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=3)
    note.get_by_text("P(S = low | high) = 0.400").wait_for()
    box = part(page, "node:S|I").locator(".fgn-box").bounding_box()
    told = note.bounding_box()
    across = max(box["x"] - told["x"] - told["width"], told["x"] - box["x"] - box["width"])
    down = max(box["y"] - told["y"] - told["height"], told["y"] - box["y"] - box["height"])
    assert max(across, down) >= 0  # over no cell of it
    page.mouse.up()
    note.wait_for(state="hidden")


def test_a_cell_inside_a_block_has_keys_and_keeps_the_focus(page, view):
    part(page, "node:S|I").focus()
    page.keyboard.press("Tab")
    first = page.get_by_role("slider", name="P(S = low | low)")
    assert first.evaluate("(e) => e === document.activeElement")
    page.keyboard.press("ArrowDown")
    held = page.get_by_role("slider", name="P(S = high | low)")
    page.keyboard.press("ArrowRight")
    settled(page, lambda: abs(view.theta["S|I"][0, 1] - 0.1) < 1e-9)
    settled(page, lambda: held.get_attribute("aria-valuetext") == "0.100")
    page.keyboard.press("Shift+ArrowLeft")
    settled(page, lambda: abs(view.theta["S|I"][0, 1] - 0.09) < 1e-9)
    page.get_by_role("tooltip").get_by_text("P(S = high | low) = 0.090").wait_for()
    assert held.evaluate("(e) => e === document.activeElement")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")  # from the first cell to the last
    assert (
        page.evaluate("document.activeElement.getAttribute('aria-label')") == "P(S = high | high)"
    )
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.part") == "node:S|I"
    page.keyboard.press("Tab")  # back to the cell that it left
    assert (
        page.evaluate("document.activeElement.getAttribute('aria-label')") == "P(S = high | high)"
    )


FRAMES = """async (what) => {
    const row = document.querySelector(what);
    const { left, width, top, height } = row.getBoundingClientRect();
    const point = (share) => ({ bubbles: true, button: 0, pointerId: 7,
        clientX: left + share * Math.max(width, 40), clientY: top + height / 2 });
    row.dispatchEvent(new PointerEvent("pointerdown", point(0.2)));
    const begun = performance.now();
    const before = window.answers ?? 0;
    while (performance.now() - begun < 2000) {
        const share = 0.5 + 0.4 * Math.sin((performance.now() - begun) / 300);
        window.dispatchEvent(new PointerEvent("pointermove", point(share)));
        await new Promise(requestAnimationFrame);
    }
    window.dispatchEvent(new PointerEvent("pointerup", point(0.5)));
    return ((window.answers ?? 0) - before) / 2;
}"""


@pytest.mark.parametrize(
    "what", ["[data-part='variable:S'] .fgn-track", "[data-part='node:G|I,D'] [data-place='0,0']"]
)
def test_beliefs_follow_the_hand_at_twelve_frames_a_second_or_better(page, what):
    assert page.evaluate(FRAMES, what) >= 12


def test_it_works_in_jupyterlab_too(open_notebook):
    page = open_notebook(CELL, viewport=LAPTOP)
    page.wait_for_selector(".fgn-graph [data-part]")
    laid_out(page)
    drag(page, track(page, "S", 1), 0.1, 0.5, 0.8)
    part(page, "variable:S").locator(".fgn-note").get_by_text("soft").wait_for()
    settled(page, lambda: 0.77 < drawn(page, "S")[1] < 0.83)
    part(page, "node:S|I").locator(".fgn-box").click()
    field = page.get_by_role("spinbutton", name="probability of low given high")
    field.fill("0.9")
    field.press("Enter")
    settled(page, lambda: cell(page, 1, 1).input_value() == "0.100")
    page.keyboard.press("Control+z")
    settled(page, lambda: cell(page, 1, 1).input_value() == "0.800")


def test_in_a_narrow_page_the_panel_hides_nothing_while_it_only_says_how_to_begin(bare):
    view = GraphView(student(), THETA)
    page = bare(view).page
    page.set_viewport_size({"width": 500, "height": 460})
    page.wait_for_selector("[data-panel='below'] [data-part]")
    low = """([upper, lower]) => document.querySelector(lower).getBoundingClientRect().top
        - document.querySelector(upper).getBoundingClientRect().bottom"""
    assert page.evaluate(low, [".fgn-stage", ".fgn-panel"]) >= -1
    page.locator("[data-part='variable:I'] .fgn-row").first.click()
    page.wait_for_function(  # what was chosen is told below the graph, and in sight
        "document.querySelector('.fgn-panel').getBoundingClientRect().bottom <= innerHeight"
    )


@pytest.mark.parametrize("board", ["living graph", "editor"])
def test_what_is_none_in_python_draws_the_same_in_jupyterlite(chromium, board):
    """Branches of product variables, which have no colour of their own, lost their lines there."""
    table = {"A": [0, 1, 1, 0], "B": [1, 1, 0, 0], "C": [0, 1, 0, 1]}
    drawn = []
    for script in ("window.asSent = undefined", AS_LITE):
        page = chromium.new_page(viewport=LAPTOP)
        page.evaluate(script)
        editor = board == "editor"
        Bare(page, (GraphEditor(table=table) if editor else GraphView(student(), THETA),))
        page.wait_for_selector("[data-part]")
        page.wait_for_timeout(300)
        drawn.append(page.evaluate("document.querySelector('main').innerHTML"))
        page.close()
    assert "undefined" not in drawn[1]
    assert drawn[0] == drawn[1]
