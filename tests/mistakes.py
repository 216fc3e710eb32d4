"""Thousands of mistakes that a reader may make, one argument at a time, and what to think of each.

A mistake is a public call in which one argument makes no sense, the others being right. It should
end in an error of the library's own: a ``ValueError`` or a ``TypeError`` that is raised in it and
names the argument or the object.
"""

import datetime
import decimal
import fractions
import itertools
import random
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

import fgnwidgets as fg
from fgnwidgets import (
    BayesGraph,
    Block,
    Branch,
    Diverter,
    Evidence,
    Expand,
    NormalGraph,
    Project,
    Source,
)

HOME = Path(fg.__file__).parent


@dataclass(frozen=True)
class Mistake:
    """A call with one wrong argument, and the names by which its error may call what is wrong."""

    entry: str
    argument: str
    value: Any
    call: Callable[[], Any]
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.entry}: {self.argument} = {shown(self.value)}"


def shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 70 else text[:67] + "..."


def fault(mistake: Mistake) -> str:
    """What is wrong with how a mistake ends; empty where it is told well."""
    try:
        result = mistake.call()
        if isinstance(result, Iterator):
            for _ in itertools.islice(result, 20):
                pass
    except Exception as error:
        return fault_of_error(error, mistake.names)
    return f"accepted, and gave a {type(result).__name__}"


def fault_of_error(error: Exception, names: Iterable[str]) -> str:
    said = f"{type(error).__name__}: {' '.join(str(error).split())[:110]}"
    if not isinstance(error, ValueError | TypeError):
        return f"another kind of error, {said}"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    file = Path(trace.tb_frame.f_code.co_filename)
    if not file.is_relative_to(HOME):
        return f"raised in {file.name}, {said}"
    text = str(error)
    if not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names):
        return f"does not name {' or '.join(sorted(set(names))[:4])}, {said}"
    return ""


