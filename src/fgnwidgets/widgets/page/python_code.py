"""Values and calls written as Python code, for the code that a widget shows."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent
from typing import Any

import numpy as np

from fgnwidgets.graphs.branches import Branch

WIDTH = 88
"""Characters of a line of code."""


def as_python(value: Any) -> str:
    """A value as Python code, exact to the last bit; strings have double quotation marks."""
    if isinstance(value, np.generic):
        return as_python(value.item())
    if isinstance(value, Branch):
        words = [as_python(value.name), as_python(value.states or value.size)]
        if value.variable != value.name:
            words.append(f"variable={as_python(value.variable)}")
        if value.given:
            words.append("given=True")
        if value.missing:
            words.append(f"missing={as_python(list(value.missing))}")
        return f"Branch({', '.join(words)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_python(k)}: {as_python(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        inner = ", ".join(map(as_python, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(as_python, value))}]"
    text = repr(value)
    plain = isinstance(value, str) and '"' not in text and "\\" not in text
    return f'"{value}"' if plain and "'" not in value else text


def bracketed(start: str, parts: Sequence[str], end: str, width: int = WIDTH) -> str:
    """Parts between brackets on one line, or on a line for each if that would be long."""
    line = f"{start}{', '.join(parts)}{end}"
    if len(line) <= width and "\n" not in line:
        return line
    return "\n".join([start, *(indent(f"{part},", "    ") for part in parts), end])
