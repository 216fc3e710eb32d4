"""Where a chapter says that a method finds something, it asks the same of data that hold nothing.

The cells that do so are compared with a run anew (nbval). Here, that the null fails where the
claim passes, and that the prose says what the cells print.
"""

import re

import numpy as np
import pytest

from fgn_notebooks import chapters
from fgnwidgets.analysis.comparing import Comparison


class Stored:
    """A chapter: what a cell printed, and all prose."""

    def __init__(self, number):
        (chapter,) = [c for c in chapters.chapters() if c.number == number]
        self.cells = {c["id"]: c for c in chapters.read(chapter.path)["cells"]}
        texts = [chapters.source(c) for c in self.cells.values() if c["cell_type"] == "markdown"]
        self.prose = " ".join(texts)

    def text(self, cell):
        """What a cell printed, tables of results included."""
        shown = (o.get("text") or o.get("data", {}).get("text/plain", "")
                 for o in self.cells[cell]["outputs"])  # fmt: skip
        return "\n".join("".join(v) for v in shown)

    def numbers(self, cell, line):
        """The numbers of the printed lines that match, a list for each."""
        lines = [v for v in self.text(cell).splitlines() if re.search(line, v)]
        assert lines, f"{cell} prints no line with {line}"
        return [[float(v) for v in re.findall(r"-?\d+\.?\d*", re.sub(line, "", v))] for v in lines]


def test_the_exact_region_holds_nine_of_ten_drawn_matrices_and_knows_more_than_its_size():
    chapter = Stored("08")
    rows = chapter.numbers("coverage", r"^exponent +\w+ ")
    exact, variational, size = zip(*rows, strict=True)
    assert all(80 < share < 97 for share in exact)  # 100 cases of 90 %: within three errors
    assert all(share > region + 30 for share, region in zip(exact, size, strict=True))
    assert 40 < size[0] < 50 and "nearly half of the square" in chapter.prose
    assert 15 < variational[0] < 25 and 45 < variational[1] < 60
    (middle, edge) = chapter.numbers("coverage-run", r"^rows from \(.*\) ")
    assert middle[0] + 5 < edge[0]


def test_vit_gains_nothing_from_independent_columns_where_the_chapter_says_that_it_learns():
    chapter = Stored("09")
    null = {k: chapter.numbers("phases-null", rf"^ ?{k} children")[0] for k in (3, 4, 5, 6, 10, 15)}
    assert max(max(null[k]) for k in (3, 4, 5)) <= 0
    most = max(max(null[k]) for k in (6, 10, 15))
    assert f"With six or more it gains up to {most:.0f} % of the way" in chapter.prose
    (refilled, *none), _, *strong = chapter.numbers("phases-kept", r"^0\.\d+ ")
    assert refilled == 0 and max(none) <= 0
    assert strong[-1][0] == 0 < 50 < strong[-1][1]  # refilled, and the lowest of those kept


def test_half_a_count_beats_independence_in_as_many_models_as_is_said():
    chapter = Stored("12")
    lines = [line for line in chapter.text("test-more").splitlines() if line.startswith("model ")]
    rows = [[float(v) for v in line.split()[2:]] for line in lines]
    ahead = sum(prior > max(vit, var) for _, _, prior, vit, var in rows)
    lost = sum(early == float("-inf") for early, *_ in rows)
    words = ("no", "one", "two", "three", "four", "five", "six")
    assert f"in {words[lost]} of the {words[len(rows)]} models ML has by then" in chapter.prose
    assert f"ahead of VIT and VAR in {words[ahead]} models of {words[len(rows)]}" in chapter.prose
    ((_, _, ml),), ((_, _, kl),) = (chapter.numbers("test", rf"^{name} ") for name in ("ML", "KL"))
    assert f"with {kl:.2f} against {ml:.2f} for ML" in chapter.prose and kl < ml - 1


def test_bic_chooses_one_class_of_permuted_slides_and_the_cheaper_criteria_do_not():
    chapter = Stored("13")
    one = {j: chapter.numbers("states-columns-null", rf"^{j} ")[0] for j in
           ("aic", "bic", "sabic", "caic", "held_out")}  # fmt: skip
    assert one["bic"] == one["caic"] == [10, 0, 0]
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    more = [words[int(10 - one[j][0])] for j in ("aic", "sabic", "held_out")]
    said = "AIC chooses more in {} tables of ten, the adjusted BIC in {}, and the test slides in {}"
    assert said.format(*more) in chapter.prose
    told = " ".join(str(Comparison.best.__doc__).split())
    aic, adjusted = (words[int(one[j][0])] for j in ("aic", "sabic"))
    assert f"in ten tables of ten, AIC in {aic}, the adjusted BIC in {adjusted}" in told


def test_two_bags_reproduce_few_tables_and_more_of_those_with_the_candies_own_counts():
    """By an oracle: a 2 x 2 x 2 table is a mixture of two products only if its slices allow it."""
    chapter = Stored("13")
    (random,), (own,) = (chapter.numbers("candy-null", rf"^{name} ") for name in
                         ("uniformly random", "own counts, permuted"))  # fmt: skip
    assert 5 < random[0] < 15 < 100 / 3 < own[0] < 40 and random[1] > 10 > 1 > own[1]
    assert (
        "about one in ten" in chapter.prose and "more than a third of the tables" in chapter.prose
    )
    rng = np.random.default_rng(1)
    tables = rng.dirichlet(np.ones(8), 4000).reshape(-1, 2, 2, 2)
    assert abs(100 * np.mean([two_products(t) for t in tables]) - random[0]) < 5


