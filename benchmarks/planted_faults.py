"""Do the tests bite? Plant faults one by one, and see which tests find them.

    python benchmarks/planted_faults.py            # all of them, an hour on two cores
    python benchmarks/planted_faults.py fold wald  # those whose file or sentence has such a word

Each fault is one change of one line that a tired hand could make. It is planted in a copy of the
project, where first the quick loop's files in the fault's nearest folder are run, then the rest of
the quick loop, then all of the nearest files; the first test that fails ends it. So "quick" means
that ``pytest -m quick`` finds the fault, "nearest" that only the whole of the files named with it
does, and "SURVIVED" that none of these tests looks there. Without a fault all of them must pass:
``--sound`` runs them so.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = (
    *("src", "fgn_notebooks", "tests", "notebooks", "benchmarks", "docs", "conftest.py"),
    *("pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
)
LIBRARY, COURSE = "src/fgnwidgets", "fgn_notebooks"


@dataclass(frozen=True)
class Fault:
    """``old`` stands once in ``file``, and ``new`` is planted there.

    ``says``     what is wrong then, in a sentence
    ``near``     the tests that should know: files or folders below ``tests``
    """

    file: str
    old: str
    new: str
    says: str
    near: str


FAULTS = (
    # ---- engine
    Fault(
        f"{LIBRARY}/learning/em.py",
        "by_restart(lambda v: v[which], self)",
        "by_restart(lambda v: v[: len(v[which])] if v.dtype == bool else v[which], self)",
        "Of the best short starts those are held for dropped that are not, by their number alone.",
        "engine/test_learning_starts.py engine/test_fit.py engine/test_options.py",
    ),
    Fault(
        f"{LIBRARY}/learning/em.py",
        "    if not dropped.any():\n",
        "    if not dropped.all():\n",
        "A restart that was dropped goes on learning from the samples that are left.",
        "engine/test_learning.py engine/test_fit.py",
    ),
    Fault(
        f"{LIBRARY}/learning/em.py",
        "whole[which] = new",
        "whole[: len(new)] = new",
        "Where some restarts have settled, what others learned is put into the first.",
        "engine/test_squarem.py engine/test_fit.py engine/test_learning_starts.py",
    ),
    Fault(
        f"{LIBRARY}/learning/rules.py",
        "return theta * times(f, (ratio * weight).swapaxes(-1, -2))",
        "return theta * times(f, ratio.swapaxes(-1, -2))",
        "KL counts every row once, whatever its weight.",
        "engine/test_rules.py engine/test_learning.py",
    ),
    Fault(
        f"{LIBRARY}/learning/rules.py",
        'if empty == "refill":',
        'if empty != "refill":',
        "VIT adds its constant where a row is to be kept, and leaves it out elsewhere.",
        "engine/test_rules.py",
    ),
    Fault(
        f"{LIBRARY}/learning/fit.py",
        "np.asarray((order * tables + np.arange(tables)).ravel())",
        "np.asarray((order * tables + np.arange(tables)).T.ravel())",
        "The best starts of several tables come table by table, not start by start.",
        "engine/test_learning_starts.py analysis/test_errors.py",
    ),
    Fault(
        f"{LIBRARY}/algebra/arrays.py",
        "v.max(axis=-2, keepdims=True) * (1 - TIE_TOLERANCE)",
        "v.max(axis=-2, keepdims=True)",
        "Rounding decides between two equal values.",
        "engine/test_arrays.py engine/test_rules.py",
    ),
    Fault(
        f"{LIBRARY}/inference/propagation.py",
        "(np.log(sums) + taken)[..., 0, :]",
        "np.log(sums)[..., 0, :]",
        "Very large likelihood vectors lose their scale.",
        "engine/test_likelihood.py engine/test_evidence.py",
    ),
    # ---- tables
    Fault(
        f"{LIBRARY}/data/evidence.py",
        "rows, sums = rows.take(present), [s[..., present] for s in sums]",
        "rows, sums = rows.take(present), [s[..., : len(present)] for s in sums]",
        "Where rows have no weight, the others get the weights of the first.",
        "engine/test_evidence.py engine/test_learning.py tables",
    ),
    Fault(
        f"{LIBRARY}/data/evidence.py",
        "        number += 1\n",
        "",
        "An empty cell and the last state of the column before it fall together.",
        "engine/test_evidence.py tables",
    ),
    Fault(
        f"{LIBRARY}/data/text.py",
        "whole = all(WHOLE.fullmatch(cell) for cell in cells if cell)",
        "whole = any(WHOLE.fullmatch(cell) for cell in cells if cell)",
        "A column with one whole number is read as numbers.",
        "tables/test_text.py",
    ),
    Fault(
        f"{LIBRARY}/data/text.py",
        "text, first = text[excel.end() :], 2",
        "text, first = text[excel.end() :], 1",
        "After Excel's first line, errors name the line before theirs.",
        "tables/test_text.py",
    ),
    # ---- analysis
    Fault(
        f"{LIBRARY}/analysis/ratio.py",
        "(null >= ratio).sum()",
        "(null > ratio).sum()",
        "A null ratio that equals the observed one does not count as extreme.",
        "analysis/test_comparing.py analysis/test_survey.py",
    ),
    Fault(
        f"{LIBRARY}/analysis/goodness.py",
        "(null >= least).sum()",
        "(null > statistic).sum()",
        "The same in the bootstrap of G2 and X2.",
        "analysis/test_goodness.py",
    ),
    Fault(
        f"{LIBRARY}/analysis/replicates.py",
        "gain[r] = gain[r][:, order]",
        "gain[r] = gain[r][order]",
        "A renumbered replicate has its rows in the new order, and not its columns.",
        "analysis/test_errors.py",
    ),
    Fault(
        f"{LIBRARY}/analysis/scoring.py",
        "    merged.index = part.index\n",
        "",
        "A Dask table that was scored has lost its index.",
        "analysis/test_scoring.py",
    ),
    Fault(
        f"{LIBRARY}/analysis/wald.py",
        "covariance[np.ix_(used, used)] * slope * slope[:, None]",
        "covariance[np.ix_(used, used)] * slope * slope",
        "The delta method scales the columns of a covariance twice, and its rows never.",
        "analysis/test_wald.py",
    ),
    Fault(
        f"{LIBRARY}/analysis/comparing.py",
        '(-1 if criterion == "held_out" else 1)',
        '(-1 if criterion == "aic" else 1)',
        "The best of what was held out is the worst, and so is the best AIC.",
        "analysis/test_comparing.py",
    ),
    # ---- widgets
    Fault(
        f"{LIBRARY}/widgets/learning/learning_view.py",
        "                    if not only_row:\n                        view.forget()\n",
        "",
        "Undo brings the evidence of another epoch back with that epoch's matrices.",
        "widgets/test_learning_view.py",
    ),
    Fault(
        f"{LIBRARY}/widgets/lab/lab.py",
        "            self._asked = {}\n            self._moved()\n",
        "            self._moved()\n",
        "Reset after a run that failed starts nothing.",
        "widgets/test_lab.py",
    ),
    Fault(
        f"{LIBRARY}/widgets/lab/lab.py",
        "                self._start(wait=True)\n"
        "            except BaseException:\n                self._place(before)\n",
        "                self._start(wait=True)\n            except BaseException:\n",
        "Controls stay where a change put them that failed.",
        "widgets/test_lab.py",
    ),
    # ---- marking
    Fault(
        f"{COURSE}/teachers/marking/table.py",
        "best = max(said, key=lambda words: WORTH.index(words[0]))",
        "best = min(said, key=lambda words: WORTH.index(words[0]))",
        "Of two answers to a question the worse one counts.",
        "course/test_hand_ins.py course/test_marking.py",
    ),
    Fault(
        f"{COURSE}/teachers/marking/record.py",
        '                    self.begun.pop(event["done"], None)\n',
        "",
        "A copy that was marked in the end is held for one that ended the marking.",
        "course/test_marking.py course/test_hand_ins.py",
    ),
    Fault(
        f"{COURSE}/exercises/answers.py",
        "np.array(g(*copy.deepcopy(case)), dtype=float)",
        "np.array(g(*case), dtype=float)",
        "The student's function and ours get the same arrays, which one may overwrite.",
        "course/test_exercises.py course/test_marking.py",
    ),
)


def planted(fault: Fault, folder: Path) -> str:
    """Plant the fault in the copy; the text of its file before that."""
    path = folder / fault.file
    before = path.read_text(encoding="utf-8")
    if before.count(fault.old) != 1:
        raise SystemExit(
            f"{fault.file} has {fault.old!r} {before.count(fault.old)} times: expected once; name "
            "the line as it is now"
        )
    path.write_text(before.replace(fault.old, fault.new), encoding="utf-8")
    return before


def first_failure(folder: Path, words: Sequence[str]) -> str:
    """The first test that fails, or that none could be run, or an empty text."""
    own = {"PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}", "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider",
         "--color=no", "--tb=no", *words],
        cwd=folder, env=os.environ | own, capture_output=True, text=True,
    )  # fmt: skip
    if ran.returncode in (0, 5):  # all passed, or there were none
        return ""
    found = re.findall(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
    return found[0] if found else f"pytest ended with {ran.returncode}: {ran.stdout[-2000:]}"


def caught(fault: Fault, folder: Path) -> tuple[str, str]:
    """How near the test is that finds the fault, and its name."""
    near = [f"tests/{place}" for place in fault.near.split()]
    for how, words in (
        ("quick", ["-m", "quick", *near]),
        ("quick", ["-m", "quick", "-n", "2", "--deselect", "tests/test_layers.py", "tests"]),
        ("nearest", ["-m", "", *near]),  # slow ones, too
    ):
        if test := first_failure(folder, words):
            return how, test
    return "SURVIVED", ""


def main(words: Sequence[str]) -> int:
    sound = "--sound" in words
    words = [word for word in words if word != "--sound"]
    chosen = [f for f in FAULTS if not words or any(w in f.file + f.says for w in words)]
    tally = dict.fromkeys(("quick", "nearest", "SURVIVED"), 0)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                leave = shutil.ignore_patterns("__pycache__", "js")
                shutil.copytree(source, folder / name, ignore=leave)
            else:
                shutil.copy(source, folder / name)
        if sound:
            near = sorted({place for fault in chosen for place in fault.near.split()})
            failed = first_failure(folder, ["-m", "", *(f"tests/{place}" for place in near)])
            print(failed or "all of these tests pass without a fault", flush=True)
            return bool(failed)
        for fault in chosen:
            began = time.perf_counter()
            before = planted(fault, folder)
            try:
                how, test = caught(fault, folder)
            finally:
                (folder / fault.file).write_text(before, encoding="utf-8")
            tally[how] += 1
            took = time.perf_counter() - began
            print(f"{how:9}{took:5.0f} s  {fault.says}\n{'':18}{test}", flush=True)
    print(", ".join(f"{count} {how}" for how, count in tally.items()))
    return bool(tally["SURVIVED"])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
