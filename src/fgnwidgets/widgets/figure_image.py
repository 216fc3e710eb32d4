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
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets
import numpy as np
import PIL.Image
from matplotlib.figure import Figure
from numpy.typing import NDArray

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
            # The page keeps the room, also before the bytes arrive.
            self.width, self.height = map(str, canvas.get_width_height())
            self._figures[draw] = figure
            self.value = _frame(np.asarray(shown)[..., :3])

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
        buffer = io.BytesIO()
        few.save(buffer, "png", compress_level=9)
    small = base64.b64encode(buffer.getvalue()).decode("ascii")
    return {**bundle, "image/png": small, "text/plain": text}


def _frame(rgb: NDArray[np.uint8]) -> bytes:
    """A PNG of ``(height, width, 3)``, quickly: no filters, and compression at level 1.

    Pillow tries five filters on every row: twice the time, for a file of the same size.
    """
    height, width, _ = rgb.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # 0 before each row: no filter
    rows[:, 1:] = rgb.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
