"""The functions behind a picture of a lab, and what a reader can keep: code, numbers and files.

Vocabulary
    pair     the two functions behind a picture, and what a lab may know of them (:class:`Pair`)
    given    arguments of ``compute`` that no control changes, such as a reader's graph and table
"""

from __future__ import annotations

import base64
import csv
import inspect
import io
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from matplotlib.figure import Figure

from ..page.python_code import as_python, bracketed
from .figure_image import Draw, Drawing, keeps_axes, no_figure_stays, read_figure
from .picture_map import EPOCHS
from .pins import Pin, drawn_behind

PLAIN = (bool, int, float, str)
"""Types of given values that are written out in code; others are referred to by name."""

CALL_WIDTH = 70
"""Characters of a call in code, so that a line with the name of its result is short enough."""

TYPES = {"png": "image/png", "svg": "image/svg+xml", "csv": "text/csv"}


@dataclass(frozen=True)
class Pair:
    """An experiment and its figure, and what a lab may know of them.

    ``compute(**values) -> result``     any value, but not None. It gets the values of the controls
                                        that it has an argument for. An iterator of results is shown
                                        as they come; the last one is the result
    ``draw(result, fig=None)``          returns a matplotlib ``Figure``. It too gets the values of
                                        the controls that it has an argument for

    What ``draw`` may have an argument for besides: ``fig``, the figure that it drew last, emptied,
    or None the first time, which saves the time of making a new one; ``theme``, the
    :class:`~fgnwidgets.draw.Theme` of the page, by default ``LIGHT``; ``width``, the inches that a
    page has room for, at text of its usual size, by default None.

    ``stream``       ``stream(**values)``: an iterator of results, shown on the way to that of
                     ``compute``; by default ``compute.stream``, if it has one
    ``facts``        ``facts(result) -> str``: what the picture shows, in words and numbers. It is
                     its alternative text, too; by default ``result.facts()``, if there is one
    ``table``        ``table(result) -> {column: values}``: the data for a CSV file; by default
                     ``result.table()``, if there is one
    ``progress``     ``progress(result) -> (done, of, unit)``, such as ``(30, 600, "epoch")``, for a
                     result on the way; by default ``result.progress``, if there is one
    ``keeps_axes``   True if ``draw`` empties ``fig`` itself, to keep its axes; by default as the
                     attribute ``draw.keeps_axes`` says, or False
    ``steps``        the words with which a label of x begins that counts the steps of a run: there
                     the picture has a cursor
    ``cursor``       the argument of ``draw`` that gets the step at the cursor, None without one

    ``facts`` and ``table`` may have arguments for values of the controls, as ``draw`` may.
    """

    compute: Callable[..., Any]
    draw: Draw
    stream: Callable[..., Iterator[Any]] | None = None
    facts: Callable[..., str] | None = None
    table: Callable[..., Mapping[str, Any]] | None = None
    progress: Callable[[Any], tuple[int, int, str]] | None = None
    keeps_axes: bool | None = None
    steps: Sequence[str] = EPOCHS
    cursor: str = ""

    def __post_init__(self) -> None:
        for name in ("compute", "draw", "stream", "facts", "table", "progress"):
            function = getattr(self, name)
            if not callable(function) and (name in ("compute", "draw") or function is not None):
                raise ValueError(f"{name} is {function!r}: expected a function")
        if isinstance(self.steps, str) or not all(isinstance(word, str) for word in self.steps):
            raise ValueError(f"steps is {self.steps!r}: expected words, such as ('epoch', 'day')")
        _read_draw(self.draw)
        if self.cursor and self.cursor not in _arguments(self.draw):
            raise ValueError(
                f"cursor is {self.cursor!r}: {_named(self.draw)} has no argument of this name"
            )

    @cached_property
    def _computed(self) -> frozenset[str]:
        """The arguments of ``compute``: looked up once, since every step asks for them."""
        return frozenset(_arguments(self.compute))

    @cached_property
    def _drawn(self) -> frozenset[str]:
        """The arguments of ``draw``."""
        return frozenset(_arguments(self.draw))

    def results(self, arguments: Mapping[str, Any], *, wait: bool) -> Iterator[Any]:
        """The results of ``compute``, or of its stream if it has one and ``wait`` is false."""
        stream = self.stream or getattr(self.compute, "stream", None)
        function = self.compute if wait or stream is None else stream
        results = function(**arguments)
        if results is None:
            raise TypeError(
                f"{_named(function)} returned None: a result was expected. Does it end with return?"
            )
        return results if isinstance(results, Iterator) else iter([results])

    def computing(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the values that ``compute`` has an argument for."""
        return {name: value for name, value in values.items() if name in self._computed}

    def drawing(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the values that ``draw`` has an argument for."""
        return {name: value for name, value in values.items() if name in self._drawn}

    def takes(self, name: str) -> bool:
        """True if one of the two has an argument of this name."""
        return bool(self.computing({name: None}) or self.drawing({name: None}))

    def told(self, result: Any, values: Mapping[str, Any]) -> str:
        """The picture of a result in words; "" if nobody says it."""
        function = self.facts or getattr(result, "facts", None)
        if function is None:
            return ""
        given = (result,) if self.facts else ()
        return str(function(*given, **_taken(function, values)))

    def columns(self, result: Any, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The data of a result by column, or None if nobody gives them."""
        function = self.table or getattr(result, "table", None)
        if function is None:
            return None
        given = (result,) if self.table else ()
        columns: Mapping[str, Any] = function(*given, **_taken(function, values))
        return columns

    def done(self, result: Any) -> tuple[int, int, str] | None:
        """The part of a run that is done, the whole, and the unit; None if nobody says it."""
        said = self.progress(result) if self.progress else getattr(result, "progress", None)
        return said if isinstance(said, tuple) and len(said) == 3 else None

    @property
    def drawn(self) -> Drawing:
        """The page's drawing of a result."""
        keeps = self.keeps_axes
        return Drawing(self.draw, keeps_axes(self.draw) if keeps is None else keeps, (*self.steps,))


@dataclass(frozen=True, eq=False)
class Shown:
    """A result with the values that it was computed and drawn from.

    ``whole`` says whether it is the last result of its run, ``pin`` what is pinned behind it.
    """

    pair: Pair
    values: Mapping[str, Any]
    given: Mapping[str, Any]
    result: Any
    whole: bool
    pin: Pin | None = None

    def facts(self) -> str:
        """The picture in words; "" if nobody says it."""
        return self.pair.told(self.result, self.values)

    def code(self) -> str:
        """Python code that computes and draws the same without a lab; nothing is pinned there."""
        compute, draw = self.pair.compute, self.pair.draw
        computing = _changed(compute, self.pair.computing(self.values))
        own = [name for name, value in self.given.items() if not isinstance(value, PLAIN)]
        plain = {name: value for name, value in self.given.items() if name not in own}
        computing = {**_changed(compute, self.pair.computing(plain)), **computing}
        arguments = [f"{name}={name}" for name in own]
        arguments += [f"{name}={as_python(value)}" for name, value in computing.items()]
        options = _changed(draw, self.pair.drawing(self.values)).items()
        drawing = "".join(f", {name}={as_python(value)}" for name, value in options)
        result = "*_, result" if _streams(compute) else "result"
        lines = [*_imports(compute, draw), ""]
        lines += [f"# {', '.join(own)}: your own"] if own else []
        call = bracketed(f"{compute.__name__}(", arguments, ")", CALL_WIDTH)
        lines += [f"{result} = {call}"]
        lines += [f"figure = {draw.__name__}(result{drawing})"]
        lines += [f'figure  # figure.savefig("{compute.__name__}.png") keeps it']
        return "\n".join(lines).strip()

    def csv(self) -> str:
        """The data of the result as comma-separated values, the names of the columns first."""
        table = self.pair.columns(self.result, self.values)
        if table is None:
            raise ValueError(
                f"a {type(self.result).__name__} has no table to export: give the lab "
                "table=function(result), which returns {column: values}"
            )
        columns = [getattr(c, "tolist", lambda c=c: c)() for c in table.values()]
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*columns, strict=True))
        return buffer.getvalue()

    def figure(self) -> Figure:
        """The figure that :meth:`code` makes, which does not depend on the page, and the pin."""
        with no_figure_stays():
            figure = read_figure(
                self.pair.draw(self.result, **self.pair.drawing(self.values)), self.pair.draw
            )
        if self.pin is not None:
            drawn_behind(figure, self.pin)
        return figure

    def file(self, kind: str) -> bytes:
        """The figure as a file of the kind ``"png"`` or ``"svg"``, without a date."""
        buffer = io.BytesIO()
        self.figure().savefig(
            buffer, format=kind, metadata={"Date": None} if kind == "svg" else None
        )
        return buffer.getvalue()

    def files(self) -> list[list[str]]:
        """Name, type and contents in base64 of each file, so that no server is needed."""
        files = {kind: self.file(kind) for kind in ("png", "svg")}
        if self.pair.columns(self.result, self.values) is not None:
            files["csv"] = self.csv().encode()
        name = getattr(self.pair.compute, "__name__", "lab")
        return [
            [f"{name}.{kind}", TYPES[kind], base64.b64encode(content).decode("ascii")]
            for kind, content in files.items()
        ]