def score(mistakes: Iterable[Mistake]) -> dict[str, list[tuple[Mistake, str]]]:
    """By entry point: every mistake with what is wrong with its end, empty where nothing is."""
    table: dict[str, list[tuple[Mistake, str]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mistake in mistakes:
            table.setdefault(mistake.entry, []).append((mistake, fault(mistake)))
    SAVED.unlink(missing_ok=True)
    return table


# Wrong values, new ones in every call: an iterator is used up, a generator moves


def things() -> list[Any]:
    """What is no number, no array, no name, no graph and no table."""
    return [
        object(),
        lambda: 1,
        len,
        int,
        np.random,
        Ellipsis,
        np.random.default_rng(0),
        np.random.SeedSequence(0),
        random.Random(0),
        datetime.date(2020, 1, 1),
        pd.Timestamp("2020-01-01"),
        np.datetime64("2020-01-01"),
        pd.NaT,
        pd.NA,
        slice(3),
    ]


def no_numbers() -> list[Any]:
    return [
        *things(),
        "5",
        "x",
        "",
        "1e-3",
        b"3",
        1 + 2j,
        np.nan,
        float("-inf"),
        {},
        {"a": 1},
        set(),
        {3},
        iter([3]),
        np.array(["3"]),
        np.zeros((2, 2)),
        np.array([None]),
        pd.DataFrame({"a": [1]}),
        pd.Series(["3"]),
        GRAPH,
        Branch("S", 2),
        decimal.Decimal("NaN"),
    ]


def no_counts(least: int = 1, *, sequences: bool = True) -> list[Any]:
    """No whole numbers, or too small ones."""
    wrong = [
        *no_numbers(),
        None,
        2.5,
        -1,
        -5,
        np.int64(-3),
        np.float32(1.5),
        fractions.Fraction(5, 2),
        decimal.Decimal("2.5"),
        float("inf"),
        "2.0",
        [],
        (),
        np.array([]),
        *range(least),
    ]
    return [*wrong, [3], (3,), np.array([1, 2]), pd.Series([1, 2])] if sequences else wrong


def no_sizes() -> list[Any]:
    """No number of values and no labels; an array of strings is a good list of labels."""
    labels = np.ndarray | pd.Series | Iterator
    wrong = [v for v in no_counts(sequences=False) if not isinstance(v, labels)]
    wrong += [np.zeros((2, 2)), np.array([]), np.array([np.nan, np.nan])]
    return [*wrong, "ab", ["a", "a"], [np.nan, np.nan], [[1], [2]], [{}], ("a", "a")]


def no_amounts(*, arrays: bool = True, infinite: bool = False) -> list[Any]:
    """No finite numbers >= 0."""
    wrong = [*no_numbers(), -1, -0.5, np.float64(-2), fractions.Fraction(-1, 2)]
    wrong += [] if infinite else [float("inf")]
    return [*wrong, [1], (1.0,), np.array([1.0, 2.0]), []] if arrays else wrong


def no_generators() -> list[Any]:
    """The class ``Generator`` is not among them: called unbound, it ends the whole process."""
    return [
        0,
        1,
        42,
        True,
        2.5,
        np.nan,
        "x",
        "0",
        b"0",
        [0],
        (1, 2),
        {},
        {"seed": 0},
        np.random,
        np.random.RandomState(0),
        np.random.PCG64(0),
        np.random.SeedSequence(0),
        np.random.default_rng,
        random.Random(0),
        random,
        object(),
        lambda: np.random.default_rng(0),
        np.array([0]),
        np.int64(3),
        pd.Series([0]),
        GRAPH,
        1j,
    ]


def no_seeds() -> list[Any]:
    """For three restarts: neither a seed nor three of them."""
    return [
        np.random.default_rng(0),
        np.random.RandomState(0),
        np.random.PCG64(0),
        random.Random(0),
        np.random,
        np.random.Generator,
        "x",
        "0",
        "",
        b"0",
        2.5,
        np.float64(1.0) / 3,
        np.nan,
        float("inf"),
        -1,
        np.int64(-7),
        1j,
        {},
        {"seed": 0},
        {0, 1, 2},
        object(),
        lambda: 0,
        [],
        [0],
        [0, 1],
        (0, 1),
        [0, 1, 2, 3],
        [0, 1, "x"],
        [0, 1, None],
        [0, 1, 2.5],
        [0, 1, -1],
        [0, 1, np.random.default_rng(0)],
        [[0], [1], ["x"]],
        np.array([0.5, 1, 2]),
        np.array(["a", "b", "c"]),
        np.zeros((3, 2, 2)),
        np.array([-1, 0, 1]),
        pd.DataFrame({"a": [0]}),
        pd.Timestamp("2020-01-01"),
        GRAPH,
        slice(3),
        iter(["x"]),
    ]


def no_arrays() -> list[Any]:
    """What no array of numbers can be made of; strings are no numbers."""
    return [
        *things(),
        None,
        "x",
        "",
        "12",
        b"12",
        {},
        {"a": [1, 2]},
        {1.0, 2.0},
        iter([1.0]),
        (x for x in [1.0, 2.0]),
        [["a", "b"], ["c", "d"]],
        [["1", "2"], ["3", "4"]],
        [[1.0, 2.0], [3.0]],
        [[1.0, None], [2.0, 3.0]],
        [[1.0, "x"], [2.0, 3.0]],
        [[1j, 1.0], [2.0, 3.0]],
        [[object(), 1.0], [2.0, 3.0]],
        np.array([[1 + 1j, 2.0], [1.0, 1.0]]),
        np.array([["1", "2"], ["3", "4"]]),
        np.array([[None, 1], [2, 3]], dtype=object),
        np.array([["2020-01-01"]], dtype="M8[D]"),
        np.array([[b"1"]]),
        np.zeros(2, dtype=[("a", float)]),
        pd.DataFrame({"a": ["x", "y"], "b": ["z", "w"]}),
        pd.DataFrame({"a": [pd.NA, 1], "b": [1, 2]}),
        pd.Series(["x", "y"]),
        GRAPH,
    ]


def no_names(known: Sequence[str] = ()) -> list[Any]:
    """No strings, or names of nothing."""
    wrong = [
        *things(),
        None,
        5,
        0,
        2.5,
        np.nan,
        True,
        b"S",
        1j,
        [],
        (),
        {},
        set(),
        ["S"],
        ("S",),
        {"S": 1},
        {"S"},
        iter("S"),
        np.array(["S"]),
        np.array([["S"]]),
        pd.Series(["S"]),
        pd.DataFrame({"S": [1]}),
        Branch("S", 2),
        GRAPH,
    ]
    return [*wrong, *known]


def unknown_names() -> list[Any]:
    return no_names(["Q", "", " ", "s", "S ", "X|Q", "S,X", "(S,X)"])


def no_graphs() -> list[Any]:
    return [
        *things(),
        None,
        5,
        2.5,
        np.nan,
        True,
        "S",
        "",
        b"S",
        {},
        {"S": 2},
        {"S": 2, "X": 2},
        [("S", "X")],
        [],
        set(),
        THETA,
        TABLE,
        np.zeros((2, 2)),
        pd.DataFrame({"X": [0]}),
        pd.Series([1]),
        BayesGraph,
        NormalGraph,
        FORM.nodes,
        list(FORM.nodes),
        FORM.nodes[0],
        Branch("S", 2),
        EVIDENCE,
        MESSAGES,
        RUN,
        (GRAPH,),
        [GRAPH],
    ]


def no_tables(*, empty: bool = True) -> list[Any]:
    """For the variables S (2), X ("no", "yes") and Y (3)."""
    numbers = np.zeros((2, 2))
    return [
        *things(),
        5,
        2.5,
        np.nan,
        True,
        "X",
        b"X",
        1j,
        [],
        [0, 1],
        ["X"],
        (),
        (0, 1, 2),
        {"X", "Y"},
        np.zeros(3),
        numbers,
        (numbers, ["X"]),
        (numbers, ["X", "X"]),
        (numbers, 5),
        (numbers, None),
        (numbers, "X"),
        ("X", ["X"]),
        (np.zeros(3), ["X", "Y", "S"]),
        pd.Series([0, 1]),
        pd.Series([0, 1], name="X"),
        pd.DataFrame({"Q": [0]}),
        pd.DataFrame([[0, 1]], columns=["X", "X"]),
        pd.DataFrame([[0, 1]]),
        GRAPH,
        THETA,
        MESSAGES,
        *[{key: [0, 1]} for key in (5, None, ("X",), "Q", "", "x", b"X", 2.5, "X|S")],
        *[{"Y": column} for column in no_columns()],
        *[{"X": column} for column in no_labels()],
        {"X": [0, 1], "Y": [0]},
        {"X": [0, 1], "Y": np.zeros((3, 3))},
        *([{"X": []}, {"X": [], "Y": []}, pd.DataFrame({"X": []})] if empty else []),
        *no_evidence(),
    ]


def no_columns() -> list[Any]:
    """Columns of two samples that are none of a variable with the values 0, 1, 2."""
    return [
        *things()[:11],
        [3, 0],
        [0, -2],
        [0, 7],
        [0.5, 1],
        [np.inf, 1],
        ["x", "y"],
        ["0", "1"],
        [1j, 0],
        [object(), 0],
        [lambda: 0, 1],
        [b"0", b"1"],
        [(1, 2), 0],
        [[1, 2], [0, 1]],
        [[1, 0, 0, 0], 1],
        [[0, 0, 0], 1],
        [[1, -1, 0], 1],
        [[1, np.inf, 0], 1],
        [["a", "b", "c"], 1],
        [[1, 0, "x"], 1],
        [[1, None, 0], 1],
        [{}, 1],
        [{0: 1}, 1],
        np.zeros((2, 2)),
        np.zeros((2, 3)),
        np.ones((2, 3, 4)),
        np.ones((2, 4)),
        -np.ones((2, 3)),
        np.full((2, 3), np.inf),
        np.array([[1, np.nan, 0], [1, 1, 1]]),
        np.ones((2, 3)) * 1j,
        np.array([["a", "b", "c"]] * 2),
        np.array([3, 0]),
        np.array([0.25, 1.0]),
        np.array([1j, 0]),
        np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"),
        pd.Series([3, 0]),
        pd.Series([0.5, 1.0]),
        pd.Series(["x", "y"]),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])),
        pd.Categorical(["a", "b"]),
        {0: 1, 1: 2},
        {"a": 0},
        {0, 1},
        "012",
        "x",
        7,
        -3,
        1.5,
        1j,
        b"1",
        pd.DataFrame({"a": [0, 1]}),
        GRAPH,
    ]


def no_labels() -> list[Any]:
    """Columns of a variable with the states "no" and "yes"."""
    return [
        ["maybe", "no"],
        ["No", "Yes"],
        ["yes ", "no"],
        ["0", "1"],
        [b"no", b"yes"],
        [2, 0],
        [0.5, 1],
        [("no",), "yes"],
        [["no"], ["yes"]],
        [["no", "yes"], "no"],
        [{"no"}, "yes"],
        pd.Series(["no", "maybe"]),
        pd.Categorical(["maybe", "no"]),
        np.array(["no", "perhaps"]),
        pd.Series(["a", "b"], dtype="string"),
        "maybe",
        3,
        datetime.date(2020, 1, 1),
        [datetime.date(2020, 1, 1), "no"],
        {"no": 1, "yes": 2},
        {"no", "yes"},
    ]


