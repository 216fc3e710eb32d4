"""The graph editor as people meet it: a mouse, a keyboard, a file that is dropped."""

import re

import pytest
from lab_pages import settled
from tiers import slow

from fgnwidgets import BayesGraph
from fgnwidgets.widgets import GraphEditor

EMPTY = """\
from fgnwidgets import GraphEditor
editor = GraphEditor()
editor"""

STUDENT = """\
from fgnwidgets import BayesGraph, GraphEditor
graph = BayesGraph({"A": ("no", "yes"), "B": 2, "C": 3, "D": 2}, {"B": "A", "D": "C"})
editor = GraphEditor(graph)
editor"""

CSV = "Rain,Lawn\n" + "\n".join(
    f"{'yes' if n % 3 else 'no'},{'wet' if n * 7 % 5 > 2 else 'dry'}" for n in range(60)
)


def part(page, name):
    return page.locator(f".fgn-editor [data-part='{name}']")


def card(page, name):
    return part(page, f"variable:{name}")


def middle(page, name):
    box = card(page, name).locator(".fgn-card").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_arrow(page, parent, child):
    page.locator(f"[data-handle='{parent}']").hover()
    page.mouse.down()
    page.mouse.move(*middle(page, child), steps=5)
    page.mouse.up()
    part(page, f"arrow:{parent}->{child}").wait_for(state="attached")


def drop_csv(page, text=CSV, name="rain.csv"):
    """As from a folder on the desk, text or the numbers of bytes: the browser makes the event."""
    page.locator(".fgn-editor .fgn-stage").evaluate(
        """(stage, [text, name]) => {
            const carried = new DataTransfer();
            const held = typeof text === "string" ? text : new Uint8Array(text);
            carried.items.add(new File([held], name, { type: "text/csv" }));
            const made = { dataTransfer: carried, bubbles: true, cancelable: true };
            stage.dispatchEvent(new DragEvent("drop", made));
        }""",
        [text, name],
    )


def python(page):
    return page.locator(".fgn-python pre").text_content()


def wait_for_python(page, text):
    page.wait_for_function(
        "(text) => document.querySelector('.fgn-python pre').textContent.includes(text)", arg=text
    )


@pytest.fixture
def drawn(shared_notebook):
    page = shared_notebook(STUDENT)
    card(page, "D").wait_for()
    return page


def test_from_an_empty_board_to_answers_by_mouse(shared_notebook):
    page = shared_notebook(EMPTY)
    page.locator(".fgn-invitation").wait_for()
    drop_csv(page)
    card(page, "Lawn").wait_for()
    page.locator(".fgn-editor .fgn-stage").dblclick(position={"x": 420, "y": 220})
    name = page.get_by_label("name", exact=True)
    page.wait_for_function("document.activeElement.dataset.key === 'name'")
    name.fill("Season")
    name.press("Enter")
    card(page, "Season").wait_for()
    page.get_by_label("states", exact=True).fill("dry, wet")
    page.keyboard.press("Enter")
    card(page, "Season").get_by_text("wet", exact=True).wait_for()
    assert page.get_by_label("in learning").input_value() == "true"  # hidden: it has no column
    drag_arrow(page, "Season", "Rain")
    drag_arrow(page, "Season", "Lawn")
    page.get_by_label("starts").fill("3")
    page.get_by_label("starts").press("Enter")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_text(re.compile(r"^after \d+ epochs: .*, best of 3 starts$")).wait_for()
    assert page.locator(".fgn-curve polyline").count() == 3
    card(page, "Lawn").locator(".fgn-row").nth(1).click()
    card(page, "Lawn").get_by_text("known", exact=True).wait_for()
    assert card(page, "Lawn").locator(".fgn-number").all_text_contents() == ["0", "1"]
    wait_for_python(page, 'evidence = {"Lawn": "wet"}')
    assert 'table = read_csv("rain.csv")' in python(page)
    page.keyboard.press("Control+z")
    page.wait_for_function(
        "!document.querySelector('.fgn-python pre').textContent.includes('evidence')"
    )


