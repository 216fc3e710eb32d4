"""Translate docstrings for Sphinx: tables that are laid out with spaces, and items of the paper.

``process`` is called for each docstring. Lines ``term   text`` become a definition list, and
"section 2.1", "equation 12" and "figure 9" become links to the chapter that treats them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from .notebooks import target

ROW = re.compile(r"^( *)(\S(?:.*?\S)?) {2,}(\S.*)$")
HEAD = re.compile(r"^[A-Z]\w+$")
ITEM = re.compile(
    r"\b((?:[Ss]ection|[Ee]quation|[Ff]ormula|[Ff]igure|[Aa]ppendix) [\dA-B][\d.]*\b)"
)


def process(lines: list[str], known: Collection[str]) -> list[str]:
    """The lines of a docstring as reStructuredText; ``known`` are the items that have a target."""
    return [_linked(line, known) for line in _columns(lines)]


def _columns(lines: list[str]) -> list[str]:
    """Write aligned columns as definition lists, and a word above them as a rubric."""
    made: list[str] = []
    column: int | None = None  # where the texts of the present list begin
    for place, line in enumerate(lines):
        row = ROW.match(line)
        if row and not line.lstrip().startswith((">>>", "...", "- ", ".. ")):
            lead, term, text = row.groups()
            if column is None and made and made[-1].strip():
                made.append("")
            column = row.start(3)
            term = term if "``" in term or term.startswith(":") else f"``{term}``"
            made += ["", f"{lead}{term}", f"{lead}    {text}"]
        elif column is not None and line.startswith(" " * column):
            made.append(f"{' ' * (len(lead) + 4)}{line.strip()}")
        else:
            if column is not None and line.strip():
                made.append("")
            column = None
            following = lines[place + 1] if place + 1 < len(lines) else ""
            is_head = HEAD.match(line) and ROW.match(following) and following.startswith(" ")
            made.append(f".. rubric:: {line}" if is_head else line)
            if is_head:
                made.append("")
    return [line[4:] if _inside_rubric(made, k) else line for k, line in enumerate(made)]


def _inside_rubric(lines: list[str], place: int) -> bool:
    """True if a line is in the indented block below a rubric."""
    for line in reversed(lines[:place]):
        if line.startswith(".. rubric::"):
            return lines[place].startswith("    ")
        if line.strip() and not line.startswith("    "):
            return False
    return False


def _linked(line: str, known: Collection[str]) -> str:
    if line.lstrip().startswith((">>>", "..", ":")):
        return line

    def link(match: re.Match[str]) -> str:
        item = match[1].lower().rstrip(".").replace("formula", "equation")
        item = f"appendix {item[-1].upper()}" if item.startswith("appendix") else item
        return f":ref:`{match[1]} <{target(item)}>`" if item in known else match[1]

    return ITEM.sub(link, line)


def setup(app: Any, known: Collection[str]) -> None:
    """Set up the extension: Sphinx passes all docstrings through :func:`process`."""

    def on_docstring(app: Any, what: str, name: str, value: Any, options: Any, lines: Any) -> None:
        lines[:] = process(lines, known)
        if what in ("property", "attribute"):  # else napoleon takes "word: text" for a type
            lines.insert(0, "")

    app.connect("autodoc-process-docstring", on_docstring, priority=100)