def no_evidence() -> list[Any]:
    """Evidence by hand on S (2 values), X (2) and Y (3)."""
    codes = np.array([0, 1])
    return [
        Evidence(2, {"Q": codes}),
        Evidence(2, {5: codes}),
        Evidence(2, {None: codes}),
        Evidence(2, {"X": np.array([0, 5])}),
        Evidence(2, {"X": np.array([0, -2])}),
        Evidence(2, {"X": np.array([0])}),
        Evidence(3, {"X": codes}),
        Evidence(2, {"X": np.array([0.5, 1])}),
        Evidence(2, {"X": np.array([[0, 1]])}),
        Evidence(2, {"X": np.array(["no", "yes"])}),
        Evidence(2, {"X": "01"}),
        Evidence(2, {"X": None}),
        Evidence(2, {"X": 1}),
        Evidence(2, {"X": object()}),
        Evidence(0, {}),
        Evidence(-1, {"X": codes}),
        Evidence(2.5, {"X": codes}),
        Evidence("2", {"X": codes}),
        Evidence(None, {"X": codes}),
        Evidence(np.nan, {"X": codes}),
        Evidence(2, [codes]),
        Evidence(2, "X"),
        Evidence(2, None),
        Evidence(2, 5),
        Evidence(2, {}, {"Y": np.zeros((3, 2))}),
        Evidence(2, {}, {"Y": np.ones((2, 3))}),
        Evidence(2, {}, {"Y": np.ones((2, 2))}),
        Evidence(2, {}, {"Y": np.ones(3)}),
        Evidence(2, {}, {"Y": -np.ones((3, 2))}),
        Evidence(2, {}, {"Y": np.full((3, 2), np.nan)}),
        Evidence(2, {}, {"Y": np.full((3, 2), np.inf)}),
        Evidence(2, {}, {"Y": np.ones((3, 2)) * 1j}),
        Evidence(2, {}, {"Y": np.full((3, 2), "a")}),
        Evidence(2, {}, {"Y": None}),
        Evidence(2, {}, {"Y": "x"}),
        Evidence(2, {}, {"Q": np.ones((3, 2))}),
        Evidence(2, {}, 5),
        Evidence(2, {"X": codes}, {"X": np.ones((2, 2))}),
    ]


def no_matrices() -> list[Any]:
    """What theta["Y|S"], a (2, 3) matrix, cannot be."""
    good = np.full((2, 3), 1 / 3)
    return [
        *no_arrays(),
        5,
        0.5,
        [],
        [[]],
        [1 / 3] * 3,
        good.T,
        good[:1],
        good[:, :2],
        good[None, :, :, None],
        good * 2,
        good * 0,
        good - 0.5,
        good * np.nan,
        good * np.inf,
        [[0.5, 0.6, -0.1], [1, 0, 0]],
        [[0.5, 0.5, 0.5], [1, 0, 0]],
        [[1, 0, 0], [0, 0, 0]],
        [[1, 0, np.nan], [1, 0, 0]],
        np.zeros((0, 3)),
        np.zeros((2, 0)),
        pd.DataFrame(good.T),
        pd.DataFrame(good * 2),
        {"no": [1, 0, 0]},
    ]


def no_theta(
    *, partial: bool = False, batches: bool = False, apart: bool = True, none: bool = True
) -> list[Any]:
    """Mappings of matrices with a mistake in one, or no mappings.

    ``partial``   some of the matrices are enough
    ``batches``   one model is needed, so that a batch is a mistake
    ``apart``     batches of different sizes are a mistake
    ``none``      None is a mistake
    """
    wrong: list[Any] = [
        *things(),
        5,
        2.5,
        np.nan,
        True,
        "S",
        b"S",
        "ml",
        [],
        [THETA],
        ["S"],
        (),
        {"S"},
        np.full((2, 3), 1 / 3),
        list(THETA.values()),
        list(THETA.items()),
        pd.Series([1.0]),
        GRAPH,
        MESSAGES,
        {**THETA, "Q": [[1.0]]},
        {**THETA, "Y": THETA["Y|S"]},
        {**THETA, 5: THETA["Y|S"]},
        {**THETA, None: THETA["Y|S"]},
        {**THETA, ("Y", "S"): THETA["Y|S"]},
        *[{**THETA, "Y|S": matrix} for matrix in no_matrices()],
        {**THETA, "S": 1.0},
        {**THETA, "S": [0.5, 0.4]},
        {**THETA, "S": [[0.5], [0.5]]},
        {**THETA, "S": "even"},
        *([None] if none else []),
    ]
    if apart:
        wrong += [{**THETA, "S": np.full((2, 1, 2), 0.5), "X|S": np.full((3, 2, 2), 0.5)}]
    if not partial:
        wrong += [{}, {"S": THETA["S"]}, {k: v for k, v in THETA.items() if k != "Y|S"}]
    if batches:  # where one model is needed
        wrong += [
            {**THETA, "S": np.full((2, 1, 2), 0.5)},
            {name: np.stack([matrix] * 2) for name, matrix in THETA.items()},
        ]
    return wrong


def no_weights(n: int) -> list[Any]:
    """No ``n`` numbers >= 0; None is right."""
    return [
        *(value for value in no_arrays() if value is not None),
        [],
        1.0,
        5,
        -1,
        np.nan,
        [1] * (n - 1),
        [1] * (n + 1),
        ["a"] * n,
        ["1"] * n,
        [None] * n,
        [1] * (n - 1) + [-1],
        [1] * (n - 1) + [np.nan],
        [1] * (n - 1) + [np.inf],
        [1] * (n - 1) + [1j],
        [1] * (n - 1) + ["x"],
        [1] * (n - 1) + [None],
        [[1]] * n,
        [0] * n,
        np.zeros(n),
        -np.ones(n),
        np.ones((n, 1)),
        np.ones((2, 2, n)),
        np.full(n, "a"),
        np.full(n, 1j),
        pd.Series(["a"] * n),
        pd.Series([np.nan] * n),
        pd.DataFrame({"w": [1] * n}),
        {"w": [1] * n},
        dict.fromkeys(range(n), 1),
        dict.fromkeys(range(n)).keys(),
    ]


def no_flags() -> list[Any]:
    return ["no", "False", "", b"", 2, -1, 2.5, None, [], [True], {}, object(), np.nan, "yes"]


# Right values, beside which the wrong ones stand


GRAPH = BayesGraph({"S": 2, "X": ("no", "yes"), "Y": 3}, {"X": "S", "Y": "S"})
FORM = GRAPH.normal_form()
THETA = fg.random_theta(GRAPH, np.random.default_rng(0))
TABLE = {"X": ["no", "yes", "yes", "no"], "Y": [0, 1, 2, 1]}
EVIDENCE = fg.read_evidence(GRAPH, TABLE)
MESSAGES = fg.propagate(GRAPH, THETA, TABLE)
RUN = fg.fit(GRAPH, TABLE, n_epochs=1, restarts=1)
THETA_2 = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
F_2 = np.array([[0.1, 0.4, 0.8, 0.5], [0.9, 0.6, 0.2, 0.5]])
B_2 = np.array([[0.2, 0.3, 0.8, 0.3], [0.3, 0.3, 0.1, 0.3], [0.5, 0.4, 0.1, 0.4]])
S_, X_, Y_ = Branch("S", 2), Branch("X", 2), Branch("Y", 6)
SAVED = Path(tempfile.gettempdir()) / "fgnwidgets-mistakes.json"

VARIABLES = ("S", "X", "Y", "Q", "'Q'", "X|S", "Y|S")
TABLE_NAMES = ("table", "column", "evidence", "sample", "codes", "vectors", "n", *VARIABLES)
THETA_NAMES = ("theta", "matrix")
Pool = Callable[[], list[Any]]


