"""The living graph as a person uses it: key by key, on a slow kernel, in two views, without one."""

import numpy as np
import pytest
from graph_menu import more, press
from lab_pages import done, laid_out, run_all, settled
from student import CELL, THETA, student, wait_for_beliefs
from tiers import mostly_slow, slow

from fgnwidgets import propagate
from fgnwidgets.widgets import GraphView

LATENCY = pytest.mark.parametrize("latency", mostly_slow([0, 300], 300))


@pytest.fixture
def view():
    return GraphView(student(), THETA)


def part(page, name):
    return page.locator(f"[data-part='{name}']")


def cell(page, i, j):
    return page.locator(f".fgn-panel [data-cell='{i},{j}']")


def open_matrix(shown, view, name):
    view.selected = f"node:{name}"
    shown.sync()
    cell(shown.page, 0, 0).first.wait_for()


# What is typed


@LATENCY
@pytest.mark.parametrize("rests", [False, True])
def test_a_row_of_a_matrix_is_typed_with_tab_key_by_key(bare, view, latency, rests):
    shown = bare(view, latency=latency)
    page = shown.page
    open_matrix(shown, view, "G|I,D")
    cell(page, 0, 0).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("0.5")
    page.keyboard.press("Tab")
    if rests:  # until the answer is in the field, which Tab has marked to be written over
        settled(page, lambda: cell(page, 0, 1).input_value() == "0.286")
    page.keyboard.type("0.2")
    page.keyboard.press("Tab")
    settled(page, lambda: view.theta["G|I,D"][0].tolist() == [0.5, 0.2, 0.3])
    shown.quiet()
    shows = [cell(page, 0, j).input_value() for j in range(3)]
    assert shows == ["0.500", "0.200", "0.300"]
    assert view.status == ""
    assert page.evaluate("document.activeElement.dataset.cell") == "0,2"
    page.keyboard.press("Control+z")  # one visit, one undo
    settled(page, lambda: view.theta["G|I,D"][0].tolist() == [0.3, 0.4, 0.3])


@LATENCY
def test_what_is_typed_while_an_answer_comes_stays_in_the_field(bare, view, latency):
    shown = bare(view, latency=latency)
    page = shown.page
    open_matrix(shown, view, "S|I")
    cell(page, 1, 0).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("0.")
    view.theta = {**view.theta, "S|I": [[0.95, 0.05], [0.6, 0.4]]}
    shown.sync()
    page.wait_for_function("document.querySelector('[data-cell=\"1,1\"]').value === '0.400'")
    page.keyboard.type("7")
    assert cell(page, 1, 0).input_value() == "0.7"
    page.keyboard.press("Enter")
    settled(page, lambda: np.allclose(view.theta["S|I"][1], [0.7, 0.3]))


@LATENCY
@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "the cell is empty"),
        ("020.25", "'020.25' is no probability"),
        ("1.2", "'1.2' is no probability"),
        ("a lot", "'a lot' is no probability"),
    ],
)
def test_what_is_no_probability_is_refused_in_words_next_to_it(bare, view, latency, typed, says):
    shown = bare(view, latency=latency)
    page = shown.page
    open_matrix(shown, view, "S|I")
    before = view.theta
    cell(page, 0, 0).focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.type(typed)
    page.keyboard.press("Tab")
    below = page.locator(".fgn-panel tr:has([data-cell='0,0']) + tr")
    below.get_by_text(says).wait_for()
    shown.quiet()
    assert view.theta is before
    assert [cell(page, 0, j).input_value() for j in (0, 1)] == ["0.950", "0.050"]
    page.keyboard.type("0.3")  # the next cell, which is all selected still
    page.keyboard.press("Tab")
    settled(page, lambda: np.allclose(view.theta["S|I"][0], [0.7, 0.3]))
    page.wait_for_function("!document.querySelector('.fgn-refused')")


def test_numbers_of_one_row_that_sum_to_more_than_one_are_refused(bare, view):
    shown = bare(view)
    page = shown.page
    open_matrix(shown, view, "G|I,D")
    cell(page, 0, 0).focus()
    for typed in ("0.8", "0.3"):
        page.keyboard.press("Control+a")
        page.keyboard.type(typed)
        page.keyboard.press("Tab")
    page.locator(".fgn-refused").get_by_text("0.8 + 0.3 = 1.1").wait_for()
    assert view.theta["G|I,D"][0] == pytest.approx([0.8, 0.2 * 4 / 7, 0.2 * 3 / 7])


def test_escape_takes_the_old_text_back_and_is_not_the_notebooks(bare, view):
    shown = bare(view)
    page = shown.page
    open_matrix(shown, view, "S|I")
    cell(page, 0, 0).focus()
    page.keyboard.type("7")
    page.keyboard.press("Escape")
    assert cell(page, 0, 0).input_value() == "0.950"
    assert view.selected == "node:S|I"


