"""The teacher's pack: plans of lessons, slides, syllabuses, projects, and how to mark a class.

Its texts are Markdown files in this folder. A *plan* of a lesson names cells of the chapters, and
its *slides* are made of these cells, so that they never differ from the chapters.

Vocabulary
    step   a row of a plan's timetable: first minute, last minute, chapter
    slide  cells of a chapter that are shown together, below the heading that precedes them there
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fgn_notebooks import chapters
from fgn_notebooks.prerequisites import NEEDS
from fgn_notebooks.teachers import slides as deck

HERE = Path(__file__).parent
HEAD = re.compile(r"\A---\n(.*?)\n---\n+", re.DOTALL)
STEP = re.compile(r"^\| (\d+)–(\d+) \| .* \| (\w+) \|$", re.MULTILINE)
LESSON = 90
CORE = 6
"""Lessons of the short syllabus; the others go between and after them."""

PAGES = tuple(f"plan_{number}" for number in range(1, 15))
MORE = {
    "syllabus": "Two syllabuses, for seven and for fourteen weeks",
    "outcomes": "Outcomes on one page",
    "presenting": "How to present",
    "sheets": "Sheets for paper work",
    "projects": "Three projects on real tables, with a rubric",
    "marking": "Marking a class",
    "marking_texts": "Marking proofs and open tasks",
    "own_chapters": "Your own chapters and exercises",
    "own_labs": "Your own lab",
}
"""Pages around the lessons, which everybody may read."""

ANSWERS = {
    "answers": "Answers to the questions of the plans and to the sheets",
    "quiz": "A quiz, with solutions",
    "examination": "An examination, with solutions",
    "sample_project": "A worked sample project",
}
"""Pages of a teacher's copy, and of a site with solutions: students can read the others."""

MAP = "prerequisites.png"


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
    def number(self) -> str:
        """The number of the lesson, as its name has it."""
        return self.name.partition("_")[2]

    @property
    def minutes(self) -> dict[str, int]:
        """The minutes that the lesson spends on each chapter."""
        spent: dict[str, int] = {}
        for start, stop, chapter in self.steps:
            spent[chapter] = spent.get(chapter, 0) + stop - start
        return spent


def plans() -> tuple[Plan, ...]:
    """The plans of all lessons, in order."""
    return tuple(_plan(name) for name in PAGES)


def pages(solutions: bool = True) -> dict[str, str]:
    """The text of every page in Markdown, by its name; ``ANSWERS`` only with ``solutions``."""
    made = {plan.name: _with_times(plan) for plan in plans()}
    more = MORE | (ANSWERS if solutions else {})
    made |= {name: (HERE / f"{name}.md").read_text(encoding="utf-8") for name in more}
    return made | {"index": _index(solutions)}


def slides(plan: Plan) -> dict[str, Any]:
    """The slides of a plan as a notebook that runs."""
    return deck.notebook(plan.number, plan.title, deck.deck(plan.slides))


def write(dest: Path) -> list[Path]:
    """Write the pack into ``dest``: pages, slides and the map of prerequisites."""
    dest.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in pages().items():
        (dest / f"{name}.md").write_text(HEAD.sub("", text), encoding="utf-8")
        written.append(dest / f"{name}.md")
    for plan in plans():
        chapters.write(slides(plan), dest / f"slides_{plan.number}.ipynb")
        written.append(dest / f"slides_{plan.number}.ipynb")
    draw_map(dest / MAP)
    return [*written, dest / MAP]


def draw_map(path: Path) -> None:
    """Draw which chapters each chapter needs as a Bayesian graph."""
    from fgnwidgets import BayesGraph
    from fgnwidgets.draw import draw_bayes

    known = {chapter: needed for chapter, needed in NEEDS.items() if chapter not in ("D", "E")}
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
    lead = f"A lesson of ninety minutes, with [slides](slides_{plan.number}.ipynb). It spends "
    lead += f"{', '.join(spent[:-1])} and {spent[-1]}."
    title, _, rest = HEAD.sub("", plan.text).partition("\n\n")
    rest = STEP.sub(
        lambda m: f"{m[0].removesuffix(f'{m[3]} |')}[{m[3]}](../{known[m[3]].path.name}) |", rest
    )
    return f"{title}\n\n{lead}\n\n{rest}"


def _index(solutions: bool) -> str:
    core = [plan for plan in plans() if int(plan.number) <= CORE]
    others = [plan for plan in plans() if int(plan.number) > CORE]
    back = [f"- [{title}]({name}.md)" for name, title in ANSWERS.items()]
    if not solutions:
        names = "; ".join(title[0].lower() + title[1:] for title in ANSWERS.values())
        back = [f"`fgn copy DIR --teacher` writes a copy that has these too: {names}."]
    return "\n".join(
        [
            "# For teachers",
            "",
            "Fourteen lessons of ninety minutes, each with its timing, questions, wrong answers to "
            "expect, a sketch for the board and a home task. The slides are cells of the chapters, "
            "and they run: what you project is what your students have, and it answers.",
            "",
            "The core, enough for seven weeks:",
            "",
            *(f"- [{plan.number}. {plan.title}]({plan.name}.md)" for plan in core),
            "",
            "With these it is fourteen:",
            "",
            *(f"- [{plan.number}. {plan.title}]({plan.name}.md)" for plan in others),
            "",
            "Around the lessons:",
            "",
            *(f"- [{title}]({name}.md)" for name, title in MORE.items()),
            "",
            "For the teacher alone:",
            "",
            *back,
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