def messages_like(size: int) -> list[Any]:
    """What cannot be messages ``(size, 4)``."""
    good = np.full((size, 4), 1 / size)
    return [
        *no_arrays(),
        5,
        0.5,
        [],
        [[]],
        good[0],
        good[:, :3],
        good[:-1],
        np.vstack([good, good]),
        good.T[:, :, None, None],
        -good,
        good * np.nan,
        good * np.inf,
        np.zeros((size, 4)),
        np.zeros((size, 0)),
        np.hstack([good[:, :3], np.zeros((size, 1))]),
        pd.DataFrame(good.T),
    ]


def matrix_like() -> list[Any]:
    return [matrix for matrix in no_matrices() if not _is_batch(matrix)]


def _is_batch(matrix: Any) -> bool:
    return isinstance(matrix, np.ndarray) and matrix.ndim > 2


def distributions_like(*, rows: bool = False) -> list[Any]:
    """What can be scaled to no distribution, in columns or in rows."""
    wrong = [
        *no_arrays(),
        5,
        [],
        -np.ones((2, 2)),
        np.full((2, 2), np.nan),
        np.full((2, 2), np.inf),
        np.zeros((2, 2)),
        np.array([[1.0, -1.0], [1.0, 1.0]]),
        [[-1, 2], [3, 4]],
        [[np.nan, 2], [3, 4]],
    ]
    column = [[0.0, 1.0], [0.0, 1.0]]
    return [*wrong, np.array(column).T] if rows else [*wrong, column, [1, 2]]


def entries() -> Iterator[tuple[str, Callable[..., Any], Mapping[str, Any], Mapping[str, Any]]]:
    """Each entry point: its name, the call, right arguments, and the pools of wrong ones.

    A pool is ``(names, pool)``, or a pool alone where the argument's own name is what to expect.
    """
    yield "normalize", fg.normalize, {}, {"messages": distributions_like}
    yield "row_normalize", fg.row_normalize, {}, {"matrix": lambda: distributions_like(rows=True)}
    yield (
        "sharpen",
        fg.sharpen,
        {"u": F_2, "exponent": 2.0},
        {"u": (("u", "messages"), distributions_like), "exponent": lambda: [*no_amounts(), None]},
    )
    for name in ("agreement", "match_states"):
        if hasattr(fg, name):
            wrong = [v for v in messages_like(2) if not _scaled(v)]
            yield (
                name,
                getattr(fg, name),
                {"p": F_2, "q": F_2},
                {"p": lambda v=wrong: v, "q": lambda v=wrong: v, "weight": lambda: no_weights(4)},
            )
    yield from graph_entries()
    yield from evidence_entries()
    yield from learning_entries()


def graph_entries() -> Iterator[Any]:
    no_states = [5, "ab", ["a"], ["a", "a"], ["a", "b", "c"], [[1], [2]], {"a", "b"}, None, True]
    no_codes: list[Any] = [5, "9", b"9", None, True, 2.5, object(), len, [[9]], [{}], {"A": [9]}]
    no_codes += [[0], [9, 1], (1,), np.zeros((2, 2)), np.zeros(()), [np.zeros(2)], np.nan, {0}]
    no_states += [object(), len, 2.5, [np.nan, np.nan], {"a": 1, "b": 2}, np.zeros((2, 2))]
    yield (
        "Branch",
        Branch,
        {"name": "A", "size": 2},
        {
            "name": (("name", "branch"), lambda: no_names([""])),
            "size": (("size", "A", "states"), no_sizes),
            "states": (("states", "A"), lambda: no_states),
            "variable": (("variable", "A"), lambda: [v for v in no_names() if v is not None]),
            "missing": (("missing", "A"), lambda: no_codes),
        },
    )
    no_branches = [*no_names(), "S", "A", [S_], (S_,), FORM.nodes[0], {"S": S_}]
    no_branches = [value for value in no_branches if not isinstance(value, Branch)]
    theta_names = [value for value in no_names() if value is not None]
    node = {"name": (("name", "Source", "Block", "node"), lambda: no_names([""]))}
    common = {
        "theta": (("theta", "P"), lambda: theta_names),
        "learn": (("learn", "P"), no_flags),
    }
    yield (
        "Source",
        Source,
        {"name": "P", "y": S_},
        {**node, **common, "y": (("y", "P"), lambda: no_branches)},
    )
    yield (
        "Block",
        Block,
        {"name": "P", "x": S_, "y": X_},
        {
            **node,
            **common,
            "x": (("x", "P"), lambda: no_branches),
            "y": (("y", "P"), lambda: no_branches),
        },
    )
    no_ports = [*no_branches, S_, [5], [None], ["S"], [S_, "X"], [S_, 5], [Branch("T", 3)], {S_: 1}]
    no_ports = [v for v in no_ports if not (_right_ports(v) or isinstance(v, Iterator))]
    yield (
        "Diverter",
        Diverter,
        {"name": "P", "inputs": [S_], "outputs": [S_.replica(1), S_.replica(2)]},
        {
            "name": (("name", "Diverter", "diverter"), lambda: no_names([""])),
            "inputs": (("inputs", "P"), lambda: no_ports),
            "outputs": (("outputs", "P"), lambda: no_ports),
        },
    )
    no_shapes = [
        *things(),
        *(None, 5, 2.5, "23", b"23", {}, {2, 3}, {2: 3}, [], (), (2,), (2, 2), (3, 2), (2, 3, 2)),
        *((2, -3), (-2, -3), (2.5, 3), ("2", "3"), (None, 3), (2, np.nan), (2, [3]), "x"),
        *(np.zeros((2, 2)), np.array([2.5, 3.0]), pd.DataFrame({"a": [2, 3]}), iter("23")),
    ]
    no_axes = [value for value in no_counts(0) if not _is_zero(value)] + [2, 7]
    for kind, ends in ((Expand, {"x": S_, "y": Y_}), (Project, {"x": Y_, "y": S_})):
        yield (
            kind.__name__,
            kind,
            {"name": "P", **ends, "sizes": (2, 3), "axis": 0},
            {
                "name": (("name", kind.__name__, "node"), lambda: no_names([""])),
                "x": (("x", "P"), lambda: no_branches),
                "y": (("y", "P"), lambda: no_branches),
                "sizes": (("sizes", "P"), lambda: no_shapes),
                "axis": (("axis", "P"), lambda: no_axes),
            },
        )
    for name in ("product_to_variable", "variable_to_product"):
        yield (
            name,
            getattr(fg, name),
            {"sizes": (2, 3), "axis": 0},
            {
                "sizes": lambda: [v for v in no_shapes if not _right_sizes(v)],
                "axis": lambda: no_axes,
            },
        )
    source, block = Source("S", S_), Block("X|S", S_, X_)
    yield (
        "NormalGraph",
        NormalGraph,
        {},
        {
            "nodes": (
                ("node", "nodes", "graph", "branch", "S", "X|S"),
                lambda: [
                    *things(),
                    *(None, 5, 2.5, "S", b"S", "", {}, [], (), set(), {"S": source}, [5], [None]),
                    *(["S"], [S_], S_, source, [source, 5], [source, None], [source, source]),
                    *([source, Source("S2", S_)], [[source]], [source, Block("S", S_, X_)]),
                    *([Source, Block], np.array([1, 2]), np.zeros((2, 2)), GRAPH, THETA),
                    *([block, Block("S|X", X_, S_)], [source, Block("X|S", Branch("S", 3), X_)]),
                    *(pd.Series([1]), pd.DataFrame({"a": [1]}), iter([5]), [source, [block]]),
                ],
            )
        },
    )
    for label, method in (("branch", FORM.branch), ("split", FORM.split)):
        names = ("variable", "branch", "name")
        yield f"NormalGraph.{label}", method, {}, {"*name": (names, unknown_names)}
    yield "NormalGraph.node", FORM.node, {}, {"*name": (("node", "name"), unknown_names)}
    for label, method in (("[]", MESSAGES.__getitem__), ("pair", MESSAGES.pair)):
        names = ("variable", "branch", "node", "name")
        yield f"Messages.{label}", method, {}, {"*name": (names, unknown_names)}
    yield "Messages.at_block", MESSAGES.at_block, {}, {"*name": (("node", "name"), unknown_names)}
    yield from bayes_entries()


