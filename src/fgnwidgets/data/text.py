"""Read comma-separated values, from a file on disk or from one dropped on the graph editor.

A column of whole numbers becomes a column of ``int``, any other one stays text (decimal numbers
too, with a point or a comma), and blank cells become None. For anything more, read the file with a
data frame library.

Vocabulary
    record   a line of the file, or several where a quoted cell goes over their ends
    guess    the encoding or the separator that a file has without saying so
"""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Iterator

from ..arguments import shown, wrong

SEPARATORS = "\t;|,"
"""Those that are looked for; of two that fit equally well the first, as text has most commas."""

SAMPLE = 1 << 18
"""Characters from which the separator is guessed."""

WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
"""A whole number of 64 bits; what begins with another zero, such as a postcode, is text."""

LINE_END = re.compile(rb"\r\n|\r|\n")

END = "\0"
"""A last line of its own, which no file has: it is lost where a quotation mark stays open."""

MARKS = {  # the longer first
    b"\x00\x00\xfe\xff": "utf-32", b"\xff\xfe\x00\x00": "utf-32",
    b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16",
}  # fmt: skip
"""Byte order marks, by which a file says its encoding."""

BINARY = {
    b"PK\x03\x04": "a zip archive, as an Excel workbook (.xlsx) is",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls)",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "compressed by gzip",
    b"%PDF": "a PDF file",
}
"""The first bytes of files that are often taken for text."""


def read_csv(
    path: str | os.PathLike[str], *, encoding: str | None = None, separator: str | None = None
) -> dict[str, list[int | str | None]]:
    """The columns by name; the first line of the file holds their names. See :func:`parse_csv`."""
    if not isinstance(path, str | os.PathLike):
        raise wrong("path", path, "the name of a file; parse_csv reads text and bytes")
    with open(path, "rb") as file:
        table, said = read_text(file.read(), os.fspath(path), encoding, separator)
    for warning in said:
        warnings.warn(warning, UserWarning, stacklevel=2)
    return table


def parse_csv(
    text: str | bytes,
    name: str = "the text",
    *,
    encoding: str | None = None,
    separator: str | None = None,
) -> dict[str, list[int | str | None]]:
    """The columns of such a text, or of a file's bytes, by name.

    ``name``        what messages call the text
    ``encoding``    of bytes. By default their byte order mark says it (UTF-8, UTF-16, UTF-32);
                    without one they are UTF-8 if that fits, and else cp1252, the encoding of
                    Windows in Western Europe, which is a guess and said in a warning
    ``separator``   a character; by default a tab, a semicolon, a vertical bar or a comma, whichever
                    gives the first line several cells and all lines equally many. Those between
                    quotation marks are not counted. A first line ``sep=;`` says it, as for Excel

    Lines end with a line feed, a carriage return or both; blank ones are passed over, and so are
    columns at the end without a name or a cell. A replacement character (U+FFFD) is a warning: some
    program has lost a letter there. Raises ``ValueError``, with the line, for bytes that are no
    text, a text without rows, a column whose name is empty or taken, a line that is longer or
    shorter than the first, and a quotation mark that stays open.
    """
    table, said = read_text(text, name, encoding, separator)
    for warning in said:
        warnings.warn(warning, UserWarning, stacklevel=2)
    return table


def read_text(
    given: object, name: str, encoding: str | None = None, separator: str | None = None
) -> tuple[dict[str, list[int | str | None]], list[str]]:
    """The table of :func:`parse_csv`, and its warnings, for who shows them elsewhere."""
    if separator is not None and (not isinstance(separator, str) or not _separates(separator)):
        raise wrong("separator", separator, "one character, such as ';'")
    guessed = ""
    if isinstance(given, bytes | bytearray | memoryview):
        given, guessed = _decoded(bytes(given), name, encoding)
    elif not isinstance(given, str):
        raise wrong("text", given, "a text, or the bytes of a file")
    text = given.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"{name}: line {line} has a character 0: expected text, as CSV files are")
    said = [guessed] if guessed else []
    if lost := text.count("\ufffd"):
        at = text.index("\ufffd")
        word = _word_at(text, at)
        said.append(
            f"{name}: line {text.count(chr(10), 0, at) + 1} has the replacement character U+FFFD, "
            f"in {word!r}"
            + (f", and there are {lost - 1} more" if lost > 1 else "")
            + ": a program that read the file in another encoding has lost a letter there; go back "
            "to the original"
        )
    first = 1
    if excel := re.match(r"sep=([^\w\n])[^\S\t\n]*(\n|$)", text, re.IGNORECASE):
        text, first = text[excel.end() :], 2
        separator = separator or excel[1]
    return _columns(text, name, separator or _separator(text), first), said


