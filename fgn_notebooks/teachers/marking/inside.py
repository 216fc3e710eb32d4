"""The part of marking that runs in a student's kernel: it hands over values, and calls functions.

What it says may be forged by the student's code, which runs in the same process. That is of no
use: only values come out of here, and they are judged elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from . import values

_functions: list[Callable[..., Any]] = []


def hand_over(value: Any) -> str:
    """A value as text; functions are kept for :func:`call`."""
    return values.dumps(value, _kept)


def call(key: int, arguments: str) -> str:
    """Call a function that was handed over; its result or error as text, and its arguments after.

    The arguments come back since a function may work on them in place.
    """
    given = values.loads(arguments)
    try:
        result = _functions[key](*given)
        return json.dumps({"value": hand_over(result), "after": values.dumps(given)})
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        return json.dumps({"error": type(error).__name__, "says": str(error)[:500]})


def _kept(function: Callable[..., Any]) -> int:
    _functions.append(function)
    return len(_functions) - 1
