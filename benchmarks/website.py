"""From the hand to new pixels on the site, where Python runs inside the page: graph, chapter, labs.

``python benchmarks/website.py [--steps 40] [--site FOLDER]``

The site is built with the Pyodide of the browser tests and served by this machine alone; ``--site``
names one that ``fgn site FOLDER --pyodide PYODIDE`` has built. Opening is timed in a fresh profile,
with nothing in the browser's cache, from the address to the first answer of a click; a chapter runs
from its top to its end before it answers. Clicks and steps are timed as in ``browser.py``: to the
first frame with new beliefs, or to the decoded picture. Beside each opening stands what the server
sent for it: the same bytes that a reader's network carries, uncompressed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browser import CLICKED, NOTED, PRESSED, WATCH
from lab_pages import FLAGS, LAPTOP, READY, SLOWLY, chromium_path, command
from playwright.sync_api import sync_playwright
from pyodide_files import pyodide_folder
from web_pages import served

from fgn_notebooks.authors import site

PATIENCE = 2 * SLOWLY
GOALS = {"open": 20_000, "click": 150, "step": 1_000}
"""Milliseconds on two cores that do nothing else."""

LABS = ("one_block", "one_hidden_variable", "deeper_graph")
"""Labs whose first slider is stepped through: EX, and Nit twice."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40, help="clicks, and steps of each slider")
    parser.add_argument("--site", type=Path, help="a site that was built with --pyodide")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {_load()}\n")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as driver:
        folder = options.site
        if folder is None:
            folder = site.build(Path(made), pyodide=pyodide_folder()).parent
        browser = driver.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        with counted(folder) as (address, sent):

            def fresh() -> Any:
                sent.clear()
                context = browser.new_context(viewport=LAPTOP)
                context.add_init_script(PRESSED + NOTED)
                page = context.new_page()
                page.set_default_timeout(PATIENCE)
                return page

            _graph(fresh(), address, sent, options.steps)
            _chapter(fresh(), address, sent, options.steps)
            for name in LABS:
                _lab(fresh(), f"{address}/labs/{name}.html", sent, name, options.steps)
        browser.close()
    print(f"\nload {_load()}")


Sent = list[tuple[str, int]]
"""The files that a server has sent, and their bytes."""


@contextmanager
def counted(folder: Path) -> Iterator[tuple[str, Sent]]:
    """The address of a server of the folder, and what it has sent."""
    sent: Sent = []
    plain = SimpleHTTPRequestHandler.copyfile

    def copyfile(self: SimpleHTTPRequestHandler, source: Any, outputfile: Any) -> None:
        sent.append((self.path, os.fstat(source.fileno()).st_size))
        plain(self, source, outputfile)

    SimpleHTTPRequestHandler.copyfile = copyfile  # type: ignore[method-assign]
    try:
        with served(folder) as address:
            yield address, sent
    finally:
        SimpleHTTPRequestHandler.copyfile = plain  # type: ignore[method-assign]


def _graph(page: Any, address: str, sent: Sent, steps: int) -> None:
    """The page of the living graph."""
    began = time.monotonic()
    page.goto(f"{address}/graph.html")
    _first(page, began, "living graph, opened to its first answer")
    _bytes(sent, "living graph, until then")
    _report("living graph, a click", _clicks(page, steps), "click")
    page.context.close()


def _chapter(page: Any, address: str, sent: Sent, steps: int) -> None:
    """The first chapter, run from its top: the same graph through JupyterLite."""
    began = time.monotonic()
    page.goto(f"{address}/lite/notebooks/index.html?path=00_start_here.ipynb")
    page.wait_for_function(READY, timeout=PATIENCE)
    command(page, "notebook:run-all-cells")
    _first(page, began, "chapter 00, opened to its graph's first answer")
    page.wait_for_function(HAS_RUN, timeout=PATIENCE)
    print(f"{'chapter 00, opened to its last cell':<52} {time.monotonic() - began:8.1f} s")
    _bytes(sent, "chapter 00, all of it")
    page.evaluate("jupyterapp.shell.currentWidget.content.scrollToItem(4)")
    page.wait_for_timeout(1000)
    _report("chapter 00, a click on its graph", _clicks(page, steps), "click")
    page.context.close()


