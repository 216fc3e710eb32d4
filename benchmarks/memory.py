"""Memory and time of large requests, each in a process of its own (see README).

python benchmarks/memory.py              all of them, some minutes
python benchmarks/memory.py posterior    some of them
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import timing  # isort: split

import numpy as np
from timing import Goal

import fgnwidgets as fgn


def posterior() -> list[Goal]:
    """A million rows of eight columns, few of them different, one query each."""
    graph, table = _classes(8, 3, 1_000_000)
    theta = fgn.random_theta(graph, np.random.default_rng(1))
    before, begun = _peak(), time.perf_counter()
    fgn.posterior(graph, theta, table, "S")
    seconds = time.perf_counter() - begun
    return [
        Goal("posterior of 1,000,000 x 8", seconds, "<=", 0.5, "s"),
        Goal("  above the table", _peak() - before, "<=", 0.2, "GB"),
    ]


def restarts() -> list[Goal]:
    """10,000 different rows x 50 columns x 100 restarts; two epochs show the peak."""
    graph, table = _classes(50, 2, 10_000)
    fgn.fit(graph, table, restarts=100, n_epochs=2, tol=0, progress=False)
    return [Goal("fit, 10,000 x 50 x 100 restarts", _peak(), "<=", 1, "GB")]


def rows() -> list[Goal]:
    """1,000,000 different rows x 20 columns x 10 restarts; one epoch shows the peak."""
    graph, table = _classes(20, 2, 1_000_000)
    fgn.fit(graph, table, restarts=10, n_epochs=1, tol=0, progress=False)
    return [Goal("fit, 1,000,000 x 20 x 10 restarts", _peak(), "<=", 4, "GB")]


SECTIONS: dict[str, Callable[[], list[Goal]]] = {
    "posterior": posterior,
    "restarts": restarts,
    "rows": rows,
}


def _classes(columns: int, states: int, n: int) -> tuple[fgn.BayesGraph, dict[str, np.ndarray]]:
    """A hidden class with independent columns, and random rows."""
    names = [f"x{k}" for k in range(columns)]
    graph = fgn.BayesGraph({"S": 3, **dict.fromkeys(names, states)}, dict.fromkeys(names, "S"))
    rng = np.random.default_rng(0)
    return graph, {name: rng.integers(0, states, n) for name in names}


def _peak() -> float:
    """The largest memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main(names: list[str]) -> None:
    if names[:1] == ["--here"]:
        print("\n".join(map(str, SECTIONS[names[1]]())))
        return
    print(timing.machine(("numpy", "fgnwidgets")))
    for name in names or SECTIONS:
        subprocess.run([sys.executable, __file__, "--here", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
