"""The graph editor as a person uses it: key by key, on a slow kernel, in two views, without one."""

import re

import numpy as np
import pytest
from fingers import swipe
from lab_pages import laid_out, settled
from student import THETA, student
from tiers import mostly_slow, slow

from fgnwidgets import BayesGraph
from fgnwidgets.widgets import GraphEditor

LATENCY = pytest.mark.parametrize("latency", mostly_slow([0, 300], 300))

ASIA = dict.fromkeys(("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"), 2)
LUNGS = {
    **dict.fromkeys(("lung", "bronc"), "smoke"),
    "either": ["tub", "lung"],
    "xray": "either",
    "dysp": ["either", "bronc"],
}
"""All of the network but its arrow to tuberculosis: so one variable is loose."""


@pytest.fixture
def editor():
    return GraphEditor(student(), theta=THETA)


def part(page, name):
    return page.locator(f".fgn-editor [data-part='{name}']")


def card(page, name):
    return part(page, f"variable:{name}")


def box(page, name):
    return card(page, name).locator(".fgn-card").bounding_box()


def cell(page, i, j):
    return page.locator(f".fgn-panel [data-cell='{i},{j}']")


def name_field(page):
    return page.locator(".fgn-panel [data-key='name']")


def status(page):
    return page.locator(".fgn-editor .fgn-status")


def open_form(shown, editor, name):
    editor.selected = name
    shown.sync()
    name_field(shown.page).first.wait_for()


def drop(page, data, name):
    """Drop a file of these bytes."""
    page.locator(".fgn-editor .fgn-stage").evaluate(
        """(stage, [letters, name]) => {
            const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
            const carried = new DataTransfer();
            carried.items.add(new File([bytes], name, { type: "text/csv" }));
            const made = { dataTransfer: carried, bubbles: true, cancelable: true };
            stage.dispatchEvent(new DragEvent("drop", made));
        }""",
        [data.decode("latin-1"), name],
    )


# What is typed


@LATENCY
def test_a_row_of_three_states_is_typed_with_tab_key_by_key(bare, editor, latency):
    shown = bare(editor, latency=latency)
    page = shown.page
    open_form(shown, editor, "G")
    before = editor.theta["G|I,D"][0].tolist()
    cell(page, 0, 0).focus()
    page.keyboard.press("Control+a")
    for keys in ("0.5", "0.2"):
        page.keyboard.type(keys)
        page.keyboard.press("Tab")
    settled(page, lambda: editor.theta["G|I,D"][0].tolist() == [0.5, 0.2, 0.3])
    shown.quiet()
    assert [cell(page, 0, j).input_value() for j in range(3)] == ["0.500", "0.200", "0.300"]
    assert editor.status == ""
    page.keyboard.press("Control+z")  # one visit, one undo
    settled(page, lambda: editor.theta["G|I,D"][0].tolist() == before)


@LATENCY
@pytest.mark.parametrize(
    ("typed", "says"), [("", "the cell is empty"), ("020.25", "'020.25' is no probability")]
)
def test_an_emptied_cell_is_refused_in_words_next_to_it(bare, editor, latency, typed, says):
    shown = bare(editor, latency=latency)
    page = shown.page
    open_form(shown, editor, "G")
    before = editor.document
    cell(page, 0, 0).focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.type(typed)
    page.keyboard.press("Tab")
    page.locator(".fgn-panel tr:has([data-cell='0,0']) + tr").get_by_text(says).wait_for()
    shown.quiet()
    assert editor.document is before
    assert cell(page, 0, 0).input_value() == "0.300"


