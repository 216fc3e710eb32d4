"""Epochs and cores: how soon learning arrives, with SQUAREM and without, on one thread and on all.

    python benchmarks/arrive.py            both
    python benchmarks/arrive.py epochs     some of the sections

``epochs``: E-steps until ``loglik`` is within .001 of where that start ends, four starts each, EM
beside SQUAREM (``turboEM`` in R has the same rules). They are counts: no machine changes them, and
an end may be another one than that of EM, which is told. ``work``: the restarts that an epoch
computes, beside a loop that goes on with all of them until the last has settled. ``workers``: 20
restarts on 10,000 rows, and one on 200,000, in seconds of the clock, beside the ceiling: as many
processes as there are cores, each of which does all of the work on one thread at that moment, with
no lock in common. What the cores share, and other programs take, bounds both, so how near threads
come to it says something on a busy machine too.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from functools import partial

import timing  # isort: split

import numpy as np
from timing import Goal

import fgnwidgets as fg
from fgn_notebooks.data import carcinoma
from fgnwidgets.learning.workers import cores

NEAR = 1e-3
STARTS = 4
LONGEST = 6000


def classes(count: int, variables: dict[str, int]) -> fg.BayesGraph:
    return fg.BayesGraph({"S": count, **variables}, dict.fromkeys(variables, "S"))


def items(number: int, count: int, n: int, apart: float, blanks: float, seed: int):
    """Binary items of ``count`` classes, whose probabilities lie ``apart`` around a half."""
    rng = np.random.default_rng(seed)
    names = [f"X{k}" for k in range(number)]
    theta = {"S": np.full((1, count), 1 / count)}
    for name in names:
        yes = np.clip(0.5 + apart * rng.standard_normal(count), 0.05, 0.95)
        theta[f"{name}|S"] = np.stack([yes, 1 - yes], axis=1)
    graph = classes(count, dict.fromkeys(names, 2))
    drawn = fg.sample(graph, theta, n, rng)
    return graph, {name: np.where(rng.random(n) < blanks, -1, drawn[name]) for name in names}


def panel():
    """600 people, who were asked six times one question with four answers; three hidden states."""
    graph = fg.hmm(3, 4, 6)
    theta = {
        "start": [[0.6, 0.3, 0.1]],
        "transition": [[0.85, 0.1, 0.05], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]],
        "emission": [[0.55, 0.25, 0.15, 0.05], [0.2, 0.4, 0.25, 0.15], [0.1, 0.15, 0.3, 0.45]],
    }
    drawn = fg.sample(graph, theta, 600, np.random.default_rng(1))
    return graph, {name: column for name, column in drawn.items() if name.startswith("X")}


def slides():
    return classes(4, dict.fromkeys(carcinoma(), 2)), carcinoma()


TABLES = {  # what it is, and how many times fewer epochs were asked for
    "panel of 600 people, 6 waves": (panel, 4.0),
    "ten binary items with blanks": (lambda: items(10, 3, 500, 0.25, 0.2, 2), 2.0),
    "slides, four kinds": (slides, 1.8),
    "twelve clear items": (lambda: items(12, 3, 1000, 0.45, 0.0, 5), 1.0),
}


def needed(run: fg.Run) -> list[int]:
    """The epochs of every restart until it is near its end."""
    return [int(np.argmax(h >= h[-1] - NEAR)) for h in run.loglik.T]


def epochs() -> list[Goal]:
    goals = []
    for name, (make, limit) in TABLES.items():
        graph, table = make()
        how = {"restarts": STARTS, "n_epochs": LONGEST, "record": ("loglik",), "progress": False}
        em = fg.fit(graph, table, accelerate=False, tol=1e-11, **how)
        ours = fg.fit(graph, table, accelerate=True, tol=1e-9, **how)
        print(f"  {name:<32} EM {needed(em)}  SQUAREM {needed(ours)}")
        print(f"  {'':<32} ends {em.final_loglik.round(3)}  {ours.final_loglik.round(3)}")
        ratio = float(np.median(np.divide(needed(em), needed(ours))))
        goals.append(Goal(f"{name}: times fewer epochs, the median start", ratio, ">=", limit))
    return goals


def work() -> list[Goal]:
    """A settled restart is computed no further."""
    graph, table = items(10, 3, 500, 0.25, 0.2, 2)
    goals = []
    for accelerate in (False, True):
        run = fg.fit(graph, table, restarts=6, n_epochs=LONGEST, accelerate=accelerate)
        own = [int((h != h[-1]).sum()) + 1 for h in run.loglik.T]
        what = "SQUAREM" if accelerate else "EM"
        ratio = len(own) * run.n_epochs / sum(own)
        print(f"  {what:<44} epochs of six restarts: {own}")
        goals.append(Goal(f"{what}: work that all would cost until the last", ratio, ">=", 1.3))
    return goals


def many_columns(n: int):
    """Four classes over twenty columns of two to five states, and a table drawn from them."""
    rng = np.random.default_rng(0)
    sizes = {f"X{k}": int(rng.integers(2, 6)) for k in range(20)}
    graph = classes(4, sizes)
    drawn = fg.sample(graph, fg.random_theta(graph, rng), n, rng)
    return graph, {name: drawn[name] for name in sizes}


def sixty_epochs(work, restarts: int, threads: int) -> fg.Run:
    graph, table = work
    return fg.fit(
        graph, table, restarts=restarts, n_epochs=60, tol=0, record=("loglik",),
        workers=threads, progress=False,
    )  # fmt: skip


def on_demand(n: int, restarts: int) -> None:
    """Do the work on one thread whenever a line comes in, and say when it is done."""
    work = many_columns(n)
    sixty_epochs(work, restarts, 1)
    print("ready", flush=True)
    for _ in sys.stdin:
        sixty_epochs(work, restarts, 1)
        print("done", flush=True)


@contextmanager
def processes(count: int, n: int, restarts: int):
    """A function that lets so many processes do the work once, all at the same time."""
    command = [sys.executable, __file__, "--on-demand", str(n), str(restarts)]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        others = [
            stack.enter_context(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))
            for _ in range(count)
        ]
        for other in others:
            other.stdout.readline()

        def at_once() -> None:
            for other in others:
                other.stdin.write("again\n")
                other.stdin.flush()
            for other in others:
                other.stdout.readline()

        yield at_once
        for other in others:
            other.stdin.close()


def workers() -> list[Goal]:
    goals = []
    for restarts, n in ((20, 10_000), (1, 200_000)):
        work = many_columns(n)
        seconds: dict[str, list[float]] = {"one": [], "threads": [], "processes": []}
        ends = {}

        def timed(name: str, what, spent=seconds):
            begun = time.perf_counter()
            result = what()
            spent[name].append(time.perf_counter() - begun)
            return result

        with processes(cores(), n, restarts) as at_once:
            for _ in range(6):
                for name, count in (("one", 1), ("threads", cores())):
                    run = timed(name, partial(sixty_epochs, work, restarts, count))
                    ends[name] = run.loglik
                timed("processes", at_once)
        if not (ends["one"] == ends["threads"]).all():
            raise SystemExit("the numbers depend on the number of workers")
        one, threads, apart = (float(np.median(spent[1:])) for spent in seconds.values())
        what = f"{restarts} restart{'s' * (restarts > 1)} on {n:,} rows"
        ceiling = cores() * one / apart
        print(f"  {what:<32} {one:.2f} s, {threads:.2f} s on {cores()} threads")
        print(f"  {'':<32} {cores()} processes do {ceiling:.2f} times the work of one")
        goals.append(Goal(f"{what}: times faster on {cores()} cores", one / threads, ">=", 1.7))
        goals.append(Goal("  the same of what processes gain", one / threads / ceiling, ">=", 0.9))
    return goals


SECTIONS = {"epochs": epochs, "work": work, "workers": workers}


def main(asked: list[str]) -> None:
    if asked[:1] == ["--on-demand"]:
        on_demand(*map(int, asked[1:]))
        return
    print(timing.machine(["numpy"]))
    goals = []
    for name in asked or SECTIONS:
        print(f"\n{name}")
        goals += SECTIONS[name]()
    print()
    for goal in goals:
        print(goal)


if __name__ == "__main__":
    main(sys.argv[1:])
