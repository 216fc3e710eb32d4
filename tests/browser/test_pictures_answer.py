"""Pictures of labs that answer a pointer and keys by themselves, without asking Python."""

import numpy as np
import pytest
from lab_pages import FILLED, restart_kernel
from tiers import mostly_slow

from fgn_notebooks import labs

CELL = "from fgn_notebooks import labs\nlab = labs.one_hidden_variable()\nlab"


@pytest.fixture
def page(shared_notebook):
    page = shared_notebook(CELL)
    page.wait_for_selector(".fgn-over-picture[tabindex]")
    page.wait_for_function(FILLED, arg=1600)
    return page


def over(page):
    return page.locator(".fgn-over-picture")


def reading(page):
    return page.locator(".fgn-reading")


def at_cursor(lab, epoch):
    """What is read below the picture of a lab when the cursor is at an epoch."""
    values = {rule: lab.result.curve(rule, "aggregated")[epoch] for rule in lab.result.rules}
    said = ", ".join(f"{rule.upper()} {value:.1f}" for rule, value in values.items())
    return f"epoch {epoch}, aggregated log-likelihood: {said}"


def sweep(page, share_x, share_y):
    box = over(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] * share_x, box["y"] + box["height"] * share_y)


def test_the_values_at_the_cursor_are_those_that_were_computed(page):
    over(page).focus()
    page.keyboard.press("ArrowRight")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    said = reading(page).text_content()
    assert said == at_cursor(labs.one_hidden_variable(), 30)
    assert page.locator(".fgn-cursor-line").count() == 2  # on both axes
    assert over(page).get_attribute("aria-valuetext") == said
    page.keyboard.press("End")
    assert reading(page).text_content().startswith("epoch 60")
    page.keyboard.press("Escape")
    assert reading(page).text_content() == ""


def test_a_click_singles_a_rule_out_on_all_axes_and_another_brings_the_rest_back(page):
    over(page).focus()
    for label in ("ML", "KL"):
        page.keyboard.press("ArrowDown")
        assert reading(page).text_content() == f"{label} alone"
    assert page.locator(".fgn-alone").count() == 2  # the curve of KL on both axes
    assert page.locator(".fgn-veil").count() >= 4  # both axes, and the matrices of the others
    page.keyboard.press("Escape")
    assert page.locator(".fgn-veil").count() == 0


def test_the_pointer_reads_a_curve_and_a_matrix_and_drags_the_cursor(page):
    found = []
    for share in np.linspace(0.1, 0.4, 60):
        sweep(page, 0.2, share)
        tip = page.locator(".fgn-tip-box")
        if tip.is_visible():
            found.append(tip.text_content())
    assert any("epoch" in text for text in found), found
    label = next(text for text in found if "epoch" in text and ", epoch" in text).split(",")[0]
    for share in np.linspace(0.1, 0.4, 60):
        sweep(page, 0.2, share)
        tip = page.locator(".fgn-tip-box")
        if tip.is_visible() and tip.text_content().startswith(f"{label},"):
            break
    page.mouse.down()
    page.mouse.up()
    assert reading(page).text_content() == f"{label} alone"
    sweep(page, 0.12, 0.25)
    page.mouse.down()
    sweep(page, 0.3, 0.25)
    page.mouse.up()
    assert f"{label} alone; epoch" in reading(page).text_content()
    cells = []
    for share in np.linspace(0.05, 0.95, 40):
        sweep(page, share, 0.82)
        tip = page.locator(".fgn-tip-box")
        if tip.is_visible():
            cells.append(tip.text_content())
    assert any(text.startswith("VAR: 0.") for text in cells), cells


def test_the_picture_answers_when_its_kernel_is_gone(page):
    restart_kernel(page)
    page.locator(".fgn-lab-said").get_by_text("Python is gone: run this cell again").wait_for()
    over(page).focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert reading(page).text_content().startswith("epoch 1, aggregated log-likelihood: ML ")


