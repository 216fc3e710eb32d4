"""Where a chapter says that a method finds something, it asks the same of data that hold nothing.

The cells that do so are compared with a run anew (nbval). Here, that the null fails where the
claim passes, and that the prose says what the cells print.
"""

import re

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

    def numbers(self, cell, line):
        """The numbers of the printed lines that match, a list for each."""
        text = "".join("".join(o.get("text", "")) for o in self.cells[cell]["outputs"])
        lines = [v for v in text.splitlines() if re.search(line, v)]
        assert lines, f"{cell} prints no line with {line}"
        return [[float(v) for v in re.findall(r"-?\d+\.?\d*", re.sub(line, "", v))] for v in lines]


def test_the_exact_density_keeps_its_promise_and_one_of_messages_dealt_anew_does_not():
    rows = Stored("08").numbers("coverage-run", r"exponent +\w+: exact")
    exact, _, dealt, size = zip(*rows, strict=True)
    assert min(exact) > 80
    assert dealt[0] < 70 and max(dealt[2:]) < 20  # at exponent 1 the region is half of the square
    assert size[0] > 50


def test_vit_gains_nothing_from_independent_columns_where_the_chapter_says_that_it_learns():
    chapter = Stored("09")
    null = {k: chapter.numbers("phases-null", rf"^ ?{k} children")[0] for k in (3, 4, 5, 6, 10, 15)}
    assert max(max(null[k]) for k in (3, 4, 5)) <= 0
    most = max(null[10] + null[15])
    assert f"with ten and fifteen up to {most:.0f} %" in chapter.prose
    none, *_, strong = chapter.numbers("phases-kept-more", r"^.*correlation \d\.\d+: ")
    assert max(none) <= 0 < 50 < min(strong)


def test_the_pseudo_count_beats_independence_in_as_many_models_as_is_said():
    chapter = Stored("12")
    text = "".join("".join(o["text"]) for o in chapter.cells["test-more"]["outputs"])
    rows = [[float(v) for v in line.split()[2:]] for line in text.splitlines()[2:]]
    ahead = sum(prior > max(vit, var) for _, _, prior, vit, var in rows)
    lost = sum(early == float("-inf") for early, *_ in rows)
    words = ("no", "one", "two", "three", "four", "five", "six")
    assert f"in {words[lost]} of the {words[len(rows)]} models ML has by then" in chapter.prose
    assert f"ahead of VIT and VAR in {words[ahead]} models of {words[len(rows)]}" in chapter.prose


def test_bic_chooses_one_kind_of_shuffled_slides_and_the_cheaper_criteria_do_not():
    chapter = Stored("13")
    one = {j: chapter.numbers("states-columns-null", rf"^{j} ")[0] for j in
           ("aic", "bic", "sabic", "caic")}  # fmt: skip
    assert one["bic"] == one["caic"] == [10, 0, 0]
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    more = [words[int(10 - one[j][0])] for j in ("aic", "sabic")]
    said = "AIC chooses more in {} tables of ten, and the adjusted BIC in {}"
    assert said.format(*more) in chapter.prose
    told = " ".join(str(Comparison.best.__doc__).split())
    aic, adjusted = (words[int(one[j][0])] for j in ("aic", "sabic"))
    assert f"in ten tables of ten, AIC in {aic}, the adjusted BIC in {adjusted}" in told


def test_variational_bayes_keeps_states_where_there_is_nothing():
    chapter = Stored("15")
    (left,) = chapter.numbers("vb-run", r"^ .* by start: ")[1:]
    assert (left.count(3), left.count(4)) == (9, 1) and "from nine starts of ten" in chapter.prose
    rows = chapter.numbers("vb-null", r"^columns dealt anew: kinds left ")
    assert max(max(row) for row in rows) == 5 and "is left with up to five" in chapter.prose
    assert min(row[-1] for row in rows) > 1  # the best start
    assert "from the best start never with one" in chapter.prose


def test_shuffled_diaries_have_spells_and_gains():
    chapter = Stored("16")
    spells = chapter.numbers("diary-null", r" of 500 shuffled diaries")
    assert min(k for k, _ in spells) == 2 and dict(map(tuple, spells))[3] > 100
    ((times, *_),) = chapter.numbers("diary-null", "at least as probable: ")
    assert f"{times:.0f} in 500 are as probable" in chapter.prose and times < 25
    ((gained, of),) = chapter.numbers("learn-null", "at least as much as Eisner's: ")
    assert (gained, of) == (3, 40) and "Three of the forty gain as much" in chapter.prose
    ((least, *_),) = chapter.numbers("learn-null", "shuffled: ")
    assert least > 1 and "every one of them gains more than a nat" in chapter.prose


@pytest.mark.parametrize("row", range(3))
def test_a_merged_graph_learns_what_is_hidden_and_not_from_columns_dealt_anew(row):
    chapter = Stored("17")
    text = "".join("".join(o["text"]) for o in chapter.cells["learn"]["outputs"])
    values = [[float(v) for v in re.findall(r"\d\.\d*", part)] for part in
              re.findall(r"\[(.*?)\]", text)]  # fmt: skip
    learned, true, dealt = values[3 * row : 3 * row + 3]
    assert len(learned) == len(true) == len(dealt)
    assert max(abs(a - b) for a, b in zip(learned, true, strict=True)) < 0.03
    assert max(abs(a - b) for a, b in zip(dealt, true, strict=True)) > 0.2


def test_the_stable_model_of_the_boys_is_ahead_by_more_than_any_changing_one_brings_about():
    chapter = Stored("16")
    *changing, stable = [
        row[0] for row in chapter.numbers("panel-null", r"^(one|two) state.*[a-z] ")
    ]
    bic = [row[-1] for row in chapter.numbers("panel-fit", r"^(one|two) state.*[a-z] ")]
    boys = min(bic[:-1]) - bic[-1]
    assert f"the stable model is ahead by {boys:.0f}" in chapter.prose
    assert f"it is ahead, too, by {changing[1]}," in chapter.prose
    assert max(changing[0], changing[2]) < 0 and max(changing) < boys / 4 and stable > boys
