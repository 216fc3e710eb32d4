"""The graph editor as one file: Python runs inside the page, and nothing is asked of a network."""

import re

import pytest
from lab_pages import SLOWLY
from pyodide_files import NotToBeHad, pyodide_folder
from student import THETA, student
from tiers import slow

from fgnwidgets.widgets import GraphEditor

pytestmark = pytest.mark.pyodide
VERY_SLOWLY = 2 * SLOWLY  # Python itself starts in the page

CSV = "A,B,C\n" + "".join(f"{k % 2},{k * 3 % 7 % 2},{k * 5 % 11 % 2}\n" for k in range(60))

DROP = """(stage, text) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], "three.csv", { type: "text/csv" }));
    const made = { dataTransfer: carried, bubbles: true, cancelable: true };
    stage.dispatchEvent(new DragEvent("drop", made));
}"""


@pytest.fixture(scope="module")
def pyodide():
    try:
        return pyodide_folder()
    except NotToBeHad as reason:
        pytest.skip(f"not run: {reason}")


@pytest.fixture
def page(chromium):
    page = chromium.new_page(viewport={"width": 1100, "height": 800})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: said.type == "error" and faults.append(said.text))
    page.route(re.compile("^https?:"), lambda route: route.abort())
    yield page
    page.close()
    assert faults == []


@slow  # the next one has an editor in one file, too
def test_an_editor_is_one_file_that_draws_takes_a_table_and_learns(pyodide, page, tmp_path):
    editor = GraphEditor(student(), theta=THETA, evidence={"S": "high"}, hidden=["I"])
    path = editor.to_html(tmp_path / "editor.html", embed=pyodide)
    page.goto(path.as_uri())
    assert page.locator("#picture img").is_visible()
    card = page.locator(".fgn-editor [data-part='variable:S']")
    card.wait_for(timeout=VERY_SLOWLY)
    shown = page.locator(".fgn-editor .fgn-number").all_text_contents()
    wanted = [row["number"] for card in editor.scene["cards"] for row in card["rows"]]
    assert shown == wanted
    page.locator("[data-part='variable:I']").get_by_text("hidden", exact=True).wait_for()
    page.locator("[data-part='variable:L'] .fgn-head").click()
    name = page.locator(".fgn-panel [data-key='name']")
    name.fill("Letter")
    name.press("Enter")
    page.locator("[data-part='variable:Letter']").wait_for()
    for _ in range(2):
        page.locator(".fgn-editor").focus()
        page.keyboard.press("Control+z")
    page.locator("[data-part='variable:L']").wait_for()
    assert page.get_by_role("button", name="undo (Ctrl+Z)").is_disabled()


def test_an_empty_editor_on_a_page_learns_from_a_dropped_file_and_can_be_stopped(
    pyodide, page, tmp_path
):
    page.goto(GraphEditor().to_html(tmp_path / "editor.html", embed=pyodide).as_uri())
    page.locator(".fgn-invitation").wait_for(timeout=VERY_SLOWLY)
    page.locator(".fgn-stage").evaluate(DROP, CSV)
    page.locator("[data-part='variable:C']").wait_for()
    page.locator(".fgn-stage").focus()
    page.keyboard.press("n")
    page.keyboard.type("Cause")
    page.keyboard.press("Enter")
    cause = page.locator("[data-part='variable:Cause']")
    cause.wait_for()
    for column in "ABC":
        page.locator("[data-part='variable:Cause'] .fgn-handle").click()
        page.locator(f"[data-part='variable:{column}'] .fgn-head").click()
        page.locator(f"[data-part='arrow:Cause->{column}']").wait_for(state="attached")
    page.get_by_label("epochs").fill("100000")
    page.get_by_label("epochs").press("Enter")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_text(re.compile("^epoch [1-9].* of 100000:|^after")).wait_for()
    stop = page.get_by_role("button", name="Stop", exact=True)
    if stop.count():
        stop.click()
    page.get_by_text(re.compile(r"^after \d+ epochs: log-likelihood -\d+")).wait_for()
