"""The functions behind a picture of a lab, and what a reader can keep: code, numbers and files.

Vocabulary
    pair     the two functions behind a picture: ``compute(**values) -> result`` (or an iterator of
             results) and ``draw(result, fig=None) -> Figure``
    stream   ``compute.stream(**values)``, which some have: an iterator of results, of which the
             last is that of ``compute``
    given    arguments of ``compute`` that no control changes, such as a reader's graph and table
"""

from __future__ import annotations

import base64
import csv
import html
import inspect
import io
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from .figure_image import Draw
from .literals import bracketed, literal

PLAIN = (bool, int, float, str)
"""Types of given values that are written out in code; others are referred to by name."""

CALL_WIDTH = 70
"""Characters of a call in code, so that a line with the name of its result is short enough."""

TYPES = {"png": "image/png", "svg": "image/svg+xml", "csv": "text/csv"}


@dataclass(frozen=True)
class Pair:
    """An experiment and its figure."""

    compute: Callable[..., Any]
    draw: Draw

    def results(self, arguments: Mapping[str, Any], *, wait: bool) -> Iterator[Any]:
        """The results of ``compute``, or of its ``stream`` if it has one and ``wait`` is false."""
        compute = self.compute if wait else getattr(self.compute, "stream", self.compute)
        results = compute(**arguments)
        return results if isinstance(results, Iterator) else iter([results])

    def computing(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the values that ``compute`` has an argument for."""
        return _taken(self.compute, values)

    def drawing(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the values that ``draw`` has an argument for."""
        return _taken(self.draw, values)

    def takes(self, name: str) -> bool:
        """Whether one of the two has an argument of this name."""
        return bool(self.computing({name: None}) or self.drawing({name: None}))


@dataclass(frozen=True, eq=False)
class Shown:
    """A result with the values that it was computed and drawn from.

    ``whole`` says whether it is the last result of its run.
    """

    pair: Pair
    values: Mapping[str, Any]
    given: Mapping[str, Any]
    result: Any
    whole: bool

    def facts(self) -> str:
        """What the picture shows, in words; "" if the result does not say it."""
        return str(self.result.facts()) if hasattr(self.result, "facts") else ""

    def code(self) -> str:
        """Python code that computes and draws the same without a lab."""
        compute, draw = self.pair.compute, self.pair.draw
        computing = _changed(compute, self.pair.computing(self.values))
        own = [name for name, value in self.given.items() if not isinstance(value, PLAIN)]
        plain = {name: value for name, value in self.given.items() if name not in own}
        computing = {**_changed(compute, self.pair.computing(plain)), **computing}
        arguments = [f"{name}={name}" for name in own]
        arguments += [f"{name}={literal(value)}" for name, value in computing.items()]
        options = _changed(draw, self.pair.drawing(self.values)).items()
        drawing = "".join(f", {name}={literal(value)}" for name, value in options)
        result = "*_, result" if _streams(compute) else "result"
        lines = [*_imports(compute, draw), ""]
        lines += [f"# {', '.join(own)}: your own"] if own else []
        call = bracketed(f"{compute.__name__}(", arguments, ")", CALL_WIDTH)
        lines += [f"{result} = {call}"]
        lines += [f"figure = {draw.__name__}(result{drawing})"]
        lines += [f'figure  # figure.savefig("{compute.__name__}.png") keeps it']
        return "\n".join(lines).strip()

    def csv(self) -> str:
        """The result's ``table()`` as comma-separated values, the names of the columns first."""
        if not hasattr(self.result, "table"):
            raise ValueError(f"a {type(self.result).__name__} has no table to export")
        table = self.result.table()
        columns = [getattr(c, "tolist", lambda c=c: c)() for c in table.values()]
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*columns, strict=True))
        return buffer.getvalue()

    def figure(self) -> Figure:
        """The figure that :meth:`code` makes, which does not depend on the page."""
        return self.pair.draw(self.result, **self.pair.drawing(self.values))

    def file(self, kind: str) -> bytes:
        """The figure as a file of the kind ``"png"`` or ``"svg"``, without a date."""
        buffer = io.BytesIO()
        self.figure().savefig(
            buffer, format=kind, metadata={"Date": None} if kind == "svg" else None
        )
        return buffer.getvalue()

    def links(self) -> str:
        """HTML with links that hold the files themselves, so that no server is needed."""
        files = {kind: self.file(kind) for kind in ("png", "svg")}
        if hasattr(self.result, "table"):
            files["csv"] = self.csv().encode()
        parts = []
        for kind, content in files.items():
            name = html.escape(f"{self.pair.compute.__name__}.{kind}")
            data = base64.b64encode(content).decode("ascii")
            parts.append(f'<a download="{name}" href="data:{TYPES[kind]};base64,{data}">{name}</a>')
        return " &nbsp; ".join(parts)


def refuse_orphans(title: str, pairs: Collection[Pair], names: Sequence[str]) -> None:
    """Raise ``ValueError`` for a name that is no argument of any function of the pairs."""
    for name in names:
        if not any(pair.takes(name) for pair in pairs):
            functions = [f for pair in pairs for f in (pair.compute, pair.draw)]
            known = ", ".join(dict.fromkeys(f.__name__ for f in functions))
            raise ValueError(f"{title}: no function has an argument {name!r}, of {known}")


def _streams(function: Callable[..., Any]) -> bool:
    """Whether a function returns an iterator of results: a generator, or by its annotation."""
    said = str(inspect.signature(function).return_annotation)
    return inspect.isgeneratorfunction(function) or "Iterator" in said


def _taken(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    names = inspect.signature(function).parameters
    return {name: value for name, value in values.items() if name in names}


def _changed(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ from the function's defaults."""
    parameters = inspect.signature(function).parameters
    return {name: value for name, value in values.items() if value != parameters[name].default}


def _imports(*functions: Callable[..., Any]) -> list[str]:
    names: dict[str, list[str]] = {}
    for function in functions:
        names.setdefault(_home(function), []).append(function.__name__)
    names.pop("__main__", None)
    return [f"from {home} import {', '.join(found)}" for home, found in sorted(names.items())]


def _home(function: Callable[..., Any]) -> str:
    """The outermost package from which a function can be imported."""
    parts = function.__module__.split(".")
    for depth in range(1, len(parts)):
        package = ".".join(parts[:depth])
        if getattr(sys.modules.get(package), function.__name__, None) is function:
            return package
    return function.__module__