def test_a_dropped_file_in_another_encoding_is_read_and_the_guess_is_told(shared_notebook):
    page = shared_notebook(EMPTY)
    page.locator(".fgn-invitation").wait_for()
    drop_csv(page, list(CSV.replace("yes", "süß").encode("cp1252")))
    card(page, "Rain").get_by_text("süß", exact=True).wait_for()
    page.locator(".fgn-warnings li").get_by_text("rain.csv is not UTF-8").wait_for()


def test_everything_has_a_key(drawn):
    page = drawn
    card(page, "A").focus()
    page.keyboard.press("c")  # an arrow from here
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.dataset.part === 'variable:C'")
    page.keyboard.press("Enter")
    part(page, "arrow:A->C").wait_for(state="attached")
    card(page, "A").focus()
    page.keyboard.press("2")
    card(page, "A").get_by_text("known", exact=True).wait_for()
    wait_for_python(page, 'evidence = {"A": "yes"}')
    page.keyboard.press("0")
    page.keyboard.press("h")
    card(page, "A").get_by_text("hidden", exact=True).wait_for()
    before = card(page, "A").locator(".fgn-card").bounding_box()["x"]
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_function(
        """(before) => document.querySelector("[data-part='variable:A'] .fgn-card")
            .getBoundingClientRect().x > before + 10""",
        arg=before,
    )
    part(page, "arrow:A->C").focus()
    page.keyboard.press("t")
    part(page, "arrow:C->A").wait_for(state="attached")
    part(page, "arrow:C->A").focus()
    page.keyboard.press("Delete")
    part(page, "arrow:C->A").wait_for(state="detached")
    card(page, "D").focus()
    page.keyboard.press("Delete")
    card(page, "D").wait_for(state="detached")
    # No letter has reached the notebook, where it would cut cells: the next one does not either.
    page.keyboard.press("x")
    page.keyboard.press("n")
    page.wait_for_function("document.activeElement.dataset.key === 'name'")
    assert page.locator(".jp-CodeCell").count() == 1
    for _ in range(3):
        page.locator(".fgn-editor .fgn-panel").focus()
        page.keyboard.press("Control+z")
    card(page, "D").wait_for()


def test_the_form_is_left_by_a_key_and_its_edits_are_undone_there(drawn):
    page = drawn
    card(page, "D").focus()
    page.keyboard.press("n")
    page.wait_for_function("document.activeElement.dataset.key === 'name'")
    page.keyboard.type("Weather")
    page.keyboard.press("Enter")
    card(page, "Weather").wait_for()
    page.keyboard.type("not sent")
    page.keyboard.press("Escape")  # the old text is back
    assert page.get_by_label("name", exact=True).input_value() == "Weather"
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement.dataset.part === 'variable:Weather'")
    page.keyboard.press("h")
    card(page, "Weather").get_by_text("hidden", exact=True).wait_for()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.dataset.key === 'name'")
    page.keyboard.press("Control+z")  # nothing is written in the field: the board's last edit goes
    card(page, "Weather").get_by_text("hidden", exact=True).wait_for(state="detached")
    page.keyboard.press("Control+z")
    card(page, "Weather").wait_for(state="detached")


def test_a_button_that_is_pressed_after_typing_acts_although_the_answer_comes_first(bare):
    editor = GraphEditor(BayesGraph({"A": 2, "B": 2}, {"B": "A"}))
    editor.selected = "A"
    shown = bare(editor)
    page = shown.page
    page.get_by_label("name", exact=True).fill("Weather")
    page.get_by_role("button", name="Remove variable").hover()
    page.mouse.down()  # the field is left, and its new name is sent
    settled(page, lambda: tuple(editor.graph.variables) == ("Weather", "B"))
    shown.quiet()
    page.mouse.up()
    settled(page, lambda: tuple(editor.graph.variables) == ("B",))


def test_keys_and_clicks_that_are_quicker_than_answers_take_each_other_back(bare):
    editor = GraphEditor(BayesGraph({"A": 2, "B": ("no", "yes")}, {"B": "A"}))
    shown = bare(editor)
    card(shown.page, "B").focus()
    shown.page.evaluate(
        """() => {
            const made = { key: "h", bubbles: true, composed: true, cancelable: true };
            const press = () => document.activeElement.dispatchEvent(
                new KeyboardEvent("keydown", made));
            press(); press(); press(); // hidden, observed, hidden
        }"""
    )
    settled(shown.page, lambda: editor.hidden == ("B",))
    row = card(shown.page, "B").locator(".fgn-row").nth(1)
    for _ in range(3):
        row.click()
    settled(shown.page, lambda: editor.evidence == {"B": "yes"})


