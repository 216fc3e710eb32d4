"""The living graph as people meet it: a mouse, a keyboard, two views, no kernel."""

import numpy as np
import pytest
from graph_menu import choose, press, tick
from lab_pages import (
    DARK,
    LIGHT,
    PROJECTOR,
    hand_comes,
    laid_out,
    restart_kernel,
    run_all,
)
from playwright.sync_api import expect
from student import CELL, THETA, student, wait_for_beliefs

from fgnwidgets import flooding, propagate, trace
from fgnwidgets.widgets import GraphView

FILE_BROWSER = {"width": 815, "height": 768}
"""What a laptop of 1366 pixels leaves of them beside the file browser: 647 for a cell's output."""

WIDE = """\
import numpy as np
from fgnwidgets import BayesGraph, random_theta
from fgnwidgets.widgets import GraphView

leaves = {f"leaf {i}": ("absent", "present") for i in range(12)}
graph = BayesGraph({"root": ("one", "two", "three"), **leaves}, dict.fromkeys(leaves, "root"))
GraphView(graph, random_theta(graph, np.random.default_rng(0)))
"""


def part(page, name):
    return page.locator(f"[data-part='{name}']")


def numbers(page, variable):
    return part(page, f"variable:{variable}").locator(".fgn-number").all_text_contents()


def bars(page, variable):
    """The drawn lengths of the belief's bars, as shares of their tracks."""
    return (
        part(page, f"variable:{variable}")
        .locator(".fgn-row")
        .evaluate_all(
            """(rows) => rows.map((row) => {
            const width = (look) => Number(row.querySelector(look).getAttribute("width"));
            return width(".fgn-belief") / width(".fgn-track");
        })"""
        )
    )


@pytest.fixture
def page(shared_notebook):
    page = shared_notebook(CELL)
    wait_for_beliefs(page, {})
    hand_comes(page)
    laid_out(page)
    return page


def test_clicks_on_a_variable_go_through_its_states_and_move_all_beliefs(page):
    wait_for_beliefs(page, {})
    for evidence in ({"S": "low"}, {"S": "high"}, {}):
        part(page, "variable:S").locator(".fgn-head").click()
        wait_for_beliefs(page, evidence)
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    wait_for_beliefs(page, {"S": "high"})
    exact = propagate(student(), THETA, {"S": "high"})
    for variable in "DIGSL":
        assert bars(page, variable) == pytest.approx(exact[variable].p[:, 0], abs=1e-4)
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    wait_for_beliefs(page, {})


def test_evidence_on_a_hidden_variable_shows_its_t_junction(page):
    assert part(page, "node:G=").count() == 0
    part(page, "variable:G").locator(".fgn-row").nth(2).click()
    wait_for_beliefs(page, {"G": "C"})
    assert part(page, "node:G=").count() == 1
    assert part(page, "branch:G(2)").count() == 1


def test_the_picker_sets_states_and_likelihoods_that_are_dragged(page):
    part(page, "variable:S").locator(".fgn-more").click()
    picker = page.get_by_role("dialog", name="evidence on S")
    picker.get_by_role("button", name="high").click()
    wait_for_beliefs(page, {"S": "high"})
    bar = picker.get_by_role("slider", name="likelihood of low")
    box = bar.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 8, steps=4)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 8, steps=4)
    page.mouse.up()
    wait_for_beliefs(page, {"S": [[int(bar.input_value()) / 100, 1]]})
    assert 40 <= int(bar.input_value()) <= 60
    picker.get_by_role("button", name="nothing observed").click()
    wait_for_beliefs(page, {})
    page.keyboard.press("Escape")
    assert picker.count() == 0


def test_branches_blocks_and_diverters_say_what_they_are(page):
    panel = page.locator(".fgn-panel")
    part(page, "branch:I(2)").locator(".fgn-frame").first.click()
    panel.get_by_role("heading", name="Branch I(2)").wait_for()
    assert panel.locator("tbody td").all_text_contents() == [
        "0.700",
        "0.500",
        "0.700",
        "0.300",
        "0.500",
        "0.300",
    ]
    part(page, "node:S|I").locator(".fgn-box").click()
    panel.get_by_role("heading", name="Block S|I").wait_for()
    fields = panel.locator("tbody td input")
    assert [f.input_value() for f in fields.all()] == ["0.950", "0.050", "0.200", "0.800"]
    part(page, "node:(I,D)(1)|I").locator(".fgn-box").click()
    panel.get_by_text("shaded: it stays fixed").wait_for()
    part(page, "node:I=").locator(".fgn-box").click()
    panel.get_by_text("f of I(1) ∝ f of I(0) × b of I(2)").wait_for()