def test_the_cursor_stays_when_the_picture_changes(page):
    over(page).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    lab = labs.one_hidden_variable()
    assert reading(page).text_content() == f"ML alone; {at_cursor(lab, 3)}"
    page.locator("[role=slider][aria-label^='Nit: ']").focus()
    page.keyboard.press("ArrowRight")
    lab.set(n_it=lab.values["n_it"] + 1)
    reading(page).filter(has_text=f"ML alone; {at_cursor(lab, 3)}").wait_for()


VEILED = """() => [...document.querySelectorAll(".fgn-veil")].map((e) => e.getBBox())
    .map(({ x, y, width, height }) => [x, y, x + width, y + height])"""


def covered(page, lab, names):
    """By name, whether all, none or some of the parts with it are veiled, on every axes."""
    veils = np.array(page.evaluate(VEILED)).reshape(-1, 4)
    found = {name: set() for name in names}
    numbers = np.frombuffer(lab.picture.numbers, np.float32)
    for curve in lab.picture.map["curves"]:
        if "names" not in curve:
            continue
        ax = lab.picture.map["axes"][curve["axes"]]
        own = numbers[curve["start"] : curve["start"] + 5 * curve["count"]].reshape(5, -1)
        (left, top, right, bottom), (x0, x1, _), (y0, y1, _) = ax["box"], ax["x"], ax["y"]
        x = left + (right - left) * ((own[0] + own[2]) / 2 - x0) / (x1 - x0)
        y = bottom + (top - bottom) * ((own[1] + own[3]) / 2 - y0) / (y1 - y0)
        inside = (veils[:, None, 0] <= x) & (x <= veils[:, None, 2])
        inside &= (veils[:, None, 1] <= y) & (y <= veils[:, None, 3])
        for own_names, hidden in zip(curve["names"], inside.any(axis=0), strict=True):
            for name in set(own_names) & set(names):
                found[name].add((curve["axes"], bool(hidden)))
    return found


def press(page, lab, name, axes):
    """Click on the first part of a name on some axes."""
    curve = next(c for c in lab.picture.map["curves"] if c["axes"] == axes and "names" in c)
    i = next(k for k, names in enumerate(curve["names"]) if names[0] == name)
    numbers = np.frombuffer(lab.picture.numbers, np.float32)
    own = numbers[curve["start"] : curve["start"] + 5 * curve["count"]].reshape(5, -1)[:, i]
    ax = lab.picture.map["axes"][axes]
    (left, top, right, bottom), (x0, x1, _), (y0, y1, _) = ax["box"], ax["x"], ax["y"]
    x = left + (right - left) * ((own[0] + own[2]) / 2 - x0) / (x1 - x0)
    y = bottom + (top - bottom) * ((own[1] + own[3]) / 2 - y0) / (y1 - y0)
    box = over(page).bounding_box()
    scale = box["width"] / lab.picture.size[0]
    page.mouse.click(box["x"] + scale * x, box["y"] + scale * y)


def test_a_click_on_a_state_singles_it_out_in_every_panel_that_shows_it(shared_notebook):
    page = shared_notebook("from fgn_notebooks import labs\nlabs.product_space()")
    page.wait_for_selector(".fgn-over-picture[tabindex]")
    page.wait_for_function(FILLED, arg=1600)
    lab = labs.product_space()
    lab.picture.look = {"width": over(page).bounding_box()["width"], "ratio": 1.0}
    states = [f"X{k}={j}" for k, size in ((1, 2), (2, 3), (3, 2)) for j in range(1, size + 1)]
    for axes in (1, 4):  # what is sent, and what comes down
        press(page, lab, "X2=3", axes)
        assert reading(page).text_content() == "X2=3 alone"
        found = covered(page, lab, states)
        assert {axes for axes, _ in found["X2=3"]} == {0, 1, 2, 3, 4}
        assert not any(hidden for _, hidden in found["X2=3"])
        # another state of X2 is in none of its configurations; one of X1 is in some of them
        assert all(hidden for axes, hidden in found["X2=1"] if axes in (1, 2, 4))
        assert {hidden for axes, hidden in found["X1=1"] if axes == 2} == {True, False}
        press(page, lab, "X2=3", axes)
        assert page.locator(".fgn-veil").count() == 0


