"""The pages of notation, glossary and bibliography, whose contents chapter D shows too."""

from __future__ import annotations

from fgn_notebooks import glossary
from fgn_notebooks.chapters import chapters

PAPER = (
    "**The paper.** Palmieri, F. A. N. *A Comparison of Algorithms for Learning Hidden Variables in"
    " Normal Graphs.* [arXiv:1308.5576](https://arxiv.org/abs/1308.5576), 2013."
)


def pages() -> dict[str, str]:
    """The pages in Markdown, by their names."""
    return {
        "notation": "\n\n".join(["# Notation", NOTATION, glossary.symbols(), ""]),
        "glossary": _glossary(),
        "bibliography": "\n\n".join(["# Bibliography", PAPER, WORKS, glossary.bibliography(), ""]),
    }


NOTATION = (
    "The paper's symbols, and what they are called in the code. The code keeps the paper's "
    "orientation: a message is a column, so an array of messages has a row for each value and a "
    "column for each sample, and a matrix has a row for each value of its input."
)
WORKS = "What the course refers to, in the order of the authors, and what each work is here for:"


def _glossary() -> str:
    """The glossary for Sphinx's index, with a link from each word to its chapter."""
    names = {chapter.number: chapter for chapter in chapters()}
    lines = ["# Glossary", "", "```{glossary}"]
    for term in sorted(glossary.TERMS, key=lambda term: term.word.lower()):
        chapter = names[term.chapter]
        link = f"[{chapter.title}]({chapter.path.name})"
        also = f" Also called: {term.also}." if term.also else ""
        said = f"{term.meaning[0].upper()}{term.meaning[1:]}.{also}"
        lines += [term.word, f"    {said} See {link}.", ""]
    other = ["## What other programs call our things", "", glossary.elsewhere(), ""]
    return "\n".join([*lines, "```", "", *other])
