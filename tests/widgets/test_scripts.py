"""Scripts of several modules in one: what a browser would refuse to load."""

import re
from collections import Counter

import pytest

from fgnwidgets.widgets.scripts import STATIC, script

VIEWS = [p.name for p in STATIC.glob("*.js") if "export default" in p.read_text(encoding="utf-8")]
NAMES = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function) (\w+)", re.MULTILINE)


@pytest.mark.parametrize("view", VIEWS)
def test_modules_that_are_put_together_declare_no_name_twice(view):
    text = script(view)
    names = Counter(NAMES.findall(text))
    assert len(names) >= 3
    assert [name for name, count in names.items() if count > 1] == []
    assert not re.search(r"^import ", text, re.MULTILINE)
