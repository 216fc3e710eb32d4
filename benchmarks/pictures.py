"""A lab's picture as PNG: the writer of the labs beside Pillow, in time and in bytes.

    python benchmarks/pictures.py

Why the labs have twenty lines of their own: every step of a slider sends a picture, and Pillow
tries filters on every row. On a plot that takes two to three times as long, for as many bytes.
"""

from __future__ import annotations

from functools import partial
from io import BytesIO

import timing  # isort: split

import numpy as np
import PIL.Image
from timing import Goal, interleave

from fgn_notebooks import labs
from fgnwidgets.widgets.lab.figure_image import _frame


def by_pillow(pixels: np.ndarray, level: int) -> bytes:
    """The same pixels by Pillow, at a level of compression."""
    buffer = BytesIO()
    PIL.Image.fromarray(pixels).save(buffer, "png", compress_level=level)
    return buffer.getvalue()


def main() -> None:
    for name in ("one_block", "deeper_graph"):
        lab = getattr(labs, name)()
        picture = PIL.Image.open(BytesIO(lab.picture.png)).convert("RGBA")
        pixels = np.asarray(picture)[..., :3]  # as labs have them: a view of what Agg has drawn
        seconds, results = interleave(
            {
                f"{name}: own": partial(_frame, pixels),
                f"{name}: Pillow, level 1": partial(by_pillow, pixels, 1),
                f"{name}: Pillow, level 6": partial(by_pillow, pixels, 6),
            },
            rounds=7,
        )
        for contender, data in results.items():
            assert isinstance(data, bytes)
            assert np.array_equal(np.asarray(PIL.Image.open(BytesIO(data))), pixels), contender
            print(f"  {contender:<44}{len(data) / 1000:>14,.0f} kB")
        own, fast, _ = seconds.values()
        print(Goal(f"{name}: Pillow at level 1, of our own", fast / own, ">=", 1.5))
    print(timing.machine(()))


if __name__ == "__main__":
    main()
