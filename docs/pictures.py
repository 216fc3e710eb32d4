"""The pictures of the README, made anew from the library: ``python docs/pictures.py``.

``film.webp`` is a click on the living graph and the messages that run, ``board.png`` the editor
with a table, an answer and its Python, ``lab.png`` a lab with a curve that was picked.
"""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from bare_page import Bare
from lab_pages import FLAGS, READY, chromium_path, run_all, running_lab
from PIL import Image
from playwright.sync_api import sync_playwright

from fgn_notebooks.data import carcinoma
from fgn_notebooks.examples import student
from fgnwidgets.widgets import GraphEditor, GraphView

SECONDS = 5.0
LAB = """\
from fgn_notebooks import labs
lab = labs.one_hidden_variable()
lab
"""


def film(browser: Any) -> None:
    page = browser.new_page(viewport={"width": 900, "height": 640})
    Bare(page, (GraphView(*student()),))
    page.locator("[data-part='variable:SAT']").wait_for()
    row = page.locator("[data-part='variable:SAT'] .fgn-row").nth(1)
    frames: list[tuple[float, Image.Image]] = []
    wire = page.context.new_cdp_session(page)

    def take(frame: dict[str, Any]) -> None:
        wire.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})
        image = Image.open(io.BytesIO(base64.b64decode(frame["data"]))).convert("RGB")
        frames.append((frame["metadata"]["timestamp"], image))

    wire.on("Page.screencastFrame", take)
    wire.send("Page.startScreencast", {"format": "png", "everyNthFrame": 2})
    page.wait_for_timeout(700)
    row.click()
    page.wait_for_timeout(900)
    page.get_by_role("button", name="play").first.click()
    page.wait_for_timeout(1000 * SECONDS - 1600)
    wire.send("Page.stopScreencast")
    times, images = zip(*frames, strict=True)
    ends = [*times[1:], times[-1] + 1.2]
    spans = [max(20, round(1000 * (b - a))) for a, b in zip(times, ends, strict=True)]
    images[0].save(
        HERE / "film.webp",
        save_all=True,
        append_images=images[1:],
        duration=spans,
        loop=0,
        quality=70,
    )
    page.close()


def board(browser: Any) -> None:
    table = {name: list(column) for name, column in carcinoma().items()}
    editor = GraphEditor(table=table)
    editor.edit("add", "Kind", 3)
    for name in table:
        editor.edit("connect", "Kind", name)
    editor.edit("tidy")
    editor.learn(restarts=10, seed=0)
    editor.evidence = {"A": 1, "C": 0}
    page = browser.new_page(viewport={"width": 1112, "height": 780})
    Bare(page, (editor,))
    page.get_by_text("The Python that does the same").click()
    page.wait_for_timeout(800)
    clip = {"x": 0, "y": 0, "width": 1112, "height": 960}
    page.screenshot(path=str(HERE / "board.png"), full_page=True, clip=clip)
    page.close()


def cell(browser: Any, lab: Any, code: str, name: str, viewport: dict[str, int]) -> Any:
    page = browser.new_page(viewport=viewport)
    page.goto(f"{lab.url}/doc/tree/{lab.write(name, code)}", timeout=90_000)
    page.wait_for_function(READY, timeout=90_000)
    return run_all(page)


def main() -> None:
    import tempfile

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as made:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        film(browser)
        board(browser)
        with running_lab(Path(made)) as lab:
            page = cell(browser, lab, LAB, "lab.ipynb", {"width": 1280, "height": 900})
            page.locator(".fgn-lab-bar[data-run=rest]").wait_for(timeout=90_000)
            view = page.locator(".fgn-lab")
            box = view.locator("img").first.bounding_box()
            page.mouse.click(box["x"] + 0.116 * box["width"], box["y"] + 0.09 * box["height"])
            page.wait_for_timeout(1500)
            view.screenshot(path=str(HERE / "lab.png"))
        browser.close()


if __name__ == "__main__":
    main()
