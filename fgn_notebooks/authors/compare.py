"""Compare the outputs of a cell with those that the chapter stores.

An *output* is a mapping in Jupyter's format. Texts must be equal. Pictures may differ by a small
root mean square over their pixels (values 0 to 255), since machines round pixels differently.
Widget views are not compared: they exist only in a browser.
"""

import base64
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from PIL import Image

Output = Mapping[str, Any]

PICTURE = "image/png"
WIDGETS = (
    "application/vnd.jupyter.widget-view+json",
    "application/vnd.jupyter.widget-state+json",
)
TOLERANCE = 2.0
MAKER = re.compile(r"Matplotlib version ?(\d[\w.]*\w)")


def pictures(outputs: Sequence[Output]) -> list[bytes]:
    """The PNG files among the outputs."""
    bundles = (output.get("data", {}) for output in outputs)
    return [base64.b64decode("".join(data[PICTURE])) for data in bundles if PICTURE in data]


def picture_fault(stored: bytes, new: bytes, tolerance: float = TOLERANCE) -> str | None:
    """The difference of a new PNG from the stored one; None if the RMS is within ``tolerance``."""
    with Image.open(io.BytesIO(stored)) as one, Image.open(io.BytesIO(new)) as other:
        if one.size != other.size:
            fault = f"picture of {one.size} pixels stored, {other.size} now"
        else:
            a, b = (np.asarray(image.convert("RGBA"), float) for image in (one, other))
            rms = float(np.sqrt(np.mean((a - b) ** 2)))
            if rms <= tolerance:
                return None
            fault = f"picture differs: RMS {rms:.2f} > {tolerance}"
        makers = [str(image.info.get("Software", "unknown")) for image in (one, other)]
    if makers[0] != makers[1]:
        fault += f" (stored by {makers[0]}, drawn by {makers[1]})"
    return fault


def picture_faults(stored: Sequence[Output], new: Sequence[Output]) -> list[str]:
    """The differences of the new pictures from the stored ones: in number, size, or pixels."""
    before, now = pictures(stored), pictures(new)
    if len(before) != len(now):
        return [f"{len(before)} pictures stored, {len(now)} now"]
    found = (picture_fault(one, other) for one, other in zip(before, now, strict=True))
    return [fault for fault in found if fault]


def other_maker(notebooks: Iterable[Mapping[str, Any]]) -> str | None:
    """A note if stored pictures were made by another version of matplotlib, else None."""
    cells = (cell for notebook in notebooks for cell in notebook["cells"])
    for png in (png for cell in cells for png in pictures(cell.get("outputs", ()))):
        with Image.open(io.BytesIO(png)) as image:
            found = MAKER.search(str(image.info.get("Software", "")))
        if found and found[1] != matplotlib.__version__:
            return (
                f"pictures were stored by matplotlib {found[1]}, and this is "
                f"{matplotlib.__version__}: it may set text a little differently, and such pictures"
                " are reported"
            )
    return None


def faults(stored: Sequence[Output], new: Sequence[Output]) -> list[str]:
    """The differences between the stored and the new outputs of a cell, one line each."""
    before, now = _texts(stored), _texts(new)
    found = [
        f"{kind} differs: {_first_difference(before[kind], now[kind])}"
        for kind in sorted({*before, *now})
        if before[kind] != now[kind]
    ]
    return found + picture_faults(stored, new)


def _texts(outputs: Sequence[Output]) -> defaultdict[str, str]:
    """All text to compare: of streams by their names, of data by MIME type, and of errors."""
    texts: defaultdict[str, str] = defaultdict(str)
    for output in outputs:
        match output["output_type"]:
            case "stream":
                texts[output["name"]] += "".join(output["text"])
            case "error":
                texts["error"] += f"{output['ename']}: {output['evalue']}\n"
            case _:
                for mime, value in output["data"].items():
                    if mime not in (PICTURE, *WIDGETS):
                        text = "".join(value) if isinstance(value, (str, list)) else repr(value)
                        texts[mime] += text + "\n"
    return texts


def _first_difference(before: str, now: str) -> str:
    one, other = before.splitlines(), now.splitlines()
    for a, b in zip(one, other, strict=False):
        if a != b:
            return f"{a!r} stored, {b!r} now"
    return f"{len(one)} lines stored, {len(other)} now"
