"""One thread, one run, medians: how the benchmarks measure.

Vocabulary
    contender    a function that does the whole of a piece of work and returns its result
    interleaved  every contender runs once in each round, so that a busy moment of the machine
                 strikes all of them; ratios hold where absolute times drift
    seconds      CPU seconds of this process, which other programs on the machine do not lengthen

Import this module before NumPy: BLAS reads the number of its threads once.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # they force BLAS to another kernel
    os.environ.pop(_name, None)

import importlib.metadata  # noqa: E402
import platform  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Mapping, Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402

import numpy as np  # noqa: E402

TURN = 0.1
"""CPU seconds that a contender runs for in each round."""

Contenders = Mapping[str, Callable[[], object]]


@dataclass(frozen=True)
class Goal:
    """A measured ratio beside what it should be: at least, or at most, ``limit``."""

    what: str
    ratio: float
    sign: str
    limit: float
    unit: str = "x"

    @property
    def met(self) -> bool:
        return self.ratio >= self.limit if self.sign == ">=" else self.ratio <= self.limit

    def __str__(self) -> str:
        verdict = "met" if self.met else "MISSED"
        ratio = f"{self.ratio:,.0f}" if self.ratio >= 100 else f"{self.ratio:.2f}"
        goal = f"{self.sign} {self.limit:g} {self.unit}"
        return f"{self.what:<62}{ratio:>8} {self.unit:<3}{goal:>10}  {verdict}"


def interleave(
    contenders: Contenders, *, rounds: int, budget: float = 20.0
) -> tuple[dict[str, float], dict[str, object]]:
    """Median CPU seconds of each contender, and its first result.

    In each round a contender runs until it has used :data:`TURN` seconds, once at least: what the
    one before it left in the caches weighs on the first of these runs only, and the round counts
    their mean. The first round only warms up, except for a contender that has used its budget of
    seconds: it sits out the rounds that follow.
    """
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    results: dict[str, object] = {}
    for _ in range(rounds + 1):
        for name, work in contenders.items():
            if sum(spent[name]) > budget:
                continue
            runs, begun, used = 0, time.process_time(), 0.0
            while used < TURN:
                result = work()
                runs, used = runs + 1, time.process_time() - begun
            spent[name].append(used / runs)
            results.setdefault(name, result)
    seconds = {name: statistics.median(t[1:] or t) for name, t in spent.items()}
    for name, median in seconds.items():
        runs = max(1, len(spent[name]) - 1)
        print(f"  {name:<44}{1e3 * median:>14,.3f} ms   median of {runs}")
    return seconds, results


def interleaved_imports(modules: Sequence[str], *, rounds: int) -> dict[str, float]:
    """Median wall seconds in which a fresh interpreter imports each module and ends.

    Bytecode is there, as it is after an installation: the first round writes it to a folder that is
    thrown away.
    """
    spent: dict[str, list[float]] = {name: [] for name in modules}
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(rounds + 1):
            for name in modules:
                begun = time.perf_counter()
                command = [sys.executable, "-c", f"import {name}"]
                subprocess.run(command, check=True, env=environment)
                spent[name].append(time.perf_counter() - begun)
    seconds = {name: statistics.median(t[1:]) for name, t in spent.items()}
    for name, median in seconds.items():
        print(f"  import {name:<37}{1e3 * median:>14,.1f} ms   median of {rounds}")
    return seconds


def machine(distributions: Sequence[str]) -> str:
    """What was measured on what: processor, load, versions."""
    found = []
    for name in distributions:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} not installed, skipped")
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    load = ", ".join(f"{x:.2f}" for x in os.getloadavg())
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, one thread each; load {load}\n"
        f"Python {platform.python_version()}, {', '.join(found)}\n"
        f"BLAS {blas['name']} {blas['version']}"
    )


def run_sections(
    sections: Mapping[str, Callable[[], list[Goal]]],
    names: Sequence[str],
    distributions: Sequence[str] = ("numpy", "fgnwidgets"),
    note: str = "",
) -> None:
    """Run the sections of these names, or all; then print their goals and the load at the end."""
    unknown = [name for name in names if name not in sections]
    if unknown:
        raise SystemExit(f"no section {unknown[0]!r}: there are {', '.join(sections)}")
    print(machine(distributions) + (f"\n{note}" if note else ""))
    goals: list[Goal] = []
    for name in names or sections:
        print(f"\n{name}")
        goals += sections[name]()
    print("\n" + "\n".join(map(str, goals)))
    print(machine(()).splitlines()[0])
