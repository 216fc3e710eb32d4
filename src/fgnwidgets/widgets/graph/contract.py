"""The scene of a living graph as types: the contract between Python, which makes it, and the page.

It is written once, here. ``js/scene.d.ts`` is made from it, for the checker of the JavaScript::

    python -m fgnwidgets.widgets.graph.contract

Vocabulary
    scene    what a page draws, a plain value of JSON
    fault    a place in a value that is not of its type, in words
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

DrawnPoint = list[float]
DrawnRuns = list[list[Any]]  # pieces of a name, each with its height: 0, -1 for an index, 1 above


class DrawnLabel(TypedDict):
    """A name in a drawing."""

    text: DrawnRuns
    x: float
    y: float
    anchor: NotRequired[str]


class DrawnArrow(TypedDict):
    """The place of a line's arrow, and the point towards which it points."""

    x: float
    y: float
    towards: DrawnPoint


class DrawnChart(TypedDict):
    """A message as small bars; ``number`` is its turn in the round that sends it."""

    x: float
    y: float
    w: float
    h: float
    direction: Literal["f", "b"]
    towards: DrawnPoint
    values: list[float]
    number: int | None
    waiting: bool


class DrawnPart(TypedDict):
    """A part that can be selected; ``hue`` is the index of a variable's colour, ``at`` its middle.

    ``strength`` is that of an arrow or a block, as a share of the strongest one.
    """

    id: str
    kind: str
    name: str
    look: str
    hue: int | None
    selected: bool
    at: DrawnPoint
    selects: NotRequired[str | None]
    strength: NotRequired[float]


class DrawnBranch(DrawnPart):
    """A branch, or an arrow of a Bayesian graph."""

    points: list[DrawnPoint]
    arrow: DrawnArrow
    ends: list[DrawnPoint]
    label: DrawnLabel | None
    messages: list[DrawnChart]


class DrawnNode(DrawnPart):
    """A node; ``edit`` names its matrix where that can be changed."""

    x: float
    y: float
    w: float
    h: float
    cells: list[list[float]]
    label: DrawnLabel
    edit: NotRequired[str]
    about: NotRequired[str]
    states: NotRequired[list[str]]
    given: NotRequired[list[str]]


class DrawnRow(TypedDict):
    """A state on a card: ``text`` is cut, ``full`` is not; ``why`` says how ``p`` came about.

    ``ghost`` is the belief that was pinned, and ``was`` the same as text.
    """

    text: str
    full: str
    p: float
    number: str
    prior: float | None
    ghost: float | None
    was: str | None
    on: bool
    why: str


class DrawnTells(TypedDict):
    """The information of a variable on the target: bits and share as text, and the share."""

    text: str
    share: float
    why: str


class DrawnCard(DrawnPart):
    """The card of a variable; ``seen`` is its evidence: a state's index, likelihoods, or None."""

    variable: str
    title: DrawnRuns
    note: str
    x: float
    y: float
    w: float
    h: float
    head: float
    row: float
    bar: float
    rows: list[DrawnRow]
    seen: int | list[float] | None
    tells: NotRequired[DrawnTells]


DrawnCell = list[Any]  # a number as text, its value, and perhaps how it was computed


class DrawnTable(TypedDict):
    """A table of the panel; ``edit`` names a matrix whose cells can be changed."""

    caption: str
    head: list[str]
    rows: list[list[str | DrawnCell]]
    look: Literal["bars", "heat", "text"]
    edit: NotRequired[str]


class DrawnOriginRow(TypedDict):
    """Equal rows of a table behind a learned number: how many, and what they add to it.

    ``bar`` is what they add to the count of the cell, ``whole`` to that of its row of the matrix,
    both as shares of the longest bar.
    """

    id: str
    text: str
    count: str
    share: str
    adds: str
    bar: float
    whole: float


class DrawnOrigin(TypedDict):
    """The origin of a learned number: the cell, the rows that made it, and their sum."""

    matrix: str
    row: int
    column: int
    rule: str
    title: str
    lines: list[str]
    rows: list[DrawnOriginRow]
    more: str
    adds: str
    of: str


class DrawnPanel(TypedDict):
    """The selected part in words and tables; the lines ``below`` stand under the tables."""

    title: str
    lines: list[str]
    below: NotRequired[list[str]]
    tables: list[DrawnTable]
    more: NotRequired[DrawnTable]
    variable: NotRequired[str]


