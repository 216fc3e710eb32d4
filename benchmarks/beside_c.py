"""An epoch of EM beside C, and beside NumPy by hand: hard evidence on many rows and many columns.

    python benchmarks/beside_c.py                  all of it, some minutes; needs cc
    python benchmarks/beside_c.py rows columns     some of the sections

Sections: ``rows`` (a million rows of 20 columns, one restart and ten), ``columns`` (200 and 400
columns), ``few`` (118 rows), ``pages`` (the system's share of the time), ``states`` (a column of
20,000 states, seen and given, each in a process of its own).
"""

from __future__ import annotations

import ctypes
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import timing  # isort: split

import numpy as np
from numpy.typing import NDArray
from timing import Goal

import fgnwidgets as fgn

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
CLASSES = 4


class Work:
    """Latent classes over columns of some sizes: a table, and matrices to start from."""

    def __init__(self, n: int, sizes: Sequence[int], restarts: int) -> None:
        rng = np.random.default_rng(0)
        self.sizes, self.restarts = list(sizes), restarts
        names = [f"x{k}" for k in range(len(sizes))]
        self.graph = fgn.BayesGraph(
            {"S": CLASSES, **dict(zip(names, sizes, strict=True))}, dict.fromkeys(names, "S")
        )
        truth = {
            name: rng.dirichlet(np.ones(size), CLASSES)
            for name, size in zip(names, sizes, strict=True)
        }
        kind = rng.integers(0, CLASSES, n)
        table = np.empty((n, len(sizes)), dtype=np.intp)
        for k, name in enumerate(names):
            ends = np.cumsum(truth[name], axis=1)
            table[:, k] = (rng.random(n)[:, None] > ends[kind, :-1]).sum(axis=1)
        rows, counts = np.unique(table, axis=0, return_counts=True)
        self.codes, self.weight = rows, counts.astype(float)
        self.evidence = fgn.Evidence(len(rows), {k: rows[:, c] for c, k in enumerate(names)})
        self.theta = fgn.random_theta(self.graph, np.random.default_rng(1), (restarts,))
        self.names = names

    def fit(self, epochs: int, record: Sequence[str] = ("loglik",)) -> tuple[list[float], fgn.Run]:
        """The CPU seconds of each epoch of the public ``fit``, and its run."""
        at: list[float] = []
        run = fgn.fit(
            self.graph,
            self.evidence,
            weight=self.weight,
            theta=self.theta,
            restarts=self.restarts,
            n_epochs=epochs,
            tol=0,
            record=record,
            progress=False,
            watch=partial(_mark, at),
        )
        return np.diff(at).tolist(), run

    def by_hand(self, epochs: int) -> tuple[list[float], Array]:
        """The same in plain NumPy: one-hot rows times log-matrices, and one product for counts."""
        prior = self.theta["S"][:, 0]
        matrices = np.concatenate([self.theta[f"{k}|S"] for k in self.names], axis=-1)
        ends = np.cumsum([0, *self.sizes])
        n = len(self.codes)
        size = min(n, 8192)
        hot = np.zeros((ends[-1], n))
        for k in range(len(self.sizes)):
            hot[self.codes[:, k] + ends[k], np.arange(n)] = 1.0
        at, history = [time.process_time()], []
        for _ in range(epochs + 1):
            logs = np.log(np.maximum(matrices, 1e-300)).reshape(-1, ends[-1])
            counts, total, loglik = np.zeros(logs.shape), 0.0, 0.0
            for start in range(0, n, size):
                cut = slice(start, min(start + size, n))
                joint = (logs @ hot[:, cut]).reshape(self.restarts, CLASSES, -1)
                joint += np.log(prior)[..., None]
                top = joint.max(axis=1, keepdims=True)
                joint -= top
                np.exp(joint, out=joint)
                q = joint.sum(axis=1, keepdims=True)
                loglik = loglik + (np.log(q) + top)[:, 0] @ self.weight[cut]
                joint *= self.weight[cut] / q
                total = total + joint.sum(axis=-1)
                counts += joint.reshape(len(logs), -1) @ hot[:, cut].T
            prior = total / total.sum(axis=-1, keepdims=True)
            matrices = counts.reshape(matrices.shape) / total[..., None]
            history.append(loglik)
            at.append(time.process_time())
        return np.diff(at).tolist(), np.array(history)

    def c(self, em_epoch: Callable[..., None], epochs: int) -> tuple[list[float], Array]:
        """The same in C."""
        offsets = np.cumsum([0, *self.sizes[:-1]]).astype(np.uintp)
        cells = sum(self.sizes)
        parts = [self.theta["S"]]
        parts += [self.theta[f"{k}|S"].swapaxes(-1, -2) for k in self.names]
        theta = np.ascontiguousarray(np.concatenate(parts, axis=1))  # (restarts, 1 + cells, K)
        codes = np.ascontiguousarray(self.codes.astype(np.uint8))
        counts, loglik = np.empty_like(theta), np.empty(self.restarts)
        at, history = [time.process_time()], []
        for _ in range(epochs + 1):
            em_epoch(
                codes.ctypes, len(codes), len(self.sizes), offsets.ctypes, cells,
                self.weight.ctypes, self.restarts, theta.ctypes, counts.ctypes, loglik.ctypes,
            )  # fmt: skip
            total = counts[:, :1]
            theta = np.concatenate(
                [total / total.sum(axis=-1, keepdims=True), counts[:, 1:] / total], axis=1
            )
            history.append(loglik.copy())
            at.append(time.process_time())
        return np.diff(at).tolist(), np.array(history)