def _columns(text: str, name: str, separator: str, first: int) -> dict[str, list[int | str | None]]:
    rows = [
        (line, [cell.strip() for cell in row])
        for line, row in _records(text, name, separator, first)
        if any(cell.strip() for cell in row) or len(row) > 1
    ]
    if len(rows) < 2:
        lines = "1 line" if len(rows) == 1 else f"{len(rows)} lines"
        raise ValueError(
            f"{name} has {lines} with cells: expected one with the names of the columns, and one "
            "for every sample"
        )
    (_, head), body = rows[0], rows[1:]
    while len(head) > 1 and not head[-1] and not any(any(r[len(head) - 1 :]) for _, r in body):
        head = head[:-1]  # lines that end with a separator
        body = [(line, row[: len(head)]) for line, row in body]
    for place, column in enumerate(head):
        if not column:
            raise ValueError(
                f"{name}: column {place + 1} has no name in the first line: every column needs one"
                + ("; pandas writes its row labels so, to_csv(index=False) does not" * (not place))
            )
        if column in head[:place]:
            raise ValueError(
                f"{name}: column {place + 1} is called {column!r}, as column "
                f"{head.index(column) + 1} is: every column needs a name of its own"
            )
    for line, row in body:
        if len(row) != len(head):
            raise ValueError(
                f"{name}: line {line} has {len(row)} cells: expected {len(head)}, as many as the "
                f"first line has names between {separator!r}; where that is part of a name or a "
                "cell (a decimal comma, say), put this in quotation marks, or name the separator="
            )
    cells = zip(*(row for _, row in body), strict=True)
    return {column: _cells(values) for column, values in zip(head, cells, strict=True)}


def _cells(cells: tuple[str, ...]) -> list[int | str | None]:
    whole = all(WHOLE.fullmatch(cell) for cell in cells if cell)
    return [(int(cell) if whole else cell) if cell else None for cell in cells]


