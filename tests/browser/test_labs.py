"""Labs 1 to 3 as people meet them: one step, a fast drag, a long run, an error, a new kernel."""

import inspect
import re

import pytest
from lab_pages import FILLED, command, done, restart_kernel, run_all, settled
from labs_on_pages import show_all_controls, wait_for_words
from tiers import mostly_slow, slow

from fgn_notebooks import experiments, labs
from fgn_notebooks.experiments import weather as weather_of

SHOW = "from fgn_notebooks import labs\nlab = labs.{}()\nlab"

COUNTED, MOST = (
    """\
import time
from dataclasses import dataclass

from matplotlib.figure import Figure
from fgnwidgets.widgets import Integer, Lab

asked = []


@dataclass(frozen=True)
class Bar:
    value: int

    def facts(self):
        return f"computed {len(asked)}, now {self.value}"


def bar(*, value=10):
    asked.append(value)
    time.sleep(0.3)
    if value == 13:
        raise ValueError("value is 13: expected any other")
    return Bar(value)


def draw_bar(result, fig=None):
    fig = fig or Figure(figsize=(4, 2), dpi=100)
    fig.clear()
    fig.add_subplot(ylim=(0, 60)).bar(0, result.value)
    return fig


Lab(bar, draw_bar, title="Bar", controls={"value": Integer("value", 0, 60, 10, "how high")})
""",
    640,
)
"""A lab that counts, and how wide its picture may become."""


@pytest.fixture
def show(shared_notebook):
    """Run a notebook of one lab, and wait for its picture and all of its controls."""

    def show_(name):
        page = shared_notebook(SHOW.format(name))
        page.wait_for_selector(".fgn-lab img[alt]")
        show_all_controls(page, getattr(labs, name)())
        page.wait_for_function(FILLED, arg=1600)  # the picture has seen its page
        return page

    return show_


@pytest.fixture
def counted(shared_notebook):
    page = shared_notebook(COUNTED)
    page.wait_for_selector(".fgn-lab [role=slider][aria-label]")
    page.wait_for_function(FILLED, arg=MOST)
    return page


def status(page):
    return page.locator(".fgn-lab-said")


@pytest.mark.parametrize(
    ("name", "symbol", "argument", "compute"),
    mostly_slow(
        [
            ("one_block", "EX", "ex", experiments.one_block),
            ("one_hidden_variable", "Nit", "n_it", experiments.one_hidden),
            ("deeper_graph", "N", "n", experiments.deeper),
        ],
        "one_block",
    ),
)
def test_a_step_of_a_slider_or_a_typed_number_shows_what_the_experiment_says(
    show, name, symbol, argument, compute
):
    lab = getattr(labs, name)()
    taken = inspect.signature(compute).parameters
    values = {k: v for k, v in lab.values.items() if k in taken}
    page = show(name)
    label = re.compile(f"^{symbol}: ")
    row = lab.controls[argument].row()
    row.step(1)
    moved = row.value
    assert moved > values[argument]
    page.get_by_role("slider", name=label).press("ArrowRight")
    wait_for_words(page, compute(**{**values, argument: moved}).facts())
    box = page.get_by_role("spinbutton", name=label)
    settled(page, lambda: float(box.input_value()) == moved)
    box.fill(str(moved + 1))
    box.press("Enter")
    wait_for_words(page, compute(**{**values, argument: moved + 1}).facts())


def test_days_are_clicked_in_the_lab_of_the_weather_and_no_box_is_cut_off(show):
    page = show("weather")
    for day in weather_of.SEEN:
        page.get_by_role("checkbox", name=day, exact=True).click()
    wait_for_words(page, weather_of.weather(umbrellas=()).facts())
    page.get_by_role("checkbox", name="7", exact=True).click()
    box = page.get_by_role("spinbutton", name=re.compile("^last day seen: "))
    box.fill("3")
    box.press("Enter")
    wait_for_words(page, weather_of.weather(umbrellas=("7",), until=3).facts())
    hidden = page.evaluate(
        """() => [...document.querySelectorAll(".fgn-lab-rows :is(input, button)")].filter((e) => {
            if (!e.offsetParent) return false;
            const { x, y, width, height } = e.getBoundingClientRect();
            const right = document.elementFromPoint(x + width - 2, y + height / 2);
            return !right?.closest(".fgn-lab-rows");
        }).map((e) => e.outerHTML)"""
    )
    assert hidden == []


