"""Every page of the site for everybody: what axe-core finds, and a phone's narrow window."""

import pytest
from lab_pages import SLOWLY
from web_pages import RULES, served

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def address(still_site):
    with served(still_site) as address:
        yield address


@pytest.fixture(scope="module")
def names(still_site):
    found = (path for path in still_site.rglob("*.html") if "_static" not in path.parts)
    return sorted(path.relative_to(still_site).as_posix() for path in found)


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


def test_axe_has_nothing_serious_to_say_of_any_page(address, names, open_page, axe):
    page = open_page()
    found = {}
    for name in names:
        page.goto(f"{address}/{name}")
        page.evaluate(axe)
        if faults := page.evaluate(f"({RULES})(document)"):
            found[name] = faults
    assert len(names) > 50 and found == {}


def test_no_page_is_wider_than_a_phone(address, names, open_page):
    page = open_page(viewport=PHONE, is_mobile=True, has_touch=True)
    wide = {}
    for name in names:
        page.goto(f"{address}/{name}", wait_until="domcontentloaded")
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            wide[name] = width
    assert wide == {}


def test_slides_go_on_by_keys_and_each_has_the_window_to_itself(address, open_page):
    page = open_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{address}/teacher/slides_3.html")
    tops = "[...document.querySelectorAll('.bd-article section > section')]"
    heights = page.evaluate(f"{tops}.map((s) => s.offsetHeight)")
    assert len(heights) == 12 and min(heights) >= 720 - 90
    page.locator("h1").click()
    page.keyboard.press("PageDown")
    page.wait_for_function("window.scrollY > 300")