class DrawnSource(TypedDict):
    """A message from which another one is made."""

    branch: str
    direction: Literal["f", "b"]
    values: list[float]


DrawnTravel = TypedDict(
    "DrawnTravel",
    {
        "node": str,
        "sign": str,
        "branch": str,
        "direction": Literal["f", "b"],
        "from": list[DrawnSource],
        "matrix": NotRequired[list[list[float]]],
        "shares": NotRequired[list[list[float]]],
    },
)


class DrawnRounds(TypedDict):
    """The state of the schedule, and what was sent in this round."""

    round: int
    last: int
    text: str
    travels: list[DrawnTravel]


class Scene(TypedDict):
    """All that the page of a living graph draws; ``spare`` is a free place in the drawing.

    ``pinned`` and ``asked`` say in words what is pinned, and what the target is and who tells most.
    """

    width: float
    height: float
    spare: list[float] | None
    name: str
    parts: list[DrawnBranch | DrawnNode | DrawnCard]
    panel: DrawnPanel
    rounds: DrawnRounds
    summary: str
    status: str
    undo: bool
    redo: bool
    forms: list[str]
    form: str
    schedule: str
    start: int | None
    selected: str | None
    plain: bool
    title: str
    learned: list[str]
    origin: DrawnOrigin | None
    pinned: str | None
    target: str | None
    asked: str
    hint: str


class DrawnCurve(TypedDict):
    """A restart of a run: the log-likelihood of every epoch, None where it is not finite."""

    name: str
    rule: str
    values: list[float | None]


class DrawnLevel(TypedDict):
    """A height to compare curves with."""

    name: str
    value: float


class DrawnRun(TypedDict):
    """The chart of a learning view, and what stays: all curves, and the table's rows."""

    curves: list[DrawnCurve]
    levels: list[DrawnLevel]
    last: int
    rows: list[str]


class LearningScene(TypedDict):
    """The part of a run that is looked at: an epoch, one or two curves, and a row of the list."""

    epoch: int
    left: int
    right: int | None
    row: int | None
    own: bool
    undo: bool
    redo: bool
    status: str


class LegendMark(TypedDict):
    """A mark of the drawing: its name, what it means, and an example of it."""

    key: str
    name: str
    words: str
    part: DrawnBranch | DrawnNode | DrawnCard


class EditorCard(DrawnCard):
    """A card on a board: ``hidden`` from learning, ``lit`` where it is on a loop."""

    hidden: bool
    lit: bool


class EditorArrow(DrawnBranch):
    """An arrow on a board; ``lit`` on a loop, or on the way that a refused arrow would close."""

    parent: str
    child: str
    lit: bool


class VariableForm(TypedDict):
    """The settings of a variable; ``labels`` are its states as they are typed, ``known`` is its
    evidence, and ``parents`` are all others, each with whether it is one."""

    kind: Literal["variable"]
    variable: str
    labels: str
    states: list[str]
    known: int | list[float] | None
    hidden: bool
    why: str
    parents: list[list[Any]]
    matrix: DrawnTable | None
    large: bool


class ArrowForm(TypedDict):
    """The settings of an arrow."""

    kind: Literal["arrow"]
    parent: str
    child: str


class LoopForm(TypedDict):
    """A loop in words, whether it is merged, and whether it can be."""

    merged: bool
    words: str
    can: bool


class TableForm(TypedDict):
    """A table: the columns that are observed, those that are no variable yet, and why others cannot
    be one."""

    name: str
    rows: str
    observed: list[str]
    free: list[str]
    numbers: list[str]
    weight: str | None
    left_out: list[list[str]]


class LearningForm(TypedDict):
    """The settings of the next run."""

    rule: str
    restarts: int
    n_epochs: int
    seed: int


class EditorScene(TypedDict):
    """All that the page of a graph editor draws, but for the curve."""

    cards: list[EditorCard]
    arrows: list[EditorArrow]
    width: float
    height: float
    panel: VariableForm | ArrowForm | None
    loop: LoopForm | None
    table: TableForm | None
    learning: LearningForm
    rules: list[list[str]]
    warnings: list[str]
    summary: str
    note: str
    most_bytes: int
    status: str
    code: str
    undo: bool
    redo: bool


