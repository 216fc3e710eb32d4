"""Which cases of a test run always, and which only with ``-m slow``, before a release."""

from collections.abc import Iterable
from typing import Any

import pytest

slow = pytest.mark.slow


def mostly_slow(cases: Iterable[Any], *always: Any) -> list[Any]:
    """Cases for ``parametrize``, slow but for those that run ``always``.

    A case of several values is named by the first. What is named has to be among the cases.
    """
    listed = list(cases)
    names = [case[0] if isinstance(case, tuple) else case for case in listed]
    assert [name for name in always if name not in names] == []
    return [
        case if name in always else pytest.param(*_values(case), marks=slow)
        for case, name in zip(listed, names, strict=True)
    ]


def _values(case: Any) -> Any:
    return case if isinstance(case, tuple) else (case,)
