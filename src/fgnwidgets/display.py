"""Pictures of graphs, messages, beliefs and runs that are the last line of a notebook's cell.

``register`` tells IPython, by the names of the classes, which function draws which value. So
nothing is imported before something is shown, and ``import fgnwidgets`` does not import matplotlib.
A picture is a PNG on an opaque light background, which every front end shows, even in a notebook
that is not trusted. The plain ``repr`` is stored beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from io import BytesIO

    from matplotlib.figure import Figure

Picture = tuple[bytes, dict[str, int]]

DPI = 144
SHOWN_DPI = 96
MOST_PIXELS = 4000
"""No picture is wider or higher than this: a very large graph is scaled down."""


def register() -> None:
    """Show values as pictures in the IPython that runs this; without IPython, do nothing."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return
    png = shell.display_formatter.formatters["image/png"]
    for module, name, draw in DRAWN:
        png.for_type_by_name(module, name, _pictured(draw))


def picture(figure: Figure) -> Picture:
    """A figure as PNG, with the width and height to show it at."""
    from io import BytesIO

    width, height = figure.get_size_inches()
    dpi = min(DPI, MOST_PIXELS / max(width, height))
    data = BytesIO()
    figure.savefig(data, format="png", dpi=dpi, metadata={"Software": None})
    shown = {"width": round(width * SHOWN_DPI), "height": round(height * SHOWN_DPI)}
    return _with_palette(data), shown


def _with_palette(png: BytesIO) -> bytes:
    """The picture in 256 colours, a third of the bytes; a drawing hardly ever has more colours."""
    from io import BytesIO

    from PIL import Image

    small = BytesIO()
    with Image.open(png) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(small, format="png", optimize=True)
    return small.getvalue()


def _pictured(draw: Callable[[Any], Figure | None]) -> Callable[[Any], Picture | None]:
    def show(value: Any) -> Picture | None:
        figure = draw(value)
        return None if figure is None else picture(figure)

    return show


def _bayes(graph: Any) -> Figure | None:
    from .draw import draw_bayes

    return _figure(draw_bayes(graph))


def _normal(graph: Any) -> Figure | None:
    from .draw import draw_normal

    return _figure(draw_normal(graph))


def _messages(messages: Any) -> Figure | None:
    from .draw import draw_normal

    if messages.n > 1 or any(f.ndim > 2 for f in messages.f.values()):
        return None  # messages of many samples or restarts are many pictures
    return _figure(draw_normal(messages.graph, messages=messages))


def _belief(belief: Any) -> Figure | None:
    from .draw import draw_belief

    return None if belief.p.ndim > 2 else _figure(draw_belief(belief))


def _run(run: Any) -> Figure | None:
    from matplotlib.figure import Figure

    from .draw import LIGHT, draw_curves, draw_restarts

    if run.loglik.shape[1] == 1:
        return _figure(draw_curves(run))
    figure = Figure(figsize=(9.6, 3.2), facecolor=LIGHT.ground, layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_curves(run, left)
    draw_restarts(run, right)
    return figure


def _figure(axes: Any) -> Figure:
    from .draw.style import figure_of

    return figure_of(axes)


DRAWN: tuple[tuple[str, str, Callable[[Any], Figure | None]], ...] = (
    ("fgnwidgets.border.bayes", "BayesGraph", _bayes),
    ("fgnwidgets.engine.graph", "NormalGraph", _normal),
    ("fgnwidgets.engine.messages", "Messages", _messages),
    ("fgnwidgets.engine.messages", "Belief", _belief),
    ("fgnwidgets.border.run", "Run", _run),
    ("matplotlib.figure", "Figure", lambda figure: figure),
)
"""Module and name of each class, and the function that draws its values.

A matplotlib figure is among them because matplotlib shows figures in notebooks only once pyplot was
imported.
"""