@slow
def test_notebook_7_leaves_the_editor_its_keys(shared_notebook):
    pytest.importorskip("notebook", reason="notebook is not installed")
    page = shared_notebook(STUDENT, place="notebooks")
    card(page, "A").focus()
    page.keyboard.press("c")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    part(page, "arrow:A->C").wait_for(state="attached")
    page.keyboard.press("x")
    assert page.locator(".jp-CodeCell").count() == 1


def test_a_loop_lights_up_and_a_button_merges_it(drawn):
    page = drawn
    drag_arrow(page, "A", "C")
    drag_arrow(page, "B", "D")
    loop = page.locator(".fgn-loop")
    loop.get_by_text("form a loop").wait_for()
    assert page.locator(".fgn-editor .fgn-lit").count() == 8  # four cards and four arrows
    loop.get_by_role("button", name="Merge the loop").click()
    loop.get_by_text("is merged").wait_for()
    assert page.locator(".fgn-editor .fgn-lit").count() == 0
    wait_for_python(page, "model = graph.merged()")


def test_an_arrow_that_would_close_a_circle_says_so_and_shows_the_way(drawn):
    page = drawn
    page.locator("[data-handle='B']").hover()
    page.mouse.down()
    page.mouse.move(*middle(page, "A"), steps=5)
    page.mouse.up()
    page.locator(".fgn-editor .fgn-status").get_by_text("go in a circle").wait_for()
    assert page.locator(".fgn-lit").count() == 1


OVER = """() => {
    const cards = [...document.querySelectorAll(".fgn-editor .fgn-variable")];
    const box = (card) => card.querySelector(".fgn-card").getBBox();
    const boxes = cards.map((e) => [e.dataset.part.slice(9), box(e)]);
    const found = [];
    for (const wire of document.querySelectorAll(".fgn-editor .fgn-arrow-line")) {
        const ends = wire.dataset.part.slice(6).split("->");
        const path = wire.querySelector(".fgn-wire");
        for (let k = 0; k <= 200; k += 1) {
            const { x, y } = path.getPointAtLength(path.getTotalLength() * k / 200);
            const hit = boxes.find(([name, b]) => !ends.includes(name)
                && x > b.x && x < b.x + b.width && y > b.y && y < b.y + b.height);
            if (hit) { found.push([wire.dataset.part, hit[0]]); break; }
        }
    }
    return found;
}"""


def test_an_arrow_goes_round_a_card_that_lies_on_its_way(bare):
    editor = GraphEditor(BayesGraph(dict.fromkeys("ABCD", 2)))
    shown = bare(editor)
    for name, x in zip("ABCD", (90, 240, 390, 540), strict=True):
        editor.edit("place", name, x, 120)
    editor.edit("connect", "A", "C")
    editor.edit("connect", "D", "A")
    editor.edit("connect", "B", "C")
    shown.sync()
    part(shown.page, "arrow:B->C").wait_for(state="attached")
    assert shown.page.evaluate(OVER) == []
    wires = "document.querySelectorAll('.fgn-editor .fgn-wire')"
    straight = "document.querySelector(`[data-part='arrow:B->C'] .fgn-wire`).getAttribute('d')"
    assert shown.page.evaluate(straight).count("L") == 1
    shorten = "w.setAttribute('d', w.getAttribute('d').replace(/L.*Q.* |L.*L/, 'L'))"
    shown.page.evaluate(f"() => {wires}.forEach((w) => {shorten})")
    assert ["arrow:D->A", "C"] in shown.page.evaluate(OVER)  # it can fail


def test_a_card_stays_where_it_is_dragged_and_the_others_hold_still(drawn):
    page = drawn
    others = {name: middle(page, name) for name in "ABD"}
    x, y = middle(page, "C")
    page.mouse.move(x, y - 30)
    page.mouse.down()
    page.mouse.move(x + 60, y + 20, steps=5)
    page.mouse.up()
    page.locator("button:enabled[aria-label^=undo]").wait_for()  # Python has placed it there
    moved = middle(page, "C")
    assert moved == pytest.approx((x + 60, y + 50), abs=3)
    assert {name: middle(page, name) for name in "ABD"} == others


