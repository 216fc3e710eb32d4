"""What is on a figure, read back from its artists in pixels, and what must not happen there."""

import itertools
import random
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Patch
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from fgnwidgets import BayesGraph

Segment = tuple[np.ndarray, np.ndarray]

SLACK = 1.0
"""Pixels that drawn things may share: lines have a width."""


class Drawn(NamedTuple):
    """The parts of one axes, in pixels."""

    ax: Axes
    texts: list[tuple[str, Bbox]]
    segments: list[Segment]
    ends: list[np.ndarray]  # where lines and arrows in ink begin and end
    nodes: list[Patch]
    bars: list[Bbox]  # of messages


def drawn(ax: Axes) -> Drawn:
    """Everything that a drawing of a graph has put on its axes."""
    figure = ax.figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    notes = [t for t in ax.texts if isinstance(t, Annotation)]
    names = [t for t in ax.texts if t not in notes]
    paths = [
        ax.transData.transform(path)
        for lines in ax.collections
        if isinstance(lines, LineCollection)
        for path in lines.get_segments()
    ]
    arrows = [ax.transData.transform([note.xyann, note.xy]) for note in notes]
    segments = [pair for path in (*paths, *arrows) for pair in itertools.pairwise(path)]
    inks = {text.get_color() for text in names}  # an arrow in another colour is a message's
    own = [a for a, n in zip(arrows, notes, strict=True) if n.arrowprops["color"] in inks]
    ends = [path[k] for path in (*paths, *own) for k in (0, -1)]
    bars = [
        Bbox(ax.transData.transform([path.vertices.min(0), path.vertices.max(0)]))
        for bars in ax.collections
        if isinstance(bars, PolyCollection)
        for path in bars.get_paths()
        if len(path.vertices) == 5
    ]
    return Drawn(
        ax,
        [(t.get_text(), t.get_window_extent(renderer)) for t in names],
        segments,
        ends,
        list(ax.patches),
        [Bbox.from_extents(b.x0, min(b.y0, b.y1), b.x1, max(b.y0, b.y1)) for b in bars],
    )


def faults(ax: Axes) -> list[str]:
    """What a reader would trip over: overlaps, crossings, things cut off. Empty is good."""
    d = drawn(ax)
    return [fault for check in CHECKS for fault in check(d)]


def overlapping_texts(d: Drawn) -> list[str]:
    """Texts over each other, over the border of a node, or over the bars of a message."""
    names = [name for name, _ in d.texts]
    boxes = [box for _, box in d.texts]
    nodes = [node.get_window_extent() for node in d.nodes]
    found = [
        f"texts {names[i]!r} and {names[j]!r} overlap" for i, j in _overlaps(boxes, boxes) if i < j
    ]
    found += [
        f"text {names[i]!r} lies over the border of a node"
        for i, j in _overlaps(boxes, nodes)
        if not _inside(boxes[i], nodes[j])
    ]
    return found + [f"text {names[i]!r} lies over a bar" for i, _ in _overlaps(boxes, d.bars)]


def crossed_texts(d: Drawn) -> list[str]:
    """Texts with a line through them."""
    hits = _overlaps([box for _, box in d.texts], [_around(s) for s in d.segments], slack=0)
    return [
        f"a line goes through text {d.texts[i][0]!r}"
        for i, j in hits
        if _enters(d.segments[j], d.texts[i][1])
    ]


def crossed_nodes(d: Drawn) -> list[str]:
    """Nodes with a line inside their border, or over each other."""
    boxes = [node.get_window_extent() for node in d.nodes]
    found = [
        f"a line goes through the node at {boxes[i]}"
        for i, j in _overlaps(boxes, [_around(s) for s in d.segments], slack=0)
        if _enters_node(d.segments[j], d.nodes[i])
    ]
    return found + [
        f"nodes at {boxes[i]} and {boxes[j]} overlap"
        for i, j in _overlaps(boxes, boxes)
        if i < j and not _inside(boxes[i], boxes[j]) and not _inside(boxes[j], boxes[i])
    ]


def crossing_lines(d: Drawn) -> list[str]:
    """Lines that cross at a point inside both."""
    around = [_around(s) for s in d.segments]
    return [
        f"lines {d.segments[i]} and {d.segments[j]} cross"
        for i, j in _overlaps(around, around, slack=0)
        if i < j and _cross(d.segments[i], d.segments[j])
    ]


def loose_ends(d: Drawn) -> list[str]:
    """Lines and arrows that end in the open: at no node's border, on no other line, at no dots."""
    dots = [box for name, box in d.texts if "cdots" in name]
    borders = [(node.get_window_extent(), isinstance(node, Ellipse)) for node in d.nodes]
    starts, stops = (np.array([segment[k] for segment in d.segments]) for k in (0, 1))
    return [
        f"a line ends at {end}, where nothing is"
        for end in d.ends
        if (_distances(end, starts, stops) < 2).sum() < 2  # one is its own
        and not any(_at_border(end, *border) for border in borders)
        and not any(b.x0 - 40 < end[0] < b.x1 + 40 and b.y0 < end[1] < b.y1 for b in dots)
    ]