def _records(
    text: str, name: str, separator: str, first: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """The records with the number of the line where each begins."""
    import csv  # slow to import, for what few need

    lines = csv.reader(
        io.StringIO(f"{text}\n{END}\n", newline="\n"), delimiter=separator, skipinitialspace=True
    )
    row: list[str] = []
    while row != [END]:
        begins = first + lines.line_num
        try:
            row = next(lines)
        except StopIteration:
            row = [END]
        except csv.Error as error:  # a cell longer than csv allows
            raise ValueError(
                f"{name}: the line {begins} cannot be read ({error}): is a quotation mark open?"
            ) from None
        if row != [END]:
            if row and END in row[-1]:
                raise ValueError(
                    f"{name}: in line {begins} a quotation mark opens that is never closed"
                )
            yield begins, row


def _separates(separator: str) -> bool:
    return len(separator) == 1 and separator not in '"\r\n \0'


def _separator(text: str) -> str:
    """The separator that gives the first record several cells and the others as many."""
    cut = text[: text.rfind("\n", 0, SAMPLE) + 1] if len(text) > SAMPLE else text

    def fits(separator: str) -> tuple[bool, float, int]:
        """True if all records fit, the share that does, and how many cells the first one has."""
        rows = []
        try:
            for _, row in _records(cut, "", separator):
                if any(cell.strip() for cell in row) or len(row) > 1:
                    rows.append(row)
        except ValueError:
            if cut is text:
                return False, 0.0, 0  # the sample may end within a quoted cell, the text may not
        head = len(rows[0]) if rows else 0
        if head < 2:
            return False, 0.0, head
        # A quotation mark by itself shows a cell that was cut within its quotation marks.
        whole = all(cell.count('"') % 2 == 0 for row in rows for cell in row)
        share = sum(len(row) == head for row in rows[1:]) / max(1, len(rows) - 1)
        good = whole and share == 1
        return good, share, 2 if good else head

    scores = {separator: fits(separator) for separator in SEPARATORS}
    best = max(SEPARATORS, key=lambda separator: scores[separator])  # the first of equals
    return best if scores[best][2] > 1 else ","


# Bytes


def _decoded(data: bytes, name: str, encoding: str | None) -> tuple[str, str]:
    """The bytes as text, and a warning where their encoding is a guess."""
    if encoding is not None:
        try:
            return data.decode(encoding), ""
        except UnicodeError as error:
            raise _undecoded(data, name, encoding, error) from None
        except (LookupError, TypeError, ValueError):
            expected = "an encoding that Python knows, such as 'utf-8', 'cp1252' or 'utf-16'"
            raise wrong("encoding", encoding, expected) from None
    for mark, codec in MARKS.items():
        if data.startswith(mark):
            if codec == "utf-8-sig":  # its errors would count from after the mark
                data, codec = data.removeprefix(mark), "utf-8"
            try:
                return data.decode(codec), ""
            except UnicodeError as error:
                raise _undecoded(data, name, codec, error) from None
    for begins, kind in BINARY.items():
        if data.startswith(begins):
            raise ValueError(f"{name} is {kind}: expected text; save the table as CSV (UTF-8)")
    if b"\0" in data:
        return _without_mark(data, name)
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        wrong_at = error
    fits = sum(ord(letter) > 127 for letter in data.decode("utf-8", "ignore"))
    fails = data.decode("utf-8", "replace").count("\ufffd")
    if fits >= fails:  # mixed, or damaged: letters of more than one byte are hardly there by chance
        raise _undecoded(data, name, "utf-8", wrong_at)
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise _undecoded(data, name, "utf-8 or cp1252", error) from None
    at = len(data[: wrong_at.start].decode("cp1252"))
    return text, (
        f"{name} is not UTF-8: the byte {data[wrong_at.start]:#04x} in line "
        f"{_line(data, wrong_at.start)} is no letter of it. It is read as cp1252, the encoding of "
        f"Windows in Western Europe, where that stands in {_word_at(text, at)!r}; if letters are "
        "wrong, or to have no warning, give encoding='cp1252' or the one that it has"
    )


def _without_mark(data: bytes, name: str) -> tuple[str, str]:
    """Bytes with zeros among them: UTF-16 without its mark if every other one is, or no text."""
    for start, codec in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(data) % 2 == 0 and data[start::2].count(0) > 0.7 * (len(data) // 2):
            try:
                text = data.decode(codec)
            except UnicodeDecodeError:
                break
            if "\0" not in text:
                said = (
                    f"{name} has no byte order mark, and is read as {codec} since every other "
                    f"byte is zero; give encoding={codec!r} to have no warning"
                )
                return text, said
    at = data.index(b"\0")
    raise ValueError(
        f"{name} is no text: byte {at:,}, in line {_line(data, at)}, is zero; save the table as "
        "CSV (UTF-8), or name the encoding="
    )


def _undecoded(data: bytes, name: str, encoding: str, error: UnicodeError) -> ValueError:
    at = int(getattr(error, "start", 0))
    where = f"the byte {data[at]:#04x} in line {_line(data, at)}" if at < len(data) else "its end"
    around = shown(data[max(0, at - 9) : at + 9])
    return ValueError(
        f"{name} is not {encoding}: {where} is no letter of it ({around}); name the encoding that "
        "it has, such as encoding='cp1252', 'cp850' (DOS), 'mac_roman' or 'shift_jis', or save it "
        "as UTF-8"
    )


def _line(data: bytes, at: int) -> int:
    return len(LINE_END.findall(data, 0, at)) + 1


def _word_at(text: str, at: int) -> str:
    """The word around a place."""
    begins = re.search(r"[^\s,;|\"]*\Z", text[max(0, at - 20) : at])
    ends = re.match(r"[^\s,;|\"]*", text[at : at + 20])
    return f"{begins[0] if begins else ''}{ends[0] if ends else ''}"
