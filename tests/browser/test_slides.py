"""Slides of a lesson as a class sees them: on the projector of 1280 x 800, alive and as stills."""

import pytest
from lab_pages import SLOWLY
from tiers import mostly_slow
from web_pages import served

from fgn_notebooks import examples
from fgn_notebooks.teachers import pack, slides
from fgnwidgets import propagate

PROJECTOR = {"width": 1280, "height": 800}
PLACES = """() => [...document.querySelectorAll(".bd-article section > section")].map((slide) => {
    const { height, width } = slide.getBoundingClientRect();
    const { scrollPaddingTop } = getComputedStyle(document.documentElement);
    const room = innerHeight - parseFloat(scrollPaddingTop);
    const right = Math.max(...[...slide.children].map((e) => e.getBoundingClientRect().right));
    return { title: slide.querySelector("h2").textContent, height, room, width, right };
})"""
FITS = """() => {
    const pages = document.querySelector(".fgn-slides-pages");
    const page = [...pages.children].find((each) => each.offsetParent !== null);
    return page.getBoundingClientRect().height <= pages.clientHeight + 1
        && page.scrollWidth <= page.clientWidth + 1;
}"""

SHOWN = """() => [...document.querySelectorAll(".fgn-slides-pages img")]
    .filter((image) => image.offsetParent !== null)
    .every((image) => image.complete && image.naturalWidth > 0)"""


@pytest.mark.parametrize(
    "plan", mostly_slow(pack.plans(), *pack.plans()[::5]), ids=lambda plan: plan.name
)
def test_no_slide_is_higher_or_wider_than_the_projector(chromium, still_site, plan):
    page = chromium.new_page(viewport=PROJECTOR)
    with served(still_site) as address:
        page.goto(f"{address}/teacher/slides_{plan.number}.html")
        page.wait_for_load_state("load")
        page.wait_for_function("document.querySelector('.bd-article section > section').style.zoom")
        places = page.evaluate(PLACES)
    page.close()
    assert len(places) == len(slides.deck(plan.slides))
    for place in places:
        assert place["height"] <= place["room"] + 1 and place["right"] <= PROJECTOR["width"], place


def test_a_live_deck_goes_by_keys_fits_the_screen_and_its_graph_answers(open_notebook):
    page = open_notebook(
        "from fgn_notebooks.teachers import present\npresent(1)", viewport=PROJECTOR
    )
    stage = page.locator(".fgn-slides")
    stage.wait_for()
    stage.focus()
    for heading in ["A graph that answers"] * 3:  # its text has two slides
        page.keyboard.press("PageDown")
        page.locator(".fgn-slides-pages h2:visible").get_by_text(heading).wait_for(timeout=SLOWLY)
    row = page.locator(".fgn-slides [data-part='variable:SAT'] .fgn-row:visible").nth(1)
    row.click()
    graph, theta = examples.student()
    seen = propagate(graph, theta, {"SAT": "high"})["Intelligence"].p[:, 0]
    told = page.locator("[data-part='variable:Intelligence']:visible .fgn-number").first
    told.get_by_text(f"{seen[0]:.3f}").wait_for()
    page.keyboard.press("ArrowRight")  # the graph's own key: it has the focus
    assert page.locator(".fgn-slides-bar [role=status]").text_content().startswith("4 of")
    page.get_by_role("button", name="fill the screen").click()
    page.wait_for_function("document.fullscreenElement !== null")
    count = len(slides.deck(pack.plans()[0].slides)) + 1
    for place in range(4, count):
        page.keyboard.press("PageDown")
        page.get_by_text(f"{place + 1} of {count}").wait_for(timeout=SLOWLY)
        page.wait_for_function(FITS, timeout=SLOWLY)
        page.wait_for_function(SHOWN, timeout=SLOWLY)
    page.get_by_role("button", name="the slide before").click()
    page.get_by_text(f"{count - 1} of {count}").wait_for()
