"""Learning seen on the graph, as people meet it: a hand on the curves, lists, a keyboard."""

import re
from contextlib import ExitStack

import numpy as np
import pytest
from lab_pages import LAPTOP, TABLET, laid_out, settled
from learning_run import CELL, made
from tiers import mostly_slow, slow
from watched_pages import watched_page

from fgnwidgets import contributions, propagate
from fgnwidgets.draw.names import number


def on_page(bare, view, viewport=LAPTOP):
    shown = bare(view.chart, *view.views, viewport=viewport)
    shown.page.wait_for_selector(".fgn-graph [data-part]")
    return shown.page


def numbers(page, side, variable):
    card = page.locator(".fgn-body").nth(side).locator(f"[data-part='variable:{variable}']")
    return card.locator(".fgn-number").all_text_contents()


def wait_for(page, view, epoch, row=None):
    """Until both graphs say what propagation says of this epoch and row."""
    page.locator(".fgn-counter").first.get_by_text(f"epoch {epoch} of 30").wait_for()
    for side, title in enumerate(("ML", "VAR")):  # the cursor goes with the hand, the title follows
        titles = page.locator(".fgn-title-line").nth(side)
        titles.get_by_text(f"{title}, epoch {epoch}", exact=True).wait_for()
    run = view.curves[0].run
    rows = None if row is None else run.rows.take(np.array([row]))
    for side in (0, 1):
        theta = {name: m[epoch, side] for name, m in run.theta.items()}
        wanted = [number(p) for p in propagate(run.graph, theta, rows)["C"].p[:, 0]]
        page.wait_for_function(
            """([side, wanted]) => {
                const body = document.querySelectorAll(".fgn-body")[side];
                const found = body.querySelectorAll("[data-part='variable:C'] .fgn-number");
                return [...found].map((n) => n.textContent).join() === wanted.join();
            }""",
            arg=[side, wanted],
        )


def at(page, epoch):
    """The point of the chart above an epoch, as its axis says it."""
    ticks = page.locator(".fgn-axes text[text-anchor=middle]").filter(has_text=re.compile(r"^\d+$"))
    ends = [(int(t.text_content()), t.bounding_box()) for t in (ticks.first, ticks.last)]
    (low, left), (high, right) = [(e, box["x"] + box["width"] / 2) for e, box in ends]
    foot = page.locator(".fgn-chart").bounding_box()["y"] + 150
    return left + (epoch - low) / (high - low) * (right - left), foot


MIDDLE = """(path) => {
    const { x, y } = path.getPointAtLength(0.8 * path.getTotalLength());
    const { left, top } = path.ownerSVGElement.getBoundingClientRect();
    return [left + x, top + y];
}"""


def test_dragging_the_cursor_moves_curves_matrices_and_both_graphs(bare):
    view = made()
    page = on_page(bare, view)
    first = page.locator(".fgn-cells rect").first.get_attribute("fill-opacity")
    page.mouse.move(*at(page, 2))
    page.mouse.down()
    page.mouse.move(*at(page, 12), steps=10)
    page.mouse.move(*at(page, 21), steps=10)
    page.mouse.up()
    wait_for(page, view, 21)
    assert view.epoch == 21
    cells = page.locator(".fgn-body").nth(1).locator("[data-part='node:A|S'] .fgn-cells rect")
    drawn = [float(cell.get_attribute("fill-opacity")) for cell in cells.all()]
    assert drawn == pytest.approx(view.curves[1].theta(21)["A|S"].ravel(), abs=1e-3)
    assert first != page.locator(".fgn-cells rect").first.get_attribute("fill-opacity")


def test_play_goes_to_the_last_epoch_and_stops(bare):
    view = made(epoch=24)
    page = on_page(bare, view)
    page.get_by_role("button", name="play").first.click()
    wait_for(page, view, 30)
    page.get_by_role("button", name="play").first.wait_for()
    assert view.epoch == 30


def test_a_row_of_the_table_sends_its_messages_at_this_epoch(bare):
    view = made(epoch=7)
    page = on_page(bare, view)
    page.get_by_label("row of the table").select_option(index=2)
    row = int(np.argsort(-view.curves[0].run.weight, kind="stable")[1])
    wait_for(page, view, 7, row)
    page.get_by_role("slider", name="epoch", exact=True).press("ArrowRight")
    wait_for(page, view, 8, row)
    page.locator("[data-part='variable:S'] .fgn-head").first.click()
    page.wait_for_function(
        "document.querySelectorAll('.fgn-named select')[2].selectedOptions[0].textContent"
        " === 'evidence of your own'"
    )
    page.get_by_label("row of the table").select_option(index=1)
    wait_for(page, view, 8, int(np.argmax(view.curves[0].run.weight)))


