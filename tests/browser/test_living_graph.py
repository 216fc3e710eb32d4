"""The living graph as people meet it: a mouse, a keyboard, two views, no kernel."""

import numpy as np
import pytest
from lab_pages import DARK, LIGHT, PROJECTOR, READY, command, run_all
from student import CELL, THETA, student

from fgnwidgets import flooding, propagate, trace


def part(page, name):
    return page.locator(f"[data-part='{name}']")


def numbers(page, variable):
    return part(page, f"variable:{variable}").locator(".fgn-number").all_text_contents()


def expected(variable, evidence):
    belief = propagate(student(), THETA, evidence)[variable].p[:, 0]
    return [f"{p:.3f}" for p in belief]


def wait_for_beliefs(page, evidence, variables="DIGSL"):
    """Until the cards say what the engine says of this evidence; all of them at once."""
    page.wait_for_function(
        """(wanted) => Object.entries(wanted).every(([variable, numbers]) => {
            const written = `[data-part="variable:${variable}"] .fgn-number`;
            const found = [...document.querySelectorAll(written)].map((n) => n.textContent);
            return numbers.join() === found.join();
        })""",
        arg={v: expected(v, evidence) for v in variables},
        timeout=10_000,
    )


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
    page.wait_for_selector(".fgn [data-part]")
    wait_for_beliefs(page, {})
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
    assert panel.locator("tbody td").all_text_contents() == ["0.950", "0.050", "0.200", "0.800"]
    part(page, "node:(I,D)(1)|I").locator(".fgn-box").click()
    panel.get_by_text("shaded: it stays fixed").wait_for()
    part(page, "node:I=").locator(".fgn-box").click()
    panel.get_by_text("f of I(1) ∝ f of I(0) × b of I(2)").wait_for()


def test_play_reaches_the_exact_messages_after_diameter_rounds(page):
    page.get_by_label("schedule").select_option("flooding")
    page.get_by_label("start of the messages").select_option("2")
    counter = page.locator(".fgn-counter")
    page.get_by_role("button", name="first round").click()
    counter.get_by_text("start, diameter 6").wait_for()
    page.get_by_role("button", name="play").click()
    diameter = student().normal_form().diameter
    for number in range(1, diameter):
        counter.get_by_text(f"round {number} of {diameter}").wait_for()
        assert page.locator(".fgn-sent").count() == 18
    counter.get_by_text(f"round {diameter} of {diameter}, exact").wait_for()
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
    page.get_by_role("button", name="first round").click()
    page.get_by_role("button", name="one round on").click()
    page.locator(".fgn-counter").get_by_text("round 1 of").wait_for()
    badges = page.locator(".fgn-badge text").all_text_contents()
    assert sorted(map(int, badges)) == list(range(1, len(badges) + 1))
    assert badges


def test_the_keyboard_alone_does_everything(page):
    page.get_by_label("start of the messages").focus()
    page.keyboard.press("Tab")
    assert focused(page) == "variable:D"
    page.keyboard.press("ArrowRight")
    assert focused(page) == "branch:I(0)"
    page.keyboard.press("ArrowRight")
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
    page.locator(".fgn-panel").get_by_role("heading", name="The living graph").wait_for()


def focused(page):
    return page.evaluate("document.activeElement.dataset.part ?? document.activeElement.outerHTML")


def test_every_part_has_a_name_for_screen_readers(page):
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    wait_for_beliefs(page, {"S": "high"})
    name = "variable S, observed high: low 0.000, high 1.000"
    assert page.get_by_role("button", name=name).count() == 1
    assert page.get_by_role("group", name="normal graph of D, I, G, S, L").count() == 1
    controls = page.locator(".fgn :is([role=button], button, select, input)")
    nameless = "(all) => all.filter((e) => !e.ariaLabel && !e.textContent).length"
    assert controls.count() > 30
    assert controls.evaluate_all(nameless) == 0


def test_the_bayesian_graph_has_the_same_beliefs_and_colours(page):
    colour = "(e) => getComputedStyle(e).fill"
    before = [
        part(page, f"variable:{v}").locator(".fgn-belief").first.evaluate(colour) for v in "DIGSL"
    ]
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    page.get_by_label("which drawing").select_option("Bayesian graph")
    part(page, "edge:I->G").wait_for()
    wait_for_beliefs(page, {"S": "high"})
    assert [
        part(page, f"variable:{v}").locator(".fgn-belief").first.evaluate(colour) for v in "DIGSL"
    ] == before
    assert len(set(before)) == 5