# A slow kernel


@LATENCY
def test_quick_drags_and_clicks_on_a_slow_kernel_end_where_the_hand_left_them(bare, view, latency):
    shown = bare(view, latency=latency)
    page = shown.page
    track = part(page, "variable:S").locator(".fgn-track").nth(1).bounding_box()
    for share in (0.8, 0.4):
        x, y = track["x"], track["y"] + track["height"] / 2
        page.mouse.move(x + 0.1 * track["width"], y)
        page.mouse.down()
        page.mouse.move(x + share * track["width"], y, steps=6)
        page.mouse.up()
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.4) < 0.02)
    shown.quiet()
    assert isinstance(view.evidence["S"], list)  # no drag has become a click
    view.undo()
    assert view.messages["S"].p[1, 0] == pytest.approx(0.8, abs=0.02)
    view.undo()
    assert view.evidence == {}


@LATENCY
def test_every_step_of_quick_keys_counts_and_a_held_key_is_one_undo(bare, view, latency):
    shown = bare(view, latency=latency)
    page = shown.page
    page.get_by_role("slider", name="belief in high of S").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.425) < 1e-4)
    shown.quiet()
    for _ in range(5):  # without a release between: a key that is held repeats
        page.keyboard.down("ArrowRight")
    page.keyboard.up("ArrowRight")
    settled(page, lambda: abs(view.messages["S"].p[1, 0] - 0.675) < 1e-4)
    shown.quiet()
    view.undo()
    assert view.messages["S"].p[1, 0] == pytest.approx(0.425, abs=1e-4)


def test_escape_in_a_drag_goes_back_to_where_it_began(bare, view):
    view.evidence = {"D": "easy"}
    shown = bare(view, latency=100)
    page = shown.page
    track = part(page, "variable:S").locator(".fgn-track").nth(1).bounding_box()
    x, y = track["x"], track["y"] + track["height"] / 2
    page.mouse.move(x + 5, y)
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=5)
    settled(page, lambda: "S" in view.evidence)
    page.mouse.move(x + 45, y, steps=5)
    page.keyboard.press("Escape")
    page.mouse.move(x + 20, y, steps=3)
    page.mouse.up()
    settled(page, lambda: view.evidence == {"D": "easy"})
    shown.quiet()
    assert view.evidence == {"D": "easy"}


def test_a_busy_kernel_is_called_busy_and_one_that_has_gone_gone(bare, view):
    shown = bare(view, latency=4000)
    page = shown.page
    status = page.locator(".fgn-status")
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    status.get_by_text("Python is busy and will answer").wait_for()
    assert status.get_attribute("data-mild") is not None  # in no colour of alarm
    part(page, "variable:D").locator(".fgn-row").first.click()  # what is done meanwhile counts
    page.locator(".fgn-status:empty").wait_for(state="attached")
    settled(page, lambda: view.evidence == {"S": "high", "D": "easy"})
    shown.quiet()
    shown.gone()
    status.get_by_text("Python is gone: run this cell again").wait_for()
    assert more(page).get_by_role("button", name="copy as Python").is_disabled()
    page.keyboard.press("Escape")
    part(page, "variable:L").locator(".fgn-row").first.click()
    laid_out(page)
    assert page.evaluate("window.waiting") == 0  # nothing is asked of nobody


# Two views, and no second time


def test_what_is_copied_goes_to_the_view_that_asked_and_never_again(bare, view):
    shown = bare(view, views=2)
    page = shown.page
    one, two = page.locator(".fgn-graph").all()
    press(page, "copy as Python")
    one.get_by_role("textbox", name="the same in Python").wait_for()
    laid_out(page)
    assert two.locator(".fgn-copy").count() == 0
    page.keyboard.press("Escape")
    view.evidence = {"S": "high"}
    shown.sync()
    wait_for_text(page, "Observed: S = high")
    assert page.locator(".fgn-copy").count() == 0
    state = view.get_state()
    assert "propagate(" not in str({k: v for k, v in state.items() if k != "script"})


def wait_for_text(page, text):
    page.wait_for_function(
        """(text) => [...document.querySelectorAll(".fgn-summary")]
            .every((e) => e.textContent.includes(text))""",
        arg=text,
    )


