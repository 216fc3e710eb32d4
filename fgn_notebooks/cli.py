"""The command line ``fgn``: list, copy, open and check the chapters, and build them."""

import argparse
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path

from fgn_notebooks import build, chapters, compare, copies, lint, settings
from fgn_notebooks.arguments import Command, parser, unknown
from fgn_notebooks.chapters import Chapter, CourseError
from fgn_notebooks.copies import Copied
from fgn_notebooks.exercises.judging import OWN_FILE, OWN_FOLDER, OwnExercisesError


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
        minutes = f"{chapter.minutes} min" if chapter.minutes else ""
        after = f"after {', '.join(chapter.after)}" if chapter.after else ""
        print(f"{chapter.number:>2}  {name:<{width}}  {minutes:>6}  {after:<16}  {chapter.name}")
    return 0


def copy(options: argparse.Namespace) -> int:
    """Copy the chapters into a folder to work in."""
    solutions = True if options.teacher else options.with_solutions
    done = copies.copy(options.dest, options.force, solutions, options.student)
    _tell(done, options.dest)
    if options.teacher:
        from fgn_notebooks import teacher

        teacher.write(options.dest / "teacher")
        print(f"wrote the teacher's pack into {options.dest / 'teacher'}: begin with index.md")
    for name in done.kept:
        print(f"kept your {name}{' (this edition has another)' if name in done.behind else ''}")
    if not done.written and not done.kept:
        print(f"{options.dest} is up to date")
    _keep_labs()
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


def check(options: argparse.Namespace) -> int:
    """Run chapters and compare with what they store."""
    chosen = _chosen(options)
    if note := compare.other_maker(chapters.read(chapter.path) for chapter in chosen):
        print(note)
    faulty = 0
    for chapter in chosen:
        found = build.check(chapter)
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
        changed = build.build(chapter)
        found = lint.faults(chapter.path)
        faulty += bool(found)
        print(f"{chapter.path.stem}: {'stored' if changed else 'unchanged'}")
        for fault in found:
            print(f"  {fault}")
    return int(faulty > 0)


def mark(options: argparse.Namespace) -> int:
    """Mark the copies of a class, FOLDER/student/*.ipynb, each in a kernel of its own."""
    from fgn_notebooks import marking

    chosen = [chapters.find(name) for name in options.names] or chapters.chapters()
    limits = marking.Limits(options.seconds, options.memory, options.side_by_side)
    marks = marking.mark(options.folder, chosen, limits, options.by_folder, told=print)
    if options.csv:
        marking.write_csv(marks, options.csv)
        print(f"wrote {options.csv}: {len(marks)} rows")
    else:
        for row in marks:
            tries = "" if row.tries is None else row.tries
            print(f"{row.student:<20} {row.exercise:<6} {row.right:<8} {tries:>5}  {row.error}")
    return 0


def export_(options: argparse.Namespace) -> int:
    """Write chapters as assignments for nbgrader or Otter, with our answers: for teachers."""
    from fgn_notebooks import export

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
    from fgn_notebooks import site

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
    from fgn_notebooks import site

    for page in site.write(chosen, dest, solutions=solutions):
        print(page)


def _given(options: argparse.Namespace, example: str) -> Path:
    """The folder that was typed; raises :class:`CourseError` if none was."""
    if options.folder is None:
        raise CourseError(f"where to? Name a folder, such as: {example}")
    folder: Path = options.folder
    return folder
