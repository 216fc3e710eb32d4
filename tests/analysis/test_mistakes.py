"""A reader's mistake beyond learning is told in words, too: reports, time, flags, names of columns.

The mistakes and their judge are those of the engine's tests.
"""

import numpy as np
import pandas as pd
import pytest
from mistakes import (
    FORM,
    GRAPH,
    RUN,
    TABLE,
    THETA,
    Mistake,
    fault,
    no_amounts,
    no_counts,
    no_flags,
    no_seeds,
    things,
)

import fgnwidgets as fg

ALONE = fg.fit(fg.BayesGraph({"S": 1, "X": ("no", "yes"), "Y": 3}, {"X": "S", "Y": "S"}), TABLE)
VISITS = {"who": [1, 1, 2], "when": [0, 1, 0], "X": ["a", "b", "a"]}
SLICE = {"S": 2, "X": 2}


def no_runs():
    epoch = next(iter(fg.epochs(GRAPH, TABLE, n_epochs=0)))
    wrong = [*things(), None, 5, "ml", {}, [], [RUN], GRAPH, THETA, TABLE, epoch, fg.Run]
    return [*wrong, np.zeros(2), pd.DataFrame({"a": [1]})]


def no_lists():
    """What names no columns."""
    plain = [*things(), None, 2.5, True, {"X": "S"}, {"X": ["a"]}, [["X"]], [None], [2.5], [b"X"]]
    return [v for v in plain if v is not None] + [
        "Q",
        ["X", "Q"],
        np.eye(2),
        pd.DataFrame({"X": [1]}),
    ]


def no_texts():
    return [*things(), None, 5, 2.5, True, "", b"X", [], {}, ["X"], np.array(["X"])]


def no_batches():
    wrong = [*things(), None, 5, True, "", "X", [], (), {}, iter([]), TABLE, pd.DataFrame(TABLE)]
    return [*wrong, np.array(3), np.zeros((0, 3))]


def no_seeds_of_one():
    return [v for v in no_seeds() if not (isinstance(v, list) and v == [0])]


def no_labels_of(pool):
    """Wrong numbers of values that are no good lists of labels either."""
    good = (list, tuple, np.ndarray, pd.Series)
    return lambda: [v for v in pool() if not isinstance(v, good)]


OF_RUN = {"run": no_runs}
ENDS = {"n_epochs": no_counts, "tol": no_amounts, "seed": no_seeds_of_one}
COLUMNS = {"columns": no_lists}
UNFOLDED = {"states": SLICE, "parents": {"X": "S"}, "previous": {"S": "S"}, "n": 2}

ENTRIES = {
    "identified": (fg.identified, {}, OF_RUN),
    "standard_errors": (fg.standard_errors, {}, OF_RUN),
    "residuals": (fg.residuals, {}, OF_RUN),
    "residuals.worst": (fg.residuals(RUN).worst, {}, {"count": lambda: no_counts(0)}),
    "bootstrap": (
        fg.bootstrap,
        {"run": RUN, "n": 2},
        {**OF_RUN, **ENDS, "n": lambda: no_counts(2), "columns": lambda: ["X", 5, []]},
    ),
    "blrt": (
        fg.blrt,
        {"smaller": ALONE, "larger": RUN, "n": 1},
        {
            **ENDS,
            "smaller": no_runs,
            "larger": no_runs,
            "n": no_counts,
            "restarts": lambda: no_counts(0),
        },
    ),
    "compare": (
        fg.compare,
        {"graphs": {"one": GRAPH}, "table": TABLE, "folds": 0, "restarts": 1, "n_epochs": 1},
        {
            **COLUMNS,
            "graphs": lambda: [{}, None, 5, "x", [], [GRAPH], GRAPH],
            "folds": lambda: [*no_counts(0), 1],
            "restarts": no_counts,
            "seed": no_seeds_of_one,
        },
    ),
    "compare over": (
        fg.compare,
        {"graphs": lambda k: GRAPH, "table": TABLE, "folds": 0},
        {"over": lambda: [None, 5, [], (), {}, iter([]), object(), True]},
    ),
    "comparison.best": (
        fg.compare({"one": GRAPH}, TABLE, folds=0, restarts=1, n_epochs=1).best,
        {},
        {"criterion": lambda: [*no_texts(), "BIC", "loglik", pd.Series(["bic"])]},
    ),
    "score": (
        fg.score,
        {"graph": GRAPH, "theta": THETA, "table": TABLE, "variables": "S"},
        COLUMNS,
    ),
    "learn_online": (
        lambda **given: list(fg.learn_online(**given)),
        {"graph": GRAPH, "batches": [TABLE]},
        {
            **COLUMNS,
            "batches": no_batches,
            "restarts": lambda: [v for v in no_counts() if v is not None],
        },
    ),
    "sequences": (
        fg.sequences,
        {"table": VISITS, "id": "who", "time": "when"},
        {
            "id": lambda: [v for v in no_texts() if v is not None],
            "time": lambda: [v for v in no_texts() if v is not None],
            "name": no_texts,
            "n": lambda: [v for v in no_counts() if v is not None],
        },
    ),
    "unfold": (
        fg.unfold,
        UNFOLDED,
        {
            "theta": lambda: [*things(), 5, False, 0, "", (), [], [("S", "X")], {"Q": "m"}],
            "n": no_counts,
            "states": lambda: [*things(), None, 5, "S", [], ["S"]],
        },
    ),
    "hmm": (
        fg.hmm,
        {"states": 2, "symbols": 2, "n": 2},
        {"n": no_counts, "states": no_labels_of(no_counts), "symbols": no_labels_of(no_counts)},
    ),
    "Branch": (fg.Branch, {"name": "A", "size": 2}, {"given": no_flags}),
    "Branch.replica": (fg.Branch("A", 2).replica, {}, {"number": lambda: no_counts(0)}),
    "NormalGraph": (fg.NormalGraph, {"nodes": FORM.nodes}, {"loops": no_flags}),
    "normal_form": (GRAPH.normal_form, {}, {"loops": no_flags}),
    "from_table": (
        fg.BayesGraph.from_table,
        {"table": TABLE},
        {**COLUMNS, "weight": lambda: [v for v in no_texts() if v is not None]},
    ),
    "fit": (
        fg.fit,
        {"graph": GRAPH, "table": TABLE, "n_epochs": 1},
        {**COLUMNS, "alpha": lambda: [True, False]},
    ),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_mistake_is_told_in_words(entry):
    call, right, pools = ENTRIES[entry]
    bad = []
    tried = 0
    for argument, pool in pools.items():
        names = (argument, *{"states": ("size",), "symbols": ("size",)}.get(argument, ()))
        for value in pool():
            given = {**right, argument: value}
            mistake = Mistake(entry, argument, value, lambda given=given: call(**given), names)
            tried += 1
            if why := fault(mistake):
                bad.append(f"{mistake}\n    {why}")
    shown = "\n".join(bad[:40])
    assert not bad, f"{len(bad)} of {tried} mistakes, among them:\n{shown}"


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_is_right_is_taken(entry):
    call, right, pools = ENTRIES[entry]
    needed = {"run": RUN, "count": 1, "criterion": "bic", "number": 0, "over": [1]}
    rest = {name: needed[name] for name in pools if name in needed and name not in right}
    assert call(**right, **rest) is not None
