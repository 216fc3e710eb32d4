"""Files of comma-separated values as tables."""

import csv
import io

import pytest

from fgnwidgets import BayesGraph
from fgnwidgets.data import parse_csv, read_csv


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


BAD = {
    "no samples": ("a,b\n", "rain.csv has 1 line with cells: expected one with the names"),
    "nothing": ("", "rain.csv has 0 lines with cells"),
    "a name twice": ("a,b,a\n1,2,3\n", "column 3 is called 'a', as column 1 is: every column"),
    "no name": ("a,,b\n1,2,3\n", "column 2 has no name in the first line"),
    "row labels of pandas": (",a\n0,yes\n1,no\n", r"column 1 has no name.*to_csv\(index=False\)"),
    "a short line": ("a,b\n1,2\n1\n", "line 3 has 1 cells: expected 2"),
    "a long line": ("a,b\n1,2\n\n1,2,3\n", "line 4 has 3 cells: expected 2"),
    "after a cell of two lines": ('a,b\n1,"2\n3"\n1\n', "line 4 has 1 cells: expected 2"),
    "decimal commas": ("a,b\n1,5,2\n1,7,2\n", "line 2 has 3 cells.*a decimal comma, say"),
    "a name with a comma": ("Do you smoke, if ever?\nyes\nno\n", "line 2 has 1 cells: expected 2"),
    "an open quotation mark": ('a,b\n1,2\n"1,2\n3,4\n', "in line 3 a quotation mark opens that"),
    "a long open cell": ('a,b\n"' + "x,y\n" * 50_000, "the line 2 cannot be read .*quotation mark"),
    "a character 0": ("a,b\n1,2\n3,\0\n", "line 3 has a character 0"),
}


@pytest.mark.parametrize(("text", "says"), BAD.values(), ids=BAD)
def test_what_is_no_table_is_refused_with_the_place(text, says, tmp_path):
    for given in (text, text.encode()):
        if "character 0" in says and isinstance(given, bytes):
            says = "byte 10, in line 3, is zero"
        with pytest.raises(ValueError, match=says):
            parse_csv(given, "rain.csv")


# Separators


HEADS = {
    "a comma in a quoted name": ('"Do you smoke, if ever?";"Drink"', ";"),
    "several of them": ('"Age, in years, today";"Sex, as stated"', ";"),
    "semicolons in a name between commas": ('"a;b;c","d"', ","),
    "the same in a name that is not the first": ('d,"a;b;c"', ","),
    "a tab in a name": ('"a\tb",c', ","),
    "bars in a name": ('"a|b|c";"d|e|f"', ";"),
    "commas in names without quotation marks": ("Do you smoke, if ever?;Drink", ";"),
    "commas in names between tabs": ("Height, cm\tWeight, kg", "\t"),
    "commas in names between bars": ("Height, cm|Weight, kg", "|"),
    "a line's end in a name": ('"How\noften, if ever?";"Drink"', ";"),
    "a quotation mark in a name": ('"The ""best"", he said";"x"', ";"),
    "an inch": ('5" pipe;6" pipe', ";"),
    "blanks after the separator": ('"Do you smoke; ever?", "Drink"', ","),
    "blanks before it": ('"Do you smoke, ever?" ;"Drink" ', ";"),
    "one quoted name of two": ('Drink;"Smoke, if ever"', ";"),
    "plain": ("a,b", ","),
}


