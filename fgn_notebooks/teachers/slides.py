"""Slides of a lesson: what chapters say and show, cut to what a projector holds, and alive.

A deck is made of cells of the chapters, so that it never differs from them. Of a text it takes the
first sentences, and what a cell shows is made anew in the state that its chapter has there.

Vocabulary
    part    a cell of a chapter that is on a slide
    unit    a sentence, an item of a list, a table or a formula in a part
    state   the names that a chapter has defined before a cell, as far as the cell needs them
"""

from __future__ import annotations

import ast
import asyncio
import base64
import contextlib
import copy
import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fgn_notebooks import chapters
from fgn_notebooks.chapters import METADATA, Cell, source
from fgn_notebooks.stills import without_strip
from fgnwidgets.report import Report

WORDS = 80
"""The most words of a slide, its heading and what it prints included."""

ORDER = re.compile(
    r"\b(?:next (?:\w+ )?cells?|cells? (?:below|above)|[Rr]un (?:this|the)|below the printed"
    r"|printed (?:first|list|lines)|[Tt]he code (?:below|prints)|second cell)\b"
)
"""The phrases that speak to a reader of the notebook: a slide has no cell to run."""

FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?:;])[*_\"]?\s+(?=[A-Z*`$(\"])")
ITEM = re.compile(r"^(?:[-*]|\d+\.) ", re.MULTILINE)
LINK = re.compile(r"\]\((?=(?:\d\d|[A-Z])_\w+\.ipynb\))")


@dataclass(frozen=True)
class Part:
    """A cell on a slide: its chapter, its id, the cell itself, and of a text what is shown."""

    chapter: str
    cell_id: str
    cell: Cell
    text: str = ""

    @property
    def runs(self) -> bool:
        """True if the part is code."""
        return bool(self.cell["cell_type"] == "code")


@dataclass(frozen=True)
class Slide:
    """A heading, and parts of chapters below it."""

    heading: str
    parts: tuple[Part, ...]

    @property
    def words(self) -> int:
        """The words that an audience reads."""
        return count(self.heading) + sum(
            count(printed(part.cell)) if part.runs else count(part.text) for part in self.parts
        )


def count(text: str) -> int:
    """The words of a text; a formula is one."""
    return sum(any(map(str.isalnum, word)) for word in FORMULA.sub(" x ", text).split())


def printed(cell: Cell) -> str:
    """The lines that a stored cell prints on a slide: none beside a picture, which says it."""
    if any("image/png" in output.get("data", {}) for output in cell["outputs"]):
        return ""
    return "".join("".join(output.get("text", "")) for output in cell["outputs"])


def deck(asked: Sequence[Sequence[tuple[str, str]]]) -> tuple[Slide, ...]:
    """The slides of these parts, each a pair of a chapter and the id of one of its cells.

    A slide has at most ``WORDS`` words. A text alone that is longer goes on on a second slide;
    beside a picture, or on a second slide, it ends where they are used up. A text beside a long
    print gets a slide of its own. Raises ``ValueError`` if
    what a cell prints is too long by itself.
    """
    return tuple(slide for parts in asked for slide in _slides(parts))


def _slides(asked: Sequence[tuple[str, str]]) -> Iterator[Slide]:
    found = [found_cell(chapter, cell_id) for chapter, cell_id in asked]
    heading = found[0][0]
    parts = [Part(*pair, cell) for pair, (_, cell) in zip(asked, found, strict=True)]
    taken = count(heading) + sum(count(printed(part.cell)) for part in parts if part.runs)
    if taken > WORDS:
        raise ValueError(f"slide {asked[0]} prints {taken} words: at most {WORDS} are read")
    texts = [part for part in parts if not part.runs]
    if texts and len(texts) < len(parts) and taken > WORDS / 2:
        for some in (texts, [part for part in parts if part.runs]):
            yield from _slides([(part.chapter, part.cell_id) for part in some])
        return
    made, rest = [], []
    for part in parts:
        if part.runs:
            made.append(part)
            continue
        first, later = _fitting(units(source(part.cell)), WORDS - taken)
        taken += count(_joined(first))
        made.append(Part(part.chapter, part.cell_id, part.cell, _joined(first)))
        rest += [(part, later)] if later else []
    yield Slide(heading, tuple(part for part in made if part.runs or part.text))
    if texts == parts and rest:
        part, later = rest[0]
        shown = _joined(_fitting(later, WORDS - count(heading))[0])
        if shown:
            yield Slide(heading, (Part(part.chapter, part.cell_id, part.cell, shown),))


