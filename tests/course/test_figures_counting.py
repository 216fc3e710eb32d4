"""The small figures of chapters 08 to 10 show the numbers that they are given."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from fgn_notebooks.figures import counting

DENSITIES = {
    "slope": np.add.outer(np.arange(5.0) / 4, np.zeros(5)),
    "flat": np.full((5, 5), 0.35),
}
RULES = ("ml", "kl", "vit", "var")
SHARES = {
    case: {rule: np.array([[k, 0.25], [0.0, 0.5]]) for rule in RULES}
    for k, case in ((0.1, "soft"), (0.9, "sharp"))
}
RUNS = {
    ("ml", 0.01): np.array([-5.0, 0.0, 1.0, 8.0, 9.0]),
    ("var", 0.01): np.array([-5.0, 0.0, 0.0, 0.0, 0.0]),
}
GAINS = {"random": {rule: (k + 1.0, -k) for k, rule in enumerate(RULES)}}


def shade(ax, x, y):
    """The darkness from 0 to 1 of the filled contours at a point of the square."""
    regions = ax.collections[0]
    inside = [path.contains_point((x, y)) for path in regions.get_paths()]
    return max(np.flatnonzero(inside), default=0) / len(inside)


def test_a_density_grows_darker_to_the_right_with_the_first_coefficient_and_a_flat_one_is_even():
    slope, flat, bar = counting.densities(DENSITIES).axes
    assert bar.get_ylabel() == "value of the message" and bar.get_ylim() == (0, 1)
    assert slope.get_title() == "slope"
    assert shade(slope, 0.15, 0.5) < shade(slope, 0.55, 0.5) < shade(slope, 0.85, 0.5)
    assert shade(slope, 0.55, 0.12) == shade(slope, 0.55, 0.88)
    assert shade(flat, 0.15, 0.15) == shade(flat, 0.85, 0.45) == 3 / 10


def test_every_cell_of_every_share_is_written_where_it_is():
    figure = counting.shares(SHARES)
    assert len(figure.axes) == 8
    for ax, (case, rule) in zip(figure.axes, [(c, r) for c in SHARES for r in RULES], strict=True):
        written = {text.get_position(): float(text.get_text()) for text in ax.texts}
        assert written == {(j, i): v for (i, j), v in np.ndenumerate(SHARES[case][rule])}


def test_rules_may_go_by_their_names_in_a_text():
    spelled = {case: {k.upper(): v for k, v in split.items()} for case, split in SHARES.items()}
    own, other = (counting.shares(v).axes[0].texts for v in (SHARES, spelled))
    assert [t.get_text() for t in own] == [t.get_text() for t in other]


def test_two_rules_are_apart_by_their_largest_difference_in_a_cell():
    one, two, three = np.array([[0.5, 0.5]]), np.array([[0.7, 0.3]]), np.array([[0.1, 0.9]])
    found = counting.apart({"case": {"ml": one, "kl": two, "var": three}, "same": {"ml": one}
                            | {"kl": one}})  # fmt: skip
    assert found == pytest.approx({"case": 0.6, "same": 0.0})


def test_a_function_of_a_matrix_is_read_off_where_its_heads_say():
    middle = (np.arange(101) + 0.5) / 101
    p, q = np.meshgrid(middle, middle, indexing="ij")
    (row,) = counting.read_off({"10 p + q": 10 * p + q}).rows
    heads = counting.read_off({"": p}).heads[1:]
    for head, cell in zip(heads, row[1:], strict=True):
        first, second = map(float, head.split(", "))
        assert float(cell) == pytest.approx(10 * first + second, abs=0.11)


def test_how_far_var_goes_is_told_on_both_sides_of_the_threshold():
    points = {3: [(1.5, -0.01), (1.9, 0.02), (2.1, 0.5), (3, 0.7), (4, 0.8), (5, 0.9)]}
    (row,) = counting.beside_threshold(points).values()
    assert list(row.values()) == ["2%", "50% at 2.10, 70% at 3.00, 80% at 4.00"]


def test_promised_and_kept_are_two_named_lines_over_the_steps():
    figure = counting.promised_and_kept([1, 3], np.array([4.0, 5.0]), np.array([3.0, -2.0]))
    ax = figure.axes[0]
    drawn = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert drawn["promised, block by block"] == [[1, 4], [3, 5]]
    assert drawn["kept by the whole graph"] == [[1, 3], [3, -2]]


def test_leaving_draws_each_climb_and_the_rule_that_stays_from_epoch_one_on():
    ax = counting.leaving(RUNS, top=9.5).axes[0]
    floor, ceiling, climb, still = (line.get_xydata() for line in ax.lines)
    assert (floor[:, 1] == 0).all()
    assert (ceiling[:, 1] == 9.5).all()
    assert climb.tolist() == [[1, 0], [2, 1], [3, 8], [4, 9]]
    assert still.tolist() == [[1, 0], [2, 0], [3, 0], [4, 0]]
    assert {"0.01", "VAR", "floor", "ceiling"} == {text.get_text() for text in ax.texts}


def test_the_threshold_of_var_is_drawn_at_two_and_each_number_of_children_has_its_line():
    ax = counting.var_threshold({3: [(2.5, 0.8), (1.5, 0.0)], 5: [(3.0, 0.9)]}).axes[0]
    threshold, three, five = ax.lines
    assert threshold.get_xdata()[0] == 2
    assert three.get_xydata().tolist() == [[1.5, 0.0], [2.5, 0.8]]
    assert five.get_xydata().tolist() == [[3.0, 0.9]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["3 children", "5 children"]


def test_halves_marks_training_full_and_test_hollow_beside_the_name_of_the_rule():
    ax = counting.halves(GAINS).axes[0]
    names = [label.get_text().lower() for label in ax.get_yticklabels()]
    marks = [line for line in ax.lines if line.get_marker() not in ("None", "")]
    full, hollow = {}, {}
    for line in marks:
        (x,), (y,) = line.get_data()
        kind = full if line.get_markerfacecolor() == line.get_color() else hollow
        kind[names[int(y)]] = float(x)
    assert full == {rule: gain[0] for rule, gain in GAINS["random"].items()}
    assert hollow == {rule: gain[1] for rule, gain in GAINS["random"].items()}


def test_a_given_figure_is_drawn_on_and_returned():
    for draw in (
        lambda fig: counting.densities(DENSITIES, fig),
        lambda fig: counting.shares(SHARES, fig),
        lambda fig: counting.promised_and_kept([1, 3], np.ones(2), np.ones(2), fig),
        lambda fig: counting.leaving(RUNS, 9.5, fig),
        lambda fig: counting.halves(GAINS, fig),
    ):
        given = Figure()
        assert draw(given) is given
        assert given.axes
