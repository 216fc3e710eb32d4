"""The command line ``fgn``: list, copy, open and check the chapters, and build them."""

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import fgnwidgets
from fgn_notebooks import build, chapters, lint, settings
from fgn_notebooks.chapters import Chapter, Copied, CourseError

DEFAULT_COPY = Path("fgn-notebooks")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 0, 1 for a fault found, 2 for a wrong call."""
    words = list(sys.argv[1:] if argv is None else argv)
    end = words.index("--") if words[:1] == ["open"] and "--" in words else len(words)
    options = _parser().parse_args(words[:end], argparse.Namespace(for_lab=words[end + 1 :]))
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except (CourseError, OSError) as error:
        print(f"fgn: {error}", file=sys.stderr)
        return 1


def list_(options: argparse.Namespace) -> int:
    """List the chapters."""
    for chapter in chapters.chapters():
        print(f"{chapter.number:>2}  {chapter.path.stem:<28}  {chapter.title}")
    return 0


def copy(options: argparse.Namespace) -> int:
    """Copy the chapters into a folder to work in."""
    done = chapters.copy(options.dest, options.force, options.with_solutions)
    _tell(done, options.dest)
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
            f"JupyterLab is not installed: {sys.executable} -m pip install jupyterlab"
        )
    chapter = chapters.find(options.chapter)
    done = chapters.copy(options.dest)
    _tell(done, options.dest)
    _keep_labs()
    command = [sys.executable, "-m", "jupyterlab", chapter.path.name, *options.for_lab]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container: JupyterLab would refuse
        command.append("--allow-root")
    with subprocess.Popen(command, cwd=options.dest) as lab:
        while True:
            try:
                return lab.wait()
            except KeyboardInterrupt:  # JupyterLab heard it too, and asks whether to stop
                continue


def check(options: argparse.Namespace) -> int:
    """Run chapters and compare with what they store."""
    chosen = _chosen(options)
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


def html_(options: argparse.Namespace) -> int:
    """Write chapters as web pages that need no network."""
    _write_pages(_chosen(options), options.folder)
    return 0


def site_(options: argparse.Namespace) -> int:
    """Build the whole site: pages, labs, and chapters that run in the reader's browser."""
    from fgn_notebooks import site

    print(site.build(options.folder, pyodide=options.pyodide, runs=not options.still))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fgn", description="The course on learning hidden variables in normal graphs."
    )
    parser.add_argument("--version", action="version", version=f"fgn {fgnwidgets.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        made.set_defaults(command=run)
        return made

    command("list", list_)

    one = command("open", open_)
    one.add_argument("chapter", nargs="?", default="0", metavar="CHAPTER", help="number or name")
    one.add_argument("--dest", type=Path, default=DEFAULT_COPY, help="your copy (%(default)s)")
    one.epilog = "What follows -- goes to JupyterLab: fgn open 3 -- --no-browser"

    one = command("copy", copy)
    one.add_argument("dest", type=Path, metavar="DEST")
    one.add_argument(
        "--force", action="store_true", help="replace changed files too, set aside first"
    )
    one.add_argument("--with-solutions", action="store_true", default=None, help="keep our answers")

    one = command("check", check)
    _choose(one)
    one.add_argument("--html", type=Path, metavar="DIR", help="write the pages as fgn html does")

    _choose(command("build", build_))

    one = command("html", html_)
    one.add_argument("folder", type=Path, metavar="DIR")
    _choose(one)

    one = command("site", site_)
    one.add_argument("folder", type=Path, metavar="DIR")
    one.add_argument(
        "--pyodide",
        type=Path,
        metavar="FOLDER",
        help="host this Pyodide: no network is needed then",
    )
    one.add_argument("--still", action="store_true", help="pages only, nothing runs in them")
    one.epilog = "Serve it with any web server: python -m http.server -d DIR"
    return parser


def _choose(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="CHAPTER", help="numbers or names; all if none")
    if parser.prog != "fgn build":
        parser.add_argument("--copy", type=Path, metavar="DEST", help="those of this copy")


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
    """What is saved is to be seen again; without that the course works as well."""
    try:
        file = settings.keep_labs()
    except OSError as error:
        print(f"fgn: labs will not be stored with their notebooks: {error}", file=sys.stderr)
        return
    if file is not None:
        print(f"Jupyter now stores labs with their notebooks; to undo that, delete {file}")


def _write_pages(chosen: Sequence[Chapter], dest: Path) -> None:
    from fgn_notebooks import site

    for page in site.write(chosen, dest):
        print(page)