def test_a_curve_is_chosen_by_a_click_or_from_its_list(bare):
    view = made(epoch=10)
    page = on_page(bare, view)
    line = page.locator("[data-curve='1']")
    x, y = line.evaluate(MIDDLE)
    page.mouse.click(x, y)
    page.locator(".fgn-title-line").first.get_by_text("VAR, epoch 10").wait_for()
    assert view.left == 1
    page.get_by_label("curve beside it").select_option("ML")
    page.locator(".fgn-title-line").nth(1).get_by_text("ML, epoch 10").wait_for()


def test_the_chart_says_in_words_where_the_curves_stand(bare):
    view = made(epoch=10)
    page = on_page(bare, view)
    chart = page.get_by_role("slider", name="Log-likelihood by epoch")
    said = chart.get_attribute("aria-valuetext")
    for curve in view.curves:
        assert f"{curve.name} {curve.history[10]:.1f}" in said
    assert said.startswith("epoch 10 of 30: ")


@pytest.mark.parametrize("size", [LAPTOP, TABLET, {"width": 700, "height": 700}])
def test_nothing_hangs_over_at_any_size(bare, size):
    page = on_page(bare, made(epoch=10), size)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    inside = page.locator(".fgn-chart").bounding_box()
    assert inside["x"] + inside["width"] <= size["width"]


@pytest.mark.parametrize("place", mostly_slow(["doc/tree", "notebooks"], "doc/tree"))
def test_it_lives_in_a_notebook(open_notebook, place):
    if place == "notebooks":
        pytest.importorskip("notebook", reason="notebook is not installed")
    page = open_notebook(CELL, place=place)
    page.wait_for_selector(".fgn-graph [data-part]")
    view = made()
    page.get_by_label("row of the table").select_option(index=1)
    page.get_by_role("button", name="one epoch on").first.click()
    wait_for(page, view, 1, int(np.argmax(view.curves[0].run.weight)))


@slow
def test_a_cell_that_has_run_shows_its_chart_above_the_graphs(open_notebook):
    page = open_notebook(CELL, viewport={"width": 820, "height": 700})
    page.wait_for_selector(".fgn-graph [data-part]")
    page.wait_for_timeout(2000)  # what scrolls has scrolled
    box = page.locator(".fgn-learning-box").bounding_box()
    assert 0 <= box["y"] < 200


# As a person uses it: on a slow kernel, in two views, without one, by keys


LATENCY = pytest.mark.parametrize("latency", mostly_slow([0, 300], 300))


def chart(page):
    return page.get_by_role("slider", name="Log-likelihood by epoch")


@LATENCY
def test_a_drag_ends_where_the_hand_left_it_and_the_cursor_goes_with_the_hand(bare, latency):
    view = made(right=None)
    shown = bare(view.chart, view.views[0], latency=latency)
    page = shown.page
    page.wait_for_selector(".fgn-graph [data-part]")
    page.mouse.move(*at(page, 3))
    page.mouse.down()
    for epoch in (6, 9, 14, 17):
        page.mouse.move(*at(page, epoch))
        page.locator(".fgn-counter").first.get_by_text(f"epoch {epoch} of 30").wait_for(timeout=250)
    page.mouse.up()
    settled(page, lambda: view.epoch == 17)
    shown.quiet()
    assert page.locator(".fgn-counter").first.text_content() == "epoch 17 of 30"


