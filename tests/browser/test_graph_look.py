"""How a living graph looks and where its things lie: all in sight, legible, nothing hidden.

Sizes are those of a widget in JupyterLab: beside its file browser on a laptop, on a tablet, alone
on a laptop, on a projector, on a phone.
"""

from itertools import pairwise

import numpy as np
import pytest
from graph_menu import choose, more, press, tick
from lab_pages import laid_out, put_cells, run_all, settled
from student import CELL, THETA, student, wait_for_beliefs
from tiers import mostly_slow

from fgn_notebooks import examples, paper
from fgnwidgets import BayesGraph, informative, propagate, random_theta
from fgnwidgets.widgets import GraphView

SIZES = {
    "file browser": {"width": 663, "height": 656},
    "tablet": {"width": 836, "height": 1100},
    "laptop": {"width": 1200, "height": 656},
    "projector": {"width": 1500, "height": 1000},
    "phone": {"width": 390, "height": 780},
}


def thirty():
    rng = np.random.default_rng(3)
    names = [f"V{i}" for i in range(30)]
    parents = {names[i]: names[int(rng.integers(max(0, i - 8), i))] for i in range(1, 30)}
    graph = BayesGraph({name: 2 + i % 3 for i, name in enumerate(names)}, parents)
    return GraphView(graph, random_theta(graph, rng))


def many_states():
    graph = BayesGraph({"A": 12, "B": 3}, {"B": "A"})
    return GraphView(graph, random_theta(graph, np.random.default_rng(1)))


VIEWS = {
    "chapter 00": lambda: GraphView(*examples.student()),
    "one hidden": lambda: GraphView(paper.one_hidden_graph(), paper.ONE_HIDDEN_THETA),
    "thirty": thirty,
    "many states": many_states,
}


def shown(bare, view, size="file browser"):
    shown = bare(view, viewport=SIZES[size])
    shown.page.wait_for_selector(".fgn-graph [data-part]")
    laid_out(shown.page)
    return shown


def part(page, name):
    return page.locator(f"[data-part='{name}']")


LETTERS = """() => {
    const picture = document.querySelector(".fgn-stage > svg");
    const scale = picture.clientWidth / picture.viewBox.baseVal.width;
    const texts = [...picture.querySelectorAll("text, tspan")].filter((e) => e.textContent.trim());
    return texts.map((e) => [parseFloat(getComputedStyle(e).fontSize) * scale,
        e.getAttribute("class") ?? "", e.textContent]);
}"""


@pytest.mark.parametrize("size", mostly_slow(SIZES, "laptop", "phone"))
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("form", ["normal", "bayes"])
def test_no_letter_is_lower_than_9_pixels_and_no_number_of_a_card_than_10(bare, name, form, size):
    view = VIEWS[name]()
    if form == "bayes" and view.bayes is None:
        pytest.skip("a normal graph alone")
    view.form = form
    view.target = next(iter(view.graph.variables))  # badges, too
    page = shown(bare, view, size).page
    letters = page.evaluate(LETTERS)
    assert min(letters)[0] >= 8.99, min(letters)
    numbers = [high for high, look, _ in letters if look == "fgn-number"]
    least = 9 if name == "many states" else 10  # whose rows are low
    assert min(numbers) >= least - 0.01


@pytest.mark.parametrize("size", ["file browser", "tablet", "laptop", "projector"])
def test_the_first_graph_of_the_course_opens_whole(bare, size):
    page = shown(bare, VIEWS["chapter 00"](), size).page
    box = page.locator(".fgn-graph").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= SIZES[size]["height"]
    stage = page.locator(".fgn-stage")
    beyond = "(e) => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
    assert max(stage.evaluate(beyond)) <= 1


def test_under_a_heading_of_its_page_a_graph_opens_whole(bare):
    page = shown(bare, VIEWS["chapter 00"](), "laptop").page
    page.locator("main").evaluate("(e) => { e.style.marginTop = '120px'; }")
    page.set_viewport_size({"width": 1360, "height": 768})  # it is laid out anew
    laid_out(page)
    box = page.locator(".fgn-graph").bounding_box()
    assert box["y"] >= 120 and box["y"] + box["height"] <= 768


