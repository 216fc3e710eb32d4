"""The command line ``fgn``: list, copy, open and check the chapters, and build them."""

import argparse
import importlib.util
import os
import signal
import subprocess
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fgn_notebooks import chapters
from fgn_notebooks.arguments import Command, parser, unknown
from fgn_notebooks.authors import build, compare, lint
from fgn_notebooks.chapters import Chapter, CourseError
from fgn_notebooks.exercises.judging import OWN_FILE, OWN_FOLDER, OwnExercisesError
from fgn_notebooks.students import copies, settings
from fgn_notebooks.students.copies import Copied


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 0, 1 for a fault found, 2 for a wrong call."""
    words = list(sys.argv[1:] if argv is None else argv)
    end = words.index("--") if words[:1] == ["open"] and "--" in words else len(words)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # escape names that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    options, odd = parser(_commands()).parse_known_args(
        words[:end], argparse.Namespace(for_lab=words[end + 1 :])
    )
    if odd:
        unknown(options.parser, odd)
    command: Command = options.command
    try:
        with _own_chapters(options.own):
            status = command(options)
            sys.stdout.flush()  # raises here if the reader has gone, as in ``fgn list | head``
            return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return 1
    except (CourseError, OSError, OwnExercisesError) as error:
        print(f"fgn: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("fgn: ended by Ctrl-C", file=sys.stderr)
        return 130


@contextmanager
def _own_chapters(folder: Path | None) -> Iterator[None]:
    """Set the folder of own chapters for this program and for the kernels that it starts."""
    before = os.environ.get(OWN_FOLDER)
    if folder is not None:
        if folder.is_dir() and not (chapters.chapters(folder) or (folder / OWN_FILE).exists()):
            raise CourseError(
                f"{folder} holds no chapter of yours: expected files named like 41_our_lake.ipynb, "
                f"or exercises in {OWN_FILE}"
            )
        os.environ[OWN_FOLDER] = str(folder.resolve())
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(OWN_FOLDER, None)
        else:
            os.environ[OWN_FOLDER] = before


def list_(options: argparse.Namespace) -> int:
    """List the chapters: number, name, minutes, which chapters come before, title."""
    listed = chapters.chapters()
    width = max((len(chapter.path.stem) for chapter in listed), default=0) - 3
    for chapter in listed:
        name = chapter.path.stem.partition("_")[2]
        minutes = f"{chapter.times} min" if chapter.times else ""
        after = f"after {', '.join(chapter.after)}" if chapter.after else ""
        print(f"{chapter.number:>2}  {name:<{width}}  {minutes:>12}  {after:<16}  {chapter.name}")
    read = sum(chapter.minutes or 0 for chapter in listed)
    both = sum(chapter.with_exercises or chapter.minutes or 0 for chapter in listed)
    if both > read:
        hours = f"{read / 60:.0f} / {both / 60:.0f} hours"
        print(f"\nMinutes to read / with the exercises; together {hours}")
    return 0


def copy(options: argparse.Namespace) -> int:
    """Copy the chapters into a folder to work in."""
    solutions = True if options.teacher else options.with_solutions
    if options.class_:
        return _copy_class(options)
    done = copies.copy(options.dest, options.force, solutions, options.student)
    _tell(done, options.dest)
    if options.teacher:
        from fgn_notebooks.teachers import pack

        pack.write(options.dest / "teacher")
        print(f"wrote the teacher's pack into {options.dest / 'teacher'}: begin with index.md")
    for name in done.kept:
        print(f"kept your {name}{' (this edition has another)' if name in done.behind else ''}")
    if not done.written and not done.kept:
        print(f"{options.dest} is up to date")
    _keep_labs()
    return 0


def _copy_class(options: argparse.Namespace) -> int:
    for word in ("student", "teacher", "force"):
        if getattr(options, word):
            raise CourseError(f"--class and --{word} do not go together: one call for each")
    names = copies.names_in(options.class_)
    done = copies.copy_class(options.dest, names, bool(options.with_solutions))
    for name, copied in done.items():
        kept = f", {len(copied.kept)} kept" if copied.kept else ""
        print(f"{name}: {len(copied.written)} files written{kept}")
    print(f"{len(done)} copies in {options.dest}: give each student the folder of their name")
    return 0


def open_(options: argparse.Namespace) -> int:
    """Open a chapter in JupyterLab."""
    if importlib.util.find_spec("jupyterlab") is None:
        raise CourseError(
            f"JupyterLab is not installed: {sys.executable} -m pip install 'fgnwidgets[lab]'"
        )
    chapter = chapters.find(options.chapter)
    done = copies.copy(options.dest)
    _tell(done, options.dest)
    _keep_labs()
    if running := _running(options.dest):
        address = _address(running, chapter.path.name)
        print(f"JupyterLab runs there already: {address}")
        if "--no-browser" not in options.for_lab:
            webbrowser.open(address)
        return 0
    command = [sys.executable, "-m", "jupyterlab", chapter.path.name, *options.for_lab]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container: JupyterLab would refuse
        command.append("--allow-root")
    with subprocess.Popen(command, cwd=options.dest) as lab:
        # A signal that ends this process must end JupyterLab too.
        before = signal.signal(signal.SIGTERM, lambda number, frame: lab.terminate())
        while True:
            try:
                return lab.wait()
            except KeyboardInterrupt:  # JupyterLab gets Ctrl-C too, and asks whether to stop
                continue
            finally:
                signal.signal(signal.SIGTERM, before)


def _running(folder: Path) -> dict[str, Any] | None:
    """The record of a JupyterLab that serves this folder; None if none does."""
    from jupyter_server.serverapp import list_running_servers

    try:
        known = list(list_running_servers())
    except OSError:  # its notes cannot be read
        return None
    here = folder.resolve()
    return next((s for s in known if Path(s.get("root_dir", "")).resolve() == here), None)


def _address(server: dict[str, Any], name: str) -> str:
    token = f"?token={server['token']}" if server.get("token") else ""
    return f"{server['url']}lab/tree/{quote(name)}{token}"


def check(options: argparse.Namespace) -> int:
    """Run chapters and compare with what they store."""
    chosen = _chosen(options)
    if note := compare.other_maker(chapters.read(chapter.path) for chapter in chosen):
        print(note)
    faulty = 0
    for chapter in chosen:
        try:
            found = build.check(chapter)
        except build.DoesNotRun as error:  # the others are still to be checked
            faulty += 1
            print(f"{chapter.path.stem}: does not run")
            print(f"fgn: {error}", file=sys.stderr)
            continue
        faulty += bool(found)
        print(f"{chapter.path.stem}: {'differs' if found else 'as stored'}")
        for fault in found:
            print(f"  {fault}")
    if options.html:
        _write_pages(chosen, options.html)
    return int(faulty > 0)


def build_(options: argparse.Namespace) -> int:
    """Run chapters of a checkout and store their outputs."""
    faulty = 0
    for chapter in _chosen(options):
        try:
            changed = build.build(chapter)
        except build.DoesNotRun as error:
            faulty += 1
            print(f"{chapter.path.stem}: not stored")
            print(f"fgn: {error}", file=sys.stderr)
            continue
        found = lint.faults(chapter.path)
        faulty += bool(found)
        print(f"{chapter.path.stem}: {'stored' if changed else 'unchanged'}")
        for fault in found:
            print(f"  {fault}")
    return int(faulty > 0)


def mark(options: argparse.Namespace) -> int:
    """Mark the copies of a class, FOLDER/student/*.ipynb, each in a kernel of its own."""
    from fgn_notebooks.teachers import marking

    chosen = [chapters.find(name) for name in options.names] or chapters.chapters()
    limits = marking.Limits(options.seconds, options.memory, options.side_by_side)
    notes: list[str] = []
    status = 0
    try:
        marks = marking.mark(
            options.folder,
            chosen,
            limits,
            options.by_folder,
            told=lambda line: print(line, flush=True),
            csv=options.csv,
            noted=notes.append,
        )
    except marking.BrokenOff as broken:
        marks, status = broken.marks, 130
        notes.append(f"broken off: {broken.left} copies are left")
        if options.csv:
            notes[-1] += f"; the same command goes on, with the marks in {options.csv}"
    if options.csv:
        print(f"wrote {options.csv}: {len(marks)} rows")
    else:
        for row in marks:
            tries = "" if row.tries is None else row.tries
            print(f"{row.student:<20} {row.exercise:<6} {row.right:<8} {tries:>5}  {row.error}")
    for note in notes:
        print(f"fgn: {note}", file=sys.stderr)
    return status


def export_(options: argparse.Namespace) -> int:
    """Write chapters as assignments for nbgrader or Otter, with our answers: for teachers."""
    from fgn_notebooks.teachers import export

    folder = _given(options, f"fgn export --{options.tool} assignments")
    write = export.nbgrader if options.tool == "nbgrader" else export.otter
    for path in write(_chosen(options), folder):
        print(path)
    return 0


def html_(options: argparse.Namespace) -> int:
    """Write chapters as web pages that need no network."""
    _write_pages(_chosen(options), _given(options, "fgn html pages"), options.solutions)
    return 0


def site_(options: argparse.Namespace) -> int:
    """Build the whole site: pages, labs, and chapters that run in the reader's browser."""
    from fgn_notebooks.authors import site

    folder = _given(options, "fgn site site")
    with ExitStack() as ends:
        if options.serve is not None:  # before the build, so that a port in use is reported first
            server = ends.enter_context(site.server(folder, options.serve))
        made = site.build(
            folder, pyodide=options.pyodide, runs=not options.still, solutions=options.solutions
        )
        print(made)
        if options.serve is not None:
            print(f"open {server.address} in a browser; Ctrl-C ends it", flush=True)
            with suppress(KeyboardInterrupt):
                server.serve_forever()
    return 0


def _commands() -> dict[str, Command]:
    return {
        "list": list_,
        "open": open_,
        "copy": copy,
        "check": check,
        "build": build_,
        "mark": mark,
        "export": export_,
        "html": html_,
        "site": site_,
    }


def _chosen(options: argparse.Namespace) -> Sequence[Chapter]:
    where = getattr(options, "copy", None)
    if options.names:
        return [chapters.find(name, where) for name in options.names]
    if not (found := chapters.chapters(where)):
        raise CourseError(f"no chapters in {where}")
    return found


def _tell(done: Copied, dest: Path) -> None:
    for name in done.set_aside:
        print(f"set aside your work as {dest / name}")
    if done.written:
        print(f"wrote into {dest}: {', '.join(done.written)}")


def _keep_labs() -> None:
    """Have labs stored with their notebooks; failing that is no error."""
    try:
        file = settings.keep_labs()
    except OSError as error:
        print(f"fgn: labs will not be stored with their notebooks: {error}", file=sys.stderr)
        return
    if file is not None:
        print(f"Jupyter now stores labs with their notebooks; to undo that, delete {file}")


def _write_pages(chosen: Sequence[Chapter], dest: Path, solutions: bool = False) -> None:
    from fgn_notebooks.authors import site

    for page in site.write(chosen, dest, solutions=solutions):
        print(page)


def _given(options: argparse.Namespace, example: str) -> Path:
    """The folder that was typed; raises :class:`CourseError` if none was."""
    if options.folder is None:
        raise CourseError(f"where to? Name a folder, such as: {example}")
    folder: Path = options.folder
    return folder