@LATENCY
def test_a_name_that_is_typed_during_answers_stays_in_its_field(bare, editor, latency):
    shown = bare(editor, latency=latency)
    page = shown.page
    open_form(shown, editor, "D")
    name_field(page).focus()
    page.keyboard.press("Control+a")
    for letter in "Weather":
        page.keyboard.type(letter)
        editor.evidence = {"S": "high"} if editor.evidence == {} else {}
        shown.sync()
    assert name_field(page).input_value() == "Weather"
    page.keyboard.press("Enter")
    page.keyboard.type("X")  # before the answer comes, and at the end of the text
    settled(page, lambda: "Weather" in editor.graph.variables)
    shown.quiet()
    assert name_field(page).input_value() == "WeatherX"
    page.keyboard.press("Tab")
    settled(page, lambda: "WeatherX" in editor.graph.variables)
    shown.quiet()
    assert page.evaluate("document.activeElement.dataset.key") == "states"


@LATENCY
@pytest.mark.parametrize("how", ["pointer", "key"])
def test_no_letter_is_lost_that_is_typed_at_once_after_a_new_variable(bare, how, latency):
    editor = GraphEditor()
    shown = bare(editor, latency=latency)
    page = shown.page
    page.locator(".fgn-invitation").wait_for()
    if how == "pointer":
        page.locator(".fgn-editor .fgn-stage").dblclick(position={"x": 300, "y": 200})
    else:
        page.locator(".fgn-editor .fgn-stage").focus()
        page.keyboard.press("n")
    page.keyboard.type("Season")
    page.keyboard.press("Tab")
    page.keyboard.type("dry, wet")
    page.keyboard.press("Enter")
    settled(page, lambda: editor.graph is not None and "Season" in editor.graph.variables)
    settled(page, lambda: editor.graph.variables["Season"].states == ("dry", "wet"))
    shown.quiet()
    assert tuple(editor.graph.variables) == ("Season",)
    assert name_field(page).input_value() == "Season"
    assert editor.status == ""


@LATENCY
def test_a_name_and_then_its_matrix_are_typed_without_a_pause(bare, latency):
    editor = GraphEditor(BayesGraph({"A": 2, "B": 2}, {"B": "A"}))
    shown = bare(editor, latency=latency)
    page = shown.page
    open_form(shown, editor, "B")
    name_field(page).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("Lawn")
    for _ in range(4):  # states, in learning, known now, the first cell
        page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("0.9")
    page.keyboard.press("Enter")
    settled(page, lambda: "Lawn|A" in editor.theta)
    settled(page, lambda: editor.theta["Lawn|A"][0].tolist() == [0.9, 0.1])


def test_settings_that_are_no_numbers_are_refused_in_words(bare, editor):
    shown = bare(editor)
    page = shown.page
    before = editor.document
    for typed, says in (
        ("", "starts: '' is no whole number"),
        ("many", "starts: 'many' is no whole number"),
        ("0", "at least 1"),
        ("99,999", "99,999 starts: the page learns 1,000 at once"),
    ):
        page.get_by_label("starts").fill(typed)
        page.get_by_label("starts").press("Enter")
        status(page).get_by_text(says).wait_for()
        shown.quiet()
        assert editor.document is before
        page.get_by_label("epochs").focus()
        assert page.get_by_label("starts").input_value() == "10"


# Drags and keys


@LATENCY
def test_quick_steps_of_a_card_add_up_and_a_held_key_is_one_undo(bare, editor, latency):
    shown = bare(editor, latency=latency)
    page = shown.page
    x, y = editor.document.places["L"]
    card(page, "L").focus()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    settled(page, lambda: editor.document.places["L"] == (x + 60, y))
    page.keyboard.down("Shift")
    for _ in range(4):  # without a release between: it repeats
        page.keyboard.down("ArrowDown")
    page.keyboard.up("ArrowDown")
    page.keyboard.up("Shift")
    settled(page, lambda: editor.document.places["L"] == (x + 60, y + 80))
    shown.quiet()
    editor.undo()
    assert editor.document.places["L"] == (x + 60, y)
    editor.undo()
    assert editor.document.places["L"] == (x + 40, y)


