"""A reader's mistake beyond learning is told in words, too: reports, time, flags, names of columns.

The mistakes and their judge are those of the engine's tests.
"""

import datetime

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
    no_weights,
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


def no_steps():
    """What is no step, or none between times that are numbers."""
    wrong = [*things(), True, False, 0, -1, 0.0, np.nan, np.inf, "", "days", "5", b"day", [], [1]]
    return [*wrong, {}, 1j, datetime.timedelta(0), datetime.timedelta(1), np.timedelta64(1, "D")]


def no_batches():
    wrong = [*things(), None, 5, True, "", "X", [], (), {}, iter([]), TABLE, pd.DataFrame(TABLE)]
    return [*wrong, np.array(3), np.zeros((0, 3))]


def no_seeds_of_one():
    return [v for v in no_seeds() if not (isinstance(v, list) and v == [0])]


def no_words(*also):
    """What is none of some words, such as the name of a method."""
    return lambda: [*things(), None, 5, 2.5, True, "", "x", b"ml", [], {}, ["ml"], np.eye(2), *also]


def no_names_of_hidden():
    return [v for v in no_words("X", "S1")() if v is not None]


def no_groups():
    return [v for v in no_texts() if v is not None] + ["Q", 5, 2.5]


def no_models():
    return [*things(), None, 5, "S", {}, [], RUN, TABLE, THETA, FORM, fg.BayesGraph]


def no_labels_of(pool):
    """Wrong numbers of values that are no good lists of labels either."""
    good = (list, tuple, np.ndarray, pd.Series)
    return lambda: [v for v in pool() if not isinstance(v, good)]


OF_RUN = {"run": no_runs}
ENDS = {"n_epochs": no_counts, "tol": no_amounts, "seed": no_seeds_of_one}
COLUMNS = {"columns": no_lists}
UNFOLDED = {"states": SLICE, "parents": {"X": "S"}, "previous": {"S": "S"}, "n": 2}

SURE = fg.standard_errors(fg.fit(fg.BayesGraph({"X": ("a", "b"), "Y": 3}, {"Y": "X"}),
                                 {"X": ["a", "b"] * 9, "Y": [0, 1, 2] * 6}))  # fmt: skip


def no_clusters():
    """No cluster for each of four rows; numbers, words and dates may all name clusters."""
    wrong = [
        *(5, 2.5, True, np.nan, "", "Q", b"X", {}, {"X": [1] * 4}, {1, 2, 3, 4}, object(), len),
        *([], [1, 2], [1] * 5, np.zeros((4, 2)), np.array(3), [[1, 2]] * 4, pd.NaT, GRAPH, RUN),
        *([1, 2, None, 3], [np.nan] * 4, ["a", "b", "", None], np.array([1.0, np.nan, 2, 3])),
        *([1] * 4, pd.DataFrame({"a": [1] * 4}), slice(4), 1j, ["a"] * 4),
    ]
    return [v for v in wrong if v is not None]


def no_hypotheses():
    entry, other = ("Y|X", "a", 0), ("Y|X", "b", 0)
    wrong = [
        *(5, 2.5, "Y|X", b"X", True, np.nan, [], (), {}, {entry: 1.0}, object(), len, None, 1j),
        *(entry, [entry], [(entry,)], [(entry, other, entry)], [entry, other, entry], [None]),
        *([(entry, "0.5")], [(entry, None)], [(entry, 1.5)], [(entry, 0.0)], [(entry, True)]),
        *([(("Q", "a", 0), other)], [(("Y|X", "c", 0), other)], [(("Y|X", "a", "0"), other)]),
        *([(entry, entry)], [({}, 0.0)], [({entry: "1"}, 0.0)], [({entry: 1.0}, "0")]),
        *(np.zeros(6), np.zeros((1, 5)), np.full((1, 8), np.nan), np.array([["a"] * 8]), GRAPH),
        *([(entry, 0.3), (entry, 0.4)], np.zeros((1, 8)), pd.DataFrame({"a": [1.0]})),
    ]
    return wrong


def no_labels_among(*known):
    wrong = [*things(), 5, 2.5, "Q", "", b"a", ["a"], ("a",), {}, np.zeros(2), GRAPH]
    return [v for v in wrong if not (isinstance(v, str | int) and v in known)]


def no_levels():
    return [*things(), None, 0, 1, 0.0, 1.0, -0.5, 95, 95.0, "0.95", np.nan, [0.95], {}, True]


