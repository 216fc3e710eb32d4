"""Numbers in the prose of a chapter are numbers that its cells print.

What a cell prints is compared with a run anew (nbval), so a number of the prose is as true as the
output that it quotes. A number that no cell prints is worked out by hand, and again here.
"""

import math
import re

import pytest
from course_notebooks import code

from fgn_notebooks import chapters
from fgn_notebooks.exercises import find

BY_HAND = {
    "02": {"0.32": 4 / 5 * 1 / 5 + 1 / 5 * 4 / 5},
    "10": {"0.04": 0.2**2, "0.64": 0.8**2, "0.68": 0.2**2 + 0.8**2},
    "13": {"317.257": 317.257, "4.771": math.log(118), "634.51": 2 * 317.257,
           "71.56": 15 * math.log(118), "3.84": 1.959964**2,
           "0.83": 167 / 200, "0.05": 1 - 0.01 ** (1 / 90)},
    "15": {"10 %": 1 - math.exp(-0.1), "94 %": 289 / 308, "0.5772": 0.577216,
           "1.414": math.sqrt(2), "4.243": math.sqrt(18), "11.657": 6 + 4 * math.sqrt(2),
           "0.9228": 1.5 - 0.577216, "0.4228": 1 - 0.577216,
           "1.5061": 25 / 12 - 0.577216, "0.5833": 25 / 12 - 1.5, "1.0833": 25 / 12 - 1},
    "17": {"0.6471": 0.0396 + 0.0090 + 0.3240 + 0.0495 + 0.1800 + 0.0450,
           "0.0396": 0.5 * 0.1 * 0.8 * 0.99, "0.0495": 0.5 * 0.5 * 0.2 * 0.99,
           "0.0090": 0.5 * 0.1 * 0.2 * 0.9, "0.1800": 0.5 * 0.5 * 0.8 * 0.9,
           "0.2781": 0.0396 + 0.0090 + 0.0495 + 0.1800},
}  # fmt: skip
"""Numbers that no cell near them prints, and what they are."""

POSITED = {
    "01": ("0.9",), "04": ("0.01",), "05": ("0.01",), "07": ("95 %", "0.4", "0.6"),
    "11": ("95 %",), "13": ("0.2", "0.3", "0.7"), "14": ("0.1", "90 %"),
    "15": ("0.6", "0.8", "3.3"), "D": ("0.3", "1.1", "1.6", "3.0"), "E": ("95 %", "90 %", "7.3"),
}  # fmt: skip
"""Numbers that the prose sets: a level, a share that is asked for, a schedule, a version."""

QUOTED = re.compile(r"(?<![\w.^_{\\/])(\d+\.\d+|\d+(?= ?%))( ?%)?")
NO_NUMBERS = re.compile(
    r"```.*?```|\$\$.*?\$\$|`[^`]*`|\]\([^)]*\)|^\|.*\[.*\].*$|^Paper:.*$"
    r"|(?:[Ss]ections?|[Cc]hapters?|formulas?|figures?|[Ee]xercises?|outlines?) \d[\d.]*"
    r"(?:(?:,| and) \d[\d.]*)*|\b\d\d\.\d\b",
    re.DOTALL | re.MULTILINE,
)
"""Code, formulas set apart, addresses, tables of links, and numbers of sections and exercises."""


def said(cells):
    """What cells print and are written with, numbers in thousands without their commas."""
    words = []
    for cell in cells:
        if cell["cell_type"] == "code":
            words.append(chapters.source(cell))
            for output in cell["outputs"]:
                data = output.get("data", {})
                shown = (output.get("text", ""), data.get("text/plain", ""))
                words += ["".join(v) for v in (*shown, data.get("text/markdown", ""))]
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", "\n".join(words))


def near(cells, place):
    """The cells around the prose at ``place``; a summary may quote the whole chapter."""
    if cells[place].get("id") in ("summary", "conclusions"):
        return cells
    return cells[max(0, place - 8) : place + 4]