def test_two_views_on_one_page_are_kept_apart(open_notebook):
    page = open_notebook(CELL, CELL.replace("view", "other"))
    page.wait_for_function("document.querySelectorAll('.fgn svg [data-part]').length > 40")
    one, two = page.locator(".fgn").all()
    two.locator("[data-part='variable:S'] .fgn-row").nth(1).click()
    two.locator("[data-part='variable:I'] .fgn-number").get_by_text("0.873").wait_for()
    assert one.locator("[data-part='variable:I'] .fgn-number").all_text_contents() == [
        "0.700",
        "0.300",
    ]
    assert page.locator(".fgn [id]").count() == 0


def test_python_sets_and_reads_what_the_page_shows(open_notebook):
    page = open_notebook(CELL, 'view.evidence = {"S": "high"}; view.selected = "S|I"; view.round')
    page.wait_for_selector(".fgn [data-part]")
    wait_for_beliefs(page, {"S": "high"})
    page.locator(".fgn-panel").get_by_role("heading", name="Block S|I").wait_for()


def test_names_and_labels_are_text_and_never_markup(open_notebook):
    evil = "<img src=x onerror=document.title='owned'>"
    cell = CELL.replace("'low', 'high'", f"\"{evil}\", 'high'")
    page = open_notebook(cell)
    page.wait_for_selector(".fgn [data-part]")
    part(page, "variable:S").locator(".fgn-more").click()
    assert page.get_by_role("dialog").get_by_role("button", name=evil).text_content() == evil
    part(page, "node:S|I").locator(".fgn-box").click()
    page.locator(".fgn-panel th").get_by_text(evil).first.wait_for()
    assert page.locator(".fgn img").count() == 0
    assert page.title() != "owned"


def test_a_view_without_a_kernel_says_so_and_its_cell_brings_it_back(open_notebook):
    page = open_notebook(CELL)
    part(page, "variable:S").wait_for()
    command(page, "kernelmenu:restart")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    page.wait_for_function(READY)
    part(page, "variable:S").locator(".fgn-head").click()
    told = page.get_by_role("status").get_by_text("disconnected: run this cell again")
    told.wait_for()
    run_all(page)
    page.wait_for_selector(".fgn:not(.fgn-lost) [data-part]")
    part(page, "variable:S").locator(".fgn-head").click()
    wait_for_beliefs(page, {"S": "low"})
    assert told.count() == 0


def test_impossible_evidence_is_told_in_the_status_line_and_the_picture_stays(open_notebook):
    theta = {**THETA, "D": [[1.0, 0.0]]}
    page = open_notebook(CELL.replace(repr(THETA), repr(theta)))
    page.wait_for_selector(".fgn [data-part]")
    before = numbers(page, "G")
    part(page, "variable:D").locator(".fgn-row").nth(1).click()
    page.locator(".fgn-status").get_by_text("probability zero").wait_for()
    assert numbers(page, "G") == before
    part(page, "variable:D").locator(".fgn-head").click()
    page.locator(".fgn-status:empty").wait_for(state="attached")


def test_it_fits_its_cell_at_any_size(open_notebook):
    for viewport in ({"width": 700, "height": 700}, PROJECTOR):
        page = open_notebook(CELL, viewport=viewport)
        page.wait_for_selector(".fgn [data-part]")
        outer, inner = (
            page.locator(".fgn").bounding_box(),
            page.locator(".fgn-stage").bounding_box(),
        )
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
        drawn = page.locator(".fgn-stage > svg").bounding_box()
        assert drawn["width"] <= inner["width"] + 1
        size = part(page, "variable:D").locator(".fgn-number").first.bounding_box()["height"]
        assert size >= 9


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_stands_out_from_its_ground_in_both_themes(open_notebook, theme):
    page = open_notebook(CELL, theme=theme)
    page.wait_for_selector(".fgn [data-part]")
    ratios = page.evaluate(CONTRASTS)
    assert min(ratios.values()) >= 4.5, ratios


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
