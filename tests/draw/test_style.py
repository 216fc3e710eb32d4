"""Colours: enough contrast, and no two meanings alike for any reader."""

import re
from dataclasses import fields
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import fgnwidgets
from fgnwidgets.draw import DARK, LIGHT, Mark, Theme

THEMES = {"light": LIGHT, "dark": DARK}
MESSAGES = ("forward", "backward", "belief", "observed")
RULES = ("ml", "kl", "vit", "var", "reference")

SIGHT = {  # Machado, Oliveira and Fernandes (2009), severity 1, for linear light
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def linear(color: str) -> np.ndarray:
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, two: str) -> float:
    """The ratio of WCAG 2."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, two))
    return (high + 0.05) / (low + 0.05)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear light."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    xyz = to_xyz @ np.clip(light, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def marks(theme: Theme, names: tuple[str, ...]) -> dict[str, Mark]:
    return {name: getattr(theme, name) for name in names}


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_lines_stand_out_from_their_ground_and_text_more_so(theme):
    for name, mark in marks(theme, MESSAGES + RULES).items():
        if name != "observed":  # a fill, with an outline in ink
            assert contrast(mark.color, theme.ground) >= 3, name
    for name, mark in marks(theme, RULES).items():
        assert contrast(mark.word, theme.ground) >= 4.5, name
    assert contrast(theme.ink, theme.ground) >= 7
    assert contrast(theme.muted, theme.ground) >= 4.5
    assert contrast(theme.ink, theme.shade) >= 4.5  # a name on a shaded block
    assert contrast(theme.ink_on_observed, theme.observed.color) >= 4.5


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("names", [MESSAGES, RULES], ids=["messages", "rules"])
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_colours_that_meet_in_a_figure_differ_for_every_reader(theme, names, sight):
    seen = {n: lab(SIGHT[sight] @ linear(m.color)) for n, m in marks(theme, names).items()}
    for one, two in combinations(names, 2):
        assert np.linalg.norm(seen[one] - seen[two]) > 12, (one, two)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_every_meaning_has_a_colour_of_its_own_and_colour_is_not_its_only_sign(theme):
    every = marks(theme, MESSAGES + RULES)
    assert len({mark.color for mark in every.values()}) == len(every)
    for group in (MESSAGES, RULES):
        signs = [(mark.marker, mark.dash) for mark in marks(theme, group).values()]
        assert len(set(signs)) == len(group)


def test_both_themes_use_the_same_markers_and_dashes():
    for field in fields(Theme):
        light, dark = getattr(LIGHT, field.name), getattr(DARK, field.name)
        if isinstance(light, Mark):
            assert (light.marker, light.dash) == (dark.marker, dark.dash)


def test_a_rule_is_found_in_any_case_and_all_else_is_a_reference():
    assert LIGHT.rule("ML") == LIGHT.rule("ml") == LIGHT.ml
    assert LIGHT.rule("exact") == LIGHT.reference


def test_rules_have_their_colours_and_dashes_on_the_page_too():
    text = (Path(fgnwidgets.__file__).parent / "widgets/static/learning.css").read_text()
    for theme in (LIGHT, DARK):
        for name, mark in theme.rules.items():
            assert f"--{name}: {mark.color.lower()}" in text
    for name, mark in LIGHT.rules.items():
        assert ("--dash" in re.search(rf"rule-{name}\{{(.*?)\}}", text)[1]) == (mark.dash != "-")


def test_no_colour_of_a_variable_is_one_of_a_message():
    text = (Path(fgnwidgets.__file__).parent / "widgets/js/core/base.css").read_text()
    found = re.findall(r"--(fgn-hue-\d|forward|backward): (#[0-9a-f]{6})", text)
    light, dark = found[:10], found[10:]
    assert len(light) == len({name for name, _ in light}) == len({name for name, _ in dark}) == 10
    for theme in (light, dark):
        colours = {name: lab(linear(color)) for name, color in theme}
        for way in ("forward", "backward"):
            for name, colour in colours.items():
                if name != way:
                    assert np.linalg.norm(colour - colours[way]) > 20, (name, way)