@LATENCY
def test_two_views_of_one_graph_show_the_same_and_keep_what_is_being_typed(bare, view, latency):
    shown = bare(view, views=2, latency=latency)
    page = shown.page
    open_matrix(shown, view, "S|I")
    one, two = page.locator(".fgn-graph").all()
    mine = one.locator("[data-cell='0,0']")
    mine.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("0.6")
    two.locator("[data-part='variable:D'] .fgn-row").first.evaluate("(e) => e.dispatchEvent("
        "new MouseEvent('click', { bubbles: true, detail: 1 }))")  # fmt: skip
    settled(page, lambda: view.evidence == {"D": "easy"})
    wait_for_text(page, "Observed: D = easy")
    view.selected = "node:S|I"
    shown.sync()
    shown.quiet()
    page.keyboard.press("Enter")
    settled(page, lambda: view.theta["S|I"][0, 0] in (0.6, 0.95))


# Keys and the focus


KEYS = ["x", "a", "b", "c", "v", "m", "y", "d", "j", "k", "0", "Delete", "PageDown", "Home"]

HEARD = """() => {
    window.heard = [];
    for (const type of ["keydown"]) {
        document.addEventListener(type, (e) => heard.push(e.key), true); // as Jupyter listens
    }
}"""


def test_no_key_reaches_the_notebook_wherever_the_focus_is(bare, view):
    shown = bare(view)
    page = shown.page
    page.evaluate(HEARD)
    open_matrix(shown, view, "S|I")
    view.pin()
    view.round = 1  # a slider, two
    shown.sync()
    places = [
        *("[data-part='variable:S']", "[data-part='branch:D']", "[data-bar='S 0']"),
        *("[data-entry='node:S|I 0,0']", ".fgn-panel", ".fgn-player button", "[data-more-button]"),
        *("[data-cell='0,0']", ".fgn-graph", ".fgn-player input", ".fgn-moment input"),
    ]
    for place in places:
        view.form, view.selected = "normal", "node:S|I"
        shown.sync()
        page.locator(place).first.focus()
        for key in KEYS:
            page.keyboard.press(key)
    assert page.evaluate("heard") == []
    page.locator("[data-part='variable:S']").focus()
    page.keyboard.press("Control+s")  # a command of the host
    assert page.evaluate("heard.at(-1)") == "s"


def test_a_press_beside_all_parts_leaves_the_focus_in_the_widget(bare, view):
    shown = bare(view)
    page = shown.page
    part(page, "variable:S").locator(".fgn-more").click()
    page.get_by_role("dialog", name="evidence on S").wait_for()
    page.locator(".fgn-summary").click()
    assert page.get_by_role("dialog").count() == 0
    inside = "document.querySelector('.fgn-graph').contains(document.activeElement)"
    assert page.evaluate(inside)
    part(page, "branch:D").focus()
    view.evidence = {"D": "easy"}  # which splits the branch with the focus
    shown.sync()
    wait_for_beliefs(page, {"D": "easy"})
    assert page.evaluate(inside)


def test_tab_goes_through_the_picker_and_closes_it_at_its_ends(bare, view):
    page = bare(view).page
    part(page, "variable:S").focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="evidence on S").wait_for()
    stops = page.get_by_role("dialog").locator("button, input").count()
    for _ in range(stops - 1):
        page.keyboard.press("Tab")
        assert page.get_by_role("dialog").count() == 1
    page.keyboard.press("Tab")
    assert page.get_by_role("dialog").count() == 0
    assert page.evaluate("document.activeElement.dataset.part") == "variable:S"
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    assert page.get_by_role("dialog").count() == 0


def test_in_a_shadow_root_keys_pointers_and_colours_are_as_everywhere(bare, view):
    page = bare(view, before="window.inShadow = true").page
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    settled(page, lambda: view.evidence == {"S": "high"})
    part(page, "variable:S").focus()
    page.keyboard.press("Control+z")
    settled(page, lambda: view.evidence == {})
    page.keyboard.press(" ")
    settled(page, lambda: view.evidence == {"S": "low"})
    page.get_by_role("slider", name="belief in high of D").or_(
        page.get_by_role("slider", name="belief in hard of D")
    ).first.focus()
    page.keyboard.press("ArrowRight")
    settled(page, lambda: abs(view.messages["D"].p[1, 0] - 0.45) < 1e-3)
    colour = "(e) => getComputedStyle(e).fill"
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    light = part(page, "variable:S").locator(".fgn-belief").first.evaluate(colour)
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    page.wait_for_function(
        "document.querySelector('main > div:not(.beside)').shadowRoot"
        ".querySelector('.fgn-graph').dataset.theme === 'dark'"
    )
    dark = part(page, "variable:S").locator(".fgn-belief").first.evaluate(colour)
    assert light != dark != "rgb(0, 0, 0)" != light


# What is spoken, and colours that a reader has chosen


