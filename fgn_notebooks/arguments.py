"""The arguments of ``fgn``: its commands, their options, and the help that it prints."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

import fgnwidgets
from fgn_notebooks.exercises.spelling import spelling

Command = Callable[[argparse.Namespace], int]

DEFAULT_COPY = Path("fgn-notebooks")
NAME = "a number, a name, or a part of a name"


def parser(runs: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The parser of ``fgn``.

    ``runs`` maps each command to its function, whose docstring is the help text. In the namespace
    that is parsed, ``command`` is this function and ``parser`` the parser of the command.
    """
    whole = argparse.ArgumentParser(
        prog="fgn", description="The course on learning hidden variables in normal graphs."
    )
    whole.add_argument("--version", action="version", version=f"fgn {fgnwidgets.__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str) -> argparse.ArgumentParser:
        run = runs[name]
        made = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        made.set_defaults(command=run, parser=made)
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
    one.add_argument(
        "--student", type=_name, metavar="NAME", help="draw the exercises' numbers from this name"
    )
    one.add_argument(
        "--class",
        dest="class_",
        type=_readable,
        metavar="FILE",
        help="a copy for each name in a file, such as names.csv: DEST/NAME",
    )

    one = command("check")
    _choose(one)
    one.add_argument("--html", type=_folder, metavar="DIR", help="write the pages as fgn html does")

    _choose(command("build"), of_a_copy=False)

    one = command("mark")
    one.add_argument("folder", type=_folder, metavar="FOLDER")
    _choose(one, of_a_copy=False)
    one.add_argument(
        "--csv", type=_file, metavar="FILE", help="write the table, and do not print it"
    )
    one.add_argument(
        "--by-folder",
        action="store_true",
        help="judge by the numbers of the folder's name, whatever name a copy holds",
    )
    one.add_argument(
        "--seconds", type=_seconds, default=120, help="time for each copy (%(default)s)"
    )
    one.add_argument(
        "--memory",
        type=_count,
        default=2048,
        metavar="MB",
        help="memory for each copy (%(default)s)",
    )
    one.add_argument(
        "--side-by-side",
        type=_count,
        default=2,
        metavar="N",
        help="copies at a time (%(default)s)",
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
        type=_port,
        nargs="?",
        const=8000,
        metavar="PORT",
        help="then show it on this machine, at http://127.0.0.1:%(const)s, until Ctrl-C",
    )
    one.epilog = "Any web server can host DIR, such as: python -m http.server -d DIR"
    return whole


def unknown(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Exit with an error on words that a command does not know; name the most similar option."""
    options = [word for action in parser._actions for word in action.option_strings]
    near = get_close_matches(words[0].partition("=")[0], options, n=1)
    parser.error(
        f"{parser.prog} does not know {' '.join(words)}"
        + (f": did you mean {near[0]}?" if near else "")
    )


def _choose(parser: argparse.ArgumentParser, of_a_copy: bool = True) -> None:
    # Without a default, argparse reports CHAPTER as missing whenever another argument is.
    parser.add_argument(
        "names", nargs="*", default=(), metavar="CHAPTER", help=f"{NAME}; all if none"
    )
    if of_a_copy:
        parser.add_argument("--copy", type=_folder, metavar="DEST", help="those of this copy")


def _folder(text: str) -> Path:
    if not text.strip():
        raise _not(text, "an empty name", "type that of a folder, such as course")
    if Path(text).exists() and not Path(text).is_dir():
        raise _not(text, "a file", "name a folder")
    return Path(text)


def _file(text: str) -> Path:
    if not text.strip() or Path(text).is_dir():
        raise _not(text, "a folder" if text.strip() else "an empty name", "name a file")
    if not Path(text).parent.is_dir():
        raise _not(text, f"in no folder that exists, {Path(text).parent}", "make that first")
    return Path(text)


def _readable(text: str) -> Path:
    if not Path(text).is_file():
        raise _not(text, "no file", "name one with a student's name in each line")
    return Path(text)


def _name(text: str) -> str:
    if not text.strip():
        raise _not(text, "an empty name", "type the student's, such as 'Ada Lovelace'")
    if not spelling(text):
        raise _not(text, "a name without a letter", "type the student's, such as 'Ada Lovelace'")
    if not text.isprintable():  # such as bytes from a terminal that does not use UTF-8
        raise _not(text, "no text in this terminal's coding", "type the name in UTF-8")
    return text


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise _not(text, "no time", "expected a number of seconds above 0, such as 120")


def _count(text: str) -> int:
    if not text.strip().isdecimal() or not int(text):
        raise _not(text, "no count", "expected a whole number above 0")
    return int(text)


def _port(text: str) -> int:
    if not text.strip().isdecimal() or int(text) > 65535:
        raise _not(text, "no port", "expected a whole number from 0 to 65535, such as 8080")
    return int(text)


def _not(text: str, found: str, expected: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"{text!r} is {found}: {expected}")