STEADY = """async (style) => {
    const root = document.querySelector(".fgn-graph");
    const box = document.createElement("div");
    box.style.cssText = `width: 1036px; overflow: auto; ${style}`;
    root.parentElement.before(box);
    box.append(root.parentElement);
    const places = new Set();
    for (let frame = 0; frame < 60; frame++) {
        await new Promise(requestAnimationFrame);
        const { x, width, height } = root.querySelector(".fgn-stage").getBoundingClientRect();
        if (frame > 20) places.add(`${x} ${width} ${height}`);
    }
    return [...places];
}"""


@pytest.mark.parametrize("style", ["height: 316px", "max-height: 316px"])
def test_a_graph_in_a_low_box_such_as_a_second_view_comes_to_rest(bare, style):
    """Were the box forgotten where the drawing fits into it, this would grow again, and so on."""
    page = shown(bare, VIEWS["chapter 00"](), "laptop").page
    assert len(page.evaluate(STEADY, style)) == 1


@pytest.mark.parametrize("form", ["normal", "bayes"])
def test_rows_on_a_phone_are_as_high_as_a_finger_needs(bare, form):
    view = VIEWS["chapter 00"]()
    view.form = form
    page = shown(bare, view, "phone").page
    rows = page.locator(".fgn-row > .fgn-row-hit").all()
    assert rows and min(row.bounding_box()["height"] for row in rows) >= 23.9
    assert min(b.bounding_box()["height"] for b in page.locator(".fgn-bar button").all()) >= 24


def test_a_narrow_view_on_a_wide_page_is_drawn_for_a_mouse(bare):
    page = shown(bare, VIEWS["chapter 00"](), "laptop").page
    page.locator("main").evaluate("(e) => { e.style.width = '440px'; }")
    laid_out(page)
    row = page.locator(".fgn-row > .fgn-row-hit").first
    settled(page, lambda: row.bounding_box()["height"] < 20)  # more of the graph is in sight


def test_a_graph_without_room_scrolls_in_its_own_stage_above_its_panel(bare):
    page = shown(bare, thirty()).page
    box = page.locator(".fgn-graph").bounding_box()
    assert box["y"] + box["height"] <= SIZES["file browser"]["height"]
    stage, panel = (page.locator(look).bounding_box() for look in (".fgn-stage", ".fgn-panel"))
    assert panel["y"] >= stage["y"] + stage["height"] > 0
    assert page.locator(".fgn-stage").evaluate("(e) => e.scrollWidth > e.clientWidth")


def test_a_graph_without_room_begins_at_its_root_and_follows_what_python_selects(bare):
    view = thirty()
    shown_ = shown(bare, view)
    page = shown_.page
    stage = page.locator(".fgn-stage").bounding_box()
    for name in ("V0", "V29", "V0", "V15"):
        if view.selected or name != "V0":
            view.selected = name
            shown_.sync()
            laid_out(page)
        box = part(page, f"variable:{name}").locator(".fgn-card").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        assert stage["x"] <= x <= stage["x"] + stage["width"], name
        assert stage["y"] <= y <= stage["y"] + stage["height"], name
    assert page.evaluate("scrollY") == 0  # the page itself stays


PLACES = """() => {
    const box = (e) => e.getBoundingClientRect().toJSON();
    const things = ".fgn-card, .fgn-box, .fgn-message .fgn-frame, .fgn-name, .fgn-node-name";
    return [box(document.querySelector(".fgn-graph")), box(document.querySelector(".fgn-panel")),
        [...document.querySelectorAll(".fgn-stage")].flatMap((stage) => {
            const home = box(stage);
            return [...stage.querySelectorAll(things)].map(box).map((b) => ({
                left: Math.max(b.left, home.left), right: Math.min(b.right, home.right),
                top: Math.max(b.top, home.top), bottom: Math.min(b.bottom, home.bottom) }));
        })];
}"""


def covered(panel, things):
    """The things in sight that the panel lies over."""
    return [
        b
        for b in things
        if b["left"] < b["right"] and b["top"] < b["bottom"]
        if b["left"] < panel["right"] and panel["left"] < b["right"]
        if b["top"] < panel["bottom"] and panel["top"] < b["bottom"]
    ]