COMPUTED = """() => {
    const { alt } = document.querySelector(".fgn-lab img");
    return Number(/computed (\\d+)/.exec(alt)[1]);
}"""


def test_a_fast_drag_computes_a_few_values_and_ends_at_the_last(counted):
    page = counted
    page.evaluate(
        """() => {
            const picture = document.querySelector(".fgn-lab img");
            const heights = window.room = [];
            window.words = [];
            new MutationObserver(() => {
                words.push(picture.alt);
                const box = document.querySelector(".fgn-lab").getBoundingClientRect();
                heights.push(box.height);
            }).observe(picture, { attributes: true });
        }"""
    )
    handle = page.get_by_role("slider", name="value: how high")
    handle.scroll_into_view_if_needed()
    place = handle.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 41):
        page.mouse.move(x + 1.8 * step, y)
    page.mouse.up()
    last = float(handle.get_attribute("aria-valuenow"))
    assert last > 30
    told = page.evaluate(COMPUTED)
    wait_for_words(page, f"now {last:.0f}")
    box = page.get_by_role("spinbutton", name="value: how high")
    settled(page, lambda: float(box.input_value()) == last)
    # The one that was on its way to the picture, one at work, the last: the others are left out.
    assert page.evaluate(COMPUTED) <= told + 3
    shown = [int(re.search(r"now (\d+)", text)[1]) for text in page.evaluate("words")]
    assert shown == sorted(shown)
    assert len(set(page.evaluate("room"))) == 1  # the page does not jump


def test_an_error_is_one_line_and_the_last_picture_stays(counted):
    page = counted
    box = page.get_by_role("spinbutton", name="value: how high")
    picture = page.locator(".fgn-lab img")
    box.fill("12")
    box.press("Enter")
    wait_for_words(page, "now 12")
    good = picture.get_attribute("src")
    box.fill("13")
    box.press("Enter")
    status(page).get_by_text("value is 13: expected any other").wait_for()
    page.locator(".fgn-lab-bar [role=status]").get_by_text("value is 13").wait_for()
    assert picture.get_attribute("src") == good
    box.press("ArrowUp")
    wait_for_words(page, "now 14")
    settled(page, lambda: status(page).text_content() == "")


def test_a_long_run_shows_its_epochs_pauses_stops_and_gives_way(show):
    page = show("deeper_graph")
    page.get_by_role("spinbutton", name=re.compile("^Nit: ")).fill("20")
    epochs = page.get_by_role("spinbutton", name=re.compile("^Ne: "))
    epochs.fill("1000")
    epochs.press("Enter")
    status(page).get_by_text(re.compile(r"^epoch \d+ of 1000$")).wait_for()
    page.get_by_role("button", name="Pause").click()
    status(page).get_by_text(re.compile(r"^paused at epoch \d+ of 1000$")).wait_for()
    at = status(page).text_content()
    page.wait_for_timeout(500)  # for nothing to happen
    assert status(page).text_content() == at
    page.get_by_role("button", name="Go on").click()
    status(page).get_by_text(re.compile(r"^epoch \d+ of 1000$")).wait_for()
    page.get_by_role("button", name="Stop").click()
    status(page).get_by_text(re.compile(r"^stopped at epoch \d+ of 1000$")).wait_for()
    epochs.fill("20")
    epochs.press("Enter")
    wait_for_words(page, experiments.deeper(n_epochs=20, n_it=20).facts())


@slow
def test_a_run_can_be_stopped_while_a_cell_is_running(open_notebook):
    page = open_notebook(SHOW.format("deeper_graph"))
    page.wait_for_selector(".fgn-lab [role=slider][aria-label]")
    epochs = page.get_by_role("spinbutton", name=re.compile("^Ne: "))
    epochs.fill("900")  # from now on the page's messages have a thread of their own
    epochs.press("Enter")
    wait_for_words(page, experiments.deeper(n_epochs=900).facts())
    done(page, "notebook:insert-cell-below")
    page.evaluate(
        """() => {
            const cell = window.jupyterapp.shell.currentWidget.content.activeCell;
            cell.model.sharedModel.setSource("import time\\nwhile True: time.sleep(0.1)");
        }"""
    )
    command(page, "notebook:run-cell")
    page.locator(".jp-InputArea-prompt", has_text="[*]").wait_for()
    page.get_by_role("spinbutton", name=re.compile("^Nit: ")).fill("20")
    epochs.fill("1000")
    epochs.press("Enter")
    status(page).get_by_text(re.compile(r"^epoch \d+ of 1000$")).wait_for()
    page.get_by_role("button", name="Stop").click()
    status(page).get_by_text(re.compile(r"^stopped at epoch \d+ of 1000$")).wait_for()
    assert page.locator(".jp-InputArea-prompt", has_text="[*]").count() == 1


