"""The engine beside its peers: every speed goal as a ratio, measured in one run.

    python benchmarks/engine.py            all goals
    python benchmarks/engine.py deep soft  some of the sections

Sections: ``small`` and ``large`` (one hidden variable, N = 400 and a million), ``restarts``,
``soft``, ``deep``, ``queries``, ``import``. Every contender has to reach the same values, or the
run stops.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial

import timing  # isort: split

import numpy as np
import peers
import plain
from numpy.typing import NDArray
from timing import Goal, interleave

import fgnwidgets as fgn

EPOCHS = 60
ONE_LATENT = fgn.BayesGraph({"S": 4, "X1": 2, "X2": 2, "X3": 3}, {"X1": "S", "X2": "S", "X3": "S"})
ONE_LATENT_TRUTH = {  # section 7.1
    "S": np.full((1, 4), 0.25),
    "X1|S": np.array([[0.1, 0.9], [0.1, 0.9], [0.9, 0.1], [0.3, 0.7]]),
    "X2|S": np.array([[0.1, 0.9], [0.99, 0.01], [0.5, 0.5], [0.2, 0.8]]),
    "X3|S": np.array([[0.1, 0.89, 0.01], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]),
}
DEEP_SIZES = {"S1": 4, "S2": 2, "S3": 3, "Y1": 3, "Y2": 4, "X1": 3, "X2": 2, "X3": 3}
DEEP_PARENTS = {  # section 7.2
    "Y1": ("S1",),
    "Y2": ("S1", "S2"),
    "X1": ("Y1",),
    "X2": ("Y1",),
    "X3": ("Y2", "S3"),
}
DEEP = fgn.BayesGraph(DEEP_SIZES, DEEP_PARENTS)
HIDDEN = ("S1", "S2", "S3", "Y1", "Y2")
SEEN = ("X1", "X2", "X3")


def one_latent(n: int, goals: Mapping[str, float], rounds: int) -> list[Goal]:
    """60 epochs of EM with the exact log-likelihood of each, from the raw table."""
    table = _observed(ONE_LATENT, ONE_LATENT_TRUTH, n)
    columns = [table[name] for name in SEEN]
    start = fgn.random_theta(ONE_LATENT, np.random.default_rng(1))
    run = partial(
        fgn.fit, ONE_LATENT, table, theta=start, restarts=1, n_epochs=EPOCHS, tol=0, progress=False
    )
    contenders: dict[str, Callable[[], object]] = {
        "fgnwidgets": partial(run, record=("loglik",)),
        "fgnwidgets, aggregated too": run,
        "plain NumPy, folded": partial(plain.one_latent_em, start, columns, EPOCHS),
    }
    if peers.FOUND["stepmix"]:
        stacked = np.stack(columns, axis=1)
        contenders["stepmix"] = partial(peers.stepmix_em, start, stacked, EPOCHS)
    if peers.FOUND["pgmpy"]:
        import pandas

        frame = pandas.DataFrame(table)
        for learner in peers.PGMPY_LEARNERS:
            contenders[f"pgmpy, {learner}"] = partial(peers.pgmpy_em, learner, start, frame, EPOCHS)
    seconds, results = interleave(contenders, rounds=rounds)
    history = results["plain NumPy, folded"][1]
    for name in ("fgnwidgets", "fgnwidgets, aggregated too"):
        _agree(name, results[name].loglik[:, 0], history, 1e-11)
    others = [name for name in seconds if name.startswith(tuple(goals))]
    for name in others:
        _agree(name, plain.one_latent_loglik(results[name], columns), history[-1], 1e-6)
    what = f"N = {n:,}: times faster than"
    own = seconds["fgnwidgets"]
    return [
        Goal(f"{what} {name}", seconds[name] / own, ">=", goals[name.split(",")[0]])
        for name in others
    ]


def restarts() -> list[Goal]:
    """A thousand random starts in one batch, against one."""
    table = _observed(ONE_LATENT, ONE_LATENT_TRUTH, 400)
    run = partial(
        fgn.fit, ONE_LATENT, table, n_epochs=EPOCHS, tol=0, record=("loglik",), progress=False
    )
    seconds, results = interleave(
        {"one": partial(run, restarts=1), "a thousand": partial(run, restarts=1000)}, rounds=7
    )
    _agree("a thousand", results["a thousand"].loglik[:, 0], results["one"].loglik[:, 0], 1e-11)
    return [
        Goal("1,000 restarts, in runs of one", seconds["a thousand"] / seconds["one"], "<=", 60)
    ]


def soft() -> list[Goal]:
    """One step of ML on a million soft messages, through the public rule."""
    goals = []
    for size in (3, 8, 32):
        rng = np.random.default_rng(size)
        theta = fgn.row_normalize(rng.random((size, size)))
        f, b = (fgn.normalize(rng.random((size, 1_000_000))) for _ in "fb")
        seconds, results = interleave(
            {
                f"fgnwidgets.ml, M = {size}": partial(fgn.ml, theta, f, b),
                f"plain NumPy in chunks, M = {size}": partial(plain.ml_in_chunks, theta, f, b),
            },
            rounds=7,
        )
        own, best = seconds.values()
        _agree("fgnwidgets.ml", *results.values(), 1e-11)
        goals.append(
            Goal(f"soft messages, N = 1,000,000, M = {size}: of plain NumPy", own / best, "<=", 2)
        )
    return goals


def deep() -> list[Goal]:
    """600 epochs of ML with Nit 3 on the eight variables of section 7.2, N = 100."""
    table = _observed(DEEP, fgn.random_theta(DEEP, np.random.default_rng(2)), 100)
    start = fgn.random_theta(DEEP, np.random.default_rng(3))
    columns = [table[name] for name in SEEN]
    run = partial(
        fgn.fit, DEEP, table, theta=start, restarts=1, n_epochs=600, n_it=3, tol=0, progress=False
    )
    seconds, results = interleave(
        {
            "fgnwidgets": partial(run, record=("loglik",)),
            "fgnwidgets, aggregated too": run,
            "plain NumPy": partial(plain.deep_ml, start, columns, 600, 3),
        },
        rounds=7,
    )
    for name in ("fgnwidgets", "fgnwidgets, aggregated too"):
        _agree(name, results[name].loglik[:, 0], results["plain NumPy"][1], 1e-9)
    for name, t in seconds.items():
        print(f"  {name:<44}{1e3 * t / 600:>14,.3f} ms an epoch")
    ratio = seconds["fgnwidgets"] / seconds["plain NumPy"]
    return [Goal("deep graph, 600 epochs, ML, Nit 3: of plain NumPy", ratio, "<=", 4)]


def queries() -> list[Goal]:
    """The posteriors of five hidden variables for a thousand rows of evidence, in one call."""
    theta = fgn.random_theta(DEEP, np.random.default_rng(2))
    table = _observed(DEEP, theta, 1000)

    def own() -> dict[str, NDArray[np.float64]]:
        messages = fgn.propagate(DEEP, theta, table)
        return {name: messages[name].p for name in HIDDEN}

    contenders: dict[str, Callable[[], object]] = {"fgnwidgets": own}
    if peers.FOUND["pyagrum"]:
        agrum = peers.PyAgrumQueries(DEEP_SIZES, DEEP_PARENTS, theta, HIDDEN)
        rows = [{name: int(table[name][n]) for name in SEEN} for n in range(1000)]
        contenders["pyagrum"] = partial(agrum, rows)
    seconds, results = interleave(contenders, rounds=7)
    for name, t in seconds.items():
        print(f"  {name:<44}{1000 / t:>14,.0f} rows a second")
    if "pyagrum" not in results:
        return []
    for name in HIDDEN:
        _agree(f"pyagrum, {name}", results["pyagrum"][name], results["fgnwidgets"][name], 1e-9)
    ratio = seconds["pyagrum"] / seconds["fgnwidgets"]
    return [Goal("1,000 posterior queries: times the rate of pyagrum", ratio, ">=", 100)]


def imports() -> list[Goal]:
    """``import fgnwidgets`` in a fresh interpreter, beside ``import numpy``."""
    seconds = timing.interleaved_imports(("numpy", "fgnwidgets"), rounds=21)
    more = 1e3 * (seconds["fgnwidgets"] - seconds["numpy"])
    return [Goal("import fgnwidgets, more than import numpy", more, "<=", 30, "ms")]


SECTIONS: Mapping[str, Callable[[], list[Goal]]] = {
    "small": partial(one_latent, 400, {"stepmix": 5, "pgmpy": 100}, rounds=9),
    "large": partial(one_latent, 1_000_000, {"stepmix": 500, "pgmpy": 100}, rounds=7),
    "restarts": restarts,
    "soft": soft,
    "deep": deep,
    "queries": queries,
    "import": imports,
}


def _observed(
    graph: fgn.BayesGraph, theta: Mapping[str, NDArray[np.float64]], n: int
) -> dict[str, NDArray[np.intp]]:
    """``n`` samples of the observed variables, as a raw table of codes."""
    drawn = fgn.sample(graph, theta, n, np.random.default_rng(0))
    return {name: drawn[name] for name in SEEN}


def _agree(name: str, found: object, expected: object, tolerance: float) -> None:
    """Stop the run where a contender did other work than it was asked for."""
    here, there = np.asarray(found), np.asarray(expected)
    off = float(np.max(np.abs(here - there) / np.maximum(1.0, np.abs(there))))
    print(f"  {name}: same values within {off:.1e}")
    if not off <= tolerance:
        raise SystemExit(f"{name} is off by {off:.3g}, more than {tolerance:g}")


def main(names: list[str]) -> None:
    distributions = ("numpy", "fgnwidgets", *peers.DISTRIBUTIONS)
    note = "FGrnLib is a C++ library that no package registry carries: skipped"
    timing.run_sections(SECTIONS, names, distributions, note)


if __name__ == "__main__":
    main(sys.argv[1:])