@LATENCY
def test_a_card_is_where_the_hand_left_it_and_a_drag_is_one_undo(bare, editor, latency):
    shown = bare(editor, latency=latency)
    page = shown.page
    before = dict(editor.document.places)
    for way in ((60, 30), (50, -20)):
        at = box(page, "L")
        page.mouse.move(at["x"] + 40, at["y"] + 10)
        page.mouse.down()
        page.mouse.move(at["x"] + 40 + way[0], at["y"] + 10 + way[1], steps=8)
        page.mouse.up()
        now = box(page, "L")  # before the answer, too
        assert now["x"] == pytest.approx(at["x"] + way[0], abs=2)
        assert now["y"] == pytest.approx(at["y"] + way[1], abs=2)
    shown.quiet()
    laid_out(page)
    assert box(page, "L") == pytest.approx(now, abs=1)
    editor.undo()
    editor.undo()
    assert dict(editor.document.places) == before
    assert editor.evidence == {} and editor.selected is None  # no drag has become a click


@LATENCY
def test_escape_in_a_drag_puts_the_card_back(bare, editor, latency):
    shown = bare(editor, latency=latency)
    page = shown.page
    before, at = editor.document, box(page, "L")
    page.mouse.move(at["x"] + 40, at["y"] + 10)
    page.mouse.down()
    page.mouse.move(at["x"] + 140, at["y"] + 40, steps=6)
    settled(page, lambda: editor.document != before)
    page.mouse.move(at["x"] + 150, at["y"] + 60, steps=2)
    page.keyboard.press("Escape")
    page.mouse.move(at["x"] + 170, at["y"] + 70, steps=2)
    page.mouse.up()
    settled(page, lambda: editor.document == before)
    shown.quiet()
    now = box(page, "L")
    assert (now["x"], now["y"]) == pytest.approx((at["x"], at["y"]), abs=1.5)
    assert not editor.scene["undo"]


def test_a_finger_drags_a_card_and_an_arrow_and_does_not_scroll_the_board(bare, editor):
    page = bare(editor, viewport={"width": 700, "height": 1000}).page
    before = box(page, "S")
    x, y = before["x"] + 12, before["y"] + 8
    swipe(page, *((x - 4 * step, y + 9 * step) for step in range(10)))
    settled(page, lambda: box(page, "S")["y"] > before["y"] + 50)
    handle = part(page, "variable:S").locator(".fgn-handle").bounding_box()
    goal = box(page, "L")
    x, y = (handle[a] + handle[b] / 2 for a, b in (("x", "width"), ("y", "height")))
    to = goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] / 2
    swipe(page, *((x + k * (to[0] - x) / 8, y + k * (to[1] - y) / 8) for k in range(9)))
    settled(page, lambda: "S" in editor.graph.parents["L"])


def test_escape_leaves_an_arrow_that_is_being_drawn(bare, editor):
    shown = bare(editor)
    page = shown.page
    page.locator("[data-handle='L']").hover()
    page.mouse.down()
    at = box(page, "S")
    page.mouse.move(at["x"] + 30, at["y"] + 30, steps=4)
    page.locator(".fgn-rubber").wait_for(state="attached")
    page.keyboard.press("Escape")
    page.mouse.up()
    shown.quiet()
    assert page.locator(".fgn-rubber").count() == 0
    assert editor.graph == student()


HEARD = """() => {
    window.heard = [];
    document.addEventListener("keydown", (e) => heard.push(e.key), true); // as Jupyter listens
}"""


