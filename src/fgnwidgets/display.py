"""Pictures of graphs, messages, beliefs and runs that are the last line of a notebook's cell.

``register`` tells IPython, by the names of the classes, which function draws which value. So
nothing is imported before something is shown, and ``import fgnwidgets`` does not import matplotlib.
A picture is a PNG on an opaque light background, which every front end shows, even in a notebook
that is not trusted. The plain ``repr`` is stored beside it.

A PNG on white says so in itself (``ON_WHITE``). Where a page is dark, a style sheet shows such
pictures with light and dark exchanged: ``labextensions/`` in JupyterLab and Notebook 7, where no
other rule reaches a picture in an output, and the site's own style sheet on the site.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from PIL.Image import Image

__all__ = ("DPI", "ON_WHITE", "SHOWN_DPI", "encoded", "picture", "register", "resolution")

Picture = tuple[bytes, dict[str, int]]

DPI = 192
SHOWN_DPI = 96
"""A picture has twice the dots of the page, so that it is sharp where the screen has them."""

COLOURS = 64
"""A drawing has about twenty colours, and shades of them at its edges."""

ON_WHITE = ("Ground", "white")
"""Name and text of the note in the PNG of a drawing on white."""

LEAST_DPI = 15
"""Below it the smallest letters have less than two pixels, and FreeType refuses to draw them."""

MOST_PIXELS = 4000
"""No picture is wider or higher than this: a very large graph is scaled down."""

MOST_DOTS = 2_800_000
"""Nor has it more dots than this, lest a page of text in one picture fill the notebook."""


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

    from PIL import Image

    width, height = figure.get_size_inches()
    data = BytesIO()
    figure.savefig(data, format="png", dpi=resolution(figure))
    with Image.open(data) as image:
        png = encoded(image.convert("RGB"), is_drawing=not _holds_photographs(figure))
    return png, {"width": round(width * SHOWN_DPI), "height": round(height * SHOWN_DPI)}


def resolution(figure: Figure) -> float:
    """The dots per inch of a picture of at most ``MOST_PIXELS`` and ``MOST_DOTS``.

    Raises ``ValueError`` for a drawing so large that its letters would be smaller than dots.
    """
    width, height = figure.get_size_inches()
    longest, area = float(max(width, height)), float(width * height)
    dpi = min(float(DPI), MOST_PIXELS / longest, math.sqrt(MOST_DOTS / area))
    if dpi < LEAST_DPI:
        raise ValueError(
            f"drawn, it is {width:.0f} by {height:.0f} inches, and in a picture of {MOST_PIXELS:,} "
            "pixels nothing of that could be read; draw a part of it"
        )
    return dpi


def encoded(image: Image, *, is_drawing: bool = True) -> bytes:
    """An RGB image as PNG of at most ``COLOURS`` colours: a quarter of the bytes.

    A drawing whose corner is white is noted as ``ON_WHITE``, first of all in the file.
    """
    from io import BytesIO

    from PIL.PngImagePlugin import PngInfo

    note = PngInfo()
    if is_drawing and image.getpixel((0, image.height - 1)) == (255, 255, 255):
        note.add_text(*ON_WHITE)
    data = BytesIO()
    _with_palette(image).save(data, format="png", optimize=True, pnginfo=note)
    return data.getvalue()


def _with_palette(image: Image) -> Image:
    """The image in ``COLOURS`` colours of its own, each the most frequent of those it stands for.

    Colours are grouped by k-means, each with the square root of its pixels as weight. So inks keep
    their values, and neither the white ground nor thin lines decide everything.
    """
    import numpy as np
    from PIL import Image

    counted: Any = image.getcolors(image.width * image.height)
    found = np.array([(n, *rgb) for n, rgb in counted])
    found = found[np.lexsort(found.T)]  # by colour, the rarest first among equals
    counts, colours = found[:, 0], found[:, 1:].astype(np.uint8)
    weight = np.ceil(np.sqrt(counts)).astype(int)
    row = Image.fromarray(np.repeat(colours, weight, axis=0)[None])
    grouped = row.quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE)
    group = np.asarray(grouped)[0][np.cumsum(weight) - 1]

    palette = np.zeros((COLOURS, 3), np.uint8)
    rising = np.argsort(counts, kind="stable")
    palette[group[rising]] = colours[rising]  # the last one stays
    of_colour = np.zeros(1 << 24, np.uint8)
    of_colour[_as_one_number(colours)] = group
    few = Image.fromarray(of_colour[_as_one_number(np.asarray(image))])
    few.putpalette(palette.tobytes())
    return few


def _as_one_number(rgb: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Colours as numbers of 24 bits."""
    wide = rgb.astype("uint32")
    number: NDArray[np.uint32] = (wide[..., 0] << 16) | (wide[..., 1] << 8) | wide[..., 2]
    return number


def _holds_photographs(figure: Figure) -> bool:
    """True if a figure shows an image with colours of its own, which nobody wants exchanged."""
    from matplotlib.image import AxesImage

    arrays = (image.get_array() for image in figure.findobj(AxesImage))
    return any(array is not None and array.ndim > 2 for array in arrays)


def _pictured(draw: Callable[[Any], Figure | None]) -> Callable[[Any], Picture | None]:
    def show(value: Any) -> Picture | None:
        try:
            figure = draw(value)
            return None if figure is None else picture(figure)
        except Exception as error:  # of the libraries that draw: the text is shown all the same
            _tell(f"(No picture of this {type(value).__name__}: {' '.join(str(error).split())})")
            return None

    return show


def _tell(words: str) -> None:
    """Say something beside the output of the running cell."""
    from IPython.display import display

    display({"text/plain": words}, raw=True)  # type: ignore[no-untyped-call]


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
    ("fgnwidgets.bayes.graph", "BayesGraph", _bayes),
    ("fgnwidgets.graphs.normal_graph", "NormalGraph", _normal),
    ("fgnwidgets.inference.messages", "Messages", _messages),
    ("fgnwidgets.inference.messages", "Belief", _belief),
    ("fgnwidgets.learning.run", "Run", _run),
    ("matplotlib.figure", "Figure", lambda figure: figure),
)
"""Module and name of each class, and the function that draws its values.

A matplotlib figure is among them because matplotlib shows figures in notebooks only once pyplot was
imported.
"""