def first_states(view):
    """Evidence on every variable."""
    branches = {v: view.graph.branch(v) for v in view.graph.variables}
    own = {v: b for v, b in branches.items() if v not in view.graph.products}
    return {v: b.states[0] if b.states else 0 for v, b in own.items()}


@pytest.mark.parametrize("size", mostly_slow(SIZES, "laptop", "phone"))
@pytest.mark.parametrize("name", mostly_slow(["chapter 00", "one hidden"], "chapter 00"))
def test_whatever_is_selected_nothing_jumps_and_the_panel_lies_over_nothing(bare, name, size):
    view = VIEWS[name]()
    page_ = shown(bare, view, size)
    page = page_.page
    first, panel, things = page.evaluate(PLACES)
    assert covered(panel, things) == []
    parts = [p["id"] for p in view.scene["parts"]]
    for step in (*parts, None):
        if step is None:  # with evidence there are stubs
            view.evidence = first_states(view)
        else:
            view.selected = step
        page_.sync()
        laid_out(page)
        now, own, things = page.evaluate(PLACES)
        assert (now["top"], now["height"]) == (first["top"], first["height"]), step
        assert own == panel, step
        assert covered(own, things) == [], step


def seven_children():
    names = [f"question {k}" for k in range(7)]
    graph = BayesGraph({"Class": 3} | dict.fromkeys(names, 2), dict.fromkeys(names, "Class"))
    return GraphView(graph, random_theta(graph, np.random.default_rng(0)))


@pytest.mark.parametrize("size", mostly_slow(["file browser", "laptop", "projector"], "laptop"))
@pytest.mark.parametrize(
    ("make", "name"), [(VIEWS["chapter 00"], "Intelligence="), (seven_children, "Class=")]
)
def test_the_product_of_a_diverter_is_in_sight_whatever_else_scrolls(bare, make, name, size):
    view = make()
    view.selected = f"node:{name}"
    page = shown(bare, view, size).page
    panel = page.locator(".fgn-panel").bounding_box()
    for product in page.locator(".fgn-panel table").first.locator("tr > :last-child").all():
        box = product.bounding_box()
        assert panel["x"] <= box["x"]
        assert box["x"] + box["width"] <= panel["x"] + panel["width"], size


def test_a_matrix_is_typed_while_its_variable_and_its_neighbours_are_in_sight(bare):
    view = VIEWS["chapter 00"]()
    page = shown(bare, view).page
    part(page, "node:SAT|Intelligence").locator(".fgn-target").click(
        position={"x": 1, "y": 1}, force=True
    )
    field = page.locator("[data-cell='0,0']")
    field.fill("0.6")
    field.press("Enter")
    settled(page, lambda: view.theta["SAT|Intelligence"][0, 0] == 0.6)
    for name in ("variable:SAT", "branch:SAT", "branch:Intelligence(2)", "node:Intelligence="):
        box = part(page, name).locator(":is(.fgn-card, .fgn-frame, .fgn-box)").first.bounding_box()
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        met = "([x, y]) => document.elementFromPoint(x, y)?.closest('[data-part]')?.dataset.part"
        assert page.evaluate(met, middle) == name


def test_five_controls_stand_before_the_first_variable_in_plain_words(bare):
    page = shown(bare, GraphView(student(), THETA)).page
    controls = page.locator(".fgn-bar :is(button, select, input)")
    names = controls.evaluate_all("(all) => all.map((e) => e.ariaLabel ?? e.textContent)")
    assert names == ["play", "undo (Ctrl+Z)", "forget all", "more", "what the marks mean"]
    words = page.locator(".fgn-graph").inner_text()
    for jargon in ("diameter", "sent now", "two sweeps"):
        assert jargon not in words
    assert page.locator(".fgn-hint-line").bounding_box()["height"] <= 20  # one line


def test_forget_all_takes_all_evidence_back_and_can_be_undone(bare):
    view = GraphView(student(), THETA, {"S": "high", "G": "A"})
    page = shown(bare, view).page
    page.get_by_role("button", name="forget all").click()
    wait_for_beliefs(page, {})
    assert page.get_by_role("button", name="forget all").is_disabled()
    page.get_by_role("button", name="undo").click()
    wait_for_beliefs(page, {"S": "high", "G": "A"})


