"""Pages that list the chapters, the figures and the labs of the course.

Every function returns pages in MyST Markdown; their pictures are those of the stored chapters.
"""

from __future__ import annotations

import base64
import inspect
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fgn_notebooks import chapters, contents, labs
from fgn_notebooks.browser import SETUP
from fgn_notebooks.chapters import Chapter, CourseError
from fgn_notebooks.figures import CAPTIONS
from fgn_notebooks.stills import without_strip

from . import living, notebooks

ABOUT = re.compile(r"^(?:Paper: )?(.*?) · (?:about|for reference)\b", re.MULTILINE)
LAB = re.compile(r"\blabs\.(\w+)\(")
SOURCE = Path(__file__).parent / "source"
STILL = (
    '<img src="images/living-graph.png" alt="A graph of five variables of a student\'s life. Each '
    'variable shows its belief as bars, and every branch the messages that travel along it.">'
)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
OWN = "lab"
"""The tag of a cell that holds a lab of a teacher's own."""


def course(chosen: Sequence[Chapter], solutions: bool) -> str:
    """The table of contents: sections of the paper, minutes, and prerequisites of each chapter."""
    rows = [
        "| Chapter | In the paper | Minutes to read / with exercises | After |",
        "| :-- | :-- | --: | :-- |",
    ]
    for chapter in chosen:
        first = chapters.source(chapters.read(chapter.path)["cells"][0])
        about = ABOUT.search(first)
        where, minutes = about[1] if about else "", chapter.times
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


def home(runs: bool) -> dict[str, str]:
    """The home page and that of the living graph, each with the graph or with its picture."""
    made = {}
    for name in ("index", "living_graph"):
        text = (SOURCE / f"{name}.md").read_text(encoding="utf-8")
        title = "The living graph of a student's life"
        live = living.frame(living.HOME, title)
        if name == "living_graph":
            live = live.replace(f"{living.FOLDER}/{living.HOME}.html", living.ALONE)
        made[name] = text.replace("{{graph}}", live if runs else STILL)
    return made


