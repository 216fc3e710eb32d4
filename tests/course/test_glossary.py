"""The glossary names what there is: chapters, formulas, and names of the library."""

import re

import pytest

import fgnwidgets
from fgn_notebooks import chapters, contents, glossary


def text_of(number):
    cells = chapters.read(chapters.find(number).path)["cells"]
    return "\n".join(chapters.source(cell) for cell in cells).lower()


@pytest.mark.parametrize("term", glossary.TERMS, ids=lambda term: term.word)
def test_a_word_is_used_in_the_chapter_that_is_said_to_explain_it(term):
    text = text_of(term.chapter)
    stem = term.word.lower().replace("nit", "n_{it}").removesuffix("ed").removesuffix("en")
    assert stem in text or stem.replace("d-separation", "d-separated") in text


@pytest.mark.parametrize("symbol", glossary.SYMBOLS, ids=lambda symbol: symbol.paper)
def test_a_name_in_code_is_a_public_name_of_the_library(symbol):
    if symbol.code == glossary.NO_CODE:
        return
    first, _, attribute = symbol.code.partition(".")
    assert first in fgnwidgets.__all__
    if attribute:
        fields = getattr(getattr(fgnwidgets, first), "__dataclass_fields__", {})
        assert hasattr(getattr(fgnwidgets, first), attribute) or attribute in fields


@pytest.mark.parametrize("symbol", glossary.SYMBOLS, ids=lambda symbol: symbol.paper)
def test_where_a_symbol_is_defined_is_a_section_or_a_formula_of_the_paper(symbol):
    kind, *rest = symbol.where.split()
    numbers = [word for word in rest if re.fullmatch(r"[0-9.]+", word)]
    known = contents.SECTIONS if kind == "section" else {str(n) for n in contents.EQUATIONS}
    assert numbers and set(numbers) <= set(known)


def test_words_come_in_the_order_of_the_alphabet_and_each_once():
    lines = glossary.words().splitlines()[2:]
    listed = [line.split("**")[1].lower() for line in lines]
    assert listed == sorted(listed)
    assert len(set(listed)) == len(listed) == len(glossary.TERMS)


def test_every_row_links_to_its_chapter():
    for row in (*glossary.words().splitlines()[2:], *glossary.symbols().splitlines()[2:]):
        number, name = re.search(r"\[(\w+)\]\((\S+)\) \|$", row).groups()
        assert chapters.find(number).path.name == name


def test_works_come_in_the_order_of_their_authors():
    authors = [re.split(r",| \(", work.reference)[0].split()[-1] for work in glossary.WORKS]
    assert authors == sorted(authors)