def bayes_entries() -> Iterator[Any]:
    sizes = {"S": 2, "X": 2, "Y": 3}
    no_states: list[Any] = [
        *things(),
        *(
            None,
            5,
            2.5,
            "S",
            b"S",
            [],
            ["S", "X"],
            ("S",),
            {"S", "X"},
            {},
            np.zeros(3),
            GRAPH,
            FORM,
        ),
        *(pd.Series(["S"]), pd.DataFrame({"S": [0]}), [("S", 2), ("X", 2)], [Branch("S", 2)]),
        *[{**sizes, "S": size} for size in no_sizes()],
        *[{**sizes, key: 2} for key in (5, None, "", ("A",), b"A", 2.5)],
    ]
    no_parents: list[Any] = [
        *things(),
        *(5, 2.5, "S", b"S", ["S"], [("S", "X")], [("S", "X"), ("S", "Y")], {"S"}, np.zeros(2)),
        *(np.nan, GRAPH, pd.Series(["S"]), pd.DataFrame({"X": ["S"]}), dict, [["S", "X"]]),
        *[{"X": p} for p in (5, 2.5, b"S", "Q", "", ["Q"], [5], [None], ["S", "S"], "X", ["X"])],
        *[{"X": p} for p in ([["S"]], {"S": "Y"}, {"S", "Y"}, object(), len, True, np.nan, 1j)],
        *[{"X": p} for p in (np.array([1, 2]), ["S", 5], ["S", None], Branch("S", 2))],
        *[{key: "S"} for key in (5, None, "Q", "", ("X",), b"X", 2.5, "x", Branch("X", 2))],
        *({"X": "Y", "Y": "X"}, {"X": "S", "S": "X"}),
    ]
    names = ("states", "size", "values", "variable", "variables", "branch", "S", "X", "Y")
    family = (*names, "parent", "parents", "edges")
    no_theta_names: list[Any] = [
        *things(),
        *(5, "X", b"X", ["X"], ("X",), {"X"}, np.zeros(2), 2.5, GRAPH, pd.DataFrame({"X": ["T"]})),
        *[{"X": name} for name in (5, None, "", ["T"], ("T",), b"T", 2.5, object(), {}, True)],
        *[{key: "T"} for key in (5, None, "Q", "X|S", ("X",), b"X")],
        *({"X": "T", "Y": "T"}, {"S": "T", "X": "T"}),
    ]
    no_fixed: list[Any] = [
        *things(),
        *(
            5,
            2.5,
            True,
            None,
            b"X",
            "Q",
            "X|S",
            ["Q"],
            [5],
            [None],
            [["X"]],
            {"Q"},
            np.zeros(2),
            1j,
        ),
        *(["X", "Q"], [b"X"], pd.DataFrame({"a": ["X"]}), np.nan, GRAPH, [Branch("X", 2)]),
    ]
    right = {"states": sizes, "parents": {"X": "S", "Y": "S"}}
    yield (
        "BayesGraph",
        BayesGraph,
        right,
        {
            "states": (names, lambda: no_states),
            "parents": (family, lambda: no_parents),
            "theta": (("theta", "matrix", *names), lambda: no_theta_names),
            "fixed": (("fixed", *names), lambda: no_fixed),
            "missing": (("missing", *names), no_missing),
        },
    )
    no_edges: list[Any] = [
        *things(),
        *(5, 2.5, "S", b"S", "SX", ("S", "X"), ["SX"], {"X": "S"}, np.nan, True, np.zeros(2), 1j),
        *([("S",)], [("S", "X", "Y")], [()], [5], [None], [("S", None)], [(5, "X")], [("S", "Q")]),
        *([("Q", "X")], [("S", "S")], [("S", "X"), ("S", "X")], [("X", "Y"), ("Y", "X")], GRAPH),
        *([(("S",), "X")], [("S", ["X", "Y"])], [(b"S", b"X")], [("", "X")], [Branch("S", 2)]),
        *(pd.DataFrame({"a": [1]}), [("S", "X"), 5], [["S"], ["X"]], [{"S": "X"}], [{"S", "X"}]),
    ]
    yield (
        "BayesGraph edges",
        BayesGraph,
        {"states": sizes, "edges": [("S", "X"), ("S", "Y")]},
        {"edges": (("edge", *family), lambda: no_edges)},
    )
    combine = lambda: no_names(["products", "Product", "", "sum"])  # noqa: E731
    yield "BayesGraph.normal_form", GRAPH.normal_form, {}, {"combine": combine}
    no_columns_at_all: list[Any] = [
        *things(),
        *(None, 5, 2.5, "X", b"X", [], [0, 1], (), {"X"}, {}, np.zeros(3), np.zeros((2, 2)), GRAPH),
        *(pd.Series([0, 1]), pd.DataFrame(), pd.DataFrame([[0, 1]], columns=["X", "X"]), THETA),
        *((np.zeros((2, 2)), ["X"]), (np.zeros((2, 2)), 5), ("X", ["X"]), np.nan, True, 1j),
        *[{"X": column} for column in ([], [None], [np.nan, np.nan], ["", " "], 5, "x", None)],
        *[{"X": column} for column in ([[0, 1], [1, 0]], [{}, {}], object(), len, {0: 1}, {0, 1})],
        *[{"X": column} for column in (np.zeros((2, 2)), np.zeros((2, 2, 2)), GRAPH)],
        *[{key: [0, 1]} for key in (5, None, "", ("X",), b"X", 2.5)],
        {"X": [0, 1], "Y": [0]},
    ]
    no_hidden: list[Any] = [
        *things(),
        *(5, 2.5, "H", b"H", ["H"], ("H",), {"H"}, np.zeros(2), GRAPH, np.nan, [("H", 2)]),
        *[{"S": 2, "H": size} for size in no_sizes()],
        *[{"S": 2, key: 2} for key in (5, None, "", ("H",), b"H")],
    ]
    table = {"X": [0, 1, 1], "Y": [2, 0, 1]}
    yield (
        "BayesGraph.from_table",
        BayesGraph.from_table,
        {"table": table, "parents": {"X": "S", "Y": "S"}, "hidden": {"S": 2}},
        {
            "table": (("table", "column", *names), lambda: no_columns_at_all),
            "parents": (family, lambda: no_parents),
            "hidden": (("hidden", "H", *names), lambda: no_hidden),
            "missing": (("missing", *names), no_missing),
        },
    )


