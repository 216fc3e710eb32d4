"""Labs 1 to 3 as people meet them: one step, a fast drag, a long run, an error, a new kernel."""

import inspect
import re

import pytest
from lab_pages import command, run_all

from fgn_notebooks import experiments, labs
from fgn_notebooks.experiments import weather as weather_of

SHOW = "from fgn_notebooks import labs\nlab = labs.{}()\nlab"

FILLED = """() => {
    const room = document.querySelector(".fgn-picture").clientWidth;
    const { naturalWidth } = document.querySelector(".fgn-lab img");
    return Math.abs(naturalWidth - room) <= 2 || naturalWidth === 640;
}"""
"""640 is the most that the figure below is enlarged to."""

COUNTED = """\
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
"""


@pytest.fixture
def show(shared_notebook):
    """Run a notebook of one lab, and wait for its picture and its names."""

    def show_(cell):
        page = shared_notebook(cell)
        page.wait_for_selector(".fgn-lab img[alt]")
        page.wait_for_selector(".fgn-lab [role=slider][aria-label]")
        page.wait_for_function(FILLED)  # the picture has seen its page
        others = page.get_by_role("button", name="more controls")
        if others.count():
            others.click()
        return page

    return show_


def wait_for_words(page, text):
    """Until the picture's words hold ``text``; blanks may differ."""
    page.wait_for_function(
        """(text) => {
            const plain = (words) => words.replace(/\\s+/g, " ").trim();
            const picture = document.querySelector(".fgn-lab img");
            return picture && plain(picture.alt).includes(plain(text));
        }""",
        arg=text,
    )


def status(page):
    return page.locator(".fgn-lab-status [role=status]")


@pytest.mark.parametrize(
    ("name", "symbol", "argument", "compute"),
    [
        ("one_block", "EX", "ex", experiments.one_block),
        ("one_hidden_variable", "Nit", "n_it", experiments.one_hidden),
        ("deeper_graph", "N", "n", experiments.deeper),
    ],
)
def test_a_step_of_a_slider_or_a_typed_number_shows_what_the_experiment_says(
    show, name, symbol, argument, compute
):
    lab = getattr(labs, name)()
    taken = inspect.signature(compute).parameters
    values = {k: v for k, v in lab.values.items() if k in taken}
    page = show(SHOW.format(name))
    label = re.compile(f"^{symbol}: ")
    handle = page.get_by_role("slider", name=label)
    before = page.locator(".fgn-lab img").get_attribute("src")
    handle.focus()
    handle.press("ArrowRight")
    page.wait_for_function(
        "(before) => document.querySelector('.fgn-lab img').src !== before", arg=before
    )
    box = page.get_by_role("spinbutton", name=label)
    moved = type(values[argument])(float(box.input_value()))
    assert moved > values[argument]
    wait_for_words(page, compute(**{**values, argument: moved}).facts())
    box.fill(str(moved + 1))
    box.press("Enter")
    wait_for_words(page, compute(**{**values, argument: moved + 1}).facts())


def test_days_are_clicked_in_the_lab_of_the_weather_and_no_box_is_cut_off(show):
    page = show(SHOW.format("weather"))
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


def test_a_fast_drag_computes_a_few_values_and_ends_at_the_last(show):
    page = show(COUNTED)
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
    for step in range(1, 41):  # about a second for forty values
        page.mouse.move(x + 1.8 * step, y)
        page.wait_for_timeout(25)
    page.mouse.up()
    page.wait_for_timeout(100)
    last = int(page.get_by_role("spinbutton", name="value: how high").input_value())
    assert last > 30
    wait_for_words(page, f"now {last}")
    computed = int(re.search(r"computed (\d+)", page.evaluate("words.at(-1)"))[1])
    assert computed < 15  # of forty values, which would take twelve seconds
    shown = [int(re.search(r"now (\d+)", text)[1]) for text in page.evaluate("words")]
    assert shown == sorted(shown)
    assert len(set(page.evaluate("room"))) == 1  # the page does not jump


