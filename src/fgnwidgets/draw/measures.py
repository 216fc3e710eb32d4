"""Sizes of the parts of a drawing, in grid steps.

Vocabulary
    em     the font size
    half   half the width or height of a block's square, of a variable's ellipse, and so on
    room   the width needed left and right of a centre or a line
"""

from __future__ import annotations

import math

from ..graphs.branches import Branch
from ..graphs.nodes import Node
from ..loops.families import Family
from .contours import Room
from .names import length, matrix_label, plain

Point = tuple[float, float]

BLOCK = 0.2
"""Half the side of a block or source."""
DIVERTER = 0.12
"""Half the side of a diverter's ``=`` box."""
TERMINAL = 0.05
"""Radius of the circle at an open end."""
VARIABLE = 0.27
"""Half the height of a variable of a Bayesian graph, and half its least width."""
EM = 0.15
"""Font size."""
SLANT = 2.5
"""An arrow of a Bayesian graph that goes further to the side is flat, so that it passes above the
variables between its ends."""
FLAT = 0.28
"""Height of a flat arrow's slanting part."""
ARROW = 0.66
"""Vertical distance between the variables of two layers."""
GAP = 0.07
"""Distance between a line or a block and the label beside it."""
MESSAGE = 0.32
"""Width of a message's bars."""
ROWS = 0.62
"""Greatest height of all rows of a message."""
ROW = 0.16
"""Greatest height of one row."""
BARS_STEP = 1.6
"""Height of a layer that shows messages."""
STATE = 6.0
"""Greatest width of a state's label, in ems; longer ones are shortened."""


def node_label(node: Node) -> str:
    """The name of a node's prior or matrix; "" if it has none, as a diverter."""
    if not node.theta:
        return ""
    if isinstance(node, Family):  # a family inside a cluster: its branch names only the cluster
        return matrix_label(node.theta, "", source=False)
    return matrix_label(node.theta, node.name, source=not node.inputs)


def variable_half(branch: Branch, rows: int = 0) -> Room:
    """Half the width and height of a variable's ellipse; with ``rows``, of its card."""
    name = length(branch.name) * 1.15 * EM
    if not rows:
        return (max(VARIABLE, 0.55 * name + GAP), VARIABLE)
    width = max(name, MESSAGE + GAP + state_room(branch)) + 2 * GAP
    return (width / 2, (rows_height(rows) + 2 * EM + 2 * GAP) / 2)


def rows_height(count: int) -> float:
    """The height of all rows of a message with ``count`` values."""
    return min(ROW * count, ROWS)


def state_room(branch: Branch) -> float:
    """Width of the labels of a variable's states, or of their indices without labels."""
    labels = [plain(s) for s in branch.states] or [str(branch.size - 1)]
    return GAP + 0.75 * EM * min(STATE, max(map(length, labels)))


def node_half(node: Node) -> float:
    """Half the side of a node's square."""
    return DIVERTER if node.copies else BLOCK


def node_room(node: Node) -> Room:
    """The room of a node and of the label at its right."""
    text = length(node_label(node)) * EM
    half = node_half(node)
    return (half, half + (GAP + text if text else 0.0))


def branch_room(
    branch: Branch, bars: bool, room: float, name: str | None = None, messages: float | None = None
) -> Room:
    """The room of a branch's line, with its name, its messages and what the caller asks for.

    With ``bars`` the messages stand at its left and the belief at its right; if the caller draws
    ``messages`` of its own width, there is no belief.
    """
    text = max(GAP + length(branch.name if name is None else name) * EM, room)
    if not bars:
        return (0.05, text)
    if messages is not None:
        return (messages, text)
    return (2 * MESSAGE + 3 * GAP, max(text, 2 * GAP + MESSAGE + state_room(branch)))


def ellipse_border(centre: Point, towards: Point, half: Room) -> Point:
    """The point at which a line from the centre of an ellipse leaves it."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    share = 1 / math.hypot(dx / half[0], dy / half[1])
    return (centre[0] + share * dx, centre[1] + share * dy)


def port(centre: Point, towards: Point, half: Room) -> Point:
    """The middle of the upper or lower side; a flat line from there clears what is beside it."""
    return (centre[0], centre[1] + math.copysign(half[1], towards[1] - centre[1]))
