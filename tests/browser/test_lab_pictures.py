"""A lab's picture follows its page: the theme, the room, the pixels; and it outlives its kernel."""

from types import SimpleNamespace

import pytest
import student
from bare_page import Bare
from lab_pages import (
    DARK,
    FILLED,
    LAPTOP,
    PROJECTOR,
    TABLET,
    command,
    laid_out,
    put_cells,
    restart_kernel,
    run_all,
    settled,
)
from labs_on_pages import seen, show_all_controls, useful
from matplotlib.figure import Figure
from tiers import mostly_slow, slow

from fgn_notebooks import labs
from fgnwidgets.widgets import FigureImage

LAB = "from fgn_notebooks import labs\nlab = labs.{}()\nlab"
FILE_BROWSER = {"width": 815, "height": 768}
"""What a laptop of 1366 pixels leaves of them beside the file browser: 647 for a cell's output."""

BESIDE_FILES = {"width": 1102, "height": 768}
"""The same of a page without a file browser: 934 pixels for the output of a cell."""

SEEN = f"""(most) => {{
    if (!({FILLED})(most)) return null;
    const picture = document.querySelector(".fgn-lab img");
    const room = document.querySelector(".fgn-picture").clientWidth;
    const shown = picture.getBoundingClientRect().width;
    return {{ natural: picture.naturalWidth, shown, room }};
}}"""
"""What is to be said of a picture once it fills its room, at that very moment."""

SEEN_WHOLE = f"""(most) => {{
    const {{ naturalHeight }} = document.querySelector(".fgn-lab img") ?? {{}};
    const controls = document.querySelector(".fgn-lab-rows").getBoundingClientRect();
    const left = innerHeight - 221 - Math.min(controls.height, 150); // in sight with the controls
    return ({FILLED})(most) || Math.abs(naturalHeight - devicePixelRatio * left) <= 2;
}}"""
FOLLOWED = """() => {
    const frame = document.querySelector("iframe");
    const { body } = frame.contentDocument;
    body.className = "fgn-lab-body";
    body.insertAdjacentHTML("afterbegin", "<div class=fgn-lab-rows style='height:170px'></div>");
    const follow = () => { frame.style.height = `${body.clientHeight + 48}px`; };
    new ResizeObserver(follow).observe(body);
}"""
"""Two rows of controls above the picture, in a frame that is as high as both and a little more."""

GROUND = """(picture) => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.drawImage(picture, 0, 0);
    const [red, , , there] = canvas.getImageData(2, 2, 1, 1).data;
    return there ? red : null; // of a picture that is not loaded nothing is drawn
}"""


def ground(page):
    """How light a picture is at its corner, of 255; None before it is there."""
    return page.locator(".fgn-lab img").evaluate(GROUND)


@pytest.mark.parametrize(
    "size", mostly_slow([LAPTOP, PROJECTOR, TABLET, FILE_BROWSER], LAPTOP, TABLET)
)
def test_a_picture_fills_its_room_pixel_by_pixel(shared_notebook, size):
    page = shared_notebook(LAB.format("race"), viewport=size)
    found = page.wait_for_function(SEEN, arg=1600).json_value()
    assert found["shown"] == pytest.approx(found["natural"], abs=1)
    assert found["room"] > 0.6 * size["width"] - 100


def test_a_picture_in_a_frame_that_is_as_high_as_its_lab_does_not_shrink(chromium):
    page = chromium.new_page(viewport=LAPTOP)
    page.set_content("<iframe style='width:880px;height:700px'></iframe>")
    frame = page.frames[1]
    image = FigureImage()
    image.draw(lambda result, fig=None: Figure(figsize=(10, 4), dpi=100), None)
    Bare(
        SimpleNamespace(
            set_content=frame.set_content,
            evaluate=frame.evaluate,
            expose_function=page.expose_function,
        ),
        (image,),
    )
    room = frame.locator(".fgn-picture").bounding_box()["width"]
    settled(page, lambda: image.size[0] == pytest.approx(room, abs=1))
    page.evaluate(FOLLOWED)
    page.wait_for_timeout(1500)  # ten rounds of frame and picture
    assert image.look["high"] > 0  # the controls are seen above it
    assert image.size[0] == pytest.approx(room, abs=1)
    page.close()


@slow  # test_pictures_answer.py has a fine screen
def test_a_fine_screen_gets_fine_pixels(open_notebook):
    page = open_notebook(LAB.format("race"), ratio=2)
    found = page.wait_for_function(SEEN, arg=1600).json_value()
    assert found["natural"] == pytest.approx(2 * found["shown"], abs=2)