HAS_RUN = """() => jupyterapp.shell.currentWidget.context.model.toJSON().cells
    .filter((cell) => cell.cell_type === "code").every((cell) => cell.execution_count)"""


def _lab(page: Any, address: str, sent: Sent, name: str, steps: int) -> None:
    """A lab's own page: started, then one slider by keys."""
    page.goto(address)
    began = time.monotonic()
    page.get_by_role("button", name="Start the lab").click()
    page.get_by_text("The lab is live").wait_for(timeout=PATIENCE)
    frame = next(frame for frame in page.frames if "/repl/" in frame.url)
    frame.locator(".fgn-lab-bar[data-run=rest]").wait_for()
    _line(f"{name}, from Start to its first picture", 1000 * (time.monotonic() - began), "open")
    _bytes(sent, f"{name}, until then")
    frame.evaluate(WATCH)
    slider = frame.locator(".fgn-lab [role=slider][aria-label]:visible").first
    slider.focus()
    what = (slider.get_attribute("aria-label") or "").partition(":")[0]

    def step(number: int) -> None:
        page.keyboard.press("ArrowRight" if number // 5 % 2 == 0 else "ArrowLeft")

    first, whole = _timed(page, frame, step, steps)
    _report(f"{name}, a step of {what}", first, "step")
    _report("    to its last picture", whole)
    page.context.close()


def _first(page: Any, began: float, what: str) -> None:
    """Wait for the graph, click, and time the first answer since ``began``."""
    head = page.locator("[data-part='variable:SAT'] .fgn-head").first
    head.wait_for(timeout=PATIENCE)
    page.evaluate(CLICKED)
    head.click(timeout=PATIENCE)
    page.wait_for_function("shown.length > 0", timeout=PATIENCE)
    _line(what, 1000 * (time.monotonic() - began), "open")


def _clicks(page: Any, steps: int) -> list[float]:
    head = page.locator("[data-part='variable:SAT'] .fgn-head").first
    return _timed(page, page, lambda number: head.click(), steps)[0]


def _timed(
    page: Any, frame: Any, act: Callable[[int], None], steps: int
) -> tuple[list[float], list[float]]:
    """Milliseconds from the hand to the first new pixels, and to the last ones.

    A long run shows pictures on its way: the last one is that which nothing followed for 0.3 s, or
    for as long as the lab still computes. The first three acts warm up.
    """
    first, last = [], []
    for number in range(steps + 3):
        frame.evaluate("shown.length = 0")
        act(number)
        frame.wait_for_function("shown.length > 0")
        frame.wait_for_function(AT_REST)
        times = frame.evaluate("[shown[0] - pressed, shown.at(-1) - pressed]")
        first.append(times[0])
        last.append(times[1])
    return first[3:], last[3:]


AT_REST = """() => performance.now() - shown.at(-1) > 300
    && (document.querySelector(".fgn-lab-bar")?.dataset.run ?? "rest") === "rest" """


def _report(what: str, times: Sequence[float], goal: str = "") -> None:
    rank = statistics.quantiles(times, n=20)
    said = f"   {_verdict(rank[18], goal)}" if goal else ""
    middle = f"median {rank[9]:5.0f} ms   95 % within {rank[18]:5.0f} ms   of {len(times)}"
    print(f"{what:<52} {middle}{said}", flush=True)


def _line(what: str, time_: float, goal: str) -> None:
    print(f"{what:<52} {time_ / 1000:8.1f} s   {_verdict(time_, goal)}", flush=True)


def _bytes(sent: Sent, what: str) -> None:
    """All that was sent, and the five largest files of it."""
    by_size = sorted(((size, path.rpartition("/")[2]) for path, size in sent), reverse=True)
    largest = ", ".join(f"{path.partition('?')[0]} {size / 1e6:.1f}" for size, path in by_size[:5])
    whole = sum(size for size, _ in by_size) / 1e6
    print(f"{what:<52} {whole:8.1f} MB in {len(sent)} files: {largest}", flush=True)


def _verdict(time_: float, goal: str) -> str:
    return f"goal {GOALS[goal]} ms: {'met' if time_ <= GOALS[goal] else 'MISSED'}"


def _load() -> str:
    return ", ".join(f"{part:.2f}" for part in os.getloadavg())


if __name__ == "__main__":
    main()
