"""The teacher's pack: plans of lessons, slides, syllabuses, projects, and how to mark a class.

Its texts are Markdown files in this folder. A *plan* of a lesson names cells of the chapters, and
its *slides* are made of these cells, so that they never differ from the chapters.

Vocabulary
    step   a row of a plan's timetable: first minute, last minute, chapter
    slide  cells of a chapter that are shown together, below the heading that precedes them there
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fgn_notebooks import chapters
from fgn_notebooks.chapters import source
from fgn_notebooks.prerequisites import NEEDS

HERE = Path(__file__).parent
HEAD = re.compile(r"\A---\n(.*?)\n---\n+", re.DOTALL)
STEP = re.compile(r"^\| (\d+)–(\d+) \| .* \| (\w+) \|$", re.MULTILINE)
LINK = re.compile(r"\]\((?=(?:\d\d|[A-Z])_\w+\.ipynb\))")
LESSON = 90
PAGES = ("plan_1", "plan_2", "plan_3", "plan_4", "plan_5", "plan_6")
MORE = ("syllabus", "projects", "marking", "own_chapters")
MAP = "prerequisites.png"

Cell = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """One lesson: its name, title, text, steps ``(from, to, chapter)``, and slides.

    A slide is a tuple of pairs: the number of a chapter, and the id of one of its cells.
    """

    name: str
    title: str
    text: str
    steps: tuple[tuple[int, int, str], ...]
    slides: tuple[tuple[tuple[str, str], ...], ...]

    @property
    def minutes(self) -> dict[str, int]:
        """The minutes that the lesson spends on each chapter."""
        spent: dict[str, int] = {}
        for start, stop, chapter in self.steps:
            spent[chapter] = spent.get(chapter, 0) + stop - start
        return spent


def plans() -> tuple[Plan, ...]:
    """The six plans, in order."""
    return tuple(_plan(name) for name in PAGES)


def pages() -> dict[str, str]:
    """The text of every page in Markdown, by its name."""
    made = {plan.name: _with_times(plan) for plan in plans()}
    made |= {name: (HERE / f"{name}.md").read_text(encoding="utf-8") for name in MORE}
    return made | {"index": _index()}


def slides(plan: Plan) -> dict[str, Any]:
    """The slides of a plan as a notebook: a heading for each, and metadata for ``nbconvert``.

    Links lead one folder up, where the chapters are.
    """
    number = plan.name[-1]
    cells = [_words(f"# Slides {number}. {plan.title}", "slide", "deck")]
    cells[0]["source"] += f"\n\nFor [plan {number}]({plan.name}.md)."
    for count, slide in enumerate(plan.slides):
        for place, (chapter, cell_id) in enumerate(slide):
            heading, cell = _cell(chapter, cell_id)
            if place == 0 and not source(cell).startswith("#"):
                cells.append(_words(heading, "slide", f"s{count}"))
            starts = place == 0 and source(cell).startswith("#")
            cell["id"] = f"s{count}-{place}"
            cell["metadata"] = {"slideshow": {"slide_type": "slide" if starts else "-"}}
            if cell["cell_type"] == "code":
                cell["metadata"]["tags"] = ["remove-input"]
            else:
                text = re.sub(r"\A#+ ", "## ", source(cell))
                cell["source"] = LINK.sub("](../", text)
            cells.append(cell)
    return {"cells": cells, "metadata": _metadata(), "nbformat": 4, "nbformat_minor": 5}


def write(dest: Path) -> list[Path]:
    """Write the pack into ``dest``: pages, slides and the map of prerequisites."""
    dest.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in pages().items():
        (dest / f"{name}.md").write_text(HEAD.sub("", text), encoding="utf-8")
        written.append(dest / f"{name}.md")
    for plan in plans():
        chapters.write(slides(plan), dest / f"slides_{plan.name[-1]}.ipynb")
        written.append(dest / f"slides_{plan.name[-1]}.ipynb")
    draw_map(dest / MAP)
    return [*written, dest / MAP]


def draw_map(path: Path) -> None:
    """Draw which chapters each chapter needs as a Bayesian graph."""
    from fgnwidgets import BayesGraph
    from fgnwidgets.draw import draw_bayes

    known = {chapter: needed for chapter, needed in NEEDS.items() if chapter != "D"}
    parents = {chapter: list(needed) for chapter, needed in known.items() if needed}
    axes = draw_bayes(BayesGraph(dict.fromkeys(known, 2), parents))
    figure: Any = axes.figure
    figure.savefig(path, dpi=120, bbox_inches="tight")


def map_words() -> str:
    """The map of prerequisites as text."""
    return "; ".join(f"{one} after {' and '.join(of)}" for one, of in NEEDS.items() if of)


def _plan(name: str) -> Plan:
    text = (HERE / f"{name}.md").read_text(encoding="utf-8")
    found = HEAD.match(text)
    if found is None:
        raise ValueError(f"{name}.md does not begin with its title and slides between two '---'")
    head = dict(line.split(": ", 1) for line in found[1].splitlines())
    steps = tuple((int(a), int(b), chapter) for a, b, chapter in STEP.findall(text))
    deck = tuple(
        tuple((part.partition("/")[0].strip(), part.partition("/")[2].strip()) for part in parts)
        for parts in (slide.split("+") for slide in head["slides"].split(","))
    )
    return Plan(name, head["title"], text, steps, deck)


def _with_times(plan: Plan) -> str:
    """The plan with links, and a sentence that compares its minutes with those of a reader."""
    known = {chapter.number: chapter for chapter in chapters.chapters()}
    spent = [
        f"{minutes} minutes on [chapter {number}](../{known[number].path.name}) "
        f"(a reader needs {known[number].minutes})"
        for number, minutes in plan.minutes.items()
    ]
    lead = f"A lesson of ninety minutes, with [slides](slides_{plan.name[-1]}.ipynb). It spends "
    lead += f"{', '.join(spent[:-1])} and {spent[-1]}."
    title, _, rest = HEAD.sub("", plan.text).partition("\n\n")
    rest = STEP.sub(
        lambda m: f"{m[0].removesuffix(f'{m[3]} |')}[{m[3]}](../{known[m[3]].path.name}) |", rest
    )
    return f"{title}\n\n{lead}\n\n{rest}"


def _index() -> str:
    rows = [f"- [{plan.name[-1]}. {plan.title}]({plan.name}.md)" for plan in plans()]
    more = {
        "syllabus": "Two syllabuses, for seven and for fourteen weeks",
        "projects": "Three projects on real tables, with a rubric",
        "marking": "Marking a class",
        "own_chapters": "Your own chapters and exercises",
    }
    listed = [f"- [{title}]({name}.md)" for name, title in more.items()]
    return "\n".join(
        [
            "# For teachers",
            "",
            "Six lessons of ninety minutes, each with its timing, questions, wrong answers to "
            "expect, a sketch for the board and a home task. The slides are cells of the chapters, "
            "so what you project is what your students have.",
            "",
            *rows,
            "",
            "Around the lessons:",
            "",
            *listed,
            "",
            "## What stands on what",
            "",
            f"![{map_words()}]({MAP})",
            "",
            "An arrow leads from a chapter to one that needs it. What is not connected can be taken"
            " in any order, or left out. The grey band is what the library draws along a loop of a "
            "graph: several ways lead from 05 to 09, and 09 needs them.",
            "",
        ]
    )


def _cell(number: str, cell_id: str) -> tuple[str, Cell]:
    """The last heading at or before a cell of a chapter, and a copy of the cell."""
    heading = ""
    for cell in chapters.read(chapters.find(number).path)["cells"]:
        text = source(cell)
        if cell["cell_type"] == "markdown":
            for found in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
                heading = f"## {found}"
        if cell["id"] == cell_id:
            return heading, copy.deepcopy(cell)
    raise ValueError(f"chapter {number} has no cell {cell_id!r}")


def _words(text: str, kind: str, name: str) -> Cell:
    slide = {"slideshow": {"slide_type": kind}}
    return {"cell_type": "markdown", "id": name, "metadata": slide, "source": text}


def _metadata() -> Mapping[str, Any]:
    from fgn_notebooks.build import METADATA

    return METADATA