def test_a_picture_is_dark_on_a_dark_page_and_changes_with_it(shared_notebook):
    page = shared_notebook(LAB.format("race"), theme=DARK)
    settled(page, lambda: (ground(page) or 255) < 60)
    command(page, "apputils:change-theme", {"theme": "JupyterLab Light"})
    settled(page, lambda: (ground(page) or 0) > 240)


@pytest.mark.parametrize(
    "name",
    mostly_slow(
        [
            "one_block",
            "one_hidden_variable",
            "deeper_graph",
            "bayesian_learning",
            "product_space",
            "race",
        ],
        *("one_hidden_variable", "race"),
    ),
)
def test_a_lab_fits_a_laptop_beside_the_file_browser(shared_notebook, name):
    page = shared_notebook(LAB.format(name), viewport=FILE_BROWSER)
    page.wait_for_function(FILLED, arg=1600)
    lab = page.locator(".fgn-lab").bounding_box()
    assert lab["height"] <= 656  # of the notebook's window
    picture = page.locator(".fgn-lab img").bounding_box()
    assert picture["x"] + picture["width"] <= lab["x"] + lab["width"] + 1


@pytest.mark.parametrize(
    "name", mostly_slow(["one_hidden_variable", "deeper_graph", "race"], "race")
)
def test_where_controls_would_make_a_picture_narrow_they_stand_above_it(shared_notebook, name):
    """A letter of 8.5 points is read at nine pixels and more; a picture is still seen whole."""
    page = shared_notebook(LAB.format(name), viewport=BESIDE_FILES)
    page.wait_for_function(SEEN_WHOLE, arg=1600)
    assert page.locator(".fgn-lab img").evaluate("(e) => e.naturalWidth") == pytest.approx(
        835, abs=75
    )
    controls = page.locator(".fgn-lab-rows").bounding_box()
    picture = page.locator(".fgn-lab img").bounding_box()
    assert controls["y"] + controls["height"] <= picture["y"]
    outer, bar = page.locator(".fgn-lab").bounding_box(), page.locator("#jp-main-statusbar")
    tools = page.locator(".jp-Toolbar.jp-NotebookPanel-toolbar").bounding_box()
    room = bar.bounding_box()["y"] - tools["y"] - tools["height"]
    assert outer["height"] <= room  # the whole lab is in sight
    assert 8.5 * picture["width"] / 720 >= 9  # all figures of labs are 720 points wide


def test_the_buttons_of_a_lab_stand_in_one_line_with_what_it_says(shared_notebook):
    page = shared_notebook(LAB.format("race"), viewport=LAPTOP)
    page.wait_for_function(FILLED, arg=1600)
    says = page.locator(".fgn-lab-said").bounding_box()
    for name in ("numbers", "code", "files", "Reset"):
        button = page.get_by_role("button", name=name, exact=True).bounding_box()
        middle = button["y"] + button["height"] / 2
        assert says["y"] <= middle <= says["y"] + says["height"], name


def test_other_controls_come_when_they_are_asked_for(shared_notebook):
    page = shared_notebook(LAB.format("one_hidden_variable"))
    lab = labs.one_hidden_variable()
    settled(page, lambda: len(few := seen(page)) == 4 and set(few) < set(useful(lab)))
    show_all_controls(page, lab)
    page.get_by_role("button", name="fewer controls").wait_for()
    before = useful(lab)
    lab.set(view="ends by Nit")
    page.get_by_role("combobox", name="show: which experiment").select_option("ends by Nit")
    assert before != useful(lab)
    settled(page, lambda: sorted(map(str, seen(page))) == sorted(useful(lab)))
    greyed = page.locator(".fgn-control :disabled:visible")
    settled(page, lambda: greyed.count() == 0)


@pytest.mark.parametrize("place", mostly_slow(["doc/tree", "notebooks"], "doc/tree"))
def test_a_lab_without_its_kernel_says_so_and_keeps_its_picture(shared_notebook, place):
    if place == "notebooks":
        pytest.importorskip("notebook", reason="notebook is not installed")
    page = shared_notebook(LAB.format("race"), place=place)
    page.wait_for_function(SEEN_WHOLE, arg=1600)
    restart_kernel(page)
    page.locator(".fgn-lab-said").get_by_text("Python is gone: run this cell again").wait_for()
    laid_out(page)
    picture = page.locator(".fgn-lab img")
    assert picture.evaluate("(e) => e.complete && e.naturalWidth > 400")
    broken = """() => [...document.querySelectorAll(".fgn-lab, .fgn-lab *")].filter((e) =>
        e.matches(".jupyter-widgets-disconnected")
        && getComputedStyle(e, "::before").content !== "none").length"""
    assert page.evaluate(broken) == 0