ACTIVE = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"


def test_the_menu_goes_by_keyboard_and_moves_nothing(bare):
    page = shown(bare, GraphView(student(), THETA)).page
    before = page.evaluate(PLACES)[:2]
    page.get_by_role("button", name="more", exact=True).focus()
    page.keyboard.press("Enter")
    menu = page.get_by_role("dialog", name="more", exact=True)
    menu.wait_for()
    assert page.evaluate(ACTIVE) == "which drawing"
    assert page.evaluate(PLACES)[:2] == before
    for name in ("schedule", "start of the messages", "target"):
        page.keyboard.press("Tab")
        assert page.evaluate(ACTIVE) == name
    page.keyboard.press("Escape")
    assert menu.count() == 0
    assert page.evaluate(ACTIVE) == "more"
    page.keyboard.press("Enter")
    menu.wait_for()
    page.mouse.click(*[v + 4 for v in (before[0]["left"], before[0]["bottom"] - 20)])
    settled(page, lambda: menu.count() == 0)
    page.get_by_role("button", name="more", exact=True).click()
    menu.get_by_role("button", name="what the marks mean").focus()
    page.keyboard.press("Tab")  # beyond its end
    settled(page, lambda: menu.count() == 0)
    assert page.evaluate(ACTIVE) == "more"


def test_schedules_are_chosen_in_words_and_steps_come_and_go(bare):
    view = GraphView(student(), THETA)
    page = shown(bare, view).page
    choose(page, "schedule", "flooding (all at once)")
    settled(page, lambda: view.schedule == "flooding")
    assert page.get_by_role("button", name="one round back").count() == 0
    tick(page, "go round by round")
    page.get_by_role("button", name="one round back").click()
    settled(page, lambda: view.round == view.rounds - 1)
    tick(page, "go round by round", on=False)
    settled(page, lambda: view.round == view.rounds)  # no stale beliefs without a word of it
    assert page.get_by_role("button", name="one round back").count() == 0


def test_a_plain_view_has_no_buttons_at_all(bare):
    view = GraphView(student(), THETA)
    view.plain = True
    view.pin()
    page = shown(bare, view).page
    assert not [
        c for c in page.locator(".fgn-bar :is(button, select, input)").all() if c.is_visible()
    ]
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    wait_for_beliefs(page, {"S": "high"})


MARKS = """() => [...new Set([...document.querySelectorAll(".fgn-stage [data-mark]")]
    .map((e) => e.dataset.mark))]"""


def test_every_mark_says_its_name_and_the_legend_has_them_all(bare):
    view = GraphView(student(), THETA, {"S": "high", "D": [0.3, 1]})
    view.pin()
    view.target, view.round = "G", 3
    page = shown(bare, view, "laptop").page
    names = {mark["key"]: mark["name"] for mark in view.legend}
    drawn = page.evaluate(MARKS)
    assert set(drawn) <= set(names)
    assert {"f", "b", "belief", "prior", "observed", "soft", "ghost", "tells", "open"} <= set(drawn)
    assert {"sent", "waiting", "source", "block", "shaded", "diverter"} <= set(drawn)
    note = page.get_by_role("tooltip")
    for look in ("[data-mark='f'] .fgn-frame", "[data-mark='prior'] .fgn-prior-hit"):
        page.mouse.move(5, 5)
        box = page.locator(f".fgn-stage {look}").first.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        key = look.split("'")[1]
        note.get_by_text(names[key]).wait_for()
    part(page, "node:G|I,D").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")  # as a keyboard comes to it
    note.get_by_text(names["block"]).wait_for()
    page.get_by_role("button", name="what the marks mean").click()
    legend = page.get_by_role("dialog", name="what the marks mean")
    assert legend.locator("dt").count() == len(names)
    for key in ("f", "b", "sent", "waiting", "open", "ghost", "tells", "strength"):
        assert legend.locator(f"[data-key='{key}'] svg [data-mark='{key}']").count() >= 1, key
    page.keyboard.press("Escape")
    assert legend.count() == 0
    assert page.evaluate(ACTIVE) == "what the marks mean"