def found_cell(number: str, cell_id: str) -> tuple[str, Cell]:
    """The last heading at or before a cell of a chapter, and a copy of the cell."""
    heading = ""
    for cell in chapters.read(chapters.find(number).path)["cells"]:
        text = source(cell)
        if cell["cell_type"] == "markdown":
            for found in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
                heading = found
        if cell["id"] == cell_id:
            return heading, copy.deepcopy(cell)
    raise ValueError(f"chapter {number} has no cell {cell_id!r}")


# ---- what a slide takes of a text -----------------------------------------------------------

Unit = tuple[int, str, str]
"""The number of a unit's paragraph, what joins it to the unit before it there, and its text."""


def units(text: str) -> list[Unit]:
    """The units of a text without its headings, and without sentences that ask to run a cell."""
    found: list[Unit] = []
    body = re.sub(r"^#+ .*\n*", "", text, flags=re.MULTILINE)
    for number, paragraph in enumerate(re.split(r"\n\s*\n", body.strip())):
        if paragraph.startswith(">"):  # a note beside the text
            continue
        if paragraph.startswith(("|", "$$")):
            found.append((number, "\n", paragraph))
        elif ITEM.match(paragraph):
            items = re.split(r"\n(?=(?:[-*]|\d+\.) )", paragraph)
            found += [(number, "\n", item) for item in items]
        else:
            found += [(number, " ", each) for each in SENTENCE.split(" ".join(paragraph.split()))]
    return [unit for unit in found if unit[2] and not ORDER.search(unit[2])]


def _fitting(given: Sequence[Unit], room: int) -> tuple[list[Unit], list[Unit]]:
    """The first units that fit into so many words, and the others.

    The first ones do not end with words that lead to something else, which would be missing.
    """
    n = used = 0
    for unit in given:
        used += count(unit[2])
        if used > room:
            break
        n += 1
    while n and given[n - 1][2].rstrip().endswith(":"):
        n -= 1
    return list(given[:n]), list(given[n:])


def _joined(given: Sequence[Unit]) -> str:
    text = ""
    for k, (number, between, unit) in enumerate(given):
        same = k and given[k - 1][0] == number
        text += f"{(between if same else chr(10) * 2) if k else ''}{unit}"
    return text


# ---- as a notebook --------------------------------------------------------------------------