def test_no_key_reaches_the_notebook_wherever_the_focus_is(bare, editor):
    shown = bare(editor)
    page = shown.page
    page.evaluate(HEARD)
    open_form(shown, editor, "G")
    places = [
        *("[data-part='variable:S']", "[data-part='arrow:G->L']", ".fgn-stage", ".fgn-panel"),
        *(".fgn-bar button", ".fgn-editor", "[data-cell='0,0']", "[data-key='known']"),
        *(".fgn-form input", ".fgn-main", ".fgn-python pre", "[data-key='parent S']"),
    ]
    page.locator("summary").click()
    for place in places:
        editor.selected = "G"
        shown.sync()
        page.locator(place).first.focus()
        for key in ("x", "a", "b", "d", "m", "y", "j", "k", "ArrowDown", "PageDown", "Home"):
            page.keyboard.press(key)
    assert page.evaluate("heard") == []
    card(page, "S").focus()
    page.keyboard.press("Control+s")  # a command of the host
    assert page.evaluate("heard.at(-1)") == "s"


def test_in_a_shadow_root_keys_pointers_and_colours_are_as_everywhere(bare, editor):
    shown = bare(editor, before="window.inShadow = true")
    page = shown.page
    card(page, "S").locator(".fgn-row").nth(1).click()
    settled(page, lambda: editor.evidence == {"S": "high"})
    card(page, "L").focus()
    page.keyboard.press("h")
    settled(page, lambda: editor.hidden == ("L",))
    page.keyboard.press("Control+z")
    settled(page, lambda: editor.hidden == ())
    page.keyboard.press("Enter")
    page.keyboard.type("Letter")
    page.keyboard.press("Enter")
    settled(page, lambda: "Letter" in editor.graph.variables)
    fill = card(page, "S").locator(".fgn-belief").first.evaluate("(e) => getComputedStyle(e).fill")
    assert fill != "rgb(0, 0, 0)"


# A kernel that is busy, or gone, or learns


def test_a_busy_kernel_is_called_busy_and_one_that_has_gone_gone(bare, editor):
    shown = bare(editor, latency=4000)
    page = shown.page
    card(page, "S").locator(".fgn-row").nth(1).click()
    status(page).get_by_text("Python is busy and will answer").wait_for()
    assert status(page).get_attribute("data-mild") is not None
    settled(page, lambda: editor.evidence == {"S": "high"})
    shown.quiet()
    shown.gone()
    status(page).get_by_text("Python is gone: run this cell again").wait_for()
    assert status(page).get_attribute("data-mild") is None
    assert page.get_by_role("button", name="Learn", exact=True).is_disabled()
    page.locator(".fgn-editor .fgn-stage").dblclick(position={"x": 500, "y": 300})
    card(page, "S").locator(".fgn-row").first.click()
    laid_out(page)
    assert page.evaluate("window.waiting") == 0  # nothing is asked of nobody


# Columns that depend on nothing: of many starts some take thousands of epochs to settle.
CELL = """\
import random
from fgnwidgets import BayesGraph, GraphEditor
coins = random.Random(0)
table = {k: [coins.randrange(2) for _ in range(300)] for k in "ABCDE"}
graph = BayesGraph({"S": 3, **dict.fromkeys("ABCDE", 2)}, dict.fromkeys("ABCDE", "S"))
editor = GraphEditor(graph, table)
editor.learning = type(editor.learning)(rule="ml", restarts=500, n_epochs=100_000)
editor.selected = "S"
editor"""


def test_what_is_changed_or_stopped_during_learning_is_told_in_plain_words(shared_notebook):
    page = shared_notebook(CELL)
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_text(re.compile("^epoch [1-9].* of 100000:")).wait_for()
    part(page, "arrow:S->A").wait_for(state="attached")
    page.get_by_label("known now").select_option(label="1")  # no answer depends on a run
    card(page, "S").get_by_text("known", exact=True).wait_for()
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    page.get_by_role("button", name="Remove variable").click()
    card(page, "S").wait_for(state="detached")
    status(page).get_by_text("Learning has ended: what it learned from has changed.").wait_for()
    assert status(page).get_attribute("data-mild") is not None
    page.keyboard.press("Control+z")
    card(page, "S").wait_for()
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_text(re.compile("^epoch [1-9].* of 100000:")).wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text(re.compile(r"^after \d+ epochs: .*, best of 500 starts$")).wait_for()


# Files