def test_everything_in_a_lab_has_a_name(show):
    page = show("one_block")
    nameless = page.evaluate(
        """() => {
            const named = (e) => e.getAttribute("aria-label") || e.textContent.trim()
                || e.labels?.[0]?.textContent.trim() || e.closest("[role=group][aria-label]");
            const all = "input, select, button, [role=slider]";
            const found = document.querySelector(".fgn-lab").querySelectorAll(all);
            return [...found].filter((e) => !named(e)).map((e) => e.outerHTML);
        }"""
    )
    assert nameless == []
    page.wait_for_selector(".fgn-lab img[alt^='One block. rule']")
    exponent = page.get_by_role("slider", name=re.compile("^EX: "))
    assert exponent.get_attribute("aria-valuetext") == "1"  # what it says, not where it stands
    code = page.get_by_role("button", name="code")
    assert code.get_attribute("aria-pressed") == "false"
    code.click()
    page.locator(".fgn-lab-panel pre", has_text="result = one_block()").wait_for()
    page.wait_for_selector(".fgn-lab-bar button[aria-pressed=true]")


def test_what_a_slider_says_follows_its_number_where_nothing_but_the_picture_is_new(show):
    page = show("one_block")
    page.evaluate(
        """() => {
            document.querySelector("input[type=number][aria-label^='EX: ']").value = "7";
            const picture = document.querySelector(".fgn-lab img");
            picture.src = `${picture.src}#new`;
        }"""
    )
    page.locator("[role=slider][aria-label^='EX: '][aria-valuetext='7']").wait_for()


def test_files_come_without_a_server(show):
    page = show("one_block")
    page.get_by_role("button", name="files").click()
    for kind, start in (("csv", b"iteration,loglik_ml"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        with page.expect_download() as download:
            page.get_by_role("link", name=f"one_block.{kind}").click()
        with open(download.value.path(), "rb") as file:
            assert file.read(len(start)) == start


def test_a_new_kernel_gives_a_new_lab(show):
    page = show("one_block")
    restart_kernel(page)
    run_all(page)
    page.wait_for_selector(".fgn-lab:not(.fgn-lost)")
    show_all_controls(page, labs.one_block())
    box = page.get_by_role("spinbutton", name=re.compile("^N: "))
    box.fill("77")
    box.press("Enter")
    wait_for_words(page, experiments.one_block(n=77).facts())


def test_a_number_that_is_not_taken_is_said_in_words(counted):
    page = counted
    box = page.get_by_role("spinbutton", name="value: how high")
    for typed, told in (
        ("2.7", "value is 2.7: expected a whole number from 0 to 60; it stays at 10"),
        ("5000", "value is 5000: expected from 0 to 60; it stays at 10"),
    ):
        box.press("ControlOrMeta+a")
        box.press_sequentially(typed)
        box.press("Enter")
        status(page).get_by_text(told).wait_for()
        page.wait_for_function(
            "document.querySelector(\"input[aria-label='value: how high']\").value === '10'"
        )


def test_code_can_be_copied(show):
    page = show("one_block")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="code").click()
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == labs.one_block().code()


def value(page, name):
    return page.get_by_role("spinbutton", name=re.compile(f"^{name}: ")).input_value()


def test_a_drag_is_one_step_of_undo_and_ctrl_z_takes_it_back_while_the_notebook_stays(counted):
    page = counted
    handle = page.get_by_role("slider", name="value: how high")
    handle.scroll_into_view_if_needed()
    place = handle.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 13):
        page.mouse.move(x + 5 * step, y)
        page.wait_for_timeout(60)  # slow enough for pictures on the way
    page.mouse.up()
    last = float(handle.get_attribute("aria-valuenow"))
    wait_for_words(page, f"now {last:.0f}")
    handle.press("ArrowRight")
    wait_for_words(page, f"now {last + 1:.0f}")
    cells = page.locator(".jp-Cell").count()
    for key, expected in (
        ("ControlOrMeta+z", last),
        ("ControlOrMeta+z", 10),
        ("ControlOrMeta+Shift+z", last),
    ):
        handle.press(key)
        wait_for_words(page, f"now {expected:.0f}")
        settled(page, lambda of=expected: float(value(page, "value")) == of)
    page.get_by_role("button", name="undo").click()
    wait_for_words(page, "now 10")
    page.get_by_role("button", name="redo").click()
    wait_for_words(page, f"now {last:.0f}")
    assert page.locator(".jp-Cell").count() == cells


