"""Copies of the course for students; an update never overwrites a student's work.

A *copy* is a folder of chapters, with a *record* of what was written there. A file counts as
*changed* if the text of its cells differs from the record: then an update keeps it. To run a
chapter changes only its outputs, so an update still replaces it.
"""

import csv
import hashlib
import json
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import fgnwidgets
from fgn_notebooks import chapters
from fgn_notebooks.chapters import CourseError, fingerprint, read, without_solutions, write
from fgn_notebooks.exercises.judging import RECORD
from fgn_notebooks.kernels import notebook_format
from fgn_notebooks.students import personal

Course = Sequence[tuple[Path, dict[str, Any]]]
"""The files of all chapters, and what they store."""

QUOTED = re.compile(r'^"([^"]*)"$')
FORBIDDEN = re.compile(r'[\x00-\x1f<>:"/\\|?*]')
HEADS = ("student", "name", "names", "student name", "full name")
FIRST_NAMES = ("first name", "given name", "forename", "firstname")
LAST_NAMES = ("surname", "last name", "family name", "lastname")


@dataclass(frozen=True)
class Copied:
    """The names of files by what :func:`copy` did with them.

    ``written``     new, or brought up to date
    ``kept``        changed by the student, and left alone
    ``behind``      those of the kept files that differ in this edition
    ``set_aside``   new names of changed files, which were replaced
    """

    written: tuple[str, ...]
    kept: tuple[str, ...]
    behind: tuple[str, ...]
    set_aside: tuple[str, ...]


def copy(
    dest: Path,
    force: bool = False,
    with_solutions: bool | None = None,
    student: str | None = None,
    *,
    course: Course | None = None,
) -> Copied:
    """Write the chapters into ``dest``, or bring the copy there up to date.

    A file that the student changed is kept; with ``force`` it is set aside under a new name and
    replaced. ``with_solutions`` includes our answers to the exercises. ``student`` is the name from
    which the numbers of exercises are drawn; with ``""`` they are the same for all. For both, None
    means as in the existing copy, or no answers and no name in a new one.

    Raises :class:`CourseError` if ``dest`` is a file, or the folder of the chapters themselves.
    """
    if dest.exists() and not dest.is_dir():
        raise CourseError(f"{dest} is a file: name a folder for the copy")
    own = chapters.own_folder()
    if dest.resolve() in {place.resolve() for place in (chapters.folder(), own) if place}:
        raise CourseError(f"{dest} holds the chapters themselves: name another folder for the copy")
    dest.mkdir(parents=True, exist_ok=True)
    record = _read_record(dest)
    solutions = record["solutions"] if with_solutions is None else with_solutions
    name = record["student"] if student is None else student
    files: dict[str, str] = record["files"]
    written, kept, behind, set_aside = [], [], [], []

    for target, wanted, put in _fresh(dest, own, solutions, name, course):
        file, present = target.name, _fingerprint_of(target)
        changed = target.exists() and present not in (wanted, files.get(file))
        if changed and not force:
            kept.append(file)
            if files.get(file) != wanted:
                behind.append(file)
            continue
        if changed:
            set_aside.append(target.rename(_free_name(target)).name)
        if present != wanted or changed:
            put(target)
            written.append(file)
        files[file] = wanted

    version = fgnwidgets.__version__
    made = {"edition": version, "solutions": solutions, "student": name, "files": files}
    (dest / RECORD).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return Copied(tuple(written), tuple(kept), tuple(behind), tuple(set_aside))


def copy_class(dest: Path, names: Sequence[str], with_solutions: bool = False) -> dict[str, Copied]:
    """Write a copy for each student of a class, ``DEST/NAME``; returns what was done for each.

    Copies that are there are brought up to date, and no work is lost. Raises :class:`CourseError`
    for a name that cannot be a folder's, or two names whose folders would be one.
    """
    course, folders = tuple(_course()), folders_of(names)
    return {
        name: copy(dest / folder, False, with_solutions, name, course=course)
        for name, folder in folders.items()
    }


def folders_of(names: Sequence[str]) -> dict[str, str]:
    """The folder of each student: the name, with what a file system refuses replaced by ``_``."""
    made: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name in names:
        folder = FORBIDDEN.sub("_", unicodedata.normalize("NFC", name)).strip(" .")
        known = taken.setdefault(folder.casefold(), name)
        if not folder or known != name or name in made:
            shared = "stands there twice" if known == name else f"has the folder of {known!r}, too"
            found = shared if folder else "is no name of a folder"
            raise CourseError(f"{name!r} {found}: give each student a name of their own")
        made[name] = folder
    return made