def no_missing() -> list[Any]:
    """What says no codes for no answer, to a graph or a table of S, X and Y."""
    return [
        *things(),
        *(9, 2.5, "DK", b"DK", True, np.nan, np.zeros((2, 2)), np.zeros(()), GRAPH, 1j),
        *([[9]], [{}], [{9}], ([9], [99]), [[9, 99]], {"Q": [9]}, {"x": [9]}, {("X",): [9]}),
        *(
            {"X": 9},
            {"X": "DK"},
            {"X": None},
            {"X": {"a": 9}},
            {"X": [[9]]},
            {"X": np.zeros((2, 2))},
        ),
        *({5: [9]}, {None: [9]}, {"X": b"9"}, pd.DataFrame({"X": [9]}), {"X": 9.0}),
    ]


def evidence_entries() -> Iterator[Any]:
    for kind, graph in (("", GRAPH), (" (normal)", FORM)):
        wrong_graph = {"graph": no_graphs}
        table = (TABLE_NAMES, no_tables)
        theta = ((*THETA_NAMES, *VARIABLES), no_theta)
        single = ((*THETA_NAMES, *VARIABLES), lambda: no_theta(batches=True))
        model = {"graph": graph, "theta": THETA}
        yield (
            f"read_evidence{kind}",
            fg.read_evidence,
            {"graph": graph, "table": TABLE},
            {**wrong_graph, "table": table},
        )
        for name in ("propagate", "loglik", "aggregated"):
            yield (
                name + kind,
                getattr(fg, name),
                {**model, "evidence": TABLE},
                {**wrong_graph, "theta": theta, "evidence": table},
            )
        yield (
            f"posterior{kind}",
            fg.posterior,
            {**model, "evidence": TABLE, "variable": "S"},
            {
                **wrong_graph,
                "theta": theta,
                "evidence": table,
                "variable": (("variable", "branch"), unknown_names),
            },
        )
        marginals: list[Any] = [
            *things(),
            *(None, 5, "S", b"S", [], {}, [0.2, 0.8], {"Q": [0.2, 0.8]}, {5: [0.2, 0.8]}),
            *({"X": [0.2, 0.8]}, {"S": [0.2, 0.8], "Y": [0.2, 0.3, 0.5]}),
            *[{"S": q} for q in ([0.2, 0.7], [0.2], [1.2, -0.2], [np.nan, 1.0], [np.inf, 0.0])],
            *[{"S": q} for q in ([[0.2, 0.8]] * 3, [[[0.2, 0.8]]], 0.5, None, "ab", [], [[]], {})],
            *[{"S": q} for q in (["a", "b"], [None, 1.0], [0, 0], object(), {"a": 1}, b"ab")],
        ]
        yield (
            f"fix_marginals{kind}",
            fg.fix_marginals,
            {**model, "evidence": TABLE, "marginals": {"S": [0.2, 0.8]}},
            {
                **wrong_graph,
                "theta": theta,
                "evidence": table,
                "marginals": (("marginals", *VARIABLES), lambda given=marginals: given),
            },
        )
        case = {**model, "evidence": {"X": "no"}}
        asked = {
            **wrong_graph,
            "theta": single,
            "evidence": (TABLE_NAMES, lambda: [*no_tables(), TABLE]),
        }
        yield (
            f"informative{kind}",
            fg.informative,
            {**case, "target": "S"},
            {
                **asked,
                "target": (
                    ("target", "variable", "branch"),
                    lambda: [*unknown_names(), "X"],
                ),
                "among": (
                    ("among", "variable", "branch"),
                    lambda: [
                        *things(),
                        *(5, 2.5, True, b"Y", 1j, "Q", ["Q"], ["Y", "Q"], [5], [None], [["Y"]]),
                        *({"Y": 1}, "S", ["S"], "X", ["Y", "X"], [b"Y"], np.zeros(2), GRAPH, ""),
                    ],
                ),
            },
        )
        queries: list[Any] = [
            *things(),
            *(None, 5, "S", b"S", True, 1j, [], {}, ["S"], {"S"}, [("S", 1)], np.zeros(2), GRAPH),
            *[{key: 0} for key in ("Q", 5, None, "", ("S",), b"S", "X|S", 2.5)],
            *({"X": "no"}, {"X": "yes", "S": 0}, {"S": 0, "Q": 1}, {"S": 0, "X": "no"}),
            *[{"S": v} for v in (2, -1, 0.5, None, np.nan, "no", [0, 1], [0.2, 0.8], [], "", 1j)],
            *[{"S": v} for v in (object(), len, {0: 1}, {0, 1}, np.zeros((2, 2)), b"0", pd.NA)],
        ]
        yield (
            f"sensitivity{kind}",
            fg.sensitivity,
            {**case, "query": {"S": 1}},
            {**asked, "query": (("query", *VARIABLES), lambda given=queries: given)},
        )
        yield (
            f"most_probable{kind}",
            fg.most_probable,
            {**model, "evidence": TABLE},
            {
                **wrong_graph,
                "theta": single,
                "evidence": table,
                "variables": (
                    ("variables", "variable"),
                    lambda: [*things(), 5, "Q", ["S", "Q"], ["S", 5], [None], {"Q": 2}, b"S"],
                ),
            },
        )
        yield (
            f"trace{kind}",
            fg.trace,
            {**model, "evidence": TABLE},
            {
                **wrong_graph,
                "theta": theta,
                "evidence": table,
                "schedule": (
                    ("schedule", "step"),
                    lambda: [
                        *things(),
                        *(5, 2.5, "S", b"S", True, np.nan, {"S": 1}, [5], [[5]], ["flooding"]),
                        *(
                            [[("S", "S")]],
                            [[("Q", "S", "f")]],
                            [[("S", "Q", "f")]],
                            GRAPH,
                            [[None]],
                        ),
                        *(
                            [[("S", "S", "g")]],
                            [[("S", "S", 1)]],
                            [("S", "S(0)", "f")],
                            fg.two_sweep,
                        ),
                        *(np.zeros((2, 2)), pd.DataFrame({"a": [1]}), [[("S", "X", "b")]], 1j),
                    ],
                ),
                "start": (
                    ("start",),
                    lambda: [
                        *(0, 1, True, 2.5, np.nan, "messages", "matrices", "", b"0", [], [0], {}),
                        *({"S": 1}, np.random.SeedSequence(0), np.random.RandomState(0), np.random),
                        *(
                            np.random.PCG64(0),
                            random.Random(0),
                            object(),
                            len,
                            np.zeros((2, 4)),
                            1j,
                        ),
                        *(fg.propagate(GRAPH, THETA, {"X": ["no"]}), GRAPH, THETA, TABLE, EVIDENCE),
                        *(pd.DataFrame({"X": [0]}), pd.Series([0]), RUN, MESSAGES["S"]),
                    ],
                ),
            },
        )
        yield f"two_sweep{kind}", fg.two_sweep, {"graph": graph}, wrong_graph
        rounds = [value for value in no_counts(0) if value is not None]
        yield (
            f"flooding{kind}",
            fg.flooding,
            {"graph": graph},
            {**wrong_graph, "rounds": lambda values=rounds: values},
        )
        weight = (("weight",), lambda: no_weights(4))
        for name in ("saturated", "independent", "distinct"):
            of = "table" if name == "distinct" else "evidence"
            yield (
                name + kind,
                getattr(fg, name),
                {"graph": graph, of: TABLE},
                {**wrong_graph, of: table, "weight": weight},
            )
        order = [
            *no_arrays(),
            *(5, 2.5, [], [0], [0, 1, 2], [0, 0], [1, 2], [-1, 0], [0.5, 1], ["0", "1"], [[0, 1]]),
            *({0: 1, 1: 0}, {0, 1}, [None, 0], [np.nan, 0], "01", (1,), np.array([0.0, 1.5]), True),
        ]
        yield (
            f"relabel{kind}",
            fg.relabel,
            {**model, "variable": "S", "order": [1, 0]},
            {
                **wrong_graph,
                "theta": ((*THETA_NAMES, *VARIABLES), lambda: no_theta(apart=False)),
                "variable": (("variable", "branch"), unknown_names),
                "order": lambda values=order: values,
                "hidden": lambda: [0, 1, "yes", [True]],
            },
        )
        yield (
            f"sample{kind}",
            fg.sample,
            {**model, "n": 3, "rng": np.random.default_rng(0)},
            {
                **wrong_graph,
                "theta": single,
                "n": no_counts,
                "rng": lambda: [*no_generators(), None],
                "given": (
                    ("given", *TABLE_NAMES),
                    lambda: [*no_tables(), TABLE, {"X": [0, 1]}, {"X": ["no"] * 3}],
                ),
            },
        )
        batch = [
            *things(),
            *(5, 2.5, "2", b"2", None, [2.5], ["2"], [-1], (2, -1), [None], [[2]], 1j, -1),
            *(
                np.array([1.5]),
                np.zeros((2, 2)),
                pd.DataFrame({"a": [2]}),
                np.nan,
                (np.nan,),
                iter("2"),
            ),
        ]
        yield (
            f"random_theta{kind}",
            fg.random_theta,
            {"graph": graph, "rng": np.random.default_rng(0)},
            {
                **wrong_graph,
                "rng": lambda: [*no_generators(), None],
                "batch": lambda values=batch: values,
            },
        )
        yield f"uniform_theta{kind}", fg.uniform_theta, {"graph": graph}, wrong_graph
        paths = [*things(), *(None, 5, 2.5, [], {}, ("a",), b"a\x00", np.nan, 1j, GRAPH, {"a"})]
        yield (
            f"save{kind}",
            fg.save,
            {"path": SAVED, **model},
            {
                **wrong_graph,
                "theta": ((*THETA_NAMES, *VARIABLES), lambda: no_theta(partial=True, apart=False)),
                "path": lambda values=paths: values,
            },
        )
    yield "load", fg.load, {}, {"path": lambda: paths}
    finished = fg.fit(GRAPH, TABLE, restarts=2, n_epochs=1)
    yield (
        "resume",
        lambda run, **how: fg.resume(run, **{"n_epochs": 1, **how}),
        {"run": finished},
        {
            "run": lambda: [*things(), None, 5, "run", {}, [], GRAPH, THETA],
            "n_epochs": lambda: [*things(), None, -1, 1.5, "5", [], True, np.nan],
            "tol": lambda: [*things(), -1.0, "5", [], True, np.nan, np.inf],
            "progress": lambda: [*things(), 1, "yes", []],
            "watch": lambda: [5, "print", [], {}, 2.5],
        },
    )
    distinct = [*things(), *(None, 5, "X", [], TABLE, GRAPH, THETA, np.zeros(2), 2.5, {})]
    distinct += [pd.DataFrame({"X": [0]}), MESSAGES, [EVIDENCE], *no_evidence()[9:24]]
    yield (
        "distinct (evidence)",
        lambda evidence, weight=None: fg.distinct(evidence, weight),
        {"evidence": EVIDENCE},
        {
            "evidence": (TABLE_NAMES, lambda: distinct),
            "weight": (("weight",), lambda: no_weights(4)),
        },
    )


