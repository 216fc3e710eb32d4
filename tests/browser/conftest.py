"""Fixtures for tests of what people see and press, in a real JupyterLab.

``bare(*widgets)`` is a page without Jupyter; ``open_notebook(*cells)`` writes a notebook, opens it
in a page of its own and runs it; ``shared_notebook`` keeps one page for a module. A page fails its
test for an error in the console, or a request that leaves this machine.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest
from bare_page import Bare
from lab_pages import FLAGS, LAPTOP, LIGHT, SLOWLY, Lab, chromium_path, run_all, running_lab
from voila_pages import running_voila

NOTEBOOKS_OWN = (
    "uncaught: Cannot read properties of undefined (reading 'schema')",
    "uncaught: Command 'filebrowser:open-path' not registered.",
    "Failed to load resource: the server responded with a status of 403 (Forbidden)",
)
"""What Notebook 7.6 may say on any page: two errors while it starts, and that it lacks the font of
the sign for widgets without a kernel."""

VOILAS_SIGNS = "https://cdn.jsdelivr.net/npm/@fortawesome/"
"""Voila's pages ask this address for small signs: it gets an empty answer here."""

VOILAS_OWN = "Error: The getter for the shared module is not a function."
"""What Voila says of JupyterLite's kernel."""

PATIENCE = 15_000  # ms, for what a living page does

LITES_OWN = "Error: Shared module @jupyterlite/"
"""What JupyterLab says of JupyterLite's kernel, which the site needs: it is none of its own."""

STRANGERS = (LITES_OWN, VOILAS_OWN, f"a request left this machine: {VOILAS_SIGNS}")


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


@contextmanager
def watched_page(
    chromium: Any,
    viewport: dict[str, int] = LAPTOP,
    known: tuple[str, ...] = (),
    ratio: float = 1,
) -> Iterator[Any]:
    """A page that must end without console errors, but for ``known`` ones, and stays here."""
    context = chromium.new_context(viewport=viewport, device_scale_factor=ratio)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(f"uncaught: {error}"))
    page.on("request", lambda request: faults.extend(_leaving(request.url)))
    yield page
    context.close()
    own = [fault for fault in faults if fault not in known and not fault.startswith(STRANGERS)]
    assert own == []


@pytest.fixture(scope="module")
def shared_notebook(
    lab: Lab, chromium: Any, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """One page for a whole module, which is quick: every call runs its cells from the top again."""
    name = f"{request.module.__name__}.ipynb"
    with watched_page(chromium) as page:

        def run(*cells: str) -> Any:
            if page.url == "about:blank":
                page.goto(f"{lab.url}/doc/tree/{lab.write(name, *cells)}", timeout=SLOWLY)
            return run_all(page)

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
            known = NOTEBOOKS_OWN if place == "notebooks" else ()
            page = pages.enter_context(watched_page(chromium, viewport, known, ratio))
            page.goto(f"{lab.url}/{place}/{lab.write(next(names), *cells)}", timeout=SLOWLY)
            return run_all(page, theme)

        yield run
    lab.stop(set(lab.kernels()) - set(before))


@pytest.fixture
def visit(lab: Lab, chromium: Any) -> Iterator[Callable[[str], Any]]:
    """Open an address of the running JupyterLab, and run nothing."""
    with ExitStack() as pages:

        def open_(address: str) -> Any:
            known = NOTEBOOKS_OWN if address.startswith("notebooks") else ()
            page = pages.enter_context(watched_page(chromium, LAPTOP, known))
            page.goto(f"{lab.url}/{address}", timeout=SLOWLY)
            return page

        yield open_
    lab.stop(lab.kernels())


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
            page.wait_for_selector(".fgn [data-part], .fgn-lab img", timeout=SLOWLY)
            return page

        yield show


@pytest.fixture
def bare(chromium: Any) -> Iterator[Callable[..., Bare]]:
    """Put widgets of this very process on a page without Jupyter."""
    with ExitStack() as pages:

        def show(*widgets: Any, viewport: dict[str, int] = LAPTOP) -> Bare:
            return Bare(pages.enter_context(watched_page(chromium, viewport)), widgets)

        yield show


def _leaving(url: str) -> list[str]:
    place = urlparse(url)
    local = place.scheme in ("data", "blob", "about") or place.hostname in (
        "127.0.0.1",
        "localhost",
    )
    return [] if local else [f"a request left this machine: {url}"]


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, from a package that carries it unchanged."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
