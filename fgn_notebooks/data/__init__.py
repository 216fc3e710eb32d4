"""The data sets of the course: small CSV files, whose first lines name their sources."""

from pathlib import Path

import numpy as np


def carcinoma() -> dict[str, np.ndarray]:
    """Seven pathologists' judgements of 118 slides: 1 for carcinoma, 0 for none.

    One column of 118 integers for each pathologist, ``"A"`` to ``"G"`` (Agresti 2002, Table 13.1).
    """
    return {name: column.astype(int) for name, column in _columns("carcinoma.csv").items()}


def candy() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The eight different candies out of two mixed bags, and how many there are of each.

    Columns ``"Flavor"``, ``"Wrapper"`` and ``"Hole"`` of labels (Russell and Norvig 2010, section
    20.3.2).
    """
    columns = _columns("candy.csv")
    counts = columns.pop("Count").astype(int)
    return columns, counts


def exam() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The 32 patterns of answers to five questions, and how many of 1000 candidates gave each.

    Columns ``"Q1"`` to ``"Q5"`` of integers, 1 for a right answer (Bock and Lieberman 1970: the Law
    School Admission Test, section 7).
    """
    columns = {name: column.astype(int) for name, column in _columns("exam.csv").items()}
    counts = columns.pop("Count")
    return columns, counts


def exam_lines() -> list[dict[str, str | int]]:
    """The file of :func:`exam` as `csv.DictReader` gives it: a dict for each line.

    An answer is ``"wrong"`` or ``"right"``, and ``"Count"`` is how many candidates gave these.
    """
    answers, counts = exam()
    cells = zip(*(np.where(column == 1, "right", "wrong") for column in answers.values()), counts,
                strict=True)  # fmt: skip
    return [
        {name: str(word) for name, word in zip(answers, words, strict=True)} | {"Count": int(count)}
        for *words, count in cells
    ]


def diary() -> list[int]:
    """The numbers of ice creams eaten on each of 33 days, 1, 2 or 3 (Eisner 2002)."""
    return [int(v) for v in "233232322313311121113121112332322"]


PUBLISHED = ("role_conflict", "schoolboys", "titanic", "hair_eyes")
"""Other published tables of counts; each file names its source."""


def published(name: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """A table of ``PUBLISHED``: its columns, and how many times each row was observed.

    A column is of integers if all its cells are, else of strings.
    """
    if name not in PUBLISHED:
        raise ValueError(f"no table {name!r}: expected one of {', '.join(PUBLISHED)}")
    columns = _columns(f"{name}.csv")
    counts = columns.pop("Count").astype(int)
    numbers = {k: v.astype(int) if all(map(str.isdigit, v)) else v for k, v in columns.items()}
    return numbers, counts


def _columns(file: str) -> dict[str, np.ndarray]:
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    header, *rows = [line for line in lines if not line.startswith("#")]
    table = np.array([row.split(",") for row in rows])
    return dict(zip(header.split(","), table.T.copy(), strict=True))