def refuse_orphans(title: str, pairs: Collection[Pair], names: Sequence[str]) -> None:
    """Raise ``ValueError`` for a name that no function takes, or an argument that nobody gives."""
    functions = [f for pair in pairs for f in (pair.compute, pair.draw)]
    for name in names:
        if not any(pair.takes(name) for pair in pairs):
            known = ", ".join(dict.fromkeys(map(_named, functions)))
            raise ValueError(f"{title}: no function has an argument {name!r}, of {known}")
    for pair in pairs:
        for function in (pair.compute, pair.draw):
            first = "" if function is pair.compute else _first(function)
            for name, parameter in _arguments(function).items():
                kinds = (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
                needed = parameter.default is parameter.empty and parameter.kind in kinds
                if needed and name not in names and name != first:
                    raise ValueError(
                        f"{title}: {_named(function)} needs an argument {name!r}, and no control "
                        "gives it: add a control of this name, a default, or given="
                    )


def _read_draw(draw: Callable[..., Any]) -> None:
    """Refuse a function that cannot be called with a result alone."""
    arguments = _arguments(draw)
    first = _first(draw)
    if not first:
        raise ValueError(f"{_named(draw)} takes no argument: expected draw(result, fig=None)")
    if first in ("fig", "theme", "width"):
        raise ValueError(
            f"{_named(draw)} has {first!r} as its first argument: expected draw(result, fig=None)"
        )
    if "fig" in arguments and arguments["fig"].default is inspect.Parameter.empty:
        raise ValueError(
            f"{_named(draw)} has an argument fig without a default: write fig=None, with None for "
            "a new figure"
        )


def _first(function: Callable[..., Any]) -> str:
    """The name of the first argument that can be given by its place."""
    for name, parameter in _arguments(function).items():
        if parameter.kind not in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            return name
    return ""


def _arguments(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def _named(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", function))


def _streams(function: Callable[..., Any]) -> bool:
    """True if a function returns an iterator of results: a generator, or by its annotation."""
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