SPOKEN = """() => {
    window.region = document.querySelector(".fgn-spoken");
    window.spoken = [];
    const live = document.querySelectorAll("[aria-live], [role=status], [role=log], [role=alert]");
    const note = (records) => { for (const r of records) spoken.push(r.target.textContent); };
    for (const one of live) {
        const changes = { childList: true, characterData: true, subtree: true };
        new MutationObserver(note).observe(one, changes);
    }
}"""


def test_a_drag_is_spoken_of_when_the_hand_rests_and_the_region_stays(bare, view):
    shown = bare(view)
    page = shown.page
    page.wait_for_function("document.querySelector('.fgn-spoken').textContent !== ''")
    page.evaluate(SPOKEN)
    track = part(page, "variable:S").locator(".fgn-track").nth(1).bounding_box()
    x, y = track["x"], track["y"] + track["height"] / 2
    page.mouse.move(x + 5, y)
    page.mouse.down()
    for step in range(20):
        page.mouse.move(x + 10 + 2 * step, y)
        page.wait_for_timeout(60)
    page.wait_for_timeout(900)  # the hand stops, and holds on
    page.mouse.move(x + 30, y)
    page.mouse.up()
    shown.quiet()
    page.wait_for_function(
        "region.textContent.startsWith('Observed: S') && "
        "region.textContent === document.querySelector('.fgn-summary').textContent"
    )
    assert len(page.evaluate("spoken")) == 1
    assert page.evaluate("region.isConnected")


def test_with_colours_of_the_readers_own_all_words_can_be_read(bare, view):
    shown = bare(view)
    page = shown.page
    page.emulate_media(forced_colors="active", color_scheme="dark")
    laid_out(page)
    contrast = """() => {
        const light = (c) => { const [r, g, b] = c.match(/\\d+/g).map(Number); return r + g + b; };
        const paper = getComputedStyle(document.querySelector(".fgn-card")).fill;
        return [...document.querySelectorAll(".fgn-stage text:not(.fgn-badge text)")]
            .map((e) => Math.abs(light(getComputedStyle(e).fill) - light(paper)));
    }"""
    assert min(page.evaluate(contrast)) > 400


# Odds and ends


def test_a_press_on_a_part_that_goes_meanwhile_is_no_error(bare, view):
    shown = bare(view)
    page = shown.page
    wire = page.query_selector("[data-part='branch:D'] .fgn-hit")
    view.evidence = {"D": "easy"}
    shown.sync()
    wait_for_beliefs(page, {"D": "easy"})
    wire.evaluate("(e) => e.dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    shown.quiet()
    assert view.status == ""


def test_a_film_of_one_shot_does_not_play_for_ever(bare, view):
    view.messages = propagate(view.graph, THETA, {"S": "high"})  # one's own: no rounds
    page = bare(view).page
    button = page.get_by_role("button", name="play")
    assert button.is_disabled()


def test_the_second_view_and_the_fiftieth_graph_bring_no_second_script(bare):
    views = [GraphView(student(), THETA) for _ in range(3)]
    page = bare(*views).page
    page.wait_for_function("document.querySelectorAll('.fgn-graph').length === 3")
    assert page.evaluate("globalThis[Symbol.for('fgnwidgets.bundles')].size") == 1
    assert page.evaluate("document.querySelectorAll('style[data-fgn]').length") == 1


def test_a_cell_that_runs_a_dozen_times_leaves_the_models_of_one_graph(shared_notebook):
    count = (
        "import ipywidgets\nprint('models:', len(ipywidgets.Widget.get_manager_state()['state']))"
    )
    page = shared_notebook(CELL, count)
    page.wait_for_selector(".fgn-graph [data-part]")
    told = page.locator(".jp-OutputArea-output").get_by_text("models:")
    first = told.inner_text()
    for _ in range(3):
        run_all(page)
        page.wait_for_selector(".fgn-graph [data-part]")
    done(page, "notebook:run-all-cells")
    assert told.inner_text() == first
    assert page.locator(".fgn-graph").count() == 1


@slow  # test_labs.py has this of a lab
def test_a_busy_kernel_of_jupyterlab_is_not_called_gone_and_one_shut_down_is(open_notebook):
    page = open_notebook(CELL, "import time")
    page.wait_for_selector(".fgn-graph [data-part]")
    kernel = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    page.evaluate(f"() => {{ {kernel}.requestExecute({{ code: 'time.sleep(4)' }}); }}")
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    page.locator(".fgn-status").get_by_text("Python is busy").wait_for()
    wait_for_beliefs(page, {"S": "high"})
    page.locator(".fgn-status:empty").wait_for(state="attached")
    page.evaluate(f"() => {kernel}.shutdown()")
    page.locator(".fgn-status").get_by_text("Python is gone").wait_for()