@pytest.mark.parametrize(("head", "separator"), HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_separators_between_quotation_marks_are_not_counted(head, separator, ends):
    names = next(csv.reader(io.StringIO(head), delimiter=separator, skipinitialspace=True))
    names = [name.strip() for name in names]
    assert len(names) == 2
    lines = [head, *(f'"{x}"{separator}{y}' for x, y in (("1,5", 1), ("2;5", 2), ("", 3)))]
    found = parse_csv("\n".join(lines).replace("\n", ends) + ends)
    assert found == {names[0]: ["1,5", "2;5", None], names[1]: [1, 2, 3]}


def test_two_separators_that_fit_are_told_apart_by_what_text_has_most():
    assert parse_csv("Height, cm;Weight, kg\n180,5;70,2\n") == {
        "Height, cm": ["180,5"], "Weight, kg": ["70,2"]
    }  # fmt: skip


def test_a_separator_may_be_named_by_an_argument_or_by_the_line_that_excel_reads():
    assert parse_csv("a:b\n1:2\n", separator=":") == {"a": [1], "b": [2]}
    assert parse_csv("a,b;c\n1;2\n", separator=";") == {"a,b": [1], "c": [2]}
    assert parse_csv("sep=;\r\na,b;c\r\n1;2\r\n") == {"a,b": [1], "c": [2]}
    with pytest.raises(ValueError, match="line 4 has 1 cells"):
        parse_csv("sep=;\na;b\n1;2\n1\n")
    for odd in ("", "ab", '"', "\n", 3):
        with pytest.raises(ValueError, match="separator is .*: expected one character"):
            parse_csv("a,b\n1,2\n", separator=odd)


def test_a_file_longer_than_the_sample_has_the_separator_of_all_its_lines():
    lines = ['"a, b";"c"', *(f'"{"long" * 25}, {k}";{k % 3}' for k in range(2500))]
    assert len("\n".join(lines)) > 1 << 18
    assert parse_csv("\n".join(lines))["c"] == [k % 3 for k in range(2500)]


def test_lines_that_end_with_a_separator_have_no_column_there():
    assert parse_csv("a;b;\n1;2;\n3;4;\n") == {"a": [1, 3], "b": [2, 4]}
    with pytest.raises(ValueError, match="column 3 has no name"):
        parse_csv("a;b;\n1;2;\n3;4;5\n")


def test_long_numbers_are_text_as_identifiers_are():
    assert parse_csv(f"a\n{'9' * 5000}\n") == {"a": ["9" * 5000]}


# Encodings


WORDS = {"Müller": ["süß", "naïve", None], "Preis €": ["1", "2", "x"]}
TEXT = "Müller,Preis €\nsüß,1\nnaïve,2\n,x\n"
SAID = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", SAID)
def test_an_encoding_that_a_file_says_is_read_without_a_word(encoding, ends, tmp_path):
    path = tmp_path / "words.csv"
    path.write_bytes(TEXT.replace("\n", ends).encode(encoding))
    assert read_csv(path) == parse_csv(path.read_bytes()) == WORDS


@pytest.mark.parametrize(("mark", "encoding"), [("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be")])
def test_utf_16_from_both_ends(mark, encoding):
    assert parse_csv((mark + TEXT).encode(encoding)) == WORDS
    ascii = "a,b\nyes,1\n"
    with pytest.warns(UserWarning, match=f"no byte order mark, and is read as {encoding}"):
        assert parse_csv(ascii.encode(encoding)) == {"a": ["yes"], "b": [1]}
    assert parse_csv(ascii.encode(encoding), encoding=encoding) == {"a": ["yes"], "b": [1]}


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_western_europe_is_a_guess_that_is_said_with_the_place_and_the_way_out(encoding, tmp_path):
    path = tmp_path / "words.csv"
    text = TEXT if encoding == "cp1252" else TEXT.replace("€", "£")
    path.write_bytes(text.encode(encoding))
    words = {
        name.replace("€", "€" if encoding == "cp1252" else "£"): v for name, v in WORDS.items()
    }
    says = r"words\.csv is not UTF-8: the byte 0xfc in line 1 .*cp1252.*in 'Müller'.*encoding="
    for read, given in ((read_csv, path), (lambda b: parse_csv(b, "words.csv"), path.read_bytes())):
        with pytest.warns(UserWarning, match=says) as told:
            assert read(given) == words
        assert told[0].filename == __file__  # it names the line that asked
    assert read_csv(path, encoding=encoding) == words


@pytest.mark.parametrize("encoding", ["cp850", "mac_roman", "cp1250"])
def test_an_encoding_that_is_named_is_taken(encoding, tmp_path):
    text = "Müller,b\nsüß,1\n"
    path = tmp_path / "words.csv"
    path.write_bytes(text.encode(encoding))
    assert read_csv(path, encoding=encoding) == {"Müller": ["süß"], "b": [1]}


ODD_BYTES = {
    "DOS": (
        TEXT.replace("€", "").encode("cp850"),
        "is not utf-8 or cp1252: the byte 0x81 in line 1",
    ),
    "a letter cut in UTF-8": (TEXT.encode() + b"\xc3,1\n", "is not utf-8: the byte 0xc3 in line 5"),
    "another encoding than its mark": (b"\xef\xbb\xbfa,b\n\xff,1\n", "is not utf-8.*line 2"),
    "half a letter of UTF-16": (TEXT.encode("utf-16") + b"x", "is not utf-16"),
    "zeros": (b"a,b\n1,2\n\0\0\0\0", "is no text: byte 8, in line 3, is zero"),
    "Excel": (b"PK\x03\x04" + bytes(30), r"is a zip archive, as an Excel workbook \(.xlsx\) is"),
    "Parquet": (b"PAR1" + bytes(30), "is a Parquet file"),
    "gzip": (b"\x1f\x8b\x08" + bytes(30), "is compressed by gzip"),
}


@pytest.mark.parametrize(("data", "says"), ODD_BYTES.values(), ids=ODD_BYTES)
def test_bytes_that_are_no_text_are_refused_with_the_place(data, says, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_bytes(data)
    for read, given in ((read_csv, path), (parse_csv, data)):
        with pytest.raises(ValueError, match=says) as error:
            read(given)
        assert type(error.value) is ValueError


def test_an_encoding_that_does_not_fit_or_is_none_is_refused():
    with pytest.raises(ValueError, match="is not utf-8: the byte 0xfc in line 1"):
        parse_csv(TEXT.encode("cp1252"), encoding="utf-8")
    for odd in ("utf-9", "base64", 8, "a\0b"):
        with pytest.raises(
            ValueError, match="encoding is .*: expected an encoding that Python knows"
        ):
            parse_csv(b"a,b\n1,2\n", encoding=odd)
    with pytest.raises(ValueError, match="text is 3: expected a text, or the bytes of a file"):
        parse_csv(3)
    with pytest.raises(ValueError, match="path is b'a': expected the name of a file; parse_csv"):
        read_csv(b"a")


def test_letters_that_another_program_lost_are_told_with_their_place():
    text = "a,b\nM\ufffdller,1\nS\ufffd\ufffd,2\n"
    for given in (text, text.encode()):
        with pytest.warns(
            UserWarning, match="line 2 has .*U\\+FFFD, in 'M\ufffdller', and .* 2 more"
        ):
            assert parse_csv(given)["a"] == ["M\ufffdller", "S\ufffd\ufffd"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_other_libraries_read_the_same_cells(library, rng, tmp_path):
    """Random tables with quoted names and cells, in each separator and line end."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    alphabet = ["a", "b", ",", ";", "\t", "|", '"', "ü", " x", "7"]
    for separator in "\t;|,":
        for ends in ("\n", "\r\n"):
            rows = [
                ["".join(rng.choice(alphabet, 4)) + f"_{k}" for k in range(3)] for _ in range(20)
            ]
            rows = [[cell.strip() for cell in row] for row in rows]
            rows[0] = [
                name.replace('"', "").strip() for name in rows[0]
            ]  # polars keeps both of two
            quoted = [
                separator.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows
            ]
            path = tmp_path / "table.csv"
            path.write_bytes((ends.join(quoted) + ends).encode())
            if library == "pandas":
                frame = pd.read_csv(path, sep=separator, dtype=str)
                expected = {name: frame[name].tolist() for name in frame}
            else:
                frame = pl.read_csv(path, separator=separator, infer_schema=False)
                expected = frame.to_dict(as_series=False)
            assert read_csv(path) == expected


def test_the_columns_become_variables():
    graph = BayesGraph.from_table(parse_csv("rain,lawn\nyes,1\nno,0\n,1\n"), {"lawn": "rain"})
    assert graph.variables["rain"].states == ("no", "yes")
    assert graph.variables["lawn"].states == (0, 1)
