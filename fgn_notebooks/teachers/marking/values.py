"""Values that go between a student's process and the judge's, as JSON.

A value is handed over, never an object: numbers, texts, arrays, lists, tuples, sets, mappings,
graphs, and functions, of which only a key goes over, for calls to come back. So nothing of a
student's can run where it is judged. Whatever else an answer is, its type and text go over.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from fgn_notebooks.exercises.reading import Unreadable

__all__ = ["Other", "Unreadable", "dumps", "loads"]

LARGEST = 2**25
"""Bytes of an array, and entries of a list, above which a value is not handed over."""

LONGEST = 2**20
"""Characters of a text above which it is not handed over."""

PLAIN = re.compile(r"[<>|=]?[biufcSUmM]\d+(\[\w+\])?")
"""Types of arrays that hold values, not objects."""


@dataclass(frozen=True)
class Other:
    """The description of an answer that cannot be handed over: its type, and its text."""

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


def dumps(value: Any, kept: Callable[[Callable[..., Any]], int] | None = None) -> str:
    """A value as text; ``kept`` keeps a function and returns its key.

    Raises :class:`Unreadable` for a value that is too large or is nested too deep.
    """
    try:
        return json.dumps(_written(value, kept))
    except RecursionError:
        raise Unreadable("it is nested too deep to be handed over") from None


def loads(text: str, called: Callable[[int], Callable[..., Any]] | None = None) -> Any:
    """The value of a text of :func:`dumps`; ``called`` makes the function of a key."""
    try:
        return _read(json.loads(text), called)
    except Unreadable:
        raise
    except Exception as error:  # the text comes from a student's process: it may be anything
        raise Unreadable(f"what was handed over is no value ({type(error).__name__})") from None


def _written(value: Any, kept: Callable[[Callable[..., Any]], int] | None) -> Any:
    if value is ...:  # as in a stub: no answer
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        if isinstance(value, str):
            _short_enough(value)
        plain = next(t for t in (type(None), bool, int, float, str) if isinstance(value, t))
        return value if type(value) is plain else plain.__call__(value)
    if isinstance(value, (Fraction, Decimal)):
        number = "Fraction" if isinstance(value, Fraction) else "Decimal"
        return {"is": number, "text": _text(value)}
    if isinstance(value, complex):
        return {"is": "complex", "parts": [value.real, value.imag]}
    if isinstance(value, (np.ndarray, np.generic)):
        return _array(np.asarray(value), kept, isinstance(value, np.generic))
    if isinstance(value, Mapping):
        pairs = [[_written(k, kept), _written(v, kept)] for k, v in value.items()]
        return {"is": "dict", "items": pairs}
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):
            return {"is": kind.__name__, "items": _listed(value, kept)}
    graph = getattr(value, "graph", value)
    if isinstance(getattr(graph, "parents", None), Mapping) and hasattr(graph, "variables"):
        return {"is": "graph", "text": _text(graph), "items": _graph(graph)}
    if callable(value) and kept is not None:
        return {"is": "function", "key": kept(value)}
    if (array := _as_array(value)) is not None:
        return _array(array, kept, False)
    if isinstance(value, Iterable):
        return {"is": "list", "items": _listed(value, kept)}
    return {"is": "other", "kind": type(value).__name__, "text": _text(value)}


def _listed(values: Iterable[Any], kept: Callable[[Callable[..., Any]], int] | None) -> list[Any]:
    found = list(islice(values, LARGEST // 64 + 1))
    if len(found) > LARGEST // 64:
        raise Unreadable("it is too large to be handed over")
    return [_written(each, kept) for each in found]


def _array(
    array: np.ndarray, kept: Callable[[Callable[..., Any]], int] | None, scalar: bool
) -> dict[str, Any]:
    if array.nbytes > LARGEST:
        raise Unreadable(
            f"an array of {array.nbytes / 2**20:.0f} MB is too large to be handed over"
        )
    if not PLAIN.fullmatch(array.dtype.str):
        return {"is": "objects", "shape": array.shape, "items": _listed(array.flat, kept)}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    shape = list(array.shape)
    return {"is": "array", "type": array.dtype.str, "shape": shape, "data": data, "one": scalar}


def _as_array(value: Any) -> np.ndarray | None:
    """Tables, columns and tensors of other libraries as arrays."""
    if not hasattr(value, "__array__") and not hasattr(value, "to_numpy"):
        return None
    try:
        found = np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)
    except Exception:  # it may be anything that has this method
        return None
    return found


def _graph(graph: Any) -> list[Any]:
    return [
        [str(name), [str(parent) for parent in graph.parents[name]], int(branch.size)]
        for name, branch in graph.variables.items()
    ]


def _short_enough(text: str) -> None:
    if len(text) > LONGEST:
        raise Unreadable(f"a text of {len(text)} characters is too long to be handed over")


def _text(value: Any) -> str:
    try:
        return str(value)[:2000]
    except Exception as error:
        return f"a {type(value).__name__} without a text ({type(error).__name__})"


def _read(found: Any, called: Callable[[int], Callable[..., Any]] | None) -> Any:
    if isinstance(found, str):
        _short_enough(found)
    if not isinstance(found, dict):
        return found
    items = found.get("items", ())
    match found["is"]:
        case "Fraction":
            # whole numbers alone: "1e99999999" would take hours to be read
            return Fraction(*map(int, found["text"].split("/")))
        case "Decimal":
            return Decimal(found["text"])
        case "complex":
            return complex(*found["parts"])
        case "dict":
            return {_read(k, called): _read(v, called) for k, v in items}
        case "list" | "tuple" | "set" | "frozenset" as kind:
            make = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
            return make(_read(each, called) for each in items)
        case "array":
            return _array_of(found)
        case "objects":
            made = np.empty(len(items), dtype=object)
            for place, each in enumerate(items):
                made[place] = _read(each, called)
            return made.reshape(found["shape"])
        case "graph":
            from fgnwidgets import BayesGraph

            return BayesGraph(
                {name: size for name, _, size in items}, {name: up for name, up, _ in items}
            )
        case "function" if called is not None:
            return called(int(found["key"]))
        case "other":
            return Other(str(found["kind"]), str(found["text"]))
    raise Unreadable("what was handed over is no value")


def _array_of(found: Mapping[str, Any]) -> Any:
    if not PLAIN.fullmatch(found["type"]):
        raise Unreadable("what was handed over is no array of values")
    data = base64.b64decode(found["data"])
    array = np.frombuffer(data, np.dtype(found["type"])).reshape(found["shape"]).copy()
    return array[()] if found["one"] else array
