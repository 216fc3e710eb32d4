"""Pages of the site for everybody: axe-core, a phone, keys alone, a screen reader's tree.

Every run looks at a page of each kind, and one that is marked slow at every page.
"""

import re
from itertools import pairwise

import pytest
from lab_pages import SLOWLY
from tiers import slow
from web_pages import RULES, served

PHONE = {"width": 390, "height": 844}
KINDS = (
    *("index.html", "03_using_the_graph.html", "C_build_it_yourself.html", "D_glossary.html"),
    *("course.html", "figures.html", "labs/one_block.html", "labs/index.html", "search.html"),
    *("teacher/index.html", "teacher/plan_3.html", "teacher/slides_3.html", "cite.html"),
    *("teacher/own_labs.html", "reference/index.html", "reference/fgnwidgets.widgets.html"),
)
"""A page of each kind: the first one, chapters, lists, labs, lessons, slides, the reference."""


@pytest.fixture(scope="module")
def address(still_site):
    with served(still_site) as address:
        yield address


@pytest.fixture(scope="module", params=["a page of each kind", pytest.param("all", marks=slow)])
def names(request, still_site):
    found = (path for path in still_site.rglob("*.html") if "_static" not in path.parts)
    every = sorted(path.relative_to(still_site).as_posix() for path in found)
    assert len(every) > 50 and set(KINDS) < set(every)
    return every if request.param == "all" else sorted(KINDS)


@pytest.fixture
def open_page(chromium):
    contexts = []

    def open_(**options):
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(SLOWLY)
        return page

    yield open_
    for context in contexts:
        context.close()


ONCE = """() => {
    const path = (part) => [part.localName, part.className, part.parentElement &&
        part.parentElement !== document.body ? path(part.parentElement) : ""].join(" ");
    const words = "article :is(span, code, em, strong):not(:has(*))";
    for (const parts of ["math", words, words]) {  // words in words are the last ones
        const seen = new Set();
        for (const part of document.querySelectorAll(parts)) {
            const { length } = [...part.attributes].filter(({ name }) => name !== "class");
            if (part.localName !== "math" && length) continue;
            const look = path(part);
            if (seen.has(look)) part.replaceWith(part.textContent);
            seen.add(look);
        }
    }
    document.body.normalize();
}"""
"""Formulas, and words in code and in signatures, stay once for each look that they have on a page:
axe-core takes a millisecond for each of up to 20,000 elements; these differ in their text alone."""


def test_axe_has_nothing_serious_to_say_of_a_page(address, names, open_page, axe):
    """Of the first page in each folder all; of the others what the frame of all pages holds."""
    page = open_page()
    found, framed = {}, set()
    for name in names:
        page.goto(f"{address}/{name}")
        page.evaluate(ONCE)
        page.evaluate(axe)
        folder = name.rpartition("/")[0]
        part = "document.querySelector('main')" if folder in framed else "document"
        framed.add(folder)
        if faults := page.evaluate(f"({RULES})({part})"):
            found[name] = faults
    assert len(framed) > 1 and found == {}


def test_no_page_is_wider_than_a_phone(address, names, open_page):
    page = open_page(viewport=PHONE, is_mobile=True, has_touch=True)
    wide = {}
    for name in names:
        page.goto(f"{address}/{name}")  # with all of its pictures and styles
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            wide[name] = width
    assert wide == {}


def test_slides_go_on_by_keys_and_each_has_the_window_to_itself(address, open_page):
    page = open_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{address}/teacher/slides_3.html")
    tops = "[...document.querySelectorAll('.bd-article section > section')]"
    heights = page.evaluate(f"{tops}.map((s) => s.offsetHeight)")
    assert len(heights) > 9 and min(heights) >= 720 - 90
    page.locator("h1").click()
    starts = f"{tops}.map((s) => Math.round(s.getBoundingClientRect().top) - 88)"
    for count in range(1, len(heights) + 1):
        key = ("PageDown", "ArrowRight", " ")[count % 3]
        for _ in range(3):  # the rest of a slide that is higher than the window comes first
            page.keyboard.press(key)
            seen = page.evaluate(starts)
            if abs(seen[count - 1]) <= 2:
                break
        assert abs(seen[count - 1]) <= 2 or count == len(heights), (key, count, seen)
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    for key in ("PageUp", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.evaluate("scrollY") == 0


FOCUSED = """() => {
    const { innerText, ariaLabel } = document.activeElement;
    const { width, height } = document.activeElement.getBoundingClientRect();
    const inside = document.activeElement.closest("main") !== null;
    return { name: (ariaLabel || innerText || "").trim(), seen: width * height > 0, inside };
}"""


def tab_to(page, name, most=30):
    """Press Tab until what has the focus begins with ``name``; what was passed on the way."""
    passed = []
    for _ in range(most):
        page.keyboard.press("Tab")
        passed.append(page.evaluate(FOCUSED))
        if passed[-1]["name"].startswith(name):
            return passed
    raise AssertionError(f"no {name!r} among {[there['name'] for there in passed]}")


def test_keys_alone_lead_from_the_first_page_into_a_chapter(address, open_page):
    page = open_page(viewport={"width": 1366, "height": 768})
    page.goto(f"{address}/index.html")
    assert all(there["seen"] for there in tab_to(page, "Start here"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/00_start_here.html")
    tab_to(page, "Skip to main content", most=1)  # past twenty chapters at the side
    page.keyboard.press("Enter")
    page.wait_for_url("**#main-content")
    passed = tab_to(page, "01 · Messages and blocks", most=8)
    assert all(there["inside"] and there["seen"] for there in passed)


def test_a_screen_readers_tree_of_a_chapter_has_its_landmarks_and_no_heading_skips_a_level(
    address, names, open_page
):
    page = open_page()
    chapters = list(filter(re.compile(r"[0-9A-D]+_\w+\.html").fullmatch, names))
    assert len(chapters) > 15 or len(names) == len(KINDS)
    for name in chapters:
        page.goto(f"{address}/{name}", wait_until="domcontentloaded")
        tree = page.locator("body").aria_snapshot()
        for landmark in ("banner:", 'navigation "Section Navigation":', "main:", "contentinfo:"):
            assert f"- {landmark}" in tree, (name, landmark)
        article = page.locator("article").aria_snapshot()
        levels = [int(level) for level in re.findall(r"- heading .*\[level=(\d)\]", article)]
        assert levels[0] == 1 and levels.count(1) == 1, name
        assert all(b <= a + 1 for a, b in pairwise(levels)), (name, levels)
