"""The marks as they come, in a file, so that whatever ends a run loses none.

Vocabulary
    piece      a student's copies of one chapter: the least that is marked at a time
    key        a hash of all that the marks of a piece depend on
    notebook   of a run: the file ``marks.csv.so-far`` beside the table, a line for each event. A
               run that comes to its end removes it; after another the next run goes on from it
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from io import FileIO, StringIO
from pathlib import Path
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Mark:
    """One row of the table."""

    student: str
    exercise: str
    right: str
    tries: int | None
    error: str


class Record:
    """The table in a file while it grows, or nothing without a file.

    ``done``    marks by the key of a piece, from a run that was broken off
    ``begun``   how often a piece was begun in such runs, and something ended them

    Raises ``OSError`` at once if the file cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self.done: dict[str, list[Mark]] = {}
        self.begun: dict[str, int] = {}
        self._path = path
        self._table: FileIO | None = None
        self._events: FileIO | None = None
        if path is None:
            return
        self._so_far = path.with_name(f"{path.name}.so-far")
        self._load()
        try:
            self._table = FileIO(path, "w")
            self._put([], heading=True)
            self._events = FileIO(self._so_far, "a")
        except OSError:
            self.close()
            raise

    def __enter__(self) -> Record:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; everything was written when it came."""
        for file in (self._table, self._events):
            if file is not None:
                file.close()

    def begin(self, key: str) -> None:
        """A piece is begun: if nothing follows, something ended the run in it."""
        self._event({"begun": key})

    def drop(self, key: str) -> None:
        """A piece was broken off in good order, such as by Ctrl-C."""
        self._event({"dropped": key})

    def add(self, key: str, marks: Sequence[Mark]) -> None:
        """The marks of a piece, which are written at once."""
        self._event({"done": key, "marks": [astuple(mark) for mark in marks]})
        self._put(marks)

    def again(self, marks: Sequence[Mark]) -> None:
        """Marks of an earlier run, for the table."""
        self._put(marks)

    def finish(self, marks: Iterable[Mark]) -> None:
        """All marks in their order, in place of those that came one after the other."""
        if self._table is None or self._path is None or self._events is None:
            return
        with suppress(OSError):  # what is no file on a disk, such as a pipe, keeps what it got
            self._table.seek(0)
            self._table.truncate()
            self._put(marks, heading=True)
        self._events.close()
        with suppress(OSError):
            self._so_far.unlink()

    def _event(self, event: dict[str, Any]) -> None:
        if self._events is not None:
            _write(self._events, json.dumps(event) + "\n")

    def _put(self, marks: Iterable[Mark], heading: bool = False) -> None:
        if self._table is None:
            return
        _write(self._table, _csv(marks, heading))

    def _load(self) -> None:
        """Read the events of a run that was broken off; a line that was torn is left out."""
        try:
            lines = self._so_far.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return
        for line in lines:
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                event = json.loads(line)
                if "begun" in event:
                    self.begun[event["begun"]] = self.begun.get(event["begun"], 0) + 1
                elif "dropped" in event:
                    self.begun[event["dropped"]] -= 1
                else:
                    self.done[event["done"]] = [Mark(*values) for values in event["marks"]]
                    self.begun.pop(event["done"], None)


def write_csv(marks: Iterable[Mark], path: Path) -> None:
    """Write the table with a line of headings; unknown tries are empty."""
    with FileIO(path, "w") as file:
        _write(file, _csv(marks, heading=True))


def _csv(marks: Iterable[Mark], heading: bool) -> str:
    text = StringIO(newline="")
    out = csv.writer(text)
    if heading:
        text.write("\ufeff")  # from this mark, Excel knows that it is UTF-8
        out.writerow([field.name for field in fields(Mark)])
    out.writerows([_shown(value) for value in astuple(row)] for row in marks)
    return text.getvalue()


def _write(file: FileIO, text: str) -> None:
    """Write a text, and see that it is on the disk; lone surrogates are escaped."""
    left = text.encode("utf-8", "backslashreplace")
    while left:
        left = left[file.write(left) or 0 :]
    with suppress(OSError):
        os.fsync(file.fileno())


def _shown(value: object) -> object:
    """A value as it is written; what a spreadsheet would take for a formula is quoted."""
    return f"'{value}" if isinstance(value, str) and value.startswith(tuple("=+-@")) else value
