"""Files of comma-separated values as tables."""

import csv
import io

import pytest

from fgnwidgets import BayesGraph
from fgnwidgets.tables import parse_csv, read_csv


def test_a_file_gives_what_pythons_own_reader_finds(tmp_path):
    text = 'rain,"the lawn"\nyes,wet\nno,"dry, mostly"\n'
    path = tmp_path / "rain.csv"
    path.write_text(text)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert read_csv(path) == {name: [row[name] for row in rows] for name in rows[0]}


def test_whole_numbers_are_numbers_where_the_column_has_nothing_else():
    table = parse_csv("a,b,c,d\n10,1,007,\n9,x,12,2\n")
    assert table == {"a": [10, 9], "b": ["1", "x"], "c": ["007", "12"], "d": [None, 2]}


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators_are_found_and_a_byte_order_mark_is_no_letter(separator):
    text = "\ufeffa,b\n1,2,5\n".replace(",", separator).replace(f"2{separator}5", "2,5")
    assert parse_csv(text) == {"a": [1], "b": ["2,5"]}


def test_blank_lines_say_nothing_but_a_single_blank_cell_among_others_does():
    assert parse_csv("a,b\n\n1,\n,\n") == {"a": [1, None], "b": [None, None]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n", "rain.csv has 1 lines: expected one with the names"),
        ("a,a\n1,2\n", "column 2 is called 'a': every column needs a name of its own"),
        ("a,\n1,2\n", "column 2 is called ''"),
        ("a,b\n1,2\n1\n", "line 3 has 1 cells: expected 2"),
    ],
)
def test_what_is_no_table_is_refused_with_the_place(text, says):
    with pytest.raises(ValueError, match=says):
        parse_csv(text, "rain.csv")


def test_the_columns_become_variables():
    graph = BayesGraph.from_table(parse_csv("rain,lawn\nyes,1\nno,0\n,1\n"), {"lawn": "rain"})
    assert graph.variables["rain"].states == ("no", "yes")
    assert graph.variables["lawn"].states == (0, 1)