def test_a_number_in_a_matrix_leaves_the_row_a_distribution(drawn):
    page = drawn
    card(page, "B").locator(".fgn-head").click()
    cell = page.get_by_label("probability of 0 given no")
    cell.fill("0.8")
    cell.press("Enter")
    page.wait_for_function("document.querySelector(\"[data-cell='0,1']\").value === '0.200'")
    page.get_by_role("button", name="Random matrices").click()
    wait_for_python(page, "random_theta(graph, np.random.default_rng(0))")


def test_what_python_sets_is_on_the_page_and_what_the_page_draws_is_in_python(shared_notebook):
    more = 'editor.edit("connect", "A", "C")\neditor.evidence = {"A": "yes"}\nprint(editor.code())'
    page = shared_notebook(STUDENT, more)
    part(page, "arrow:A->C").wait_for(state="attached")
    card(page, "A").get_by_text("known", exact=True).wait_for()
    shown = page.locator(".jp-OutputArea-output pre").last.text_content()
    assert shown.strip() == python(page).strip()


def test_the_reader_says_which_column_counts_the_rows(bare):
    editor = GraphEditor()
    shown = bare(editor)
    page = shown.page
    page.locator(".fgn-invitation").wait_for()
    drop_csv(page, "A,B,n\nno,wet,12\nno,dry,5\nyes,wet,9\nyes,dry,30\n", "patterns.csv")
    card(page, "n").wait_for()
    counts = page.get_by_label("how often a row is there")
    assert counts.locator("option").all_text_contents() == ["once", "column n"]
    counts.select_option(label="column n")
    card(page, "n").wait_for(state="detached")
    page.get_by_role("heading", name="patterns.csv: 56 rows").wait_for()
    editor.learn(restarts=2)
    shown.sync()
    page.get_by_text("best of 2 starts").wait_for()
    wait_for_python(page, 'weight="n"')
    assert editor.weight == "n" and editor.run.n == 56
    counts.select_option(label="once")
    page.get_by_role("heading", name="patterns.csv: 4 rows").wait_for()
    page.get_by_role("button", name="Add n").click()
    card(page, "n").wait_for()


def test_a_file_that_is_no_table_is_refused_in_words(drawn):
    page = drawn
    drop_csv(page, "a,b\n1\n", "odd.csv")
    page.locator(".fgn-editor .fgn-status").get_by_text("odd.csv: line 2 has 1 cells").wait_for()
    assert page.locator(".fgn-editor .fgn-variable").count() == 4


def test_arrows_to_further_rows_of_cards_pass_between_them(bare):
    kids = [f"symptom {k}" for k in range(12)]
    parents = {**dict.fromkeys(kids, "S"), "Z": kids[5], "Y": kids[2]}
    editor = GraphEditor(BayesGraph({"S": 3, **dict.fromkeys([*kids, "Y", "Z"], 2)}, parents))
    page = bare(editor).page
    page.wait_for_selector(".fgn-editor .fgn-wire")
    assert page.locator(".fgn-editor .fgn-wire").count() == 14
    assert page.evaluate(OVER) == []


def test_a_likelihood_that_stays_is_a_flat_line_between_two_numbers(bare):
    columns = {"A": ["no", "yes", "maybe"] * 20, "B": ["low", "high"] * 30}
    editor = GraphEditor(table=columns)  # without arrows nothing changes after the first epoch
    shown = bare(editor)
    page = shown.page
    page.get_by_role("button", name="Learn", exact=True).click()
    settled(page, lambda: editor.run is not None)  # meanwhile the epochs go on
    shown.sync()
    page.wait_for_selector(".fgn-curve polyline")
    lines = page.eval_on_selector_all(".fgn-curve polyline", "all => all.map((l) => l.points[1].y)")
    ends = page.eval_on_selector_all(
        ".fgn-curve polyline", "all => all.map((l) => l.points[l.points.length - 1].y)"
    )
    assert max(abs(a - b) for a in lines for b in ends) <= 0.1
    high, low = page.locator(".fgn-curve text").all_text_contents()[:2]
    assert float(high) > editor.run.final_loglik.max() > float(low)
