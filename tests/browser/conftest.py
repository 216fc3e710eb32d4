"""Fixtures for tests of what people see and press, in a real JupyterLab.

``open_notebook(*cells)`` writes a notebook, opens it in a fresh page and runs it. A page fails its
test for an error in the console, or a request that leaves this machine.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest
from lab_pages import FLAGS, LAPTOP, SLOWLY, Lab, chromium_path, run_all, running_lab

PATIENCE = 15_000  # ms, for what a living page does


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


@pytest.fixture
def new_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Pages that fail their test for console errors and for requests that leave this machine."""
    contexts: list[Any] = []
    faults: list[str] = []

    def make(viewport: dict[str, int] = LAPTOP) -> Any:
        contexts.append(chromium.new_context(viewport=viewport))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(f"uncaught: {error}"))
        page.on("request", lambda request: faults.extend(_leaving(request.url)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def open_notebook(lab: Lab, new_page: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Open a notebook of these cells in JupyterLab and run all of it; the page is returned."""
    names = (f"page_{number}.ipynb" for number in range(100))

    def open_(
        *cells: str, viewport: dict[str, int] = LAPTOP, theme: str = "JupyterLab Light"
    ) -> Any:
        page = new_page(viewport)
        page.goto(f"{lab.url}/doc/tree/{lab.write(next(names), *cells)}", timeout=SLOWLY)
        return run_all(page, theme)

    yield open_
    lab.stop_kernels()


def _leaving(url: str) -> list[str]:
    place = urlparse(url)
    local = place.scheme in ("data", "blob", "about") or place.hostname in (
        "127.0.0.1",
        "localhost",
    )
    return [] if local else [f"a request left this machine: {url}"]