def test_heads_of_all_messages_stand_beside_each_other(bare):
    for size in ("file browser", "laptop"):
        page = shown(bare, VIEWS["chapter 00"](), size).page
        page.locator(".fgn-panel summary").click()
        heads = page.locator(".fgn-panel thead th")
        heads.first.wait_for()
        wide = "(all) => all.map((e) => e.scrollWidth - e.clientWidth)"
        assert heads.count() == 3 and max(heads.evaluate_all(wide)) <= 0
        boxes = [head.bounding_box() for head in heads.all()]
        for one, two in pairwise(boxes):
            assert one["x"] + one["width"] <= two["x"] + 1


def pull(page, box, by, key):
    """Press in the middle of a box, drag, press a key, and let go."""
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=5)
    page.wait_for_timeout(120)  # some of it arrives
    page.keyboard.press(key)
    page.mouse.move(x + 2 * by, y, steps=3)
    page.mouse.up()


@pytest.mark.parametrize("latency", mostly_slow([0, 300], 300))
@pytest.mark.parametrize(
    ("name", "look"),
    [("variable:S", ".fgn-track"), ("node:S|I", "[data-place='0,0']"), ("", "[data-cell='1,0']")],
)
def test_escape_during_a_drag_goes_back_to_before_it(bare, name, look, latency):
    view = GraphView(student(), THETA, {"L": "weak"})
    view.selected = "node:S|I"
    view.edit("D", 0, 0, 0.3)  # something to undo
    shown_ = bare(view, viewport=SIZES["laptop"], latency=latency)
    page = shown_.page
    page.wait_for_selector("[data-cell='1,0']")
    before = (view.evidence, {k: v.copy() for k, v in view.theta.items()})
    at = (part(page, name) if name else page).locator(look).first
    pull(page, at.bounding_box(), 25, "Escape")
    shown_.quiet()
    assert view.evidence == before[0]
    assert all(np.array_equal(view.theta[k], v) for k, v in before[1].items())
    assert view.selected == "node:S|I"  # the key was the drag's alone
    page.keyboard.press("Control+z")
    settled(page, lambda: view.theta["D"][0, 0] == 0.6)  # nothing of the drag is in the history


def test_the_picker_is_gone_when_tab_leaves_it(bare):
    page = shown(bare, GraphView(student(), THETA)).page
    part(page, "variable:S").locator(".fgn-more").click()
    picker = page.get_by_role("dialog", name="evidence on S")
    picker.wait_for()
    stops = picker.locator("button, input").count()
    for _ in range(stops):
        assert picker.count() == 1
        page.keyboard.press("Tab")
    assert picker.count() == 0


def test_a_stored_picture_says_how_it_wakes_and_nothing_is_pale_or_red(bare):
    shown_ = shown(bare, GraphView(student(), THETA))
    shown_.gone()
    page = shown_.page
    told = page.get_by_role("status").get_by_text("A stored picture: run this cell")
    told.wait_for()
    assert page.locator(".fgn-status[data-mild]").count() == 1
    opacity = "(all) => all.map((e) => getComputedStyle(e).opacity)"
    assert page.locator(".fgn-stage, .fgn-panel").evaluate_all(opacity) == ["1", "1"]
    _, panel, things = page.evaluate(PLACES)
    assert covered(panel, things) == []


def test_a_graph_that_was_used_and_lost_its_python_says_so_in_red(bare):
    shown_ = shown(bare, GraphView(student(), THETA))
    page = shown_.page
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    wait_for_beliefs(page, {"S": "high"})
    shown_.gone()
    page.get_by_role("status").get_by_text("Python is gone").wait_for()
    assert page.locator(".fgn-status[data-mild]").count() == 0


def widths(page, variable, look):
    bars = part(page, f"variable:{variable}").locator(look)
    tracks = part(page, f"variable:{variable}").locator(".fgn-track")
    long = "(all) => all.map((e) => Number(e.getAttribute('width')))"
    return np.divide(bars.evaluate_all(long), tracks.evaluate_all(long))


