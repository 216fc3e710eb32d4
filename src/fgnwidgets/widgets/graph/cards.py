"""The card of a variable in a scene: its states with their beliefs, and what is observed.

Vocabulary
    card    a box with a head (name, note) and a row for each state
    note    "observed", "soft", or "" in the head of a card
    hue     the index of a variable's colour, which is the same in both forms of a graph
    runs    the pieces of a name, each with its height: 0, -1 for an index, 1 for a superscript

Lengths are in pixels at scale one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.draw.names import length, number

HEAD, ROW, SMALL_ROW, FOOT = 24, 24, 14, 4  # heights of the parts of a card
MANY = 8  # cards with this many states have small rows
BAR, NUMBER, MARGIN = 48, 58, 10  # widths: of the bars, of the numbers, left of a state's name
LETTERS, SMALL_LETTERS = 13.5, 12.2  # largest font sizes of states' names in the style sheet
CLEAR = 7  # space between the longest state's name and the bars
LONGEST = 12  # most characters of a state's name on a card; the picker has the whole name
TITLE, JOINT = 16, 32  # the same for names of variables and of products; the panel has all of it
BOLD, BESIDE = 13.5, 97  # font size of a variable's name, and width of the note beside it
REPLICA = 16  # width of a number above a variable's name, such as (0)
TELLS = 12  # how far the badge of what a variable would tell reaches below its card
HUES = 8  # number of different colours
EDGE = 14  # empty border around a drawing

CardPart = dict[str, Any]

NOTHING: Mapping[str, Any] = MappingProxyType({})


def card_size(states: Sequence[str], name: str, replica: bool = False) -> tuple[float, float]:
    """Width and height of the card of a variable with these states.

    With ``replica`` the number of a branch has room beside the name.
    """
    row = ROW if len(states) < MANY else SMALL_ROW
    head = length(short(name, TITLE)) * BOLD + REPLICA * replica + BESIDE
    width = round(max(_bar_at(states) + BAR + NUMBER, head), 1)
    return width, HEAD + row * len(states) + FOOT


def card(
    name: str, states: Sequence[str], x: float, y: float, replica: str | None = None
) -> CardPart:
    """The card with its upper left corner at ``(x, y)``, without beliefs: see :func:`filled`.

    ``replica`` is the number of the branch that the card stands for, ``"(0)"``, ``""`` if it has
    none now, or None if it never has one.
    """
    width, height = card_size(states, name, replica is not None)
    return {
        "id": f"variable:{name}",
        "kind": "variable",
        "variable": name,
        "title": [*runs(short(name, TITLE)), *([[replica, 1]] if replica else [])],
        "x": x,
        "y": y,
        "w": width,
        "h": height,
        "head": HEAD,
        "row": ROW if len(states) < MANY else SMALL_ROW,
        "bar": _bar_at(states),
        "rows": [{"text": short(state), "full": state} for state in states],
        "at": [x + width / 2, y + height / 2],
    }


def filled(
    empty: CardPart,
    belief: Array,
    prior: Array | None,
    seen: Any,
    why: Sequence[str] = (),
    ghost: Sequence[float] | Array | None = None,
) -> CardPart:
    """A card with what is known of its variable.

    ``belief`` and ``prior`` are ``(M,)``, ``seen`` is the evidence (a code, a likelihood vector, or
    None), and ``why`` explains each number of the belief. ``ghost`` is a belief that was pinned,
    ``(M,)``.
    """
    rows = [
        {
            **row,
            "p": round(float(belief[i]), 5),
            "number": number(float(belief[i])),
            "prior": None if prior is None else round(float(prior[i]), 5),
            "ghost": None if ghost is None else round(float(ghost[i]), 5),
            "was": None if ghost is None else number(float(ghost[i])),
            "why": why[i] if why else "",
            "on": seen == i and not isinstance(seen, list),
        }
        for i, row in enumerate(empty["rows"])
    ]
    soft = isinstance(seen, list)
    note, what = ("soft", "soft evidence") if soft else ("", "not observed")
    if seen is not None and not soft:
        note, what = "observed", f"observed {rows[seen]['full']}"
    beliefs = ", ".join(f"{row['full']} {row['number']}" for row in rows)
    name = f"variable {empty['variable']}, {what}: {beliefs}"
    return {**empty, "name": name, "note": note, "rows": rows, "seen": seen}


def short(text: str, longest: int = LONGEST) -> str:
    """A text of at most ``longest`` characters, the last one an ellipsis if it was cut."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def hues(variables: Sequence[str]) -> Mapping[str, int]:
    """The hue of each variable, by its index among all."""
    return {name: i % HUES for i, name in enumerate(variables)}


def runs(name: str) -> list[list[Any]]:
    """The runs of a name as the paper writes it: ``S1(2)`` has an index and a superscript.

    Only digits after a single letter become an index; other names stay as users wrote them.
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
    """The left end of the bars, to the right of the longest state's name."""
    font = LETTERS if len(states) < MANY else SMALL_LETTERS
    return round(MARGIN + max(length(short(state)) for state in states) * font + CLEAR, 1)