def notebook(number: str, title: str, slides: Sequence[Slide]) -> dict[str, Any]:
    """A deck as a notebook that runs, with the chapters' pictures as its stills.

    Its first code cell presents it alive; the others make each slide by themselves. The metadata
    are those of ``nbconvert --to slides``. Links lead one folder up, where the chapters are.
    """
    head = f"# Slides {number}. {title}\n\nFor [plan {number}](plan_{number}.md)."
    start = f"from fgn_notebooks.teachers import present\n\npresent({number})"
    cells = [_prose(head, "slide", "deck"), _code(start, "present", ["remove-cell"], "skip")]
    for count_, slide in enumerate(slides):
        cells.append(_prose(f"## {slide.heading}", "slide", f"s{count_}"))
        for place, part in enumerate(slide.parts):
            name = f"s{count_}-{place}"
            if part.runs:
                text = (
                    "from fgn_notebooks.teachers import show\n\n"
                    f'show("{part.chapter}", "{part.cell_id}")'
                )
                made = _code(text, name, ["remove-input"], "-")
                cells.append({**made, "outputs": stills(part.cell), "execution_count": 1})
            else:
                cells.append(_prose(LINK.sub("](../", part.text), "-", name))
    return {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def stills(cell: Cell) -> list[dict[str, Any]]:
    """The outputs of a stored cell on a slide where it does not run: pictures, or else text.

    A picture does not ask to run its cell, as it does in its chapter.
    """
    pictured = [o for o in cell["outputs"] if "image/png" in o.get("data", {})]
    made = copy.deepcopy(pictured or cell["outputs"])
    for output in made:
        if "execution_count" in output:
            output["execution_count"] = 1
        data = output.get("data", {})
        if "image/png" in data:
            bare, cut = without_strip("".join(data["image/png"]))
            data["image/png"] = bare
            size = output.get("metadata", {}).get("image/png", {})
            if "height" in size:
                size["height"] = round(size["height"] * (1 - cut))
    return made


def _prose(text: str, kind: str, name: str) -> Cell:
    slide = {"slideshow": {"slide_type": kind}}
    return {"cell_type": "markdown", "id": name, "metadata": slide, "source": text}


def _code(text: str, name: str, tags: list[str], kind: str) -> Cell:
    metadata = {"slideshow": {"slide_type": kind}, "tags": tags, "jupyter": {"source_hidden": True}}
    return {
        "cell_type": "code", "id": name, "metadata": metadata, "source": text,
        "outputs": [], "execution_count": None,
    }  # fmt: skip


# ---- alive ----------------------------------------------------------------------------------


class Played:
    """A chapter as far as its slides have run it, so that a later slide runs only what is new.

    ``names`` are the variables by then. A cell is run again, from the chapter's first one on, where
    the order of the chapter asks for it: shown a second time, or needed before one that has run.
    """

    def __init__(self) -> None:
        self.course: tuple[str, ...] = ()
        self._begin()

    def _begin(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self._ran: dict[int, set[str]] = {}  # number of a cell -> the statements

    def go(self, course: tuple[str, ...], before: Mapping[int, str], place: int) -> None:
        """Run what is missing of the lines ``before`` the cell at ``place``; nothing is printed."""
        asked = {number: _statements(text) for number, text in before.items()}
        if course != self.course or self._goes_back(asked, place):
            self._begin()
        self.course = course
        with contextlib.redirect_stdout(io.StringIO()):
            for number, statements in sorted(asked.items()):
                ran = self._ran.setdefault(number, set())
                new = [statement for tree, statement in statements.items() if tree not in ran]
                module = ast.Module(new, type_ignores=[])
                exec(compile(module, f"<cell of code {number}>", "exec"), self.names)
                ran.update(statements)
        self._ran[place] = set(_statements(course[place]))

    def _goes_back(self, asked: Mapping[int, dict[str, ast.stmt]], place: int) -> bool:
        """True if a statement is missing whose place is before one that has run.

        An import has no place: what it makes is the same wherever it stands.
        """
        last = max(self._ran, default=-1)
        return place <= last or any(
            tree not in self._ran.get(number, ())
            and not isinstance(new, ast.Import | ast.ImportFrom)
            for number, statements in asked.items()
            if number <= last
            for tree, new in statements.items()
        )


def _statements(text: str) -> dict[str, ast.stmt]:
    """The statements of a cell, by their trees: comments and the width of lines do not count."""
    return {ast.dump(statement): statement for statement in ast.parse(text).body}


SHOWN: dict[str, Played] = {}
"""The chapters of this session's slides."""


def show(chapter: str, cell_id: str) -> Any:
    """Make what a cell of a chapter shows, in the state that the chapter has there.

    Returns the value of the cell's last line, such as a figure or a lab. A cell without one prints,
    and so does one that ends in a table of results.
    """
    value, text = run(chapter, cell_id, SHOWN.setdefault(chapter, Played()))
    if value is None or isinstance(value, Report):
        sys.stdout.write(text)
    return value


def run(chapter: str, cell_id: str, played: Played | None = None) -> tuple[Any, str]:
    """The value of a cell's last line, or None, and what the cell prints.

    Of the cells before it those statements are run that it needs; what they print is left out, and
    so is what has run in ``played``.
    """
    from fgn_notebooks.teachers.marking import cells

    stored = chapters.read(chapters.find(chapter).path)["cells"]
    code = [c for c in stored if c["cell_type"] == "code"]
    place = next((k for k, c in enumerate(code) if c["id"] == cell_id), None)
    if place is None:
        raise ValueError(f"chapter {chapter} has no cell of code {cell_id!r}")
    course = tuple(source(cell) for cell in code)
    before = cells.needed([cells.read(text) for text in course[: place + 1]], {place}, ())
    played = played or Played()
    played.go(course, {n: text for n, text in before.items() if n != place}, place)
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        value = _last_value(course[place], played.names, f"<chapter {chapter}, {cell_id}>")
    return value, told.getvalue()


def _last_value(code: str, names: dict[str, Any], where: str) -> Any:
    """Run code as a notebook does: the value of its last line if that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), where, "eval"), names)


def present(number: int) -> Any:
    """The slides of a lesson as a widget: one at a time, alive, and as large as the screen.

    The slide that is shown is made first, then the others, one after another, in the background.
    """
    from fgn_notebooks.teachers import pack

    plans = {plan.name: plan for plan in pack.plans()}
    if f"plan_{number}" not in plans:
        raise ValueError(f"there is no lesson {number}: expected 1 to {len(plans)}")
    plan = plans[f"plan_{number}"]
    return _widget(plan.title, deck(plan.slides))


def _widget(title: str, slides: Sequence[Slide]) -> Any:
    import anywidget
    import ipywidgets
    import traitlets

    here = Path(__file__).parent

    class SlideBar(anywidget.AnyWidget):
        """The bar below the slides: back, on, which one, and the whole screen."""

        _esm = here / "slides.js"
        _css = here / "slides.css"
        place = traitlets.Int(0).tag(sync=True)
        ready = traitlets.Int(0).tag(sync=True)
        names: Any = traitlets.List().tag(sync=True)

    pages = [ipywidgets.Output() for _ in range(len(slides) + 1)]
    bar = SlideBar(names=[title, *(slide.heading for slide in slides)])
    made = [False] * len(pages)
    played: dict[str, Played] = {}

    def fill(place: int) -> None:
        if made[place]:
            return
        made[place] = True
        for kind, value in _contents(title, slides[place - 1] if place else None, played):
            if kind == "text":
                pages[place].append_stdout(value)
            else:
                pages[place].outputs = (*pages[place].outputs, _displayed(value))
        bar.ready = sum(made)

    def turn(change: Mapping[str, Any]) -> None:
        for place, page in enumerate(pages):
            page.layout.display = "" if place == change["new"] else "none"
        fill(change["new"])

    async def others() -> None:
        for place in range(len(pages)):
            await asyncio.sleep(0.05)  # so that a hand comes first
            fill(place)

    turn({"new": 0})
    bar.observe(turn, "place")
    try:
        bar.filling = asyncio.get_running_loop().create_task(others())
    except RuntimeError:  # no kernel, and so nobody to wait
        for place in range(len(pages)):
            fill(place)
    shown = ipywidgets.VBox(pages).add_class("fgn-slides-pages")
    return ipywidgets.VBox([shown, bar]).add_class("fgn-slides")


def _displayed(value: Any) -> dict[str, Any]:
    """A value as an output of Jupyter, with pictures as text, which a widget can send."""
    from IPython.core.interactiveshell import InteractiveShell

    shell: Any = InteractiveShell.instance()
    data, metadata = shell.display_formatter.format(value)
    texts = {
        k: base64.b64encode(v).decode() if isinstance(v, bytes) else v for k, v in data.items()
    }
    return {"output_type": "display_data", "data": texts, "metadata": metadata}


def _contents(
    title: str, slide: Slide | None, played: dict[str, Played]
) -> Iterator[tuple[str, Any]]:
    """The parts of a slide: ``("value", ...)`` to display, or ``("text", ...)`` to print."""
    from IPython.display import Markdown

    if slide is None:
        yield "value", Markdown(f"# {title}")  # type: ignore[no-untyped-call]
        return
    texts = "\n\n".join(part.text for part in slide.parts if not part.runs)
    text = f"## {slide.heading}\n\n{LINK.sub('](../', texts)}"
    yield "value", Markdown(text)  # type: ignore[no-untyped-call]
    for part in slide.parts:
        if part.runs:
            value, text = run(part.chapter, part.cell_id, played.setdefault(part.chapter, Played()))
            yield ("text", text) if value is None else ("value", value)