def compiled() -> Callable[..., None]:
    """``em_epoch.c`` by the C compiler of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "em_epoch.so")
        source = Path(__file__).with_name("em_epoch.c")
        subprocess.run(
            ["cc", "-O3", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"], check=True
        )
        function = ctypes.CDLL(str(library)).em_epoch
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    function.argtypes = [
        pointer, size, size, pointer, size, pointer, size, pointer, pointer, pointer,
    ]  # fmt: skip
    function.restype = None
    return function


def beside(
    work: Work, epochs: int, rounds: int, em_epoch: Callable[..., None] | None
) -> dict[str, float]:
    """The median CPU seconds of an epoch of each contender, in turn; all reach the same values."""
    seconds: dict[str, list[float]] = {}
    for _ in range(rounds):
        own, run = work.fit(epochs)
        more = {"NumPy by hand": work.by_hand(epochs)}
        if em_epoch is not None:
            more["C"] = work.c(em_epoch, epochs)
        each, both = work.fit(epochs, ("aggregated", "loglik"))
        seconds.setdefault("fit", []).extend(own)
        seconds.setdefault("fit, aggregated too", []).extend(each)
        for name, (used, history) in {**more, "fit, aggregated too": ([], both.loglik)}.items():
            seconds.setdefault(name, []).extend(used)
            off = np.abs(run.loglik / history - 1).max()
            if not off <= 1e-12:
                raise SystemExit(f"{name} is off by {off:.3g}")
    found = {name: statistics.median(used) for name, used in seconds.items()}
    for name, median in found.items():
        print(f"  {name:<44}{1e3 * median:>14,.3f} ms an epoch")
    return found


def rows() -> list[Goal]:
    """A million rows of 20 columns of 2 to 5 states, nearly all of them different."""
    em_epoch = compiled()
    goals = []
    for restarts, limit in ((1, 4), (10, 3)):
        work = Work(1_000_000, [2, 3, 4, 5] * 5, restarts)
        what = f"{len(work.codes):,} rows x 20, {restarts} restart{'s' * (restarts > 1)}"
        print(f" {what}")
        found = beside(work, 3, 3 if restarts == 1 else 2, em_epoch)
        goals.append(Goal(f"{what}: of C", found["fit"] / found["C"], "<=", limit))
        goals.append(
            Goal("  the same of NumPy by hand", found["fit"] / found["NumPy by hand"], "<=", 3)
        )
    return goals


def columns() -> list[Goal]:
    """1,500 rows of 200 and of 400 columns of 4 states: no float holds a product of them."""
    goals = []
    for number in (200, 400):
        for restarts in (1, 10):
            work = Work(1500, [4] * number, restarts)
            what = f"1,500 rows x {number}, {restarts} restart{'s' * (restarts > 1)}"
            print(f" {what}")
            found = beside(work, 10, 3, None)
            ratio = found["fit"] / found["NumPy by hand"]
            goals.append(Goal(f"{what}: of NumPy by hand", ratio, "<=", 3))
    return goals


def few() -> list[Goal]:
    """118 rows of seven columns of two states, as of the pathologists' slides."""
    goals = []
    for restarts in (1, 10):
        work = Work(118, [2] * 7, restarts)
        what = f"{len(work.codes)} rows x 7, {restarts} restart{'s' * (restarts > 1)}"
        print(f" {what}")
        found = beside(work, 200, 3, None)
        without = work_without(work, 200)
        print(f"  {'fit, without the fast path':<44}{1e3 * without:>14,.3f} ms an epoch")
        goals.append(Goal(f"{what}: of the plain path", found["fit"] / without, "<=", 1))
    return goals


