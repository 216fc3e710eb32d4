"""The state of a living graph as the end of an address, ``#state=...``.

A page that :meth:`~fgnwidgets.widgets.GraphView.to_html` wrote opens in that state. The text is
JSON, packed, in letters that are safe in addresses; it begins with the version of its form.

Vocabulary
    state   evidence as codes, form, schedule, start, round, selected part, target
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

VERSION = "1"

MARK = "#state="

KEYS = {
    "evidence": "e",
    "form": "f",
    "schedule": "c",
    "start": "b",
    "round": "r",
    "selected": "s",
    "target": "t",
}
"""The letter of each value; ``round`` is left out where it is the last."""

MOST = 100_000
"""Most bytes that a link may unpack to: more is no state of a graph."""


def packed(state: Mapping[str, Any], keys: Mapping[str, str] = KEYS) -> str:
    """The end of an address for a state; values that are None are left out.

    Raises ``ValueError`` for a state that is too large for an address.
    """
    short = {keys[name]: value for name, value in state.items() if value is not None}
    text = json.dumps(short, separators=(",", ":"), ensure_ascii=False)
    if (size := len(text.encode())) > MOST:
        raise ValueError(
            f"the link would hold {size:,} bytes: expected {MOST:,} or less; to_html writes a page "
            "that holds all"
        )
    data = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    return f"{MARK}{VERSION}.{data}"


def unpacked(link: str, keys: Mapping[str, str] = KEYS) -> dict[str, Any]:
    """The state in a link, or in an address that ends with one.

    Raises ``ValueError`` for what is no link of this version, whole and unchanged.
    """
    if not isinstance(link, str) or MARK.lstrip("#") not in link:
        raise ValueError(f"link is {link!r}: expected an address that ends with {MARK}...")
    version, _, data = link.partition(MARK.lstrip("#"))[2].partition(".")
    if version != VERSION:
        raise ValueError(
            f"the link has version {version[:20]!r}: expected {VERSION!r}, as this page writes it"
        )
    try:
        if not re.fullmatch(r"[\w-]+", data, re.ASCII):
            raise ValueError
        unpack = zlib.decompressobj()
        text = unpack.decompress(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)), MOST)
        if not unpack.eof:
            raise ValueError
        short = json.loads(text)
        return {name: short.pop(key) for name, key in keys.items() if key in short}
    except (ValueError, zlib.error, AttributeError):
        raise ValueError(
            "the link is not whole: expected all of it, as it was copied from a graph"
        ) from None