def csv_of(megabytes):
    line = ",".join(["yes", "no", "perhaps", "x" * 80]) + "\n"
    return ("A,B,C,D\nno,yes,never,y\n" + line * int(megabytes * 1e6 / len(line))).encode()


def test_a_file_of_many_megabytes_comes_in_slices_and_says_how_far_it_is(bare):
    editor = GraphEditor()
    shown = bare(editor, latency=200)
    page = shown.page
    page.locator(".fgn-invitation").wait_for()
    drop(page, csv_of(9), "large.csv")
    status(page).get_by_text(re.compile(r"large.csv: \d\.\d of 9\.0 MB sent")).wait_for()
    assert status(page).get_attribute("data-mild") is not None
    card(page, "C").wait_for()
    assert editor.document.data.rows == 1 + 9_000_000 // 96
    page.locator(".fgn-status:empty").wait_for(state="attached")


@slow
def test_a_file_of_twelve_megabytes_arrives_in_jupyterlab(shared_notebook):
    page = shared_notebook("from fgnwidgets import GraphEditor\neditor = GraphEditor()\neditor")
    page.locator(".fgn-invitation").wait_for()
    drop(page, csv_of(12), "large.csv")
    card(page, "C").wait_for()
    page.locator(".fgn-summary").get_by_text("large.csv: 125001 rows").wait_for()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"a" * 20_000_001, "has 20.0 MB: a page takes up to 20 MB", marks=slow),
        (b"", "is empty"),
        (b"PK\x03\x04" + bytes(range(256)), "is a zip archive, as an Excel workbook"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, "is no text"),
    ],
)
def test_a_file_that_is_no_table_is_refused_at_once_and_nothing_changes(bare, editor, data, says):
    shown = bare(editor)
    page, before = shown.page, editor.document
    card(page, "S").wait_for()
    drop(page, data, "odd.csv")
    status(page).get_by_text(f"odd.csv {says}").wait_for()
    assert status(page).get_attribute("data-mild") is None
    shown.quiet()
    assert editor.document is before


def test_a_file_of_windows_keeps_its_letters_and_the_guess_is_said(bare):
    editor = GraphEditor()
    page = bare(editor).page
    page.locator(".fgn-invitation").wait_for()
    lines = "Größe,Città\n" + "klein,è\ngroß,à\n" * 9
    drop(page, lines.encode("cp1252"), "size.csv")
    card(page, "Größe").locator(".fgn-state").get_by_text("groß").wait_for()
    assert editor.graph.variables["Città"].states == ("à", "è")
    status(page).get_by_text("It is read as cp1252").wait_for()
    page.locator(".fgn-warnings").get_by_text("size.csv is not UTF-8").wait_for()


# What lies where


def test_every_arrow_has_a_way_and_crosses_no_card(bare):
    editor = GraphEditor(BayesGraph({"A": 2, "B": 2, "C": 2}, {"C": "A"}))
    editor.edit("place", "C", *np.add(editor.document.places["C"], (0, 230)))
    at = editor.document.places["A"]
    editor.edit("place", "B", at[0], at[1] + 95)  # over the circle under A
    page = bare(editor).page
    wire = part(page, "arrow:A->C").locator(".fgn-wire")
    assert re.fullmatch(r"[MLQ\d., -]+", wire.get_attribute("d"))
    assert page.evaluate(CROSSED) == []
    editor.edit("place", "B", at[0] + 10, at[1] + 140)
    page = bare(editor).page
    card(page, "A").wait_for()
    assert page.evaluate(CROSSED) == []


