"""What a reader must read to follow one call: the lines of the definitions that it runs.

    python benchmarks/route.py            every route, a line each
    python benchmarks/route.py fit -v     one of them, file by file
    python benchmarks/route.py fit -vv    and definition by definition, with the calls of each

A definition counts whole (signature, docstring, body) and once, however often it runs; a function
inside another is part of it. Every call is made once before it is measured, so that what is kept
from call to call is there.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import fgnwidgets as fgn

PACKAGE = Path(fgn.__file__).parent
GOALS = {
    "fit": (1000, 14),
    "epochs": (850, 12),
    "posterior": (450, 10),
    "loglik": (450, 10),
    "propagate": (450, 10),
    "click": (1000, 20),
}
"""Lines and files that are wanted at most."""


def routes() -> Iterator[tuple[str, Callable[[], object]]]:
    """The calls: a small latent class model, learned and asked."""
    from fgnwidgets.widgets import GraphView

    graph = fgn.BayesGraph({"S": 2, "a": 2, "b": 3, "c": 2}, dict.fromkeys("abc", "S"))
    rng = np.random.default_rng(0)
    sizes = {"a": 2, "b": 3, "c": 2}
    table = {name: rng.integers(0, size, 60) for name, size in sizes.items()}
    theta = fgn.random_theta(graph, rng)
    view = GraphView(graph, theta)

    def click() -> None:
        view.evidence = {"a": 0 if view.evidence == {"a": 1} else 1}

    yield "fit", lambda: fgn.fit(graph, table, restarts=1, progress=False)
    yield "epochs", lambda: list(fgn.epochs(graph, table, n_epochs=3))
    yield "posterior", lambda: fgn.posterior(graph, theta, table, "S")
    yield "loglik", lambda: fgn.loglik(graph, theta, table)
    yield "propagate", lambda: fgn.propagate(graph, theta, {"a": 1})
    yield "click", click


def ran(call: Callable[[], object]) -> Counter[CodeType]:
    """The package's functions that a call runs, and how often."""
    seen: Counter[CodeType] = Counter()

    def listen(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            seen[frame.f_code] += 1

    call()
    sys.setprofile(listen)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def lines_of(code: CodeType) -> set[int]:
    """The lines of a definition, with those of what is defined in it."""
    last = max((line for *_, line in code.co_lines() if line), default=code.co_firstlineno)
    inner = (lines_of(c) for c in code.co_consts if inspect.iscode(c))
    return set(range(code.co_firstlineno, last + 1)).union(*inner)


def read(seen: Counter[CodeType]) -> dict[str, int]:
    """By file, how many lines there are to read."""
    lines: dict[str, set[int]] = {}
    for code in seen:
        lines.setdefault(code.co_filename, set()).update(lines_of(code))
    return {str(Path(file).relative_to(PACKAGE)): len(own) for file, own in lines.items()}


def definitions(seen: Counter[CodeType], file: str) -> Iterator[str]:
    """The definitions of a file that were run, in its order; one inside another is part of it."""
    codes = sorted(
        (c for c in seen if c.co_filename == str(PACKAGE / file)), key=lambda c: c.co_firstlineno
    )
    told: set[int] = set()
    for code in codes:
        lines = lines_of(code)
        if not lines <= told:
            yield f"        {len(lines - told):5}  {seen[code]:5} x  {code.co_qualname}"
        told |= lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("routes", nargs="*", metavar="route", help=", ".join(GOALS))
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="file by file; -vv: by definition"
    )
    wanted = parser.parse_args()
    print("| route | lines | files | calls | goal |\n|---|---|---|---|---|")
    for name, call in routes():
        if wanted.routes and name not in wanted.routes:
            continue
        seen = ran(call)
        files = read(seen)
        goal = "{} in {}".format(*GOALS[name])
        print(f"| `{name}` | {sum(files.values())} | {len(files)} | {seen.total()} | {goal} |")
        if wanted.verbose:
            for file, lines in sorted(files.items(), key=lambda item: -item[1]):
                print(f"    {lines:5}  {file}")
                if wanted.verbose > 1:
                    print(*definitions(seen, file), sep="\n")


if __name__ == "__main__":
    main()