def lab_pages(chosen: Sequence[Chapter], images: Path, runs: bool) -> dict[str, str]:
    """A page for each lab, by its name, and ``index``, a gallery of all."""
    made, cards = {}, []
    shown: list[tuple[str, tuple[Chapter, dict[str, Any]] | None]] = [
        *_labs(chosen),
        *_own_labs(chosen),
        *((name, None) for name in _unshown()),
    ]
    for name, place in shown:
        if name in labs.listed():
            function = labs.listed()[name]
            summary = (inspect.getdoc(function) or "").partition("\n\n")
            lab = function()
            title, code = lab.title, lab_code(name)
        if place is None:
            words, png = lab.picture.text, ""
            (images / f"lab-{name}.png").write_bytes(lab.picture.value)
        else:
            chapter, cell = place
            png, words = notebooks.picture(cell) or ("", "")
            (images / f"lab-{name}.png").write_bytes(_without_strip(png))
        if name not in labs.listed():
            title, _, _ = _plain(cell).partition("\n")
            summary = (chapter.title, "", "")
            code = SETUP + _with_modules(chapters.source(cell), chapter.path.parent)
        text = f"{summary[0]} {' '.join(summary[2].split())}".strip()
        picture = f'src="../images/lab-{name}.png" alt="{escape(words)}"'
        made[name] = "\n".join(
            [
                f"# {title}",
                "",
                text,
                "",
                _stage(code, title, picture) if runs else f"<img {picture}>",
                "",
                f"[{chapter.title}](../{chapter.path.name}) explains this lab and what to try."
                if place
                else "",
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


def own_lab(text: str, images: Path, runs: bool) -> str:
    """The page *Your own lab* with its lab below the lines that make it, live where a site runs.

    Raises :class:`CourseError` if the page has no such lines.
    """
    found = PYTHON.search(text)
    if found is None:
        raise CourseError("own_labs.md has no lines of Python that make a lab")
    *lines, last = found[1].strip().splitlines()
    made: dict[str, Any] = {}
    exec("\n".join([*lines, f"lab = {last}"]), made)
    lab = made["lab"]
    lab.save(images / "lab-own.png")
    picture = f'src="../images/lab-own.png" alt="{escape(lab.title)}: a lab of one picture"'
    shown = _stage(SETUP + found[1], lab.title, picture) if runs else f"<img {picture}>"
    lab.close()
    return f"{text[: found.end()]}\n\n{shown}\n{text[found.end() :]}"


def lab_code(name: str) -> str:
    """The code that a page runs to show a lab and nothing else."""
    return f"{SETUP}from fgn_notebooks import labs\nlabs.{name}()\n"


def _with_modules(code: str, folder: Path) -> str:
    """The code of an own lab, and before it the modules beside its chapter that it imports."""
    beside = {path.stem: path for path in chapters.modules(folder)}
    lead: list[str] = []

    def add(text: str) -> None:
        for name in chapters.imported(text):
            if name in beside:
                path = beside.pop(name)
                inner = path.read_text(encoding="utf-8")
                add(inner)
                lead.append(MODULE.format(name=name, text=inner))

    add(code)
    return "".join(lead) + code


MODULE = """import sys, types
sys.modules[{name!r}] = types.ModuleType({name!r})
exec(compile({text!r}, {name!r} + ".py", "exec"), vars(sys.modules[{name!r}]))
"""
"""A module of a teacher's own, in a page that has no files."""


def _without_strip(png: str) -> bytes:
    """A stored picture in base64, as a file, without the strip that asks to run its cell."""
    return base64.b64decode(without_strip(png)[0])


def _stage(code: str, title: str, picture: str) -> str:
    image, still = f"<img {picture}>", "The picture stands still until you start the lab."
    return _staged(code, title, image, still, ("Start the lab", "the lab"))


def stage_of_slides(number: str, title: str) -> str:
    """The place on a page where the slides of a lesson can be presented alive."""
    code = f"{SETUP}from fgn_notebooks.teachers import present\npresent({number})\n"
    still = "The slides below are pictures; here they are alive, with Python in this page."
    return _staged(code, title, "", still, ("Start the live slides", "the slides"))


def _staged(code: str, title: str, image: str, still: str, words: tuple[str, str]) -> str:
    asked = [("kernel", "python"), ("toolbar", "0"), ("execute", "1"), ("code", code)]
    address = f"../lite/repl/index.html?{urlencode(asked)}"
    button, what = words
    return (
        f'<div class="fgn-stage" data-src="{escape(address)}" data-title="{escape(title)}" '
        f'data-what="{what}">{image}<p role="status">{still}</p>'
        f'<button type="button" class="fgn-run" hidden>{button}</button></div>'
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


def _unshown() -> list[str]:
    """Labs that no chapter of the course shows, such as a new one."""
    shown = {name for name, _ in _labs(chapters.chapters(chapters.folder()))}
    return [name for name in labs.listed() if name not in shown]


def _own_labs(
    chosen: Sequence[Chapter],
) -> Iterator[tuple[str, tuple[Chapter, dict[str, Any]]]]:
    """The labs of a teacher's own: cells with the tag ``lab`` that store a picture."""
    for chapter in chosen:
        for cell in chapters.read(chapter.path)["cells"]:
            if OWN in cell["metadata"].get("tags", ()):
                if not notebooks.picture(cell):
                    raise CourseError(
                        f"{chapter.path.name}: the cell {cell['id']!r} has the tag {OWN!r} and "
                        "stores no picture of a lab: its last line shows the lab, and fgn build "
                        f"{chapter.number} --own runs it"
                    )
                yield f"{chapter.path.stem}-{cell['id']}", (chapter, cell)


def _plain(cell: dict[str, Any]) -> str:
    """A stored lab in words: its title on the first line, then its facts."""
    outputs = (output for output in cell["outputs"] if "image/png" in output.get("data", {}))
    return "".join(next(outputs)["data"].get("text/plain", ""))


def _toctree(names: Sequence[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```", ""])
