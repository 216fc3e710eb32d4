"""From the hand to new pixels, in JupyterLab and Chromium: the living graph and the labs.

``python benchmarks/browser.py [--steps 40] [--drag 10] [--busy] [--only race ...]``

A step is a click on a variable, or a key on a slider. Its time runs to the first frame with new
beliefs, or after the new picture was decoded. With ``--drag`` every slider of every lab is dragged
to and fro for so many seconds, and the pictures that were shown are counted. With ``--busy`` one
other job computes all the time. The machine's load stands beside the numbers: they grow with it.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import student
from lab_pages import FLAGS, LAPTOP, SLOWLY, chromium_path, run_all, running_lab
from playwright.sync_api import sync_playwright

CELL = "from fgn_notebooks import labs\nlabs.{}()"
HANDLE = "[role=slider][aria-label]"
LAB = f".fgn-lab {HANDLE}"
STEPS = {
    "one_block": "EX: ",
    "one_hidden_variable": "Nit: ",
    "bayesian_learning": "sharpness: ",
    "product_space": "sharpness: ",
    "race": "epoch: ",
}
"""Labs, and the sliders that are stepped through."""

FALLING = ("race",)
"""Labs whose slider begins at its upper end."""

DEEPER = "deeper_graph"

STEP, MOST, CLICK, FIRST, LAST = 100, 200, 50, 200, 1000
"""Goals in milliseconds: the median of a step and of a click, what 95 % of them stay within, and
the first and the last picture of 600 epochs."""

BUSY_STEP, PICTURES = 150, 6
"""Goals with another job: the median of a step in milliseconds, and, while a slider is dragged,
pictures in a second; the latter hold without the job, too."""

EACH = 0.9
"""The share of values with a picture that is enough where a slider has few: one of three values
goes through two or three a second."""

SWING = 2.0
"""Seconds in which a dragged knob goes from one end of its slider to the other and back."""

OTHER = "while True: sum(range(10_000))"
"""The other job."""

NOTED = """
    window.shown = [];
    window.note = () => requestAnimationFrame(() => {
        shown.push(performance.now());
        dispatchEvent(new Event("noted"));
    });
    window.first = () => new Promise((known) => {
        if (shown.length) known();
        else addEventListener("noted", known, { once: true });
    });
"""
"""Who waits for a picture is told of it: to ask for it again and again, in every frame, would keep
the page at work, and be measured."""

WATCH = """() => {
    const picture = document.querySelector(".fgn-lab img");
    new MutationObserver(() => picture.decode().then(note, () => {})).observe(
        picture, { attributes: true, attributeFilter: ["src"] }
    );
}"""
"""Note when a new picture is on the page."""

PRESSED = """
    window.pressed = 0;
    for (const kind of ["keydown", "mousedown"])
        window.addEventListener(kind, () => { window.pressed = performance.now(); }, true);
"""
"""Note when a key or a button goes down: before the page's own listeners, which stop keys."""


CLICKED = """() => {
    const cells = () => [...document.querySelectorAll(".fgn-number")];
    const numbers = () => cells().map((cell) => cell.textContent).join();
    let before = numbers();
    new MutationObserver(() => {
        const now = numbers();
        if (now !== before) note();
        before = now;
    }).observe(document.querySelector(".fgn-graph"), {
        subtree: true, childList: true, characterData: true,
    });
}"""
"""The same for a click on a graph: other numbers on its cards."""


def main() -> None:
    every = ("graph", *STEPS, DEEPER)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40, help="steps of each slider")
    parser.add_argument(
        "--drag", type=float, default=0, metavar="SECONDS", help="drag every slider for so long"
    )
    parser.add_argument("--busy", action="store_true", help="while one other job computes")
    parser.add_argument("--only", nargs="+", choices=every, default=every, metavar="NAME")
    options = parser.parse_args()
    step = BUSY_STEP if options.busy else STEP
    most = math.inf if options.busy else MOST
    print(f"{os.cpu_count()} cores, load {_load()}{', with another job' * options.busy}\n")
    with (
        tempfile.TemporaryDirectory() as home,
        running_lab(Path(home)) as lab,
        sync_playwright() as driver,
        _another_job(options.busy),
    ):
        browser = driver.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        if "graph" in options.only:
            page = _open(browser, lab, "graph", student.CELL, ".fgn-graph [data-part]")
            _report("living graph, a click", _clicks(page, options.steps), CLICK, MOST)
            page.context.close()
        for name in options.only:
            if name == "graph":
                continue
            page = _open(browser, lab, name, CELL.format(name), LAB)
            page.evaluate(WATCH)
            if name == DEEPER:
                _report_run("deeper_graph, 600 epochs of 4 rules", *_long_run(page))
            else:
                slider = STEPS[name]
                times = _steps(page, slider, options.steps, name in FALLING)
                _report(f"{name}, a step of {slider.strip(': ')}", times, step, most)
            if options.drag:
                _report_drags(page, name, options.drag)
            page.context.close()
        browser.close()
    print(f"\nload {_load()}")
    within = "" if options.busy else f", 95 % within {MOST} ms"
    print(
        f"goals: median {step} ms ({CLICK} for the graph){within}; the first of 600 epochs "
        f"{FIRST} ms, the last {LAST} ms; {PICTURES} pictures a second while a slider is dragged, "
        f"or {EACH:.0%} of the values that it goes through"
    )


@contextlib.contextmanager
def _another_job(busy: bool) -> Iterator[None]:
    """A process that computes all the time, if it is wanted."""
    job = subprocess.Popen([sys.executable, "-c", OTHER]) if busy else None
    try:
        yield
    finally:
        if job is not None:
            job.kill()
            job.wait()