class EditorCurve(TypedDict):
    """Likelihoods by epoch, a line for each start; ``low``, ``high`` are the ends of the axis."""

    epochs: list[int]
    lines: list[list[float | None]]
    best: int
    last: int
    of: int
    low: float
    high: float
    running: bool


SCENES: tuple[Any, ...] = (Scene, LegendMark, EditorScene, EditorCurve, DrawnRun, LearningScene)
"""The scenes of all widgets: each with its parts is written out."""

TYPES = Path(__file__).parents[1] / "js" / "scene.d.ts"


def faults(value: Any, of: Any, place: str = "scene") -> Iterator[str]:
    """The places where a value is not of a type of this module."""
    origin, inner = typing.get_origin(of), typing.get_args(of)
    if of is Any:
        return
    if origin in (types.UnionType, typing.Union):
        found = [list(faults(value, one, place)) for one in inner]
        if all(found):
            yield from min(found, key=len)
    elif origin is Literal:
        if value not in inner:
            yield f"{place} is {value!r}: expected one of {inner}"
    elif origin is list:
        if not isinstance(value, list):
            yield f"{place} is {value!r}: expected a list"
        else:
            for i, one in enumerate(value):
                yield from faults(one, inner[0], f"{place}[{i}]")
    elif typing.is_typeddict(of):
        yield from _dict_faults(value, of, place)
    elif of is float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield f"{place} is {value!r}: expected a number"
    elif of is type(None):
        if value is not None:
            yield f"{place} is {value!r}: expected None"
    elif type(value) is not of:
        yield f"{place} is {value!r}: expected {of.__name__}"


def _dict_faults(value: Any, of: Any, place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place} is {value!r}: expected {of.__name__}"
        return
    hints = _hints(of)
    for name in sorted(set(hints) - _optional(of) - set(value)):
        yield f"{place}.{name} is missing"
    for name in value:
        if name in hints:
            yield from faults(value[name], hints[name], f"{place}.{name}")
        else:
            yield f"{place}.{name}: {of.__name__} has no such thing"


def _optional(of: Any) -> set[str]:
    """The names that may be missing: annotations as text hide that from ``typing`` itself."""
    own = typing.get_type_hints(of, globals(), include_extras=True)
    return {name for name, hint in own.items() if typing.get_origin(hint) is NotRequired}


def _hints(of: Any) -> dict[str, Any]:
    own = typing.get_type_hints(of, globals(), include_extras=True)
    return {
        name: typing.get_args(hint)[0] if typing.get_origin(hint) is NotRequired else hint
        for name, hint in own.items()
    }


def typescript() -> str:
    """The types as declarations of TypeScript."""
    lines = [
        "/* Made from contract.py by `python -m fgnwidgets.widgets.graph.contract`: edit that. */"
    ]
    for kind in _kinds():
        optional = _optional(kind)
        lines += ["", f"/** {(kind.__doc__ or kind.__name__).strip()} */"]
        if kind.__doc__ is None or kind.__doc__.startswith("dict("):
            lines[-1] = f"/** {kind.__name__}. */"
        lines.append(f"export interface {kind.__name__} {{")
        for name, hint in _hints(kind).items():
            own = _hinted(hint)
            # What Python calls None is null in Jupyter and undefined in JupyterLite.
            maybe = name in optional or type(None) in typing.get_args(hint)
            lines.append(f"  {name}{'?' * maybe}: {own};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _kinds() -> list[Any]:
    """The types of all scenes, each after those that it is made of."""
    found: list[Any] = []

    def visit(of: Any) -> None:
        for inner in typing.get_args(of):
            visit(inner)
        if typing.is_typeddict(of) and of not in found:
            for hint in _hints(of).values():
                visit(hint)
            found.append(of)

    for scene in SCENES:
        visit(scene)
    return [DrawnPart, *found]


def _hinted(of: Any) -> str:
    """A type in the words of TypeScript."""
    origin, inner = typing.get_origin(of), typing.get_args(of)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(_hinted(one) for one in inner)
    if origin is Literal:
        return " | ".join(f'"{one}"' for one in inner)
    if origin is list:
        own = _hinted(inner[0])
        return f"({own})[]" if " " in own else f"{own}[]"
    plain = {str: "string", float: "number", int: "number", bool: "boolean", Any: "any"}
    return "null" if of is type(None) else plain.get(of) or str(of.__name__)


if __name__ == "__main__":
    TYPES.write_text(typescript(), encoding="utf-8")