def test_play_reaches_the_exact_messages_after_diameter_rounds(page):
    choose(page, "schedule", "flooding (all at once)")
    choose(page, "start of the messages", "2")
    tick(page, "go round by round")
    counter = page.locator(".fgn-counter")
    page.get_by_role("button", name="first round").click()
    counter.get_by_text("start, diameter 6").wait_for()
    counter.evaluate(
        """(counter) => {
            window.rounds = [];
            new MutationObserver(() => {
                rounds.push([counter.textContent, document.querySelectorAll(".fgn-sent").length]);
            }).observe(counter, { childList: true, characterData: true, subtree: true });
        }"""
    )
    page.get_by_role("button", name="play").click()
    diameter = student().normal_form().diameter
    counter.get_by_text(f"round {diameter} of {diameter}, exact").wait_for()
    own = GraphView(student(), THETA, schedule="flooding", start=2)
    told = []
    for own.round in range(1, diameter + 1):
        told.append([own.scene["rounds"]["text"], 18])
    assert page.evaluate("rounds") == told
    wait_for_beliefs(page, {})
    page.get_by_role("button", name="play").wait_for()  # it has stopped by itself
    page.get_by_role("button", name="one round back").click()
    counter.get_by_text(f"round {diameter - 1} of").wait_for()
    page.get_by_role("slider", name="round").fill("2")
    counter.get_by_text("round 2 of").wait_for()
    rounds = trace(student(), THETA, schedule=flooding(student()), start=np.random.default_rng(2))
    second = [messages["L"].p[:, 0] for messages in rounds][2]
    assert numbers(page, "L") == [f"{p:.3f}" for p in second]


def test_the_messages_that_a_round_sends_are_numbered(page):
    tick(page, "go round by round")
    page.get_by_role("button", name="first round").click()
    page.locator(".fgn-counter").get_by_text("start").wait_for()
    page.get_by_role("button", name="one round on").click()
    page.locator(".fgn-counter").get_by_text("round 1 of").wait_for()
    badges = page.locator(".fgn-badge text").all_text_contents()
    assert sorted(map(int, badges)) == list(range(1, len(badges) + 1))
    assert badges


def test_the_keyboard_alone_does_everything(page):
    page.get_by_role("button", name="what the marks mean").focus()
    page.keyboard.press("Tab")
    assert focused(page) == "variable:D"
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "branch:D"
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "variable:I"
    page.keyboard.press(" ")
    wait_for_beliefs(page, {"I": "low"})
    assert focused(page) == "variable:I"  # a new drawing keeps the focus
    page.keyboard.press("Enter")
    picker = page.get_by_role("dialog", name="evidence on I")
    picker.wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the button of the second state
    wait_for_beliefs(page, {"I": "high"})
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    wait_for_beliefs(page, {"I": [[0, 0.97]]})
    page.keyboard.press("Escape")
    assert picker.count() == 0
    assert focused(page) == "variable:I"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert focused(page) == "node:I="
    page.keyboard.press("Enter")
    page.locator(".fgn-panel").get_by_role("heading", name="Diverter I=").wait_for()
    page.keyboard.press("Escape")
    page.locator(".fgn-panel").get_by_role("heading", name="Nothing is selected").wait_for()


def focused(page):
    return page.evaluate("document.activeElement.dataset.part ?? document.activeElement.outerHTML")


def test_every_part_has_a_name_for_screen_readers(page):
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    wait_for_beliefs(page, {"S": "high"})
    name = "variable S, observed high: low 0, high 1"
    assert page.get_by_role("button", name=name).count() == 1
    assert page.get_by_role("group", name="normal graph of D, I, G, S, L").count() == 1
    controls = page.locator(".fgn-graph :is([role=button], button, select, input)")
    nameless = "(all) => all.filter((e) => !e.ariaLabel && !e.textContent).length"
    assert controls.count() > 30
    assert controls.evaluate_all(nameless) == 0


def test_the_bayesian_graph_has_the_same_beliefs_and_colours(page):
    colour = "(e) => getComputedStyle(e).fill"
    before = [
        part(page, f"variable:{v}").locator(".fgn-belief").first.evaluate(colour) for v in "DIGSL"
    ]
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    choose(page, "which drawing", "Bayesian graph")
    part(page, "edge:I->G").wait_for()
    wait_for_beliefs(page, {"S": "high"})
    assert [
        part(page, f"variable:{v}").locator(".fgn-belief").first.evaluate(colour) for v in "DIGSL"
    ] == before
    assert len(set(before)) == 5


def test_two_views_on_one_page_are_kept_apart(shared_notebook):
    page = shared_notebook(CELL, CELL.replace("view", "other"))
    page.wait_for_function("document.querySelectorAll('.fgn-graph svg [data-part]').length > 40")
    one, two = page.locator(".fgn-graph").all()
    two.locator("[data-part='variable:S'] .fgn-row").nth(1).click()
    two.locator("[data-part='variable:I'] .fgn-number").get_by_text("0.873").wait_for()
    assert one.locator("[data-part='variable:I'] .fgn-number").all_text_contents() == [
        "0.700",
        "0.300",
    ]
    assert page.locator(".fgn-graph [id]").count() == 0