CROSSED = """() => {
    const boxes = [...document.querySelectorAll(".fgn-variable")].map(
        (e) => [e.dataset.part.slice(9), e.querySelector(".fgn-card").getBBox()]);
    const found = [];
    for (const line of document.querySelectorAll(".fgn-arrow-line")) {
        const ends = line.dataset.part.slice(6).split("->");
        const path = line.querySelector(".fgn-wire");
        for (let k = 0; k <= 200; k += 1) {
            const { x, y } = path.getPointAtLength(path.getTotalLength() * k / 200);
            for (const [name, b] of boxes) {
                if (!ends.includes(name) && x > b.x && x < b.x + b.width && y > b.y
                    && y < b.y + b.height) found.push([line.dataset.part, name]);
            }
        }
    }
    return found;
}"""

OUT_OF_SIGHT = """() => {
    const { left, top, right, bottom } =
        document.querySelector(".fgn-stage").getBoundingClientRect();
    return [...document.querySelectorAll(".fgn-variable")].filter((e) => {
        const box = e.querySelector(".fgn-card").getBoundingClientRect();
        return box.left < left || box.top < top || box.right > right || box.bottom > bottom;
    }).map((e) => e.dataset.part);
}"""

SMALLEST = """() => Math.min(...[...document.querySelectorAll(".fgn-editor text, .fgn-editor td")]
    .filter((e) => e.getClientRects().length && e.textContent.trim())
    .map((e) => parseFloat(getComputedStyle(e).fontSize)
        * (e.getCTM ? e.getScreenCTM().a : 1)))"""


