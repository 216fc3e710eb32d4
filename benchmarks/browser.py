"""From the hand to new pixels, in JupyterLab and Chromium: the living graph and the labs.

``python benchmarks/browser.py [--steps 40]``

A step is a click on a variable, or a key on a slider. Its time runs to the first frame with new
beliefs, or after the new picture was decoded. The machine's load stands beside the numbers: they
grow with it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import student
from lab_pages import FLAGS, LAPTOP, SLOWLY, chromium_path, run_all, running_lab
from playwright.sync_api import sync_playwright

CELL = "from fgn_notebooks import labs\nlabs.{}()"
LAB = ".fgn-lab [role=slider][aria-label]"
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

STEP, MOST, CLICK, FIRST, LAST = 100, 200, 50, 200, 1000
"""Goals in milliseconds: the median of a step and of a click, what 95 % of them stay within, and
the first and the last picture of 600 epochs."""

WATCH = """() => {
    const picture = document.querySelector(".fgn-lab img");
    window.shown = [];
    new MutationObserver(() => picture.decode().then(
        () => requestAnimationFrame(() => shown.push(performance.now())), () => {}
    )).observe(picture, { attributes: true, attributeFilter: ["src"] });
    window.addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
}"""
"""Note when a key goes down, and when a new picture is on the page."""


CLICKED = """() => {
    const cells = () => [...document.querySelectorAll(".fgn-number")];
    const numbers = () => cells().map((cell) => cell.textContent).join();
    window.shown = [];
    let before = numbers();
    new MutationObserver(() => {
        const now = numbers();
        if (now !== before) requestAnimationFrame(() => shown.push(performance.now()));
        before = now;
    }).observe(document.querySelector(".fgn"), {
        subtree: true, childList: true, characterData: true,
    });
    window.addEventListener("mousedown", () => { window.pressed = performance.now(); }, true);
}"""
"""The same for a click on a graph: other numbers on its cards."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40, help="steps of each slider")
    steps = parser.parse_args().steps
    print(f"{os.cpu_count()} cores, load {_load()}\n")
    with (
        tempfile.TemporaryDirectory() as home,
        running_lab(Path(home)) as lab,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        page = _open(browser, lab, "graph", student.CELL, ".fgn [data-part]")
        _report("living graph, a click", _clicks(page, steps), CLICK)
        for name, slider in STEPS.items():
            page = _open(browser, lab, name, CELL.format(name), LAB)
            _report(
                f"{name}, a step of {slider.strip(': ')}",
                _steps(page, slider, steps, name in FALLING),
                STEP,
            )
            page.context.close()
        page = _open(browser, lab, "deeper_graph", CELL.format("deeper_graph"), LAB)
        first, last = _long_run(page)
        what = "deeper_graph, 600 epochs of 4 rules"
        met = first < FIRST and last < LAST
        print(f"{what:<44} first  {first:4.0f} ms   last picture {last:5.0f} ms   {_said(met)}")
        browser.close()
    print(f"\nload {_load()}")
    print(
        f"goals: median {STEP} ms ({CLICK} for the graph), 95 % within {MOST} ms; "
        f"the first of 600 epochs {FIRST} ms, the last {LAST} ms"
    )


def _open(browser: Any, lab: Any, name: str, cell: str, ready: str) -> Any:
    page = browser.new_context(viewport=LAPTOP).new_page()
    page.set_default_timeout(SLOWLY)
    page.goto(f"{lab.url}/doc/tree/{lab.write(f'{name}.ipynb', cell)}")
    run_all(page)
    page.wait_for_selector(ready)
    page.wait_for_timeout(1500)
    return page


def _report(what: str, times: list[float], goal: float) -> None:
    rank = statistics.quantiles(times, n=20)
    met = rank[9] < goal and rank[18] < MOST
    print(
        f"{what:<44} median {rank[9]:4.0f} ms   95 % within {rank[18]:5.0f} ms    {_said(met)}",
        flush=True,
    )


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
        page.wait_for_function("shown.length > 0")
        times.append(page.evaluate("shown[0] - pressed"))
        page.wait_for_timeout(120)
    return times[3:]


def _steps(page: Any, slider: str, steps: int, falling: bool) -> list[float]:
    """Milliseconds of each step, one after the other, to and fro."""
    page.evaluate(WATCH)
    handle = page.locator(f"[role=slider][aria-label^='{slider}']")
    handle.focus()
    times = []
    for step in range(steps + 3):
        page.evaluate("shown.length = 0")
        page.keyboard.press("ArrowLeft" if step // 5 % 2 != falling else "ArrowRight")
        page.wait_for_function("shown.length > 0")
        times.append(page.evaluate("shown[0] - pressed"))
        page.wait_for_timeout(120)
    return times[3:]  # the first ones warm up


def _long_run(page: Any) -> tuple[float, float]:
    """Medians of the milliseconds from a typed number to the first epochs, and to the last."""
    page.evaluate(WATCH)
    page.get_by_role("button", name="more controls").click()
    seed = page.locator("input[aria-label^='seed: ']")
    times = []
    for number in ("5", "6", "7", "8", "9", "4"):
        seed.fill(number)
        page.evaluate("shown.length = 0")
        seed.press("Enter")
        page.locator(".fgn-lab [role=status]").get_by_text("epoch").wait_for()
        page.locator(".fgn-lab [role=status]").get_by_text("done in").wait_for()
        page.wait_for_timeout(300)
        times.append(page.evaluate("[shown[0] - pressed, shown.at(-1) - pressed]"))
    first, last = (statistics.median(column) for column in zip(*times[1:], strict=True))
    return first, last


def _load() -> str:
    return ", ".join(f"{part:.2f}" for part in os.getloadavg())


if __name__ == "__main__":
    main()
