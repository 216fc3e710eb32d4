"""A figure on the page: one kept matplotlib figure, whose pixels go to one image.

Vocabulary
    draw    ``draw(result, fig) -> Figure``: draws on ``fig`` as if it were empty, though it may
            hold an earlier drawing; with None on a new figure of its own size

An output area that is cleared flickers: here the page keeps one image, and only its bytes change.
A figure is kept as well, since axes that are kept with their ticks save a third of the time.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets
import PIL.Image
from matplotlib.figure import Figure

from .canvas import canvas_of
from .lock import LOCK

Draw = Callable[..., Figure]


class FigureImage(ipywidgets.Image):  # type: ignore[misc]
    """An image of what ``draw(result, fig)`` draws, on one kept figure for each ``draw``.

    ``text`` says in words what the picture shows: for screen readers, and beside the picture in a
    stored notebook.
    """

    def __init__(self) -> None:
        self._figures: dict[Draw, Figure] = {}
        self.text = ""
        super().__init__(format="png", layout={"max_width": "100%", "object_fit": "contain"})

    def draw(self, draw: Draw, result: object, **options: object) -> None:
        """Show ``draw(result, figure, **options)``; if it raises, the last picture stays."""
        with LOCK:
            figure = draw(result, self._figures.get(draw), **options)
            canvas = canvas_of(figure)
            canvas.draw()  # type: ignore[no-untyped-call]
            shown = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
            pixels = PIL.Image.frombuffer(
                "RGBA", canvas.get_width_height(), shown, "raw", "RGBA", 0, 1
            ).convert("RGB")
            # The page keeps the room, also before the bytes arrive.
            self.width, self.height = str(pixels.width), str(pixels.height)
            self._figures[draw] = figure
            self.value = _encoded(pixels, level=1)

    @property
    def png(self) -> bytes:
        """The picture on show."""
        return bytes(self.value)

    def __repr__(self) -> str:
        return f"FigureImage({self.text!r})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return with_picture(super()._repr_mimebundle_(), self.png, self.text)


def with_picture(bundle: Mapping[str, Any], png: bytes, text: str) -> dict[str, Any]:
    """What a notebook stores for a widget: its live view, and for later its picture and a text.

    Its picture has 256 colours, which a plot hardly notices, and a third of the bytes.
    """
    with PIL.Image.open(io.BytesIO(png)) as picture:
        few = picture.convert("RGB").quantize(256, dither=PIL.Image.Dither.NONE)
    small = base64.b64encode(_encoded(few, level=9)).decode("ascii")
    return {**bundle, "image/png": small, "text/plain": text}


def _encoded(pixels: PIL.Image.Image, *, level: int) -> bytes:
    """PNG; level 1 takes a third of the time of level 9 and gives a file a tenth larger."""
    buffer = io.BytesIO()
    pixels.save(buffer, "png", compress_level=level)
    return buffer.getvalue()