def _open(browser: Any, lab: Any, name: str, cell: str, ready: str) -> Any:
    page = browser.new_context(viewport=LAPTOP).new_page()
    page.set_default_timeout(SLOWLY)
    page.add_init_script(PRESSED + NOTED)
    page.goto(f"{lab.url}/doc/tree/{lab.write(f'{name}.ipynb', cell)}")
    run_all(page)
    page.wait_for_selector(ready)
    page.wait_for_timeout(1500)
    return page


def _report(what: str, times: list[float], goal: float, most: float) -> None:
    rank = statistics.quantiles(times, n=20)
    met = rank[9] < goal and rank[18] < most
    print(
        f"{what:<44} median {rank[9]:4.0f} ms   95 % within {rank[18]:5.0f} ms    {_said(met)}",
        flush=True,
    )


def _report_run(what: str, first: float, last: float) -> None:
    met = first < FIRST and last < LAST
    print(
        f"{what:<44} first  {first:4.0f} ms   last picture {last:5.0f} ms   {_said(met)}",
        flush=True,
    )


def _report_drags(page: Any, name: str, seconds: float) -> None:
    """Drag every slider of a lab, those of its drawer included, each from the first values of all.

    Without the reset a slider would be dragged where those before it were left: of 20 restarts of
    1,000 rows, say, which says more of them than of it.
    """
    drawer = page.get_by_role("button", name="more controls")
    if drawer.is_visible():
        drawer.click()
    for slider in page.locator(f".fgn-control {HANDLE}").all():
        if slider.is_visible():
            symbol = slider.get_attribute("aria-label").partition(":")[0]
            rate, values = (count / seconds for count in _drag(page, slider, seconds))
            what = f"{name}, {symbol} is dragged"
            told = _said(rate >= min(PICTURES, EACH * values))
            print(f"{what:<44} {rate:4.1f} pictures of {values:4.1f} values a second   {told}")
            page.get_by_role("button", name="Reset").click()
            page.wait_for_timeout(300)
            page.wait_for_selector(".fgn-lab-bar[data-run=rest]")
            page.wait_for_timeout(700)


def _said(met: bool) -> str:
    return "met" if met else "MISSED"


def _clicks(page: Any, steps: int) -> list[float]:
    """Milliseconds from a click on a variable to other numbers on the cards."""
    page.evaluate(CLICKED)
    head = page.locator("[data-part='variable:S'] .fgn-head")
    times = []
    for _ in range(steps + 3):
        page.evaluate("shown.length = 0")
        head.click()
        page.evaluate("first()")
        times.append(page.evaluate("shown[0] - pressed"))
        page.wait_for_timeout(120)
    return times[3:]


def _steps(page: Any, slider: str, steps: int, falling: bool) -> list[float]:
    """Milliseconds of each step, one after the other, to and fro."""
    handle = page.locator(f"[role=slider][aria-label^='{slider}']")
    handle.focus()
    times = []
    for step in range(steps + 3):
        page.evaluate("shown.length = 0")
        page.keyboard.press("ArrowLeft" if step // 5 % 2 != falling else "ArrowRight")
        page.evaluate("first()")
        times.append(page.evaluate("shown[0] - pressed"))
        page.wait_for_timeout(120)
    return times[3:]  # the first ones warm up


def _drag(page: Any, handle: Any, seconds: float) -> tuple[int, int]:
    """How many pictures are shown while a knob is dragged to and fro, 60 moves in a second, and how
    many values it goes through."""
    handle.scroll_into_view_if_needed()
    track = handle.locator("xpath=ancestor::*[contains(@class, 'noUi-target')]").bounding_box()
    knob = handle.bounding_box()
    left, wide, high = track["x"], track["width"], knob["y"] + knob["height"] / 2
    begin = min(max((knob["x"] + knob["width"] / 2 - left) / wide, 0.0), 1.0)
    page.mouse.move(left + begin * wide, high)
    page.mouse.down()
    begun = time.monotonic()
    page.evaluate("shown.length = 0")
    handle.evaluate(COUNT)
    phase = math.acos(1 - 2 * begin)
    while (spent := time.monotonic() - begun) < seconds:
        share = (1 - math.cos(phase + 2 * math.pi * spent / SWING)) / 2
        page.mouse.move(left + share * wide, high)
        page.wait_for_timeout(1000 / 60)
    pictures, values = page.evaluate("[shown.length, passed]")
    page.mouse.up()
    page.wait_for_selector(".fgn-lab-bar[data-run=rest]")
    page.wait_for_timeout(1000)
    return int(pictures), int(values)


COUNT = """(handle) => {
    window.passed = 0;
    let last = handle.getAttribute("aria-valuenow");
    const count = () => {
        const now = handle.getAttribute("aria-valuenow");
        passed += now !== last;
        last = now;
    };
    new MutationObserver(count).observe(handle, { attributeFilter: ["aria-valuenow"] });
}"""


def _long_run(page: Any) -> tuple[float, float]:
    """Medians of the milliseconds from a typed number to the first epochs, and to the last."""
    page.get_by_role("button", name="more controls").click()
    seed = page.locator("input[aria-label^='seed: ']")
    times = []
    for number in ("5", "6", "7", "8", "9", "4"):
        seed.fill(number)
        page.evaluate("shown.length = 0")
        seed.press("Enter")
        page.wait_for_selector(".fgn-lab-bar[data-run=running]")
        page.wait_for_selector(".fgn-lab-bar[data-run=rest]")
        page.wait_for_timeout(300)
        times.append(page.evaluate("[shown[0] - pressed, shown.at(-1) - pressed]"))
    first, last = (statistics.median(column) for column in zip(*times[1:], strict=True))
    return first, last


def _load() -> str:
    return ", ".join(f"{part:.2f}" for part in os.getloadavg())


if __name__ == "__main__":
    main()
