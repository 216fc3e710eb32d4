"""What one may type after ``fgn``: commands, their options, and the help that is printed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import fgnwidgets

Command = Callable[[argparse.Namespace], int]

DEFAULT_COPY = Path("fgn-notebooks")
NAME = "a number, a name, or a part of a name"


def parser(runs: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The parser of ``fgn``; ``runs`` has a function for each command, whose docstring is its help.

    It reads a namespace with the function as ``command``.
    """
    whole = argparse.ArgumentParser(
        prog="fgn", description="The course on learning hidden variables in normal graphs."
    )
    whole.add_argument("--version", action="version", version=f"fgn {fgnwidgets.__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str) -> argparse.ArgumentParser:
        run = runs[name]
        made = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        made.set_defaults(command=run)
        made.add_argument(
            "--own", type=_folder, metavar="FOLDER", help="your own chapters, beside the course's"
        )
        return made

    command("list")

    one = command("open")
    one.add_argument("chapter", nargs="?", default="0", metavar="CHAPTER", help=NAME)
    one.add_argument("--dest", type=_folder, default=DEFAULT_COPY, help="your copy (%(default)s)")
    one.epilog = "What follows -- goes to JupyterLab: fgn open 3 -- --no-browser"

    one = command("copy")
    one.add_argument("dest", type=_folder, metavar="DEST")
    one.add_argument(
        "--force", action="store_true", help="replace changed files too, set aside first"
    )
    one.add_argument(
        "--with-solutions",
        "--solutions",
        action="store_true",
        default=None,
        help="with our answers to the exercises",
    )
    one.add_argument(
        "--teacher", action="store_true", help="with our answers, plans of lessons and slides"
    )
    one.add_argument("--student", metavar="NAME", help="draw the exercises' numbers from this name")

    one = command("check")
    _choose(one)
    one.add_argument("--html", type=_folder, metavar="DIR", help="write the pages as fgn html does")

    _choose(command("build"))

    one = command("mark")
    one.add_argument("folder", type=_folder, metavar="FOLDER")
    one.add_argument("names", nargs="*", metavar="CHAPTER", help=f"{NAME}; all if none")
    one.add_argument(
        "--csv", type=Path, metavar="FILE", help="write the table, and do not print it"
    )
    one.add_argument(
        "--by-folder",
        action="store_true",
        help="judge by the numbers of the folder's name, whatever name a copy holds",
    )
    one.add_argument("--seconds", type=float, default=120, help="time for each copy (%(default)s)")
    one.add_argument(
        "--memory", type=int, default=2048, metavar="MB", help="memory for each copy (%(default)s)"
    )
    one.add_argument(
        "--side-by-side", type=int, default=2, metavar="N", help="copies at a time (%(default)s)"
    )

    one = command("export")
    one.add_argument("folder", type=_folder, nargs="?", metavar="DIR")
    _choose(one)
    tools = one.add_mutually_exclusive_group(required=True)
    for tool in ("nbgrader", "otter"):
        tools.add_argument(f"--{tool}", dest="tool", action="store_const", const=tool)

    one = command("html")
    one.add_argument("folder", type=_folder, nargs="?", metavar="DIR")
    _choose(one)
    one.add_argument("--solutions", action="store_true", help="with our answers, folded away")

    one = command("site")
    one.add_argument("folder", type=_folder, nargs="?", metavar="DIR")
    one.add_argument(
        "--pyodide",
        type=_folder,
        metavar="FOLDER",
        help="host this Pyodide: no network is needed then",
    )
    one.add_argument("--still", action="store_true", help="pages only, nothing runs in them")
    one.add_argument("--solutions", action="store_true", help="with our answers, folded away")
    one.add_argument(
        "--serve",
        type=int,
        nargs="?",
        const=8000,
        metavar="PORT",
        help="then show it on this machine, at http://127.0.0.1:%(const)s, until Ctrl-C",
    )
    one.epilog = "Any web server can host DIR, such as: python -m http.server -d DIR"
    return whole


def _choose(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="CHAPTER", help=f"{NAME}; all if none")
    if parser.prog != "fgn build":
        parser.add_argument("--copy", type=_folder, metavar="DEST", help="those of this copy")


def _folder(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty name: type that of a folder, such as course")
    return Path(text)
