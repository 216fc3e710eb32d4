"""Stored pictures of labs and living graphs where no cell can be run: on pages and on slides."""

from __future__ import annotations

import base64
import io

from fgnwidgets.display import encoded


def without_strip(png: str) -> tuple[str, float]:
    """A stored picture in base64 without the strip above it that asks to run the cell.

    Also the part of its height that was cut off; 0 if it has no such strip.
    """
    import PIL.Image

    image = PIL.Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    edge = [image.getpixel((0, row)) for row in range(image.height)]
    high = next((row for row, colour in enumerate(edge) if colour != edge[0]), 0)
    if edge[0] == (255, 255, 255) or high > image.height / 4:
        high = 0
    bare = encoded(image.crop((0, high, *image.size)))
    return base64.b64encode(bare).decode("ascii"), high / image.height