def test_python_sets_and_reads_what_the_page_shows(shared_notebook):
    page = shared_notebook(CELL, 'view.evidence = {"S": "high"}; view.selected = "S|I"; view.round')
    page.wait_for_selector(".fgn-graph [data-part]")
    wait_for_beliefs(page, {"S": "high"})
    page.locator(".fgn-panel").get_by_role("heading", name="Block S|I").wait_for()


def test_names_and_labels_are_text_and_never_markup(shared_notebook):
    evil = "<img src=x onerror=document.title='owned'>"
    cell = CELL.replace("'low', 'high'", f"\"{evil}\", 'high'")
    page = shared_notebook(cell)
    page.wait_for_selector(".fgn-graph [data-part]")
    part(page, "variable:S").locator(".fgn-more").click()
    assert page.get_by_role("dialog").get_by_role("button", name=evil).text_content() == evil
    part(page, "node:S|I").locator(".fgn-box").click()
    page.locator(".fgn-panel th").get_by_text(evil).first.wait_for()
    assert page.locator(".fgn-graph img").count() == 0
    assert page.title() != "owned"


def test_a_view_without_a_kernel_says_so_and_its_cell_brings_it_back(shared_notebook):
    page = shared_notebook(CELL)
    part(page, "variable:S").locator(".fgn-head").click()
    wait_for_beliefs(page, {"S": "low"})
    restart_kernel(page)
    told = page.get_by_role("status").get_by_text("Python is gone: run this cell again")
    told.wait_for()
    part(page, "variable:S").locator(".fgn-head").click()
    told.wait_for()
    run_all(page)
    page.wait_for_selector("[data-health='ready'] [data-part]")
    part(page, "variable:S").locator(".fgn-head").click()
    wait_for_beliefs(page, {"S": "low"})
    assert told.count() == 0


def test_evidence_that_contradicts_itself_is_named_and_one_key_takes_it_back(shared_notebook):
    theta = {**THETA, "L|G": [[0.1, 0.9], [0.4, 0.6], [1.0, 0.0]]}
    page = shared_notebook(CELL.replace(repr(THETA), repr(theta)))
    page.wait_for_selector(".fgn-graph [data-part]")
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    part(page, "variable:G").locator(".fgn-row").nth(2).click()
    page.locator(".fgn-summary").get_by_text("G = C").wait_for()
    before = numbers(page, "I")
    part(page, "variable:L").locator(".fgn-row").nth(1).click()
    told = "G = C and L = strong cannot be true together"
    page.locator(".fgn-status").get_by_text(told).wait_for()
    summary = page.locator(".fgn-summary")
    summary.get_by_text("Observed: S = high, G = C, L = strong. P(evidence) = 0").wait_for()
    assert page.locator(".fgn-conflict").evaluate_all(
        "(all) => all.map((e) => e.dataset.part)"
    ) == [
        "variable:G",
        "variable:L",
    ]
    assert numbers(page, "I") == before
    part(page, "branch:I(2)").locator(".fgn-frame").first.click()
    page.locator(".fgn-panel").get_by_role("heading", name="Branch I(2)").wait_for()
    assert page.locator(".fgn-status").get_by_text(told).count() == 1  # it still holds
    page.keyboard.press("Control+z")
    page.locator(".fgn-status:empty").wait_for(state="attached")
    summary.get_by_text("Observed: S = high, G = C. log").wait_for()
    assert page.locator(".fgn-conflict").count() == 0
    press(page, "redo")
    page.locator(".fgn-status").get_by_text(told).wait_for()
    part(page, "variable:G").locator(".fgn-row").nth(1).click()  # another way out
    page.locator(".fgn-status:empty").wait_for(state="attached")
    summary.get_by_text("Observed: S = high, G = B, L = strong. log").wait_for()


def test_a_second_click_at_the_same_place_meets_the_same_variable(page):
    head = part(page, "variable:G").locator(".fgn-head")
    head.scroll_into_view_if_needed()
    box = head.bounding_box()
    for state in ("A", "B", "C"):
        page.mouse.click(box["x"] + 10, box["y"] + 10)
        wait_for_beliefs(page, {"G": state})
        laid_out(page)
        assert head.bounding_box() == box


PLACES = """(names) => {
    const from = document.querySelector(".fgn-stage > svg").getBoundingClientRect();
    return names.map((name) => {
        const card = document.querySelector(`[data-part="variable:${name}"] .fgn-card`);
        const { x, y } = card.getBoundingClientRect();
        return [Math.round(x - from.x), Math.round(y - from.y)];
    });
}"""
"""Where cards are on the stage; asked all at once, since the notebook may scroll in between."""


