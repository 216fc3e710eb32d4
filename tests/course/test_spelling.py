"""One spelling of a name, for drawing numbers and for comparing names."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fgn_notebooks.exercises import judging
from fgn_notebooks.exercises.spelling import of_folder, spelling

ALIKE = [
    ("Ada Lovelace", " ada  LOVELACE ", "Ada-Lovelace", "ada.lovelace", "AdaLovelace"),
    ("Évariste Galois", unicodedata.normalize("NFD", "Évariste Galois"), "evariste galois"),
    ("O'Brien", "O’Brien", "obrien", "O\u200bBrien"),
    ("Straße", "STRASSE"),
    ("ﬁona", "fiona"),
    ("İpek", "ipek"),
    ("山田 花子", "山田花子", "山田　花子"),
    ("葛城", "葛\U000e0100城"),
    ("कोमल शर्मा", "कोमल-शर्मा"),
]  # fmt: skip


@pytest.mark.parametrize("names", ALIKE)
def test_whatever_way_a_name_is_typed_its_numbers_are_the_same(names):
    assert len({spelling(name) for name in names}) == 1
    exercise = judging.find("05.1", "")
    assert len({str(judging.draw("05.1", exercise, name).replace) for name in names}) == 1


def test_different_names_stay_different():
    names = ["Ada", "Ada 2", "Ida", "花子", "山田", "Анна", "Anna", "कमल", "कोमल", "कमला"]
    assert len({spelling(name) for name in names}) == len(names)


@given(st.text())
def test_a_spelling_is_its_own_and_that_of_every_normal_form(name):
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert spelling(unicodedata.normalize(form, name)) == spelling(name)
    assert spelling(spelling(name)) == spelling(name)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Ada_Lovelace", "Ada Lovelace"),
        ("Ada Lovelace_12345_assignsubmission_file_", "Ada Lovelace"),
        ("Ada Lovelace_12345_assignsubmission_file", "Ada Lovelace"),
        ("Agent 007", "Agent 007"),
    ],
)
def test_the_name_of_a_folder_is_read_as_people_and_platforms_write_it(folder, name):
    assert of_folder(folder) == name


def test_a_name_without_a_letter_draws_nothing():
    assert spelling(" -_- ") == ""
    assert judging.draw("05.1", judging.find("05.1", ""), "-") is None