def test_pinned_beliefs_stay_as_pale_bars_and_a_slider_goes_from_before_to_after(bare):
    view = GraphView(student(), THETA)
    page = shown(bare, view).page
    tick(page, "pin these beliefs")
    settled(page, lambda: view.scene["pinned"] == "Nothing observed")
    before = {v: view.messages[v].p[:, 0] for v in "DIGSL"}
    part(page, "variable:S").locator(".fgn-row").nth(1).click()
    wait_for_beliefs(page, {"S": "high"})
    after = propagate(student(), THETA, {"S": "high"})
    slider = page.get_by_role("slider", name="from the pinned beliefs")
    for variable in "DIGSL":
        assert widths(page, variable, ".fgn-ghost") == pytest.approx(before[variable], abs=1e-4)
        now = after[variable].p[:, 0]
        assert widths(page, variable, ".fgn-belief") == pytest.approx(now, abs=1e-4)
    slider.fill("0")
    assert widths(page, "I", ".fgn-belief") == pytest.approx(before["I"], abs=1e-4)
    numbers = part(page, "variable:I").locator(".fgn-number").all_text_contents()
    assert numbers == ["0.700", "0.300"]
    slider.fill("50")
    halfway = (before["I"] + after["I"].p[:, 0]) / 2
    assert widths(page, "I", ".fgn-belief") == pytest.approx(halfway, abs=1e-4)
    tick(page, "pin these beliefs", on=False)
    settled(page, lambda: page.locator(".fgn-ghost").count() == 0)
    assert slider.count() == 0
    assert widths(page, "I", ".fgn-belief") == pytest.approx(after["I"].p[:, 0], abs=1e-4)


def test_a_press_on_the_words_of_a_box_ticks_it_and_one_on_other_words_leaves_a_window_open(bare):
    view = GraphView(student(), THETA)
    page = shown(bare, view).page
    menu = more(page)
    menu.get_by_text("pin these beliefs").click()
    settled(page, lambda: view.scene["pinned"] == "Nothing observed")
    menu.get_by_text("messages are sent in").click()
    assert menu.get_by_label("pin these beliefs").is_checked()
    page.keyboard.press("Escape")
    assert menu.count() == 0
    part(page, "variable:S").focus()
    page.keyboard.press("Enter")
    picker = page.get_by_role("dialog", name="evidence on S")
    picker.get_by_text("pick a state").click()
    picker.get_by_role("button", name="high").click()
    wait_for_beliefs(page, {"S": "high"})


STROKE = "(e) => parseFloat(getComputedStyle(e).strokeWidth)"


@pytest.mark.parametrize("way", ["menu", "card"])
def test_a_target_makes_every_other_card_say_what_it_would_tell(bare, way):
    view = GraphView(student(), THETA, {"G": "B"})
    page = shown(bare, view, "laptop").page
    if way == "menu":
        choose(page, "target", "S")
    else:
        part(page, "variable:S").locator(".fgn-more").click()
        page.get_by_role("button", name="ask what tells of S").click()
        page.keyboard.press("Escape")
    settled(page, lambda: view.target == "S")
    found = informative(student(), THETA, {"G": "B"}, "S")
    page.locator(".fgn-tells").first.wait_for()
    for variable in "DIL":
        text = part(page, f"variable:{variable}").locator(".fgn-tells text").text_content()
        bits, share = found.bits[variable], found.share[variable]
        assert text.startswith(f"{bits:.3f} bits" if bits >= 0.0005 else ("0 bits", "<0.001 bits"))
        assert text.endswith(f"{100 * share:.0f} %") or share < 0.005
    assert part(page, "variable:G").locator(".fgn-tells").count() == 0  # it is observed
    assert part(page, "variable:S").locator(".fgn-note").text_content() == "target"
    told = page.locator(".fgn-hint-line").text_content()
    assert told.startswith("S: ") and next(iter(found.bits)) in told
    choose(page, "which drawing", "Bayesian graph")
    part(page, "edge:I->S").wait_for()
    strong, none = (
        part(page, name).locator(".fgn-wire").evaluate(STROKE)
        for name in ("edge:I->S", "edge:G->L")
    )
    assert strong > none  # an observed end carries nothing
    choose(page, "target", "null")
    settled(page, lambda: page.locator(".fgn-tells").count() == 0)


def test_a_link_is_copied_from_the_menu(bare):
    view = GraphView(student(), THETA, {"S": "high"})
    page = shown(bare, view).page
    press(page, "copy a link")
    text = page.get_by_role("textbox", name="A link to this state")
    text.wait_for()
    other = GraphView(student(), THETA)
    other.open_link(text.input_value())
    assert other.evidence == {"S": "high"}