def test_escape_takes_the_drag_of_a_slider_back_and_the_hand_moves_nothing_until_it_lets_go(
    counted,
):
    page = counted
    handle = page.get_by_role("slider", name="value: how high")
    handle.scroll_into_view_if_needed()
    handle.press("ArrowRight")
    wait_for_words(page, "now 11")
    for held in (True, False):
        place = handle.bounding_box()
        x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        for step in range(1, 9):
            page.mouse.move(x + 6 * step, y)
            page.wait_for_timeout(30)  # as a hand does
        page.wait_for_function(MOVED, arg=handle.element_handle())
        page.keyboard.press("Escape")
        if held:
            page.mouse.move(x + 90, y)
            page.mouse.move(x + 60, y)
        page.mouse.up()
        settled(page, lambda: handle.get_attribute("aria-valuenow") == "11.0")
        settled(page, lambda: value(page, "value") == "11")
        wait_for_words(page, "now 11")
    page.get_by_role("button", name="undo").click()
    wait_for_words(page, "now 10")  # a drag that was broken off is none


MOVED = "(handle) => Number(handle.getAttribute('aria-valuenow')) > 14"


def test_no_key_inside_a_lab_reaches_the_notebook(counted):
    page = counted
    cells = page.locator(".jp-Cell").count()
    for part in (
        page.get_by_role("slider", name="value: how high"),
        page.get_by_role("button", name="Reset"),
        page.locator(".fgn-over-picture"),
    ):
        part.focus()
        for key in ("x", "a", "b", "d", "d", "m"):
            page.keyboard.press(key)
    assert page.locator(".jp-Cell").count() == cells
    assert page.locator(".jp-CodeCell").count() == cells


def test_a_pinned_picture_stays_pale_behind_the_next_ones_and_says_where_it_stood(counted):
    page = counted
    page.get_by_role("button", name="Pin").click()
    pin = page.get_by_role("button", name="Pin", pressed=True)
    pin.wait_for()
    page.get_by_role("slider", name="value: how high").press("ArrowRight")
    wait_for_words(page, "now 11")
    status(page).get_by_text("pale: value 10").wait_for()
    page.get_by_role("button", name="numbers").click()
    page.locator(".fgn-lab-panel pre", has_text="pinned (pale: value 10)").wait_for()
    pin.click()
    settled(page, lambda: status(page).text_content() == "")


def test_a_kernel_that_is_busy_and_one_that_is_gone_are_said_to_be_so(open_notebook, lab):
    before = set(lab.kernels())
    page = open_notebook(COUNTED)
    page.wait_for_selector(".fgn-lab [role=slider][aria-label]")
    page.wait_for_function(FILLED, arg=MOST)
    handle = page.get_by_role("slider", name="value: how high")
    done(page, "notebook:insert-cell-below")
    page.evaluate(
        """(source) => jupyterapp.shell.currentWidget.content.activeCell
            .model.sharedModel.setSource(source)""",
        "value = None\nimport time\nfrom fgnwidgets.widgets.page.lock import LOCK\n"
        "with LOCK: time.sleep(5)",
    )
    command(page, "notebook:run-cell")
    page.locator(".jp-InputArea-prompt", has_text="[*]").wait_for()
    handle.press("ArrowRight")
    status(page).get_by_text("Python is busy and will answer").wait_for()
    wait_for_words(page, "now 11")
    settled(page, lambda: status(page).text_content() == "")
    lab.stop(set(lab.kernels()) - before)  # as it is culled
    status(page).get_by_text("Python is gone: run this cell again").wait_for()
    assert page.get_by_role("button", name="Reset").is_disabled()
