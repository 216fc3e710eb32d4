"""Pages that list the chapters, the figures and the labs of the course.

Every function returns pages in MyST Markdown; their pictures are those of the stored chapters.
"""

from __future__ import annotations

import base64
import inspect
import io
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fgn_notebooks import chapters, contents, labs
from fgn_notebooks.browser import SETUP
from fgn_notebooks.chapters import Chapter
from fgn_notebooks.figures import CAPTIONS

from . import notebooks

ABOUT = re.compile(r"^(?:Paper: )?(.*?) · (?:about|for reference)\b", re.MULTILINE)
LAB = re.compile(r"\blabs\.(\w+)\(")


def course(chosen: Sequence[Chapter], solutions: bool) -> str:
    """The table of contents: sections of the paper, minutes, and prerequisites of each chapter."""
    rows = ["| Chapter | In the paper | Minutes | After |", "| :-- | :-- | --: | :-- |"]
    for chapter in chosen:
        first = chapters.source(chapters.read(chapter.path)["cells"][0])
        about = ABOUT.search(first)
        where, minutes = about[1] if about else "", chapter.minutes or ""
        after = ", ".join(chapter.after)
        rows.append(f"| [{chapter.title}]({chapter.path.name}) | {where} | {minutes} | {after} |")
    answers = "ours are folded away." if solutions else "ours are in the teacher's copy."
    return "\n".join(
        [
            "# The course",
            "",
            "Each chapter takes one section of the paper, explains it, rebuilds its figures and "
            f"lets you change them. Exercises check your answers; {answers}",
            "",
            *rows,
            "",
            _toctree([chapter.path.stem for chapter in chosen]),
        ]
    )


def figures(chosen: Sequence[Chapter], images: Path) -> str:
    """The figures of the paper as the chapters draw them."""
    cards = []
    for item, (chapter, cell) in _pictured(chosen, "covers:figure "):
        number = int(item)
        name = f"figure-{number}.png"
        png, words = notebooks.picture(cell) or ("", "")
        (images / name).write_bytes(base64.b64decode(png))
        title = CAPTIONS[number].title if number in CAPTIONS else contents.FIGURES[number]
        look = CAPTIONS[number].look if number in CAPTIONS else ""
        title = title[0].upper() + title[1:]
        words = words if words != notebooks.NO_WORDS else f"Figure {number}: {title}"
        cards.append(
            f"## Figure {number}. {title}\n\n"
            f'<img loading="lazy" src="images/{name}" alt="{escape(words)}">\n\n{look}\n\n'
            f"[{chapter.title}]({chapter.path.name}) has its code.\n"
        )
    lead = "The paper's figures, drawn anew by the course; captions say what to look at."
    return "\n".join(["# Figures", "", lead, "", *cards])


def living_graph(chosen: Sequence[Chapter], images: Path) -> None:
    """A picture of the first interactive graph of the course, for the home page."""
    for chapter in chosen:
        for cell in chapters.read(chapter.path)["cells"]:
            shown = notebooks.picture(cell)
            if shown and "GraphView" in chapters.source(cell):
                (images / "living-graph.png").write_bytes(_without_strip(shown[0]))
                return


def still_graph() -> str:
    """The page of the interactive graph on a site without JupyterLite."""
    words = "This site was built without Python in its pages. In a notebook, `GraphView` is alive."
    return f"# The living graph\n\n{words}\n\n<img src='images/living-graph.png' alt='The graph'>\n"


def lab_pages(chosen: Sequence[Chapter], images: Path, runs: bool) -> dict[str, str]:
    """A page for each lab, by its name, and ``index``, a gallery of all."""
    made, cards = {}, []
    for name, (chapter, cell) in _labs(chosen):
        function = getattr(labs, name)
        png, words = notebooks.picture(cell) or ("", "")
        (images / f"lab-{name}.png").write_bytes(_without_strip(png))
        summary = (inspect.getdoc(function) or "").partition("\n\n")
        title = function().title
        text = f"{summary[0]} {' '.join(summary[2].split())}".strip()
        picture = f'src="../images/lab-{name}.png" alt="{escape(words)}"'
        made[name] = "\n".join(
            [
                f"# {title}",
                "",
                text,
                "",
                _stage(name, title, picture) if runs else f"<img {picture}>",
                "",
                f"[{chapter.title}](../{chapter.path.name}) explains this lab and what to try.",
            ]
        )
        cards.append(
            f'<a class="fgn-card" href="{name}.html"><img loading="lazy" {picture}>'
            f"<strong>{escape(title)}</strong><span>{escape(summary[0])}</span></a>"
        )
    lead = (
        "A lab is one experiment and its picture, moved by hand. These pages need no notebook: "
        "press *Start*, and the lab runs inside your browser."
    )
    grid = f'<div class="fgn-cards">{"".join(cards)}</div>'
    made["index"] = "\n".join(["# Labs", "", lead, "", grid, "", _toctree([*made])])
    return made


def lab_code(name: str) -> str:
    """The code that a page runs to show a lab and nothing else."""
    return f"{SETUP}from fgn_notebooks import labs\nlabs.{name}()\n"


def _without_strip(png: str) -> bytes:
    """A stored picture of a lab in base64, without the note above it that asks to run the cell."""
    import PIL.Image

    image = PIL.Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    edge = [image.getpixel((0, row)) for row in range(image.height)]
    high = next((row for row, colour in enumerate(edge) if colour != edge[0]), 0)
    if edge[0] == (255, 255, 255) or high > image.height / 4:
        high = 0  # no note
    made = io.BytesIO()
    bare = image.crop((0, high, *image.size)).quantize(256, dither=PIL.Image.Dither.NONE)
    bare.save(made, "png", optimize=True)
    return made.getvalue()


def _stage(name: str, title: str, picture: str) -> str:
    asked = [("kernel", "python"), ("toolbar", "0"), ("execute", "1"), ("code", lab_code(name))]
    address = f"../lite/repl/index.html?{urlencode(asked)}"
    return (
        f'<div class="fgn-stage" data-src="{escape(address)}" data-title="{escape(title)}">'
        f'<img {picture}><p role="status">The picture stands still until you start the lab.</p>'
        f'<button type="button" class="fgn-run" hidden>Start the lab</button></div>'
    )


def _pictured(
    chosen: Sequence[Chapter], prefix: str
) -> Iterator[tuple[str, tuple[Chapter, dict[str, Any]]]]:
    for chapter in chosen:
        for cell in chapters.read(chapter.path)["cells"]:
            for tag in cell["metadata"].get("tags", ()):
                if tag.startswith(prefix) and notebooks.picture(cell):
                    yield tag.removeprefix(prefix), (chapter, cell)


def _labs(chosen: Sequence[Chapter]) -> Iterator[tuple[str, tuple[Chapter, dict[str, Any]]]]:
    """Each lab, by its name, with the cell of a chapter that shows it."""
    for chapter in chosen:
        for cell in chapters.read(chapter.path)["cells"]:
            shown = LAB.search(chapters.source(cell)) if cell["cell_type"] == "code" else None
            if shown and hasattr(labs, shown[1]) and notebooks.picture(cell):
                yield shown[1], (chapter, cell)


def _toctree(names: Sequence[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```", ""])