def test_the_dark_theme_is_kept_by_menu_and_legend(bare):
    page = shown(bare, GraphView(student(), THETA)).page
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    page.wait_for_selector("[data-theme='dark']")
    ground = "(e) => getComputedStyle(e).backgroundColor"
    dark = more(page).evaluate(ground)
    assert max(int(v) for v in dark.removeprefix("rgb(").removesuffix(")").split(",")) < 80


IN_SIGHT = """() => {
    const box = document.querySelector(".fgn-graph [data-part]")
        && document.querySelector(".fgn-graph").getBoundingClientRect();
    const outer = document.querySelector(".jp-WindowedPanel-outer").getBoundingClientRect();
    return box && box.top >= outer.top - 1 && box.bottom <= outer.bottom + 1;
}"""


def test_after_shift_enter_all_of_a_graph_is_in_sight_beside_the_file_browser(shared_notebook):
    filler = "\n".join(f"# line {k}" for k in range(12))
    page = shared_notebook(filler, CELL, filler, filler, viewport={"width": 815, "height": 768})
    page.wait_for_selector(".fgn-graph [data-part]")
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(1)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(IN_SIGHT)
    page.wait_for_timeout(800)  # whatever else scrolls has scrolled
    assert page.evaluate(IN_SIGHT)
    letters = page.evaluate(LETTERS)
    assert min(letters)[0] >= 8.99
    numbers = [high for high, look, _ in letters if look == "fgn-number"]
    assert min(numbers) >= 9.99


AT_ONCE = """(pressed) => {
    const watch = new MutationObserver(() => {
        const button = document.querySelector(".fgn-graph [data-more-button]");
        if (!button) return;
        watch.disconnect();
        const press = new PointerEvent("pointerdown", { bubbles: true, composed: true });
        if (pressed) setTimeout(() => button.dispatchEvent(press), 100);
    });
    watch.observe(document.body, { childList: true, subtree: true });
}"""


@pytest.mark.parametrize("pressed", [False, True], ids=["nobody presses", "a press"])
def test_a_new_graph_goes_into_sight_unless_a_hand_presses_on_the_page(shared_notebook, pressed):
    page = shared_notebook("graph = None")
    put_cells(page, CELL)
    page.evaluate(AT_ONCE, pressed)
    run_all(page)
    page.wait_for_selector(".fgn-graph [data-part]")
    page.wait_for_timeout(1500)
    scrolled = page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop")
    assert (scrolled == 0) == pressed


NOTE = """() => {
    const note = document.querySelector(".fgn-why");
    return note.hidden ? null : note.getBoundingClientRect().toJSON();
}"""


def overlap(one, other):
    across = min(one["right"], other["right"]) - max(one["left"], other["left"])
    down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    return max(across, 0) * max(down, 0)


@pytest.mark.parametrize("size", mostly_slow(["file browser", "laptop", "phone"], "laptop"))
def test_a_note_comes_when_the_pointer_rests_and_covers_nothing_of_its_card(bare, size):
    view = VIEWS["chapter 00"]()
    page = shown(bare, view, size).page
    for name in view.graph.variables:
        if name in view.graph.products:
            continue
        card = part(page, f"variable:{name}")
        card.scroll_into_view_if_needed()
        for look in (".fgn-number", ".fgn-title"):
            page.mouse.move(2, 2)
            page.wait_for_function("document.querySelector('.fgn-why').hidden")
            card.locator(look).first.hover()
            assert page.evaluate(NOTE) is None, "it comes at once"
            page.wait_for_function("!document.querySelector('.fgn-why').hidden")
            box = card.locator(".fgn-card").evaluate("(e) => e.getBoundingClientRect().toJSON()")
            assert overlap(page.evaluate(NOTE), box) == 0, (name, look)
    assert page.evaluate(NATIVE) == []  # the browser would show it over the card, too


NATIVE = """() => [...document.querySelectorAll(".fgn-stage :is(rect, text, path)")]
    .map((e) => e.closest(":has(> title)")?.querySelector(":scope > title").textContent)
    .filter(Boolean)"""