def test_the_densities_of_the_same_name_are_singled_out_together(shared_notebook):
    page = shared_notebook("from fgn_notebooks import labs\nlabs.bayesian_learning()")
    page.wait_for_selector(".fgn-over-picture[tabindex]")
    page.wait_for_function(FILLED, arg=1600)
    over(page).focus()
    page.keyboard.press("ArrowDown")
    assert reading(page).text_content() == "exact alone"
    assert page.locator(".fgn-veil").count() == 3
    boxes = page.locator(".fgn-alone").evaluate_all("(all) => all.map((e) => e.getBBox().x)")
    assert len({int(x // 150) for x in boxes}) >= 3  # contours, and both marginals


MARK = """\
from matplotlib.figure import Figure
from fgnwidgets.widgets import FigureImage


def draw(result, fig=None):
    fig = Figure(figsize=(5, 3)) if fig is None else fig
    fig.clear()
    ax = fig.add_axes((0.2, 0.2, 0.7, 0.7))
    ax.set(xlim=(0, 10), ylim=(0, 4))
    ax.plot([7], [3], "s", color="#ff0000", markersize=8, mew=0, label="mark")
    return fig


picture = FigureImage()
picture.draw(draw, None)
picture
"""
RED = """() => {
    const image = document.querySelector(".fgn-picture img");
    const { naturalWidth: width, naturalHeight: height } = image;
    const sheet = Object.assign(document.createElement("canvas"), { width, height });
    const ink = sheet.getContext("2d");
    ink.drawImage(image, 0, 0);
    const { data } = ink.getImageData(0, 0, width, height);
    const red = [];
    for (let k = 0; k < width * height; k += 1) {
        const [r, g, b] = data.slice(4 * k, 4 * k + 3);
        if (r > 250 && g < 5 && b < 5) red.push([k % width, Math.floor(k / width)]);
    }
    const middle = [0, 1].map((i) => red.reduce((sum, at) => sum + at[i] + 0.5, 0) / red.length);
    const box = image.getBoundingClientRect();
    return [box.x + middle[0] * box.width / width, box.y + middle[1] * box.height / height];
}"""


@pytest.mark.parametrize("ratio", mostly_slow([1, 2], 2))
def test_what_is_pointed_at_lies_where_its_pixels_are(open_notebook, ratio):
    page = open_notebook(MARK, ratio=ratio)
    page.wait_for_selector(".fgn-over-picture[tabindex]")
    page.wait_for_function(FILLED, arg=800)
    x, y = page.evaluate(RED)
    page.mouse.move(x + 2, y - 2)
    dot = page.locator(".fgn-over-picture .fgn-point").bounding_box()
    middle = dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2
    assert middle == pytest.approx((x, y), abs=1.5)
    assert page.locator(".fgn-tip-box").text_content() == "mark, 7.00: 3.000"


def test_a_page_of_a_lab_without_python_answers_the_pointer_and_keys(chromium, tmp_path):
    lab = labs.one_hidden_variable()
    path = lab.to_html(tmp_path / "lab.html")
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda asked: asked.url.startswith("http") and faults.append(asked.url))
    page.goto(path.as_uri())
    page.wait_for_selector(".fgn-over-picture[tabindex]")
    over(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert reading(page).text_content() == at_cursor(lab, 2)
    assert page.locator("img").evaluate("(e) => e.complete && e.naturalWidth") == 1000
    page.close()
    assert faults == []