@pytest.mark.parametrize("graph", [LUNGS, {"tub": "asia"}, {**LUNGS, "tub": "asia"}])
def test_after_tidy_all_cards_of_asia_are_in_sight_with_letters_of_nine_pixels(bare, graph):
    editor = GraphEditor(BayesGraph(ASIA, graph))
    for k, name in enumerate(ASIA):
        editor.edit("place", name, 200 + 400 * (k % 3), 100 + 300 * (k // 3))
    shown = bare(editor, viewport={"width": 934, "height": 768})
    page = shown.page
    page.get_by_role("button", name="Tidy").click()
    shown.quiet()
    laid_out(page)
    assert page.evaluate(OUT_OF_SIGHT) == []
    assert page.evaluate(SMALLEST) >= 9


def test_rows_on_a_phone_are_as_high_as_a_finger_needs_and_the_board_scrolls(bare, editor):
    page = bare(editor, viewport={"width": 390, "height": 844}).page
    rows = page.locator(".fgn-editor .fgn-row > .fgn-row-hit").all()
    assert rows and min(row.bounding_box()["height"] for row in rows) >= 23.9
    stage = page.locator(".fgn-editor .fgn-stage")
    assert stage.evaluate("(e) => e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_buttons_make_the_drawing_larger_and_bring_all_of_it_into_sight(bare):
    wide = {f"v{k}": 2 for k in range(30)}
    editor = GraphEditor(BayesGraph(wide, {f"v{k}": f"v{(k - 1) // 3}" for k in range(1, 30)}))
    page = bare(editor).page
    card(page, "v3").wait_for()
    assert page.evaluate(OUT_OF_SIGHT) != []
    page.get_by_role("button", name="all in sight").click()
    assert page.evaluate(OUT_OF_SIGHT) == []
    before = box(page, "v0")["width"]
    page.get_by_role("button", name="larger").click()
    assert box(page, "v0")["width"] == pytest.approx(1.25 * before, rel=0.01)


def test_a_new_card_lies_on_no_other_wherever_the_double_click_was(bare, editor):
    shown = bare(editor)
    page = shown.page
    at = box(page, "L")
    stage = page.locator(".fgn-editor .fgn-stage").bounding_box()
    for beside in (8, -12, 30):
        x, y = at["x"] + at["width"] + beside, at["y"] + at["height"] + 24
        page.mouse.dblclick(max(x, stage["x"] + 5), y)
        shown.quiet()
    boxes = [(c["x"], c["y"], c["w"], c["h"] + 14) for c in editor.scene["cards"]]
    assert len(boxes) > 6
    for k, (x, y, w, h) in enumerate(boxes):
        for left, top, wide, high in boxes[k + 1 :]:
            assert x >= left + wide or left >= x + w or y >= top + high or top >= y + h


TABLE = {k: [(i * p) % 11 % 3 for i in range(66)] for k, p in (("A", 1), ("B", 3), ("C", 5))}


@pytest.mark.parametrize(("width", "height"), [(934, 768), (820, 1180), (500, 900)])
def test_board_matrix_and_curve_are_in_sight_at_every_width(bare, width, height):
    graph = BayesGraph({"S": 3, "A": 3, "B": 3, "C": 3}, dict.fromkeys("ABC", "S"))
    editor = GraphEditor(graph, TABLE)
    editor.learn(restarts=3, n_epochs=20)
    editor.selected = "A"
    page = bare(editor, viewport={"width": width, "height": height}).page
    cell(page, 2, 2).wait_for()
    scroll = page.locator(".fgn-scroll").evaluate("(e) => e.scrollWidth - e.clientWidth")
    assert scroll <= 1
    board = page.locator(".fgn-editor .fgn-stage").bounding_box()
    assert board["height"] >= 250 and board["width"] >= 0.55 * min(width, 700)
    assert page.evaluate(SMALLEST) >= 9
    whole = page.locator(".fgn-editor").bounding_box()
    assert whole["width"] <= width
    if width == 934:  # what a notebook on a laptop leaves beside the file browser
        curve = page.locator(".fgn-curve").bounding_box()
        assert curve["y"] + curve["height"] < 640
        assert page.evaluate("document.documentElement.scrollHeight") <= 768


# Two views


@LATENCY
def test_who_types_in_one_view_is_not_disturbed_by_the_other(bare, editor, latency):
    shown = bare(editor, views=2, latency=latency)
    page = shown.page
    open_form(shown, editor, "D")
    one, two = page.locator(".fgn-editor").all()
    mine = one.locator("[data-key='name']")
    mine.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("Difficul")
    two.locator("[data-part='variable:S'] .fgn-head").evaluate(
        "(e) => e.dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    )
    settled(page, lambda: editor.selected == "variable:S")
    shown.quiet()
    page.keyboard.type("ty")
    assert mine.input_value() == "Difficulty"
    page.keyboard.press("Tab")
    settled(page, lambda: "Difficulty" in editor.graph.variables)
    shown.quiet()
    assert "S" in editor.graph.variables
    assert two.locator("[data-part='variable:Difficulty']").count() == 1


def test_two_editors_bring_one_script_and_one_sheet(bare, editor):
    page = bare(editor, GraphEditor()).page
    page.wait_for_function("document.querySelectorAll('.fgn-editor').length === 2")
    assert page.evaluate("globalThis[Symbol.for('fgnwidgets.bundles')].size") == 1
    assert page.evaluate("document.querySelectorAll('style[data-fgn]').length") == 1


def test_a_copied_link_holds_the_graph_and_gives_way_to_the_code_when_that_changes(bare, editor):
    shown = bare(editor)
    page = shown.page
    page.evaluate(COPIES)
    page.locator(".fgn-python summary").click()
    page.get_by_role("button", name="Copy a link").click()
    page.wait_for_function("window.copied")
    copied = page.evaluate("window.copied")
    other = GraphEditor()
    other.open_link(copied)
    assert other.graph == editor.graph
    assert all(np.array_equal(other.theta[name], THETA[name]) for name in THETA)
    page.get_by_text("The link is copied").wait_for()

    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.get_by_role("button", name="Copy a link").click()
    link = page.get_by_role("region", name="link")
    link.wait_for()
    assert link.text_content() == copied  # to be copied by hand
    editor.edit("add", "Rain")
    shown.sync()
    code = page.get_by_role("region", name="Python")
    code.wait_for()
    assert "Rain" in code.text_content()


COPIES = """() => Object.defineProperty(navigator, "clipboard", {
    value: { writeText: async (text) => { window.copied = text; } },
})"""
"""A page without an address of its own has no clipboard."""