def learning_entries() -> Iterator[Any]:
    block = {"theta": THETA_2, "f": F_2, "b": B_2}
    wrong: dict[str, Any] = {
        "theta": matrix_like,
        "f": lambda: messages_like(2),
        "b": lambda: messages_like(3),
        "weight": lambda: no_weights(4),
    }
    alpha = [
        *no_amounts(arrays=False),
        *([], [1], np.ones(3), np.ones((3, 2)), -np.ones((2, 3)), np.full((2, 3), np.nan)),
        *([["a"] * 3] * 2, [["1"] * 3] * 2, np.full((2, 3), np.inf), [[1, 2, 3], [1]]),
    ]
    delta = no_amounts
    prior = lambda: alpha  # noqa: E731
    yield "ml", fg.ml, block, {**wrong, "alpha": prior}
    yield "kl", fg.kl, block, wrong
    yield "vit", fg.vit, block, {**wrong, "delta": delta}
    yield "var", fg.var, block, {**wrong, "delta": delta, "alpha": prior}
    zero = [v for v in no_weights(4) if not _all_zero(v)]
    scored = {
        "f": lambda: [v for v in messages_like(2) if not _all_zero(v) and not _one_zero(v)],
        "b": lambda: [v for v in messages_like(3) if not _all_zero(v) and not _one_zero(v)],
        "weight": lambda: zero,
    }
    yield "block_loglik", fg.block_loglik, block, {**wrong, **scored}
    no_rules = [
        *no_names(["em", "ML", "", "ml ", "mlkl", "viterbi"]),
        *(["ml"], ("ml",), ["ml", "kl"], {"ml": 1}, {"ml"}, fg.ml, ["ml", "kl", 5], [None] * 3),
    ]
    for rule in ("ml", "kl", "vit", "var"):
        constants = {
            "ml": {"alpha": prior},
            "kl": {},
            "vit": {"delta": delta},
            "var": {"alpha": prior, "delta": delta},
        }[rule]
        yield (
            f"iterate {rule}",
            fg.iterate,
            {"rule": rule, **block, "n_it": 2},
            {**wrong, **constants, "n_it": lambda: no_counts(0), "rule": lambda: no_rules},
        )
    if hasattr(fg, "Rule"):
        right_rule = {"name": "own", "step": lambda theta, f, b, weight: theta}
        no_constants: list[Any] = [
            *things(),
            *(5, 2.5, "delta", b"delta", ["delta"], ("delta",), {"delta"}, None, True, np.zeros(2)),
            *[{key: 1.0} for key in (5, None, "", ("a",), b"a", 2.5)],
            *(GRAPH, pd.DataFrame({"a": [1]}), np.nan, 1j, [("delta", 1.0)]),
        ]
        priors = [{"delta": v} for v in no_amounts(arrays=False)]
        own = ("own", "rule")
        yield (
            "Rule",
            fg.Rule,
            right_rule,
            {
                "name": (("name", "rule"), lambda: no_names([""])),
                "step": (("step", *own), lambda: [v for v in no_names("ml") if not callable(v)]),
                "iterates": (("iterates", *own), no_flags),
                "constants": (("constants", *own), lambda: no_constants),
                "pseudo_counts": (("pseudo_counts", *own), lambda: [*no_constants, *priors]),
            },
        )
    rows = ([True], [True] * 3, ["a", "b"], [0.5, 1], [2, 0], None, "TF", 5, {}, [[True, False]])
    no_rows: list[Any] = [
        *things(),
        *(5, 2.5, "X|S", b"X|S", True, np.nan, 1j, [True, False], ["X|S"], {"X|S"}, np.zeros(2)),
        *[
            {"X|S": row}
            for row in (*rows, [None, True], [np.nan, 1], object(), np.ones((2, 2)), 1j)
        ],
        *[{key: [True, False]} for key in ("Q", "X", "", 5, None, ("X|S",), "S", b"X|S")],
        *(GRAPH, pd.DataFrame({"a": [True]}), [("X|S", [True, False])]),
    ]
    start = [
        *things(),
        *(5, 2.5, None, True, np.nan, "", "zeros", "random", b"messages", [], ["messages"], {}),
        *({"S": 1}, {"Q": (F_2, B_2)}, np.zeros((2, 4)), GRAPH, THETA, MESSAGES, RUN, TABLE),
    ]
    for kind, graph in (("", GRAPH), (" (normal)", FORM)):
        learn = {
            "graph": no_graphs,
            "table": (TABLE_NAMES, lambda: [*no_tables(), None, {}]),
            "rule": lambda: no_rules,
            "n_epochs": lambda: no_counts(0),
            "n_it": no_counts,
            "restarts": lambda: [v for v in no_counts() if v is not None],
            "seed": no_seeds,
            "start": lambda: start,
            "theta": ((*THETA_NAMES, *VARIABLES), lambda: no_theta(partial=True, none=False)),
            "weight": lambda: no_weights(4),
            "test_weight": lambda: no_weights(4),
            "alpha": (
                ("alpha", "alpha['S']"),
                lambda: [
                    *(v for v in alpha if not isinstance(v, dict | np.ndarray | list)),
                    *(np.ones(3), [1.0], {"Q": 1.0}, {5: 1.0}, {None: 1.0}, ["S"]),
                    *[{"Y|S": value} for value in alpha],
                ],
            ),
        }
        right = {"graph": graph, "table": TABLE, "n_epochs": 1, "restarts": 3}
        yield f"epochs{kind}", fg.epochs, right, learn
        yield f"epochs vit{kind}", fg.epochs, {**right, "rule": "vit"}, {"delta": delta}
        yield (
            f"fit{kind}",
            fg.fit,
            right,
            {
                **learn,
                "tol": lambda: [*no_amounts(infinite=True), None],
                "record": lambda: [
                    *things(),
                    *(5, 2.5, None, True, np.nan, "", "weights", b"loglik", ["weights"], [5]),
                    *({"loglik", "x"}, [None], [["loglik"]], ["loglik", 5], np.zeros(2), GRAPH),
                    *(pd.Series(["x"]), pd.DataFrame({"a": [1]}), {"x": 1}, 1j, "loglik,theta"),
                ],
                "progress": lambda: [v for v in no_flags() if v is not None],
                "survey": lambda: [*no_flags(), True],
            },
        )
        held = {"hold": (("hold", "row", "rows", "X|S", "S"), lambda: no_rows)}
        yield f"fit hold{kind}", fg.fit, {**right, "hold": {"X|S": [True, False]}}, held
        yield f"epochs hold{kind}", fg.epochs, {**right, "hold": {"X|S": [True, False]}}, held
        yield (
            f"fit starts{kind}",
            fg.fit,
            {"graph": graph, "table": TABLE, "n_epochs": 1, "starts": 4, "keep": 2},
            {
                "starts": lambda: [v for v in no_counts(2) if v is not None],
                "keep": lambda: [*(v for v in no_counts() if v is not None), 5, 100],
            },
        )
        yield (
            f"fit var{kind}",
            fg.fit,
            {**right, "rule": "var"},
            {"delta": delta, "alpha": prior_of_graph(alpha)},
        )


