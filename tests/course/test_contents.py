"""The course treats every section, figure, equation, algorithm, experiment and appendix."""

import pytest

from fgn_notebooks import contents


def test_every_item_of_the_paper_is_treated_in_some_chapter():
    missing = [item for item, places in contents.coverage().items() if not places]
    assert missing == []


def test_every_numbered_equation_is_treated_exactly_once():
    places = contents.coverage()
    counts = {n: len(places[f"equation {n}"]) for n in contents.EQUATIONS}
    assert {n: count for n, count in counts.items() if count != 1} == {}


def test_a_cell_that_claims_what_the_paper_lacks_is_an_error(monkeypatch):
    cell = {"metadata": {"tags": ["covers:equation 99"]}, "id": "a"}
    chapter = type("Chapter", (), {"path": __import__("pathlib").Path("07_x.ipynb")})
    monkeypatch.setattr(contents, "chapters", lambda: [chapter])
    monkeypatch.setattr(contents, "read", lambda path: {"cells": [cell]})
    with pytest.raises(ValueError, match=r"07_x\.ipynb, cell a: no 'equation 99' in the paper"):
        contents.coverage()


def test_the_table_has_a_row_for_each_item():
    assert len(contents.coverage_table().splitlines()) == 2 + len(contents.items())
