"""Pictures in chapters are compared too: nbval compares text and skips every PNG."""

from typing import Any

import pytest
from nbval.plugin import IPyNbCell

from fgn_notebooks.authors.compare import picture_faults


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "compare the text of chapters, not their pictures: another matplotlib draws others"
    parser.addoption("--text-only", action="store_true", help=words)


compare_text = IPyNbCell.compare_outputs


def compare_outputs(cell: IPyNbCell, test: Any, ref: Any, skip_compare: Any = None) -> bool:
    """What nbval compares, and then the pictures by the differences of their pixels."""
    if not compare_text(cell, test, ref, skip_compare):
        return False
    if cell.config.getoption("--text-only"):
        return True
    faults = picture_faults(stored=ref, new=test)
    cell.comparison_traceback += faults
    return not faults


IPyNbCell.compare_outputs = compare_outputs
