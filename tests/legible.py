"""Texts of a plot that cannot be read on a page: too small, cut off, or one on another."""

import itertools

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

SMALLEST = 9.0
"""Pixels of the font size of a letter."""


def unreadable(fig: Figure, ratio: float = 1.0) -> list[str]:
    """What is wrong with the texts of a figure, of which a page's pixel has ``ratio`` pixels."""
    boxes = _boxes(fig)
    wide, high = fig.bbox.size
    sizes = ((text.get_text(), text.get_fontsize() * fig.dpi / 72 / ratio) for text, _ in boxes)
    found = [f"{text}: {size:.1f} px" for text, size in sizes if size < SMALLEST - 0.01]
    found += [
        f"{text.get_text()} is cut"
        for text, box in boxes
        if box.x0 < -1 or box.y0 < -1 or box.x1 > wide + 1 or box.y1 > high + 1
    ]
    return found + _meeting(boxes, ratio)


def meeting(fig: Figure, ratio: float = 1.0) -> list[str]:
    """The texts of a figure that lie on one another, of whichever axes."""
    return _meeting(_boxes(fig), ratio)


def _meeting(boxes: list[tuple[Text, Bbox]], ratio: float) -> list[str]:
    # the box of a slanted text is not full
    level = [(text, box) for text, box in boxes if text.get_rotation() in (0, 90)]
    return [
        f"{a.get_text()} meets {b.get_text()}"
        for (a, one), (b, two) in itertools.combinations(level, 2)
        if min(one.x1, two.x1) - max(one.x0, two.x0) > 1.5 * ratio
        if min(one.y1, two.y1) - max(one.y0, two.y0) > 2.5 * ratio
    ]


def _boxes(fig: Figure) -> list[tuple[Text, Bbox]]:
    """The texts that are drawn, and their places in pixels; they are laid out, not painted."""
    canvas = FigureCanvasAgg(fig)
    fig.draw_without_rendering()
    shown = [*fig.texts, *(text for ax in fig.axes if ax.get_visible() for text in _texts(ax))]
    shown = [text for text in shown if text.get_visible() and text.get_text().strip()]
    return [(text, text.get_window_extent(canvas.get_renderer())) for text in shown]


def _texts(ax: Axes) -> list[Text]:
    """The texts of axes that are drawn; ticks beyond the limits are texts, too, but are not."""
    legend = ax.get_legend()
    texts = [*ax.texts, ax.title, ax._left_title, *(legend.get_texts() if legend else ())]
    if ax.axison:
        for axis in (ax.xaxis, ax.yaxis):
            ticks = axis._update_ticks()
            texts += [axis.label, axis.offsetText, *(tick.label1 for tick in ticks)]
    return texts
