"""Drawings that a cell shows follow a dark theme, and are sharp on a screen of ratio 2."""

import pytest
from lab_pages import DARK, LIGHT, settled
from tiers import mostly_slow

DRAWN = """\
import numpy as np
from matplotlib.figure import Figure
from fgnwidgets import BayesGraph
BayesGraph({"S": 2, "A": 2}, {"A": "S"})"""
PHOTOGRAPH = """\
figure = Figure(figsize=(3, 2))
figure.add_subplot().imshow(np.random.default_rng(0).random((5, 5, 3)))
figure"""
SHOWN = """() => [...document.querySelectorAll(".jp-OutputArea-output img")].map((image) =>
    [getComputedStyle(image).filter, image.naturalWidth / image.width])"""


@pytest.mark.parametrize("place", mostly_slow(["doc/tree", "notebooks"], "doc/tree"))
def test_a_drawing_is_dark_in_the_dark_theme_and_a_photograph_stays(shared_notebook, place):
    if place == "notebooks":
        pytest.importorskip("notebook", reason="notebook is not installed")
    for theme, wanted in ((DARK, "invert(0.93) hue-rotate(180deg)"), (LIGHT, "none")):
        page = shared_notebook(DRAWN, PHOTOGRAPH, place=place, theme=theme)
        page.locator(".jp-OutputArea-output img").nth(1).wait_for()
        settled(page, lambda p=page: len(p.evaluate(SHOWN)) == 2)
        (drawn, sharp), (photograph, _) = page.evaluate(SHOWN)
        assert (drawn, photograph) == (wanted, "none")
        assert sharp == pytest.approx(2, abs=0.02)