def unsupported(number, words, cells):
    """The numbers with decimals, and the percentages, of words that no cell prints.

    A printed number supports one that has as many digits or fewer, rounded.
    """
    text = said(cells)
    known = {(float(v), len(v.partition(".")[2])) for v in re.findall(r"\d+(?:\.\d+)?", text)}
    shares = {(float(v), 0) for v in re.findall(r"(\d+(?:\.\d+)?) ?%", text)}
    found = []
    for match in QUOTED.finditer(NO_NUMBERS.sub("", words)):
        digits = len(match[1].partition(".")[2])
        value, room = float(match[1]), 0.5 * 10**-digits + 1e-9
        printed = known
        if match[2]:
            printed = shares | {(100 * v, d - 2) for v, d in known if v <= 1 and d >= 2}
        if match[0] in POSITED.get(number, ()):
            continue
        if match[0] in BY_HAND.get(number, {}):
            worked = BY_HAND[number][match[0]] * (100 if match[2] else 1)
            if abs(worked - value) <= room:
                continue
        elif any(d >= digits and abs(v - value) <= room for v, d in printed):
            continue
        found.append(match[0])
    return found


def all_prose():
    """Chapter by chapter its number, and each prose with the cells near it."""
    for chapter in chapters.chapters():
        cells = chapters.read(chapter.path)["cells"]
        for place, cell in enumerate(cells):
            if cell["cell_type"] == "markdown":
                yield chapter.number, chapters.source(cell), near(cells, place)


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda chapter: chapter.path.stem)
def test_every_decimal_and_percentage_of_the_prose_is_printed_or_worked_out(chapter):
    found = {
        words[:60]: faults
        for number, words, cells in all_prose()
        if number == chapter.number and (faults := unsupported(number, words, cells))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("words", "faults"),
    [
        ("The end is $-2.57$, or 43 %.", []),
        ("The end is 2.573 nats, a share of 0.4.", []),
        ("It is 2.5730.", ["2.5730"]),
        ("The end is 2.58.", ["2.58"]),
        ("That is 44 %, and 0.5 of it.", ["44 %", "0.5"]),
        ("See section 2.58, `x = 9.99`, exercise 01.4.", []),
    ],
)
def test_a_number_that_no_cell_prints_is_found(words, faults):
    cell = code("print(x)")
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "-2.573 and 0.43\n"}]
    assert unsupported("99", words, [cell]) == faults


def outlines():
    """The outline of every text exercise, and the cells of its chapter that do not quote it."""
    for chapter in chapters.chapters():
        cells = chapters.read(chapter.path)["cells"]
        own = [c for c in cells if "check(" not in chapters.source(c)]
        prose = " ".join(chapters.source(c) for c in cells if c["cell_type"] == "markdown")
        for name in re.findall(rf"\*\*({chapter.number}\.\d+)\*\*", prose):
            if words := find(name).outline:
                yield name, words, own, prose


@pytest.mark.parametrize(("name", "words", "cells", "asked"), [*outlines()])
def test_a_share_that_an_outline_names_is_shown_in_its_chapter(name, words, cells, asked):
    """Outlines argue with numbers; what was measured must be printed where it can be seen."""
    shares = re.findall(r"(\d+) ?%", words)
    shown = said(cells) + asked
    printed = {round(float(v)) for v in re.findall(r"(\d+(?:\.\d+)?) ?%", shown)}
    assert {int(v) for v in shares} <= printed


def test_most_slips_of_the_last_digit_would_be_found():
    """Cells print many numbers, so a wrong one may be among them by chance: here, how often."""
    caught = []
    for number, words, cells in all_prose():
        for match in QUOTED.finditer(NO_NUMBERS.sub("", words)):
            digits = len(match[1].partition(".")[2])
            for slip in (-3, -2, 2, 3):
                wrong = f"{abs(float(match[1]) + slip * 10**-digits):.{digits}f}{match[2] or ''}"
                caught.append(unsupported(number, wrong, cells) == [wrong])
    assert len(caught) > 800 and sum(caught) > 0.55 * len(caught)