def test_evidence_everywhere_moves_no_card(page):
    def places():
        return page.evaluate(PLACES, list("DIGSL"))

    before, seen = places(), {}
    for variable, state in (("I", "low"), ("D", "easy"), ("G", "A"), ("S", "low"), ("L", "weak")):
        part(page, f"variable:{variable}").locator(".fgn-row").first.click()
        seen[variable] = state
        wait_for_beliefs(page, seen)
        laid_out(page)
        assert np.abs(np.subtract(places(), before)).max() <= 1  # a border may be stronger


def test_what_moves_into_the_other_form_glides(page):
    card = part(page, "variable:S")
    page.evaluate("window.animated = 0")
    page.evaluate(
        """() => {
            const own = Element.prototype.animate;
            Element.prototype.animate = function (...how) {
                animated += this.dataset.part === "variable:S";
                return own.apply(this, how);
            };
        }"""
    )
    choose(page, "which drawing", "Bayesian graph")
    part(page, "edge:I->G").wait_for()
    assert page.evaluate("animated") == 1
    card.locator(".fgn-row").nth(1).click()
    wait_for_beliefs(page, {"S": "high"})
    assert page.evaluate("animated") == 1  # a click moves nothing


def test_the_panel_picks_states_too_on_targets_that_a_finger_meets(page):
    part(page, "variable:G").locator(".fgn-row").first.click()
    wait_for_beliefs(page, {"G": "A"})
    button = page.locator(".fgn-panel").get_by_role("button", name="C")
    assert button.bounding_box()["height"] >= 24
    button.click()
    wait_for_beliefs(page, {"G": "C"})
    assert page.evaluate("document.activeElement.textContent") == "C"  # the focus stays
    button.press("Enter")
    wait_for_beliefs(page, {})


def test_all_messages_are_there_when_asked_for(page):
    page.locator(".fgn-panel summary").click()
    rows = page.locator(".fgn-panel tbody tr")
    expect(rows).to_have_count(len(student().normal_form().branches))


def test_a_drawing_fits_grows_and_shrinks(page):
    drawn = page.locator(".fgn-stage > svg")
    width = lambda: drawn.bounding_box()["width"]  # noqa: E731
    first = width()
    press(page, "larger")
    assert width() == pytest.approx(1.25 * first, rel=1e-3)
    part(page, "variable:S").locator(".fgn-head").click()
    wait_for_beliefs(page, {"S": "low"})
    assert width() == pytest.approx(1.25 * first, rel=1e-3)  # it stays as it was put
    press(page, "all in sight")
    assert drawn.bounding_box()["height"] <= 0.8 * 768
    press(page, "all in sight")
    assert width() == pytest.approx(first, rel=1e-3)


def test_it_fits_its_cell_at_any_size(shared_notebook):
    for viewport in ({"width": 700, "height": 700}, PROJECTOR):
        page = shared_notebook(CELL, viewport=viewport)
        page.wait_for_selector(".fgn-graph [data-part]")
        laid_out(page)
        outer, inner = (
            page.locator(".fgn-graph").bounding_box(),
            page.locator(".fgn-stage").bounding_box(),
        )
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
        drawn = page.locator(".fgn-stage > svg").bounding_box()
        assert drawn["width"] <= inner["width"] + 1
        size = part(page, "variable:D").locator(".fgn-number").first.bounding_box()["height"]
        assert size >= 9


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_stands_out_from_its_ground_in_both_themes(shared_notebook, theme):
    page = shared_notebook(CELL, theme=theme)
    page.wait_for_selector(".fgn-graph [data-part]")
    ratios = page.evaluate(CONTRASTS)
    assert min(ratios.values()) >= 4.5, ratios
    pale = "(all) => all.forEach((e) => { e.style.fill = 'var(--paper)'; })"
    page.locator(".fgn-stage .fgn-number").evaluate_all(pale)
    assert min(page.evaluate(CONTRASTS).values()) == pytest.approx(1, abs=0.1)  # it can fail


CONTRASTS = """() => {
    const options = { willReadFrequently: true };
    const probe = document.createElement("canvas").getContext("2d", options);
    const rgb = (colour, under) => {
        for (probe.fillStyle of [under, colour].filter(Boolean)) probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const linear = (v) => v <= 10 ? v / 3294 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const paper = getComputedStyle(document.querySelector(".fgn-card")).fill;
    const ground = light(rgb(paper));
    const ratios = {};
    for (const text of document.querySelectorAll(".fgn-stage text")) {
        const ink = light(rgb(getComputedStyle(text).fill, paper));
        const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
        const look = text.getAttribute("class") ?? "badge";
        if (look !== "badge") ratios[`${look} ${text.textContent}`] = ratio;
    }
    return ratios;
}"""