def names_in(file: Path) -> list[str]:
    """The names in a file: one in each line, or a table's column ``student`` or ``name``.

    Columns ``first name`` and ``surname`` are put together, in this order, as an LMS does. Raises
    :class:`CourseError` if there is no name, or if "Lovelace, Ada" stands in a file without such
    headings: it may be one name, or a row of a table.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise CourseError(f"{file} is no text in UTF-8: save it as CSV in UTF-8") from None
    first = text.partition("\n")[0]
    mark = next((mark for mark in (";", "\t", ",") if mark in first), None)
    # of a list of names nothing but quotation marks around a whole line is left out
    rows = [*csv.reader(text.splitlines(), delimiter=mark)] if mark else []
    rows = rows or [[QUOTED.sub(r"\1", line.strip())] for line in text.splitlines()]
    head = [cell.strip().casefold() for cell in rows[0]] if rows else []
    places = [next((head.index(word) for word in HEADS if word in head), None)]
    if places == [None]:  # the exports of an LMS have two columns for a name
        halves = (FIRST_NAMES, LAST_NAMES)
        places = [next((head.index(w) for w in half if w in head), None) for half in halves]
    columns = [place for place in places if place is not None]
    if not columns and (
        odd := next((row for row in rows if sum(map(bool, map(str.strip, row))) > 1), None)
    ):
        line = (mark or "").join(odd)
        raise CourseError(
            f"{file} can be read in two ways: {line!r} is one name, or a row of a table. Give its "
            "columns headings, 'name' or 'first name' and 'surname', or put each name between "
            "quotation marks"
        )
    found = [
        " ".join(row[place].strip() for place in columns or [0] if place < len(row)).strip()
        for row in rows[bool(columns) :]
    ]
    if not (found := [name for name in found if name]):
        raise CourseError(
            f"{file} holds no names: one in each line, or a column 'name', is expected"
        )
    return found


def _course() -> Iterator[tuple[Path, dict[str, Any]]]:
    """The file and the stored notebook of every chapter."""
    for chapter in chapters.chapters():
        yield chapter.path, read(chapter.path)


def _fresh(
    dest: Path, own: Path | None, solutions: bool, student: str, course: Course | None
) -> Iterator[tuple[Path, str, Callable[[Path], object]]]:
    """Every file of a copy: its path, its fingerprint, and a function that writes it to a path.

    Files beside a teacher's own chapters, such as tables, are copied too.
    """
    put = _put if course is None else write
    for path, read_ in course or _course():
        stored = read_
        stored = personal.numbers(stored, student) if student else stored
        notebook = stored if solutions else without_solutions(stored)
        yield dest / path.name, fingerprint(notebook), partial(put, notebook)
    for path in chapters.beside(own) if own else ():
        yield dest / path.name, _bytes_of(path), partial(shutil.copy, path)


def _put(notebook: dict[str, Any], target: Path) -> None:
    write(notebook, target)
    _sign(target)


def _read_record(dest: Path) -> dict[str, Any]:
    """The record of a copy; if there is none or it is damaged, every file counts as changed."""
    try:
        record = json.loads((dest / RECORD).read_text(encoding="utf-8"))
        files, student = dict(record["files"]), str(record.get("student") or "")
        return {"solutions": bool(record["solutions"]), "student": student, "files": files}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {"solutions": False, "student": "", "files": {}}


def _bytes_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _fingerprint_of(path: Path) -> str | None:
    try:
        return fingerprint(read(path)) if path.suffix == ".ipynb" else _bytes_of(path)
    except (OSError, CourseError):
        return None


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.stem}.mine{n or ''}{path.suffix}") for n in range(1000))
    return next(name for name in names if not name.exists())


def _sign(path: Path) -> None:
    """Sign a notebook as trusted, so that Jupyter shows its stored SVG at once."""
    try:
        nbformat = notebook_format()
        from nbformat.sign import NotebookNotary
    except ImportError:  # without Jupyter there is nothing to sign for
        return
    notary = NotebookNotary()  # type: ignore[no-untyped-call]
    try:
        notebook = nbformat.read(path, as_version=4)
        notary.sign(notebook)  # type: ignore[no-untyped-call]
    finally:
        notary.store.close()
