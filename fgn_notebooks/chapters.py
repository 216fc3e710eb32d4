"""The chapters: which there are, where they lie, and copies of them to work in.

A *chapter* is a notebook ``NN_name.ipynb``, an appendix ``A_name.ipynb``. Its number stands in the
file's name and its title is its first heading, so nothing is listed twice. A *copy* is a folder of
chapters that belongs to a student, with a *record* of what was written there; a *solution* is a
cell tagged ``solution``.

A file counts as *changed* when the text of its cells is no longer what the record says. Running a
chapter does not change it, so a new edition replaces it; one typed character keeps it for good.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fgnwidgets

NUMBER = re.compile(r"(\d\d|[A-Z])_")
"""How the file of a chapter, or of an appendix, begins."""

RECORD = ".fgn-edition.json"
STUB = "answer = None  # yours; `fgn copy DEST --with-solutions` writes a copy with ours"


class CourseError(Exception):
    """What a reader of the course can put right; the message says how."""


@dataclass(frozen=True)
class Chapter:
    """One chapter: its number, its title and its file."""

    number: str
    title: str
    path: Path


@dataclass(frozen=True)
class Copied:
    """File names by what ``copy`` did with them.

    ``written`` are new or brought up to date, ``kept`` were changed by the student, ``behind`` are
    those of them for which this edition has something newer, and ``set_aside`` are the new names of
    changed files that were replaced.
    """

    written: tuple[str, ...]
    kept: tuple[str, ...]
    behind: tuple[str, ...]
    set_aside: tuple[str, ...]


def folder() -> Path:
    """The folder of the chapters: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).parent
    places = (package / "notebooks", package.parent / "notebooks")
    for place in places:
        if place.is_dir():
            return place
    raise CourseError(f"no chapters found in {places[0]} nor {places[1]}: install fgnwidgets anew")


def chapters(where: Path | None = None) -> tuple[Chapter, ...]:
    """The chapters in order, appendices last, of the package or of the copy in ``where``."""
    paths = sorted(
        path for path in (where or folder()).glob("*_*.ipynb") if NUMBER.match(path.name)
    )
    return tuple(Chapter(path.name.partition("_")[0], _title(read(path)), path) for path in paths)


def find(name: str, where: Path | None = None) -> Chapter:
    """The chapter with this number (``"3"``, ``"A"``) or file name (``"03_name"``)."""
    known = chapters(where)
    for chapter in known:
        if name in (
            chapter.number,
            chapter.number.lstrip("0") or "0",
            chapter.path.stem,
            chapter.path.name,
        ):
            return chapter
    names = ", ".join(chapter.path.stem for chapter in known) or "none"
    raise CourseError(f"no chapter {name!r} in {where or 'the course'}: there are {names}")


def read(path: Path) -> dict[str, Any]:
    """The notebook in ``path`` as it is stored."""
    try:
        notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        fingerprint(notebook)
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path} is not a notebook: {error!r}") from error
    return notebook


def dumps(notebook: Mapping[str, Any]) -> str:
    """The text of a notebook's file, laid out as Jupyter does it."""
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write(notebook: Mapping[str, Any], path: Path) -> None:
    """Store ``notebook`` in ``path``."""
    path.write_text(dumps(notebook), encoding="utf-8", newline="\n")


def source(cell: Mapping[str, Any]) -> str:
    """The text of a cell, which a file holds whole or as a list of lines."""
    return "".join(cell["source"])


def fingerprint(notebook: Mapping[str, Any]) -> str:
    """A hash of the kinds and texts of all cells; outputs and settings do not count."""
    cells = [(cell["cell_type"], source(cell)) for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def is_solution(cell: Mapping[str, Any]) -> bool:
    """Whether a plain copy leaves this cell to the student."""
    return "solution" in cell["metadata"].get("tags", ())


def without_solutions(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook with an empty stub in place of every solution.

    The cell behind a solution checks it; what it said of ours is dropped too.
    """
    cells = notebook["cells"]
    checks = [False, *map(is_solution, cells)]
    blank = [_unrun(cell) if check else cell for cell, check in zip(cells, checks, strict=False)]
    return {**notebook, "cells": [_stub(cell) if is_solution(cell) else cell for cell in blank]}


def copy(dest: Path, force: bool = False, with_solutions: bool | None = None) -> Copied:
    """Write the chapters into ``dest``, and never over a file that its student changed.

    An unchanged file of an older edition is replaced; a changed one is kept. With ``force`` a
    changed one is replaced too, after it was set aside under a new name. ``with_solutions=None``
    keeps the kind of an existing copy, and a new one is plain.

    Raises
    ------
    CourseError
        if ``dest`` is not a folder, or is the folder of the chapters themselves.
    """
    if dest.exists() and not dest.is_dir():
        raise CourseError(f"{dest} is a file: name a folder for the copy")
    if dest.resolve() == folder().resolve():
        raise CourseError(f"{dest} holds the chapters themselves: name another folder for the copy")
    dest.mkdir(parents=True, exist_ok=True)
    record = _read_record(dest)
    solutions = record["solutions"] if with_solutions is None else with_solutions
    files: dict[str, str] = record["files"]
    written, kept, behind, set_aside = [], [], [], []

    for chapter in chapters():
        name, target = chapter.path.name, dest / chapter.path.name
        stored = read(chapter.path)
        fresh = stored if solutions else without_solutions(stored)
        wanted, present = fingerprint(fresh), _fingerprint_of(target)
        changed = target.exists() and present not in (wanted, files.get(name))
        if changed and not force:
            kept.append(name)
            if files.get(name) != wanted:
                behind.append(name)
            continue
        if changed:
            set_aside.append(target.rename(_free_name(target)).name)
        if present != wanted or changed:
            write(fresh, target)
            _sign(target)
            written.append(name)
        files[name] = wanted

    record = {"edition": fgnwidgets.__version__, "solutions": solutions, "files": files}
    (dest / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return Copied(tuple(written), tuple(kept), tuple(behind), tuple(set_aside))


def _title(notebook: Mapping[str, Any]) -> str:
    headings = (source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    return next(headings, "").partition("\n")[0].lstrip("# ")


def _stub(cell: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in cell["metadata"].items() if key != "jupyter"}
    return _unrun({**cell, "source": STUB, "metadata": metadata})


def _unrun(cell: Mapping[str, Any]) -> dict[str, Any]:
    code = cell["cell_type"] == "code"
    bare: dict[str, Any] = {"outputs": [], "execution_count": None} if code else {}
    return {**cell, **bare}


def _read_record(dest: Path) -> dict[str, Any]:
    """The record of a copy. Without a readable one, every file counts as the student's."""
    try:
        record = json.loads((dest / RECORD).read_text(encoding="utf-8"))
        return {"solutions": bool(record["solutions"]), "files": dict(record["files"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {"solutions": False, "files": {}}


def _fingerprint_of(path: Path) -> str | None:
    try:
        return fingerprint(read(path))
    except (OSError, CourseError):
        return None


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.stem}.mine{n or ''}{path.suffix}") for n in range(1000))
    return next(name for name in names if not name.exists())


def _sign(path: Path) -> None:
    """Tell Jupyter that we wrote this file, so that it shows the stored SVG at once."""
    try:
        import nbformat
        from nbformat.sign import NotebookNotary
    except ImportError:  # no Jupyter here, so no one to tell
        return
    notary = NotebookNotary()  # type: ignore[no-untyped-call]
    try:
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        notary.sign(notebook)  # type: ignore[no-untyped-call]
    finally:
        notary.store.close()