ROWS = {"weight": lambda: no_weights(4), "table": lambda: [5, "X", [], {}, GRAPH, len, TABLE["X"]]}
OUTSIDE = {**{name: list(column) for name, column in TABLE.items()}}
OUTSIDE["age"] = list(range(len(next(iter(OUTSIDE.values())))))
OUTSIDE["where"] = ["a", "b"] * (len(OUTSIDE["age"]) // 2) + ["a"] * (len(OUTSIDE["age"]) % 2)

ENTRIES = {
    "goodness": (
        fg.goodness,
        {"run": RUN},
        {
            **OF_RUN,
            **ENDS,
            "bootstrap": lambda: no_counts(0),
            "restarts": lambda: no_counts(0),
        },
    ),
    "classification": (fg.classification, {"run": RUN}, {**OF_RUN, "variable": no_names_of_hidden}),
    "three_step": (
        fg.three_step,
        {"run": RUN, "table": OUTSIDE, "outcome": "age", "correction": "none"},
        {
            **OF_RUN,
            "correction": no_words("BCH", "ML"),
            "assignment": no_words("soft"),
            "kind": lambda: [v for v in no_words("continuous")() if v is not None],
            "variable": no_names_of_hidden,
            "outcome": lambda: [v for v in no_texts() if v is not None] + ["Q", "X", "S"],
        },
    ),
    "three_step covariates": (
        fg.three_step,
        {"run": RUN, "table": OUTSIDE, "correction": "none"},
        {
            "covariates": lambda: [*things(), 5, 2.5, True, [], {}, ["Q"], "Q", ["X"], [5], [None]],
        },
    ),
    "invariance": (
        fg.invariance,
        {"graph": GRAPH, "table": OUTSIDE, "group": "where", "restarts": 1, "n_epochs": 5},
        {
            **ENDS,
            **COLUMNS,
            "graph": no_models,
            "group": no_groups,
            "adjust": no_words("bonferroni", "fdr"),
            "restarts": no_counts,
        },
    ),
    "invariance.dif": (
        fg.invariance(GRAPH, OUTSIDE, "where", restarts=1, n_epochs=5).dif,
        {},
        {"level": no_levels},
    ),
    "invariance.best": (
        fg.invariance(GRAPH, OUTSIDE, "where", restarts=1, n_epochs=5).best,
        {},
        {"criterion": no_words("BIC", "loglik", "held_out")},
    ),
    "report.to_latex": (
        RUN.summary().to_latex,
        {},
        {
            "caption": lambda: [v for v in no_texts() if v is not None],
            "label": lambda: [v for v in no_texts() if v is not None] + ["a{b", "50 %"],
        },
    ),
    "identified": (fg.identified, {}, OF_RUN),
    "standard_errors": (fg.standard_errors, {}, OF_RUN),
    "standard_errors of rows": (
        fg.standard_errors,
        {"run": RUN, "table": TABLE},
        {**ROWS, **COLUMNS, "cluster": no_clusters},
    ),
    "standard_errors without rows": (
        fg.standard_errors,
        {"run": RUN},
        {
            "cluster": lambda: ["X", [1, 2, 3, 4]],
            "weight": lambda: ["X", [1.0] * 4],
            "columns": lambda: ["X", ["X"]],
        },
    ),
    "cov_params": (
        SURE.cov_params,
        {"matrix": "X"},
        {
            "matrix": lambda: [v for v in no_texts() if v is not None],
            "other": lambda: [v for v in [*no_texts(), "Q"] if v is not None],
        },
    ),
    "cov_params alone": (SURE.cov_params, {}, {"other": lambda: ["X", 5]}),
    "wald_test": (
        SURE.wald_test,
        {"hypotheses": (("X", "a"), 0.5)},
        {"hypotheses": no_hypotheses, "scale": lambda: [*no_texts(), "logit", "LOG-ODDS"]},
    ),
    "odds_ratios": (
        SURE.odds_ratios,
        {"matrix": "Y|X"},
        {
            "matrix": lambda: [*no_texts(), "Q", "X"],
            "reference": lambda: no_labels_among("a"),
            "reference_state": lambda: no_labels_among(0),
            "level": no_levels,
        },
    ),
    "interval": (SURE.interval, {}, {"level": no_levels}),
    "bootstrap of rows": (
        fg.bootstrap,
        {"run": RUN, "table": TABLE, "n": 2, "n_epochs": 1},
        {**ROWS, **COLUMNS, "cluster": no_clusters, "parametric": lambda: [*no_flags(), True]},
    ),
    "residuals": (fg.residuals, {}, OF_RUN),
    "contributions": (
        fg.contributions,
        {"run": RUN, "matrix": "X|S", "x": 0, "y": "no"},
        {
            **OF_RUN,
            "matrix": lambda: [None, 5, "x", [], ("X|S",), object(), True],
            "x": lambda: [None, "x", 9, -1, 0.5, [], (0,), object(), True],
            "y": lambda: [None, "x", 9, -1, 0.5, [], (0,), object(), True],
            "restart": lambda: [v for v in no_counts(0) if v is not None] + [99],
            "epoch": lambda: [v for v in no_counts(0) if v is not None] + [0, 1],
        },
    ),
    "residuals.worst": (fg.residuals(RUN).worst, {}, {"count": lambda: no_counts(0)}),
    "informative.span": (
        fg.informative(GRAPH, THETA, {"X": "no"}, "S").span,
        {},
        {"name": lambda: [*no_texts(), "S", "X", "Q"]},
    ),
    "sensitivity.cells": (
        fg.sensitivity(GRAPH, THETA, {"X": "no"}, {"S": 1}).cells,
        {},
        {
            "count": lambda: no_counts(0),
            "change": lambda: [*no_amounts(), 0, 0.0, 1, 1.5, None, True],
        },
    ),
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
            "step": no_steps,
            **COLUMNS,
            "align": lambda: [*no_texts(), "last", "First"],
            "given": lambda: [v for v in no_lists() if not isinstance(v, pd.DataFrame)],
            "lagged": lambda: [v for v in no_lists() if not isinstance(v, pd.DataFrame)],
        },
    ),
    "sequences.to_long": (
        fg.sequences(VISITS, id="who", time="when").to_long,
        {"answers": {"S": ["low", "high"]}},
        {"variables": lambda: [v for v in no_lists() if not isinstance(v, pd.DataFrame)]},
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
    needed = {
        "hypotheses": (("X", "a"), 0.5),
        "run": RUN,
        "covariates": "age",
        "level": 0.05,
        "count": 1,
        "change": 0.1,
        "name": "Y",
        "criterion": "bic",
        "number": 0,
        "over": [1],
    }
    rest = {name: needed[name] for name in pools if name in needed and name not in right}
    assert call(**right, **rest) is not None
