"""Fixtures for tests of what people see and press, in a real JupyterLab.

``bare(*widgets)`` is a page without Jupyter; ``open_notebook(*cells)`` writes a notebook, opens it
in a page of its own and runs it; ``shared_notebook(*cells)`` puts the cells into a notebook that
all tests share, page and kernel, which is quick. A page fails its test for an error in
the console, or a request that leaves this machine.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from bare_page import Bare
from lab_pages import (
    FLAGS,
    LAPTOP,
    LIGHT,
    READY,
    SLOWLY,
    Lab,
    chromium_path,
    put_cells,
    run_all,
    running_lab,
)
from voila_pages import running_voila
from watched_pages import VOILAS_SIGNS, known_in, watched, watched_page


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The Chromium of the system, driven by Playwright, with a fresh profile."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = chromium_path()
    if program is None:
        pytest.skip("no browser: neither chromium nor google-chrome is on the path")
    with driver.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A running JupyterLab."""
    pytest.importorskip("jupyterlab", reason="jupyterlab is not installed")
    with running_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="session")
def kept_notebooks(lab: Lab, chromium: Any) -> Iterator[Callable[[str], Any]]:
    """A page with a notebook for all tests, by place; a new one where its kernel was stopped."""
    names = (f"kept_{number}.ipynb" for number in range(1000))
    with ExitStack() as pages:
        opened: dict[str, tuple[Any, set[str]]] = {}

        def keep(place: str) -> Any:
            page, kernels = opened.get(place, (None, set()))
            if page is None or page.is_closed() or not kernels & set(lab.kernels()):
                before = set(lab.kernels())
                name = lab.write(next(names), "")
                page = pages.enter_context(watched_page(chromium, known=known_in(place)))
                page.goto(f"{lab.url}/{place}/{name}", timeout=SLOWLY)
                page.wait_for_function(READY, timeout=SLOWLY)
                opened[place] = page, set(lab.kernels()) - before
            return page

        yield keep


@pytest.fixture
def shared_notebook(
    kept_notebooks: Callable[[str], Any], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """Put these cells into the notebook of all tests and run them: its kernel goes on.

    A test that fails may leave anything on the page: the next test opens another one.
    """
    failed = request.session.testsfailed
    with ExitStack() as watches:

        def run(
            *cells: str,
            viewport: dict[str, int] = LAPTOP,
            theme: str = LIGHT,
            place: str = "doc/tree",
        ) -> Any:
            page = watches.enter_context(watched(kept_notebooks(place), known_in(place)))
            watches.callback(lambda: page.close() if request.session.testsfailed > failed else None)
            page.set_viewport_size(viewport)
            page.mouse.move(0, 0)
            put_cells(page, *cells)
            return run_all(page, theme)

        yield run


@pytest.fixture
def open_notebook(lab: Lab, chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open a notebook of these cells in a page of its own and run all of it.

    ``place`` is "doc/tree" in JupyterLab, and "notebooks" in Notebook 7.
    """
    before = lab.kernels()
    names = (f"page_{number}.ipynb" for number in range(100))
    with ExitStack() as pages:

        def run(
            *cells: str,
            viewport: dict[str, int] = LAPTOP,
            theme: str = LIGHT,
            place: str = "doc/tree",
            ratio: float = 1,
        ) -> Any:
            known = known_in(place)
            page = pages.enter_context(watched_page(chromium, viewport, known, ratio))
            page.goto(f"{lab.url}/{place}/{lab.write(next(names), *cells)}", timeout=SLOWLY)
            return run_all(page, theme)

        yield run
    lab.stop(set(lab.kernels()) - set(before))


@pytest.fixture
def visit(lab: Lab, chromium: Any) -> Iterator[Callable[[str], Any]]:
    """Open an address of the running JupyterLab, and run nothing."""
    before = lab.kernels()
    with ExitStack() as pages:

        def open_(address: str) -> Any:
            page = pages.enter_context(watched_page(chromium, known=known_in(address)))
            page.goto(f"{lab.url}/{address}", timeout=SLOWLY)
            return page

        yield open_
    lab.stop(set(lab.kernels()) - set(before))


@pytest.fixture
def open_in_voila(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """What Voila makes of a notebook of these cells: their outputs on a page."""
    pytest.importorskip("voila", reason="NOT RUN: voila is not installed")
    with ExitStack() as pages:

        def show(*cells: str) -> Any:
            address = pages.enter_context(running_voila(tmp_path, *cells))
            page = pages.enter_context(watched_page(chromium))
            page.route(f"{VOILAS_SIGNS}**", lambda route: route.fulfill(content_type="text/css"))
            page.goto(address, timeout=SLOWLY)
            page.wait_for_selector(".fgn-graph [data-part], .fgn-lab img", timeout=SLOWLY)
            return page

        yield show


@pytest.fixture
def bare(chromium: Any) -> Iterator[Callable[..., Bare]]:
    """Put widgets of this very process on a page without Jupyter."""
    with ExitStack() as pages:

        def show(
            *widgets: Any,
            viewport: dict[str, int] = LAPTOP,
            latency: float = 0,
            views: int = 1,
            before: str = "",
        ) -> Bare:
            page = pages.enter_context(watched_page(chromium, viewport))
            if before:
                page.evaluate(before)
            return Bare(page, widgets, latency, views)

        yield show


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, from a package that carries it unchanged; no colour is read twice."""
    script = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    return f"{script};\n{COLOURS_ONCE}"


COLOURS_ONCE = """(() => {
    const { prototype } = axe.commons.color.Color;
    const read = prototype.parseString;
    const known = new Map();
    prototype.parseString = function (text) {
        if (known.has(text)) {
            [this.r, this.g, this.b, this.alpha] = known.get(text);
            return this;
        }
        read.call(this, text);
        known.set(text, [this.r, this.g, this.b, this.alpha]);
        return this;
    };
})()"""
"""axe-core reads the same few colours for every word on a page, which is a third of its time."""
