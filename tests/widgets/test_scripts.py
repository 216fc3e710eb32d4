"""A page's script is one text: what its files name must not meet."""

import re
from collections import Counter

import pytest

from fgnwidgets.widgets.scripts import STATIC, script

NAME = re.compile(r"^(?:export )?(?:async )?(?:const|let|function|class) (?:\[|\{)?\s*(\w+)", re.M)


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC.glob("*.js")))
def test_no_two_files_of_a_script_declare_the_same_name(name):
    declared = Counter(NAME.findall(script(name)))
    assert [word for word, count in declared.items() if count > 1] == []
