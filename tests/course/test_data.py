"""The data sets of the course are those of their sources."""

import numpy as np

from fgn_notebooks.data import carcinoma


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