def work_without(work: Work, epochs: int) -> float:
    """Seconds of an epoch by two sweeps over the whole graph."""
    from fgnwidgets.learning import observed

    observed.TAKEN = False
    try:
        return statistics.median(t for _ in range(3) for t in work.fit(epochs)[0])
    finally:
        observed.TAKEN = True


def pages() -> list[Goal]:
    """The system's share of the CPU: what asking for memory again and again costs."""
    goals = []
    for n in (500, 1000, 2000, 4000):
        work = Work(n, [2, 3, 4, 5] * 5, 10)
        work.fit(5)
        before = resource.getrusage(resource.RUSAGE_SELF)
        work.fit(300)
        after = resource.getrusage(resource.RUSAGE_SELF)
        system = after.ru_stime - before.ru_stime
        share = system / (system + after.ru_utime - before.ru_utime)
        goals.append(
            Goal(f"{n:,} rows x 20, ten restarts: system time", 100 * share, "<=", 10, "%")
        )
    return goals


def states() -> list[Goal]:
    """A column of very many states under three classes; then the same column given."""
    found = []
    for which in ("seen", "given"):
        for n, size in ((100_000, 20_000), (20_000, 4_000)):
            asked = [sys.executable, __file__, "--here", which, str(n), str(size)]
            done = subprocess.run(asked, check=True, capture_output=True, text=True)
            *epochs, whole, peak = map(float, done.stdout.split())
            what = f"{n:,} rows, {size:,} states {which}"
            for restarts, seconds in zip((1, 2, 10), epochs, strict=True):
                goal = 1 if restarts == 1 else 3
                found.append(
                    Goal(f"{what}: an epoch, {restarts} at once", seconds, "<=", goal, "s")
                )
            found.append(Goal("  fit of 2 restarts and 4 epochs", whole, "<=", 5, "s"))
            found.append(Goal("  peak", peak, "<=", 1, "GB"))
    return found


def many_states(which: str, n: int, size: int) -> None:
    """Print the seconds of an epoch of 1, 2 and 10 restarts, those of a fit, and the peak in GB."""
    names: dict[str, int] = {"S": 3, "G": size, "A": 3, "B": 4}
    if which == "given":
        graph = fgn.BayesGraph(names, {"S": "G", "A": "S", "B": "S"}, given=["G"])
    else:
        graph = fgn.BayesGraph(names, dict.fromkeys("GAB", "S"))
    rng = np.random.default_rng(0)
    table = {name: rng.integers(0, names[name], n) for name in "GAB"}
    whole = 0.0
    for restarts in (1, 2, 10):
        at = [time.process_time()]
        fgn.fit(
            graph, table, restarts=restarts, n_epochs=4, tol=0, progress=False,
            watch=partial(_mark, at),
        )  # fmt: skip
        _mark(at)
        print(statistics.median(np.diff(at[1:-1]).tolist()))
        whole = at[-1] - at[0] if restarts == 2 else whole
    print(whole, _peak())


def _peak() -> float:
    """The largest memory of this process so far, in GB, without that of the one which began it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    words = status.read_text(encoding="utf-8").split()
    return int(words[words.index("VmHWM:") + 1]) / 1e6


def _mark(at: list[float], _: object = None) -> None:
    at.append(time.process_time())


SECTIONS: Mapping[str, Callable[[], list[Goal]]] = {
    "rows": rows,
    "columns": columns,
    "few": few,
    "pages": pages,
    "states": states,
}


def main(names: list[str]) -> None:
    if names[:1] == ["--here"]:
        many_states(names[1], int(names[2]), int(names[3]))
        return
    timing.run_sections(SECTIONS, names)


if __name__ == "__main__":
    main(sys.argv[1:])
