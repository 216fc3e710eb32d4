"""The data sets of the course are those of their sources."""

import numpy as np
import pytest

from fgn_notebooks.data import PUBLISHED, candy, carcinoma, exam, published
from fgnwidgets import BayesGraph, fit, independent, saturated


def test_the_carcinoma_ratings_are_118_slides_by_7_pathologists():
    ratings = carcinoma()
    assert list(ratings) == list("ABCDEFG")
    assert {column.shape for column in ratings.values()} == {(118,)}
    assert set(np.concatenate(list(ratings.values()))) == {0, 1}


def test_the_carcinoma_ratings_are_those_of_the_published_table():
    """The 20 patterns of Agresti (2002), Table 13.1, with how many slides show each."""
    published = {
        "0000000": 34, "0000100": 2, "0100000": 6, "0100001": 1, "0100100": 4,
        "0100101": 5, "1000000": 2, "1010101": 1, "1100000": 2, "1100001": 1,
        "1100100": 2, "1100101": 7, "1100111": 1, "1101001": 1, "1101101": 2,
        "1101111": 3, "1110101": 13, "1110111": 5, "1111101": 10, "1111111": 16,
    }  # fmt: skip
    slides = zip(*carcinoma().values(), strict=True)
    patterns, counts = np.unique(["".join(map(str, slide)) for slide in slides], return_counts=True)
    assert dict(zip(patterns.tolist(), counts.tolist(), strict=True)) == published


def test_the_file_names_its_source():
    from importlib.resources import files

    text = files("fgn_notebooks.data").joinpath("carcinoma.csv").read_text()
    assert "Agresti" in text and "Table 13.1" in text


def test_the_candies_are_the_thousand_of_the_textbook():
    """Its eight counts, and the log-likelihood of its true model, -1982.214 (section 20.3.2)."""
    table, counts = candy()
    wanted = {
        "cherry red yes": 273, "cherry red no": 93, "cherry green yes": 104, "cherry green no": 90,
        "lime red yes": 79, "lime red no": 100, "lime green yes": 94, "lime green no": 167,
    }  # fmt: skip
    rows = [" ".join(row) for row in zip(*table.values(), strict=True)]
    assert dict(zip(rows, counts.tolist(), strict=True)) == wanted
    firsts = {"Flavor": "cherry", "Wrapper": "red", "Hole": "yes"}
    bags = np.ones((2, 8))
    for name, first in firsts.items():
        for bag, p in enumerate((0.8, 0.3)):
            bags[bag] *= np.where(table[name] == first, p, 1 - p)
    assert np.log(bags.mean(axis=0)) @ counts == pytest.approx(-1982.214, abs=5e-4)


def test_the_examination_is_that_of_the_published_table():
    """The totals and item shares of Bock and Lieberman (1970), and the saturated log-likelihood.

    A model with one trait has -2658.805 and a deviance of 31.7 on this table, as item response
    software reports, so the ceiling is -2642.95.
    """
    answers, counts = exam()
    assert list(answers) == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    patterns = ["".join(map(str, row)) for row in zip(*answers.values(), strict=True)]
    assert patterns == [f"{k:05b}" for k in range(32)]
    assert counts.sum() == 1000
    right = [int(column @ counts) for column in answers.values()]
    assert right == [828, 658, 772, 606, 843]
    assert counts @ np.log(counts / 1000) == pytest.approx(-2658.805 + 31.7 / 2, abs=0.01)


def test_the_published_tables_have_the_totals_and_fits_of_their_sources():
    """Totals of the sources; Goodman (1974) prints the two chi-squares of independence and more."""
    totals = {"role_conflict": 216, "schoolboys": 3398, "titanic": 2201, "hair_eyes": 592}
    for name in PUBLISHED:
        columns, counts = published(name)
        assert counts.sum() == totals[name]
        assert {len(column) for column in columns.values()} == {len(counts)}
    columns, counts = published("role_conflict")
    graph = BayesGraph.from_table(columns, dict.fromkeys(columns, "S"), hidden={"S": 2})
    run = fit(graph, columns, weight=counts, n_epochs=3000, progress=False)
    top = saturated(graph, columns, counts)
    assert 2 * (top - independent(graph, columns, counts)) == pytest.approx(81.08, abs=0.02)
    assert 2 * (top - run.final_loglik.max()) == pytest.approx(2.72, abs=0.02)


def test_the_titanic_and_the_students_have_the_margins_of_their_sources():
    columns, counts = published("titanic")
    assert counts[columns["Survived"] == "yes"].sum() == 711
    assert counts[columns["Class"] == "crew"].sum() == 885
    columns, counts = published("hair_eyes")
    assert counts[columns["Eyes"] == "brown"].sum() == 220
    assert counts[columns["Hair"] == "blond"].sum() == 127


def test_an_unknown_table_names_those_that_there_are():
    with pytest.raises(ValueError, match="expected one of role_conflict, schoolboys"):
        published("iris")