@slow  # test_page_styles.py has both on a page
def test_a_graph_on_the_page_changes_nothing_of_a_labs_looks(open_notebook):
    look = """() => [...document.querySelectorAll(".fgn-lab, .fgn-lab *")].map((e) => {
        const { display, borderLeftWidth } = getComputedStyle(e);
        return [e.className, display, borderLeftWidth, Math.round(e.clientWidth)].join(" ");
    })"""
    looks = []
    page = open_notebook("x = 1")  # a page that no graph has been on
    for cells in ([LAB.format("race")], [LAB.format("race"), student.CELL]):
        put_cells(page, *cells)
        run_all(page)
        show_all_controls(page, labs.race())
        page.wait_for_function(FILLED, arg=1600)
        laid_out(page)
        looks.append(page.evaluate(look))
    assert looks[0] == looks[1]


WIDTHS = """([one, two]) => {
    const [first, second] = [...document.querySelectorAll("main > div:not(.beside)")];
    first.style.width = `${one}px`;
    second.style.width = `${two}px`;
}"""


def test_two_views_of_different_widths_come_to_rest_and_the_wider_one_is_drawn_for(bare):
    """A picture that is drawn for each view in turn never comes to an end."""
    image, drawn = FigureImage(), []
    image.draw(lambda result, fig=None: Figure(figsize=(6, 3), dpi=100), None)
    image.observe(lambda change: drawn.append(image.size[0]), "size")
    shown = bare(image, views=2)
    shown.quiet()
    for widths in ((800, 520), (560, 900), (700, 690)):
        shown.page.evaluate(WIDTHS, widths)
        settled(shown.page, lambda widths=widths: image.size[0] == max(widths))
        drawn.clear()
        shown.page.wait_for_timeout(1200)  # for nothing to happen
        assert drawn == []
        looks = shown.page.locator(".fgn-picture img").evaluate_all(
            "(all) => all.map((e) => Math.round(e.getBoundingClientRect().width))"
        )
        assert looks == list(widths)  # each fills its own room


def test_a_view_that_is_gone_does_not_count(bare):
    image = FigureImage()
    image.draw(lambda result, fig=None: Figure(figsize=(6, 3), dpi=100), None)
    shown = bare(image, views=2)
    shown.page.evaluate(WIDTHS, [500, 900])
    settled(shown.page, lambda: image.size[0] == 900)
    shown.page.evaluate(
        "() => { endings[1](); document.querySelectorAll('main > div')[1].remove(); }"
    )
    settled(shown.page, lambda: image.size[0] == 500)


def test_a_scroll_bar_that_comes_and_goes_with_the_picture_ends_the_swing(bare):
    image, drawn = FigureImage(), []
    image.draw(lambda result, fig=None: Figure(figsize=(6, 3), dpi=100), None)
    image.observe(lambda change: drawn.append(image.size[0]), "size")
    shown = bare(image)
    shown.page.evaluate(
        """() => {
            const place = document.querySelector("main > div");
            const image = document.querySelector(".fgn-picture img");
            const bar = () => { place.style.width = image.width >= 700 ? "685px" : "700px"; };
            new MutationObserver(bar).observe(image, { attributes: true });
            place.style.width = "700px";
        }"""
    )
    shown.page.wait_for_timeout(3000)  # for nothing to happen
    assert len(drawn) <= 5


@pytest.mark.parametrize("width", mostly_slow([820, 640, 360], 360))
def test_no_letter_of_a_lab_is_under_nine_pixels_at_any_width(bare, width):
    lab = labs.one_hidden_variable()
    shown = bare(lab.picture, viewport={"width": width, "height": 900})
    shown.quiet()
    settled(shown.page, lambda: lab.picture.look.get("width", 0) > 0)
    shown.quiet()
    figure, _ = next(iter(lab.picture._figures.values()))
    letters = [text.get_fontsize() for ax in figure.axes for text in ax.texts]
    scale = (
        shown.page.locator(".fgn-picture img").evaluate("(e) => e.clientWidth")
        / (figure.get_size_inches()[0])
    )
    assert min(letters) * scale / 72 >= 9