def prior_of_graph(alpha: list[Any]) -> Pool:
    return lambda: [v for v in alpha if not isinstance(v, dict) and np.ndim(_array(v)) != 2]


def _array(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else 0


def _is_zero(value: Any) -> bool:
    return isinstance(value, int) and value == 0


def _all_zero(value: Any) -> bool:
    """Zeros are a weight and a message like others where only a sum is asked for."""
    try:
        array = np.asarray(value)
        return array.dtype.kind in "iuf" and array.size > 0 and not array.any()
    except ValueError:
        return False


def _one_zero(value: Any) -> bool:
    return (
        isinstance(value, np.ndarray)
        and value.ndim == 2
        and value.dtype.kind == "f"
        and value.size > 0
        and bool((value.sum(axis=0) == 0).any())
    )


def _scaled(value: Any) -> bool:
    """Beliefs ``(M, 4)`` of any sum, and of any number of states or batches, can be matched."""
    if not isinstance(value, np.ndarray) or value.ndim < 2 or value.shape[-1] != 4:
        return False
    return bool(np.isfinite(value).all() and (value >= 0).all())


def _right_ports(value: Any) -> bool:
    """An empty collection is a side without ports, and a branch of the right size is a port."""
    if isinstance(value, list | tuple | dict | set):
        return not value or all(isinstance(b, Branch) and b.size == 2 for b in value)
    return False


def _right_sizes(value: Any) -> bool:
    """Sizes of product spaces that are as good as the right ones where no branch is at hand."""
    return isinstance(value, tuple) and value in ((2,), (2, 2), (3, 2), (2, 3, 2))


def mistakes() -> Iterator[Mistake]:
    """All of them. Each value is built anew, so that none is used up by another's call."""
    for entry, call, right, pools in entries():
        for argument, given in pools.items():
            names, pool = given if isinstance(given, tuple) else ((argument,), given)
            for value in pool():
                if argument.startswith("*"):
                    yield Mistake(entry, argument, value, _called(call, {}, (value,)), names)
                else:
                    whole = {**right, argument: value}
                    yield Mistake(entry, argument, value, _called(call, whole, ()), names)


def _called(
    call: Callable[..., Any], options: Mapping[str, Any], values: Sequence[Any]
) -> Callable[[], Any]:
    frozen = MappingProxyType(dict(options))
    return lambda: call(*values, **frozen)