def two_products(table):
    """Whether a 2 x 2 x 2 distribution is a mixture of two products with weights >= 0.

    Along each axis in turn the two slices A, B are p P + q Q with rank-one P, Q: det(A - x B) = 0
    has two real roots, and the two rank-one matrices of the pencil have entries of one sign.
    """
    a, b = table
    c2, c0 = np.linalg.det(b), np.linalg.det(a)
    c1 = a[0, 1] * b[1, 0] + a[1, 0] * b[0, 1] - a[0, 0] * b[1, 1] - a[1, 1] * b[0, 0]
    if c1 * c1 < 4 * c2 * c0:
        return False
    one, two = np.roots([c2, c1, c0])
    if min(one, two) < 0:  # a product's share of the first slice against the second is positive
        return False
    parts = (a - two * b) / (one - two), (a - one * b) / (two - one)
    return all((p >= -1e-12).all() or (p <= 1e-12).all() for p in parts)


def test_cells_missing_at_random_leave_the_estimate_where_it_was_and_missing_zeros_do_not():
    chapter = Stored("13")
    ((true,),) = chapter.numbers("missing-table", "^all 118 cells ")
    ((zeros, left),) = chapter.numbers("missing-table", "^34 zeros missing ")
    ((random, spread),) = chapter.numbers("missing-table", "^34 missing at random ")
    assert abs(random - true) < spread < 0.03 < zeros - true < left - true
    assert f"with 34 zeros missing, {zeros} for a true {true}" in chapter.prose


def test_variational_bayes_keeps_states_where_there_is_nothing():
    chapter = Stored("15")
    (left,) = chapter.numbers("vb-run", r"^mine ")
    left = left[-10:]  # behind the shares
    assert (left.count(3), left.count(4)) == (9, 1) and "from nine starts of ten" in chapter.prose
    rows = chapter.numbers("vb-null", r"^\d ")
    assert max(max(row) for row in rows) == 5 and "is left with up to five" in chapter.prose
    assert min(row[-1] for row in rows) > 1  # the best start
    assert "from the best start never with one" in chapter.prose


def test_shuffled_diaries_have_spells_and_gains():
    chapter = Stored("16")
    heads = next(v for v in chapter.text("diary-null").splitlines() if " spells  " in v)
    (often,) = chapter.numbers("diary-null", "^of 500 shuffled diaries")
    spells = dict(zip(map(int, re.findall(r"(\d+) spells", heads)), often, strict=True))
    assert sum(often) == 500 and min(spells) == 2 and spells[3] > 100
    ((times,),) = chapter.numbers("diary-likely", "^shuffled, at least as probable")
    assert f"{times:.0f} in 500 are as probable" in chapter.prose and times < 25
    ((gained,),) = chapter.numbers("learn-null", "^shuffled, at least Eisner's")
    assert gained == 3 and "Three of the forty gain as much" in chapter.prose
    ((least,),) = chapter.numbers("learn-null", "^shuffled, least")
    assert least > 1 and "every one of them gains more than a nat" in chapter.prose


@pytest.mark.parametrize("row", range(3))
def test_a_merged_graph_learns_what_is_hidden_and_not_from_permuted_columns(row):
    chapter = Stored("17")
    text = chapter.text("learn")
    values = [[float(v) for v in re.findall(r"\d\.\d*", part)] for part in
              re.findall(r"\[(.*?)\]", text)]  # fmt: skip
    learned, true, permuted = values[3 * row : 3 * row + 3]
    assert len(learned) == len(true) == len(permuted)
    assert max(abs(a - b) for a, b in zip(learned, true, strict=True)) < 0.03
    assert max(abs(a - b) for a, b in zip(permuted, true, strict=True)) > 0.2


def test_the_stable_model_of_the_boys_is_ahead_by_more_than_any_changing_one_brings_about():
    chapter = Stored("16")
    two, three, apart, stable = chapter.numbers("panel-table", r"^(one|two) state.*[a-z] ")
    bic = [row[-1] for row in chapter.numbers("panel-fit", r"^(one|two) state.*[a-z] ")]
    boys = min(bic[:-1]) - bic[-1]
    assert f"the stable model is ahead by {boys:.0f}" in chapter.prose
    assert f"it is ahead, too, by {three[0]:.0f} to {three[-1]:.0f}," in chapter.prose
    assert f"behind on most tables, and ahead by {apart[-1]:.0f} at most" in chapter.prose
    assert two[-1] < 0 < three[0] and apart[1] < 0
    assert max(three[-1], apart[-1]) < boys / 3
    assert stable[0] < boys < stable[-1]  # it occurs there, and under no changing model
    assert f"leads from {stable[0]:.0f} to {stable[-1]:.0f} occur" in chapter.prose


def test_kl_ends_at_another_chain_by_as_much_as_is_said():
    chapter = Stored("16")
    ml, kl = (chapter.numbers("many-fit", rf"^{rule} ")[0] for rule in ("ML", "KL"))
    assert f"KL ends {ml[0] - kl[0]:.0f} nats lower" in chapter.prose
    assert f"stay with {kl[1]:.2f} and {kl[2]:.2f}" in chapter.prose