def test_an_error_is_one_line_and_the_last_picture_stays(show):
    page = show(COUNTED)
    box = page.get_by_role("spinbutton", name="value: how high")
    picture = page.locator(".fgn-lab img")
    box.fill("12")
    box.press("Enter")
    wait_for_words(page, "now 12")
    good = picture.get_attribute("src")
    box.fill("13")
    box.press("Enter")
    status(page).get_by_text("value is 13: expected any other").wait_for()
    assert picture.get_attribute("src") == good
    box.press("ArrowUp")
    wait_for_words(page, "now 14")
    status(page).get_by_text("done in").wait_for()


def test_a_long_run_shows_its_epochs_pauses_stops_and_gives_way(show):
    page = show(SHOW.format("deeper_graph"))
    page.get_by_role("spinbutton", name=re.compile("^Nit: ")).fill("20")
    epochs = page.get_by_role("spinbutton", name=re.compile("^Ne: "))
    epochs.fill("1000")
    epochs.press("Enter")
    status(page).get_by_text(re.compile(r"^epoch \d+ of 1000$")).wait_for()
    page.get_by_role("button", name="Pause").click()
    status(page).get_by_text(re.compile(r"^paused at epoch \d+ of 1000$")).wait_for()
    at = status(page).text_content()
    page.wait_for_timeout(500)
    assert status(page).text_content() == at
    page.get_by_role("button", name="Go on").click()
    status(page).get_by_text(re.compile(r"^epoch \d+ of 1000$")).wait_for()
    page.get_by_role("button", name="Stop").click()
    status(page).get_by_text(re.compile(r"^stopped at epoch \d+ of 1000$")).wait_for()
    epochs.fill("20")
    epochs.press("Enter")
    wait_for_words(page, experiments.deeper(n_epochs=20, n_it=20).facts())


def test_a_run_can_be_stopped_while_a_cell_is_running(open_notebook):
    page = open_notebook(SHOW.format("deeper_graph"))
    page.wait_for_selector(".fgn-lab [role=slider][aria-label]")
    epochs = page.get_by_role("spinbutton", name=re.compile("^Ne: "))
    epochs.fill("900")  # from now on the page's messages have a thread of their own
    epochs.press("Enter")
    status(page).get_by_text("done in").wait_for()
    command(page, "notebook:insert-cell-below")
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
    page = show(SHOW.format("one_block"))
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
    page.locator(".fgn-lab pre", has_text="result = one_block()").wait_for()
    page.wait_for_selector("button[aria-pressed=true]")


def test_what_a_slider_says_follows_its_number_where_nothing_but_the_picture_is_new(show):
    page = show(SHOW.format("one_block"))
    status(page).get_by_text("done in").wait_for()
    page.evaluate(
        """() => {
            document.querySelector("input[type=number][aria-label^='EX: ']").value = "7";
            const picture = document.querySelector(".fgn-lab img");
            picture.src = `${picture.src}#new`;
        }"""
    )
    page.locator("[role=slider][aria-label^='EX: '][aria-valuetext='7']").wait_for()


def test_files_come_without_a_server(show):
    page = show(SHOW.format("one_block"))
    page.get_by_role("button", name="files").click()
    for kind, start in (("csv", b"iteration,loglik_ml"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        with page.expect_download() as download:
            page.get_by_role("link", name=f"one_block.{kind}").click()
        with open(download.value.path(), "rb") as file:
            assert file.read(len(start)) == start


def test_a_new_kernel_gives_a_new_lab(show):
    page = show(SHOW.format("one_block"))
    command(page, "kernelmenu:restart")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    page.wait_for_function(
        "() => jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
    )
    run_all(page)
    page.wait_for_selector(".fgn-lab:not(.fgn-lost) [role=slider][aria-label]")
    page.get_by_role("button", name="more controls").click()
    box = page.get_by_role("spinbutton", name=re.compile("^N: "))
    box.fill("77")
    box.press("Enter")
    wait_for_words(page, experiments.one_block(n=77).facts())


def test_a_number_that_is_not_taken_is_said_in_words(show):
    page = show(COUNTED)
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
    page = show(SHOW.format("one_block"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="code").click()
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == labs.one_block().code()
