"""The card of a variable in a scene: its states with their beliefs, and what is observed.

Vocabulary
    card    a box with a head (name, note) and a row per state; lengths are in pixels at scale one
    hue     the number of a variable's colour, the same in both forms of a graph
    runs    a name in pieces, each with its height: 0, -1 for an index, 1 for a superscript
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fgnwidgets.draw.names import length
from fgnwidgets.engine.arrays import Array

HEAD, ROW, SMALL_ROW, FOOT = 24, 24, 12, 4
MANY = 8  # states, from which on the rows are small
BAR, NUMBER, MARGIN = 56, 44, 10
LETTERS, SMALL_LETTERS = 11.5, 9.5  # pixels of the states' font, as the style sheet sets it
CLEAR = 7  # between the longest state and the bars
LONGEST = 12  # characters of a state's name; the picker shows all of them
TITLE, JOINT = 16, 32  # of a variable's name, and of a product's; the panel shows all of them
BOLD, BESIDE = 13.5, 89  # pixels of a name's em, and of what stands in its line with it: a note
HUES = 8
EDGE = 14  # around a drawing

CardPart = dict[str, Any]


def card_size(states: Sequence[str], name: str) -> tuple[float, float]:
    """Width and height of the card of a variable with these states; a long name is cut there."""
    row = ROW if len(states) < MANY else SMALL_ROW
    head = length(short(name, TITLE)) * BOLD + BESIDE
    width = round(max(_bar_at(states) + BAR + NUMBER, head), 1)
    return width, HEAD + row * len(states) + FOOT


def card(
    name: str,
    states: Sequence[str],
    belief: Array,
    prior: Array | None,
    seen: Any,
    x: float,
    y: float,
    why: Sequence[str] = (),
) -> CardPart:
    """The card with its left upper corner at ``(x, y)``; ``seen`` is its evidence: a code, a
    likelihood vector, or None. ``why`` says how each number came about."""
    width, height = card_size(states, name)
    rows = [
        {
            "text": short(state),
            "full": state,
            "p": round(float(belief[i]), 5),
            "number": number(float(belief[i])),
            "prior": None if prior is None else round(float(prior[i]), 5),
            "why": why[i] if why else "",
            "on": seen == i and not isinstance(seen, list),
        }
        for i, state in enumerate(states)
    ]
    note = "" if seen is None else "soft" if isinstance(seen, list) else "observed"
    what = {"": "not observed", "soft": "soft evidence"}.get(note) or f"observed {states[seen]}"
    beliefs = ", ".join(f"{row['full']} {row['number']}" for row in rows)
    return {
        "id": f"variable:{name}",
        "kind": "variable",
        "variable": name,
        "title": runs(short(name, TITLE)),
        "name": f"variable {name}, {what}: {beliefs}",
        "note": note,
        "x": x,
        "y": y,
        "w": width,
        "h": height,
        "head": HEAD,
        "row": ROW if len(states) < MANY else SMALL_ROW,
        "bar": _bar_at(states),
        "rows": rows,
        "at": [x + width / 2, y + height / 2],
    }


def number(value: float) -> str:
    """A probability as it is written everywhere: three decimals, or its size where it is tiny.

    A size of three digits would reach into the bars: it is as good as 0, and not 0.
    """
    if 0 < value < 1e-99:
        return "≈ 0"
    return f"{value:.3f}" if value == 0 or value >= 0.0005 else f"{value:.0e}"


def short(text: str, longest: int = LONGEST) -> str:
    """A user's text, cut where it would not fit."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def hues(variables: Sequence[str]) -> Mapping[str, int]:
    """A colour for each variable, by its place among all of them."""
    return {name: i % HUES for i, name in enumerate(variables)}


def runs(name: str) -> list[list[Any]]:
    """A name as the paper sets it: ``S1(2)`` has an index and a superscript.

    Only one letter with digits becomes an index; other names stay as users wrote them.
    """
    if name.startswith("π "):
        return [["π", 0], [name[2:], -1]]
    replica = re.fullmatch(r"(.+)(\(\d+\))", name, re.DOTALL)
    base, above = (replica[1], replica[2]) if replica else (name, "")
    pieces: list[list[Any]] = []
    for i, piece in enumerate(re.split(r"(?<!\w)([A-Za-z])(\d+)(?!\w)", base)):
        if piece:
            pieces.append([piece, -1 if i % 3 == 2 else 0])
    return [*pieces, [above, 1]] if above else pieces


def _bar_at(states: Sequence[str]) -> float:
    """Where bars begin: right of the longest state, whatever its letters."""
    font = LETTERS if len(states) < MANY else SMALL_LETTERS
    return round(MARGIN + max(length(short(state)) for state in states) * font + CLEAR, 1)