def covered_bars(d: Drawn) -> list[str]:
    """Bars of messages over lines, over the border of a node, or over those of another message."""
    nodes = [node.get_window_extent() for node in d.nodes]
    found = [
        f"a line goes through the bar at {d.bars[i]}"
        for i, j in _overlaps(d.bars, [_around(s) for s in d.segments], slack=0)
        if _enters(d.segments[j], d.bars[i])
    ]
    found += [
        f"the bar at {d.bars[i]} lies over the border of a node"
        for i, j in _overlaps(d.bars, nodes)
        if not _inside(d.bars[i], nodes[j])
    ]
    return found + [
        f"bars of two messages at {d.bars[i]} and {d.bars[j]} overlap"
        for i, j in _overlaps(d.bars, d.bars)
        if i < j and abs(d.bars[i].x0 - d.bars[j].x0) > SLACK  # those of one begin together
    ]


def outside(d: Drawn) -> list[str]:
    """Texts, bars, lines and nodes that the axes cut off."""
    frame = d.ax.get_window_extent()
    boxes = [("text " + name, box) for name, box in d.texts]
    boxes += [("node", node.get_window_extent()) for node in d.nodes]
    boxes += [("line", _around(segment)) for segment in d.segments]
    boxes += [("bar", box) for box in d.bars]
    return [f"{what} at {box} leaves the axes" for what, box in boxes if not _inside(box, frame)]


CHECKS = (
    overlapping_texts,
    crossed_texts,
    crossed_nodes,
    crossing_lines,
    loose_ends,
    covered_bars,
    outside,
)
"""What a drawing of a forest keeps; where there are loops, lines may cross."""


def random_forest(n: int, seed: int) -> BayesGraph:
    """A forest of ``n`` variables: several children, several parents, several parts."""
    rng = random.Random(seed)
    part = list(range(n))
    parents: dict[str, list[str]] = {}
    for child in range(1, n):
        wanted = rng.choice([0, 1, 1, 1, 1, 2, 3])
        found: list[str] = []
        for parent in rng.sample(range(child), child):
            if len(found) < wanted and part[parent] != part[child]:
                old = part[parent]
                part = [part[child] if p == old else p for p in part]
                found.append(f"V{parent}")
        parents[f"V{child}"] = found
    return BayesGraph({f"V{k}": 2 + k % 3 for k in range(n)}, parents)


def texts(figure: Figure) -> list[str]:
    """All texts of a figure."""
    return [t.get_text() for t in figure.findobj(Text) if t.get_text()]


def _overlaps(one: list[Bbox], two: list[Bbox], slack: float = SLACK) -> list[tuple[int, int]]:
    """Pairs of boxes that overlap by more than the slack (0: that touch)."""
    if not one or not two:
        return []
    a, b = (np.array([box.extents for box in boxes]) for boxes in (one, two))
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = (high - low > slack) if slack else (high - low >= 0)
    return [(int(i), int(j)) for i, j in np.argwhere(shared.all(axis=-1))]


def _around(segment: Segment) -> Bbox:
    (x, y), (u, v) = segment
    return Bbox.from_extents(min(x, u), min(y, v), max(x, u), max(y, v))


def _inside(one: Bbox, two: Bbox) -> bool:
    return bool(
        one.x0 >= two.x0 - SLACK
        and one.x1 <= two.x1 + SLACK
        and one.y0 >= two.y0 - SLACK
        and one.y1 <= two.y1 + SLACK
    )


def _points(segment: Segment) -> np.ndarray:
    """The segment as points less than a pixel apart, its ends included."""
    a, b = segment
    count = int(np.ceil(np.hypot(*(b - a)))) + 2
    return a + np.linspace(0, 1, count)[:, None] * (b - a)


def _enters(segment: Segment, box: Bbox) -> bool:
    x, y = _points(segment).T
    return bool(
        np.any(
            (x > box.x0 + SLACK)
            & (x < box.x1 - SLACK)
            & (y > box.y0 + SLACK)
            & (y < box.y1 - SLACK)
        )
    )


def _enters_node(segment: Segment, node: Patch) -> bool:
    box = node.get_window_extent()
    if not isinstance(node, Ellipse):
        return _enters(segment, box)
    half = np.array([box.width, box.height]) / 2
    centre = np.array([box.x0, box.y0]) + half
    from_centre = (_points(segment) - centre) / (half - SLACK)
    return bool(np.any((from_centre**2).sum(axis=1) < 1))


def _at_border(point: np.ndarray, box: Bbox, is_round: bool) -> bool:
    """Whether a point is within two pixels of a node's outline."""
    half = np.array([box.width, box.height]) / 2
    off = np.abs(point - (box.x0, box.y0) - half)
    if is_round:
        inner, outer = ((off / (half + away)) for away in (-2, 2))
        return bool((outer**2).sum() < 1 < (inner**2).sum())
    return bool((off < half + 2).all() and (off > half - 2).any())


def _distances(point: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """How far a point is from each of some segments."""
    way = stops - starts
    along = ((point - starts) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-9)
    return np.hypot(*(starts + np.clip(along, 0, 1)[:, None] * way - point).T)


def _cross(one: Segment, two: Segment) -> bool:
    """Whether they meet at a point that is inside both, more than a pixel from every end."""
    (a, b), (c, d) = one, two
    r, s = b - a, d - c
    area = r[0] * s[1] - r[1] * s[0]
    if abs(area) < 1e-9:
        return False
    gap = c - a
    t = (gap[0] * s[1] - gap[1] * s[0]) / area
    u = (gap[0] * r[1] - gap[1] * r[0]) / area
    t_margin, u_margin = SLACK / np.hypot(*r), SLACK / np.hypot(*s)
    return bool(t_margin < t < 1 - t_margin and u_margin < u < 1 - u_margin)