@LATENCY
def test_every_step_of_quick_keys_on_the_chart_counts(bare, latency):
    view = made(right=None)
    shown = bare(view.chart, view.views[0], latency=latency)
    page = shown.page
    chart(page).focus()
    for key in ("ArrowRight", "ArrowUp", "PageUp", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    settled(page, lambda: view.epoch == 12)
    page.keyboard.press("End")
    settled(page, lambda: view.epoch == 30)
    page.keyboard.press("Home")
    settled(page, lambda: view.epoch == 0)


def test_escape_in_a_drag_goes_back_to_where_it_began(bare):
    view = made(epoch=5, right=None)
    shown = bare(view.chart, view.views[0])
    page = shown.page
    page.mouse.move(*at(page, 5))
    page.mouse.down()
    page.mouse.move(*at(page, 12), steps=4)
    page.mouse.move(*at(page, 20), steps=4)
    settled(page, lambda: view.epoch == 20)
    page.keyboard.press("Escape")
    page.mouse.up()
    settled(page, lambda: view.epoch == 5)


@LATENCY
def test_two_views_of_one_run_show_the_same(bare, latency):
    view = made(epoch=4, right=None)
    shown = bare(view.chart, latency=latency, views=2)
    page = shown.page
    one, two = page.locator(".fgn-learning-view").all()
    one.get_by_role("button", name="one epoch on").click()
    two.get_by_role("button", name="one epoch on").click()
    settled(page, lambda: view.epoch == 6)
    shown.quiet()
    for each in (one, two):
        assert each.locator(".fgn-counter").text_content() == "epoch 6 of 30"
    two.get_by_label("row of the table").select_option(index=2)
    settled(page, lambda: view.row is not None)
    shown.quiet()
    picked = [each.get_by_label("row of the table").input_value() for each in (one, two)]
    assert picked == ["1", "1"]
    page.wait_for_timeout(300)
    count = page.evaluate("window.answers")
    page.wait_for_timeout(300)
    assert page.evaluate("window.answers") == count  # nothing goes on by itself


def test_a_busy_kernel_is_called_busy_and_one_that_has_gone_gone(bare):
    view = made(right=None)
    shown = bare(view.chart, latency=4000)
    page = shown.page
    status = page.locator(".fgn-learning-view .fgn-status")
    chart(page).focus()
    page.keyboard.press("ArrowRight")
    status.get_by_text("Python is busy and will answer").wait_for()
    assert status.get_attribute("data-mild") is not None
    page.keyboard.press("End")
    settled(page, lambda: view.epoch == 30)
    shown.quiet()
    page.locator(".fgn-status:empty").wait_for(state="attached")
    shown.gone()
    status.get_by_text("Python is gone: run this cell again").wait_for()
    page.keyboard.press("Home")
    page.mouse.click(*at(page, 4))
    laid_out(page)
    assert page.evaluate("window.waiting") == 0
    assert page.locator(".fgn-counter").text_content() == "epoch 30 of 30"
    assert page.get_by_label("row of the table").is_disabled()


def test_no_key_reaches_the_notebook(bare):
    view = made(right=None)
    page = bare(view.chart).page
    page.evaluate(
        """() => { window.heard = [];
            document.addEventListener("keydown", ({ key }) => window.heard.push(key), true); }"""
    )
    for place in (chart(page), page.get_by_role("button", name="play")):
        place.focus()
        for key in "xabdm0":
            page.keyboard.press(key)
    assert page.evaluate("window.heard") == []
    page.keyboard.press("Control+s")
    assert "s" in page.evaluate("window.heard")


def test_the_region_that_speaks_stays_and_speaks_when_the_hand_rests(bare):
    view = made(right=None)
    shown = bare(view.chart)
    page = shown.page
    page.evaluate(
        """() => { window.spoken = []; window.region = document.querySelector(".fgn-spoken");
            const all = { childList: true, characterData: true, subtree: true };
            new MutationObserver(() => window.spoken.push(window.region.textContent))
                .observe(window.region, all); }"""
    )
    page.mouse.move(*at(page, 2))
    page.mouse.down()
    page.mouse.move(*at(page, 20), steps=30)
    page.mouse.up()
    settled(page, lambda: any("epoch 20 of 30" in t for t in page.evaluate("window.spoken")))
    assert len(page.evaluate("window.spoken")) <= 3
    assert page.evaluate("window.region.isConnected")


def test_in_a_shadow_root_it_has_its_colours_and_keys(bare):
    view = made(right=None)
    page = bare(view.chart, before="window.inShadow = true").page
    chart(page).focus()
    page.keyboard.press("ArrowRight")
    settled(page, lambda: view.epoch == 1)
    stroke = page.locator(".fgn-strong .fgn-drawn").first.evaluate(
        "e => getComputedStyle(e).stroke"
    )
    assert stroke == "rgb(136, 46, 114)"


LETTERS = """() => {
    const found = [];
    for (const e of document.querySelectorAll(".fgn-widget, .fgn-widget *")) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || !e.getClientRects().length || e.closest(".fgn-spoken")) continue;
        if (e.tagName === "title" || e.tagName === "option") continue;
        const scale = e.ownerSVGElement ? e.getScreenCTM().a : 1;
        found.push([scale * parseFloat(getComputedStyle(e).fontSize), e.textContent]);
    }
    return found.sort((a, b) => a[0] - b[0]).slice(0, 3);
}"""


def beside_each_other(bare, view, wide):
    """The page of a view whose graphs share a line where they would in a notebook."""
    shown = bare(view.chart, *view.views, viewport={"width": wide, "height": 768})
    page = shown.page
    page.evaluate(
        """(flex) => document.querySelectorAll(".beside > div")
            .forEach((e) => { e.style.flex = flex; })""",
        view.views[0].layout.flex,
    )
    page.wait_for_selector(".fgn-graph [data-part]")
    laid_out(page)
    return page


@pytest.mark.parametrize("wide", mostly_slow([1366, 1100, 820, 663, 390], 1366, 390))
def test_no_letter_is_smaller_than_nine_pixels_at_any_width(bare, wide):
    page = beside_each_other(bare, made(epoch=10), wide)
    size, text = page.evaluate(LETTERS)[0]
    assert size > 8.95, (size, text)


@pytest.mark.parametrize("wide", mostly_slow([1366, 1100, 934, 820], 1366, 820))
def test_both_graphs_are_whole_wherever_they_lie(bare, wide):
    page = beside_each_other(bare, made(epoch=10, right=1), wide)
    stages = page.locator(".fgn-graph .fgn-stage").all()
    assert len(stages) == 2
    for stage in stages:
        assert stage.evaluate("(e) => [e.scrollWidth - e.clientWidth, e.scrollLeft]") == [0, 0]


@pytest.mark.parametrize("apart", [0.0, 0.3])
def test_the_names_of_levels_do_not_overprint(bare, apart):
    view = made(right=None)
    levels = [{"name": "ceiling", "value": -181.0 + apart}, {"name": "floor", "value": -181.0}]
    view.chart.drawn = {**view.chart.drawn, "levels": levels}
    page = bare(view.chart).page
    boxes = [page.get_by_text(name, exact=True).bounding_box() for name in ("ceiling", "floor")]
    low, high = sorted(boxes, key=lambda box: box["y"])
    assert low["y"] + 0.75 * low["height"] <= high["y"] + 0.25 * high["height"]


# Where a number came from


def ask(page, part="node:A|S", place="1,1"):
    page.locator(f"[data-part='{part}'] [data-place='{place}']").first.click()
    page.locator(".fgn-origin").first.wait_for()


def test_a_click_on_a_cell_lists_the_rows_that_made_it_and_they_add_up(bare):
    view = made(epoch=9, right=None)
    shown = bare(view.chart, view.views[0])
    page = shown.page
    ask(page)
    shown.quiet()
    made_by = contributions(view.curves[0].run, "A|S", 1, 1, restart=0, epoch=9)
    adds = [float(t) for t in page.locator(".fgn-origin tbody td:last-child").all_text_contents()]
    assert adds == pytest.approx(made_by.contribution[made_by.order][: len(adds)], abs=0.0101)
    assert sum(adds) == pytest.approx(float(page.locator(".fgn-origin tfoot td").text_content()))
    shows = number(view.views[0].theta["A|S"][1, 1])
    assert page.locator(".fgn-origin-sum").text_content().endswith(f"= {shows}")
    page.get_by_role("slider", name="epoch", exact=True).press("ArrowRight")
    settled(page, lambda: "epoch 9." in page.locator(".fgn-origin").inner_text())
    page.get_by_role("button", name="close the rows of this number").click()
    page.locator(".fgn-origin").wait_for(state="detached")
    assert view.views[0].selected == "node:A|S"


FLIGHTS = """() => { window.flights = [];
    new MutationObserver((news) => { for (const { addedNodes } of news) for (const n of addedNodes)
        if (n.className === "fgn-flying") {
            const { effect } = n.getAnimations()[0] ?? {};
            window.flights.push(effect?.getKeyframes().at(-1).transform ?? "");
        } }).observe(document.body, { childList: true, subtree: true }); }"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_rows_bars_fly_into_the_cell_once_for_who_wants_motion(bare, motion):
    view = made(epoch=9, right=None)
    shown = bare(view.chart, view.views[0])
    page = shown.page
    page.emulate_media(reduced_motion=motion)
    page.evaluate(FLIGHTS)
    ask(page)
    laid_out(page)
    flights = page.evaluate("window.flights")
    if motion == "reduce":
        assert flights == []
        return
    assert len(flights) == page.locator(".fgn-origin tbody tr").count()
    target = page.locator(".fgn-panel [data-cell='1,1']").bounding_box()
    bar = page.locator(".fgn-adds").first.bounding_box()
    dx, dy = map(float, re.match(r"translate\((-?[\d.]+)px, (-?[\d.]+)px\)", flights[0]).groups())
    assert bar["x"] + dx == pytest.approx(target["x"], abs=2)
    assert target["y"] <= bar["y"] + dy <= target["y"] + target["height"]
    page.evaluate("document.getAnimations().forEach((a) => a.finish())")
    page.locator(".fgn-flying").first.wait_for(state="detached")
    page.get_by_role("slider", name="epoch", exact=True).press("ArrowRight")
    shown.quiet()
    assert len(page.evaluate("window.flights")) == len(flights)  # the same question, another epoch


def test_rows_are_asked_for_by_keys_in_the_block_and_in_the_panel(bare):
    view = made(epoch=9, right=None)
    shown = bare(view.chart, view.views[0])
    page = shown.page
    page.locator("[data-entry='node:A|S 0,0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settled(page, lambda: view.views[0].origin == ("A|S", 0, 1))
    page.locator(".fgn-panel [data-cell='0,1']").focus()
    page.keyboard.press("Tab")
    settled(page, lambda: view.views[0].origin == ("A|S", 1, 0))
    page.keyboard.press("Escape")
    settled(page, lambda: view.views[0].origin is None)
    assert view.views[0].selected == "node:A|S"
    assert page.evaluate("document.activeElement.dataset.cell") == "1,0"
    assert view.views[0].status == ""


# Without Python


@pytest.fixture
def opened(chromium, tmp_path):
    """The page of a recorded run, from its file."""
    with ExitStack() as pages:

        def show(view, **how):
            page = pages.enter_context(watched_page(chromium))
            page.goto(view.to_html(tmp_path / "run.html", **how).as_uri())
            page.wait_for_selector(".fgn-graph [data-part]")
            return page

        yield show


def test_a_recorded_run_plays_from_its_file_without_python(opened):
    view = made(epoch=28)
    page = opened(view)
    page.locator("#told").get_by_text(
        "A recording without Python: all epochs of ML, VAR"
    ).wait_for()
    assert page.locator("#picture").is_hidden()
    wait_for(page, view, 28)
    page.get_by_role("button", name="play").first.click()
    wait_for(page, view, 30)
    page.get_by_role("button", name="play").first.wait_for()  # it has stopped
    page.mouse.move(*at(page, 20))
    page.mouse.down()
    page.mouse.move(*at(page, 12), steps=5)
    page.mouse.up()
    wait_for(page, view, 12)
    page.get_by_label("curve beside it").select_option("none beside")
    page.locator(".fgn-graph").nth(1).wait_for(state="hidden")
    page.get_by_label("whose matrices the graph has").select_option("VAR")
    page.locator(".fgn-title-line").first.get_by_text("VAR, epoch 12").wait_for()


def test_what_was_not_recorded_is_said_and_changes_nothing(opened):
    page = opened(made(epoch=5, right=None), epochs=10)
    status = page.locator(".fgn-learning-view .fgn-status")
    page.locator("[data-part='variable:A'] .fgn-row").first.click()
    status.get_by_text("A recording: its epochs and curves play here").wait_for()
    assert page.locator("[data-part='variable:A'] .fgn-on").count() == 0
    page.get_by_role("button", name="one epoch on").click()
    page.locator(".fgn-learning-view .fgn-counter").get_by_text("epoch 11 of 30").wait_for()
    page.locator(".fgn-status:empty").first.wait_for(state="attached")
    page.get_by_label("row of the table").select_option(index=1)
    status.get_by_text("To ask the graph, run the notebook").wait_for()
    page.wait_for_function(
        "document.querySelector('[aria-label=\"row of the table\"]').value === 'null'"
    )
