"""For all tests: how many random examples, the quick set, browser tests last and none skipped."""

import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every run: a machine's luck must not decide whether a change is good.
settings.register_profile(
    "default",
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
# HYPOTHESIS_PROFILE=search looks for new examples, and for many more of them.
settings.register_profile(
    "search", settings.get_profile("default"), max_examples=500, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


QUICK = {
    "tests/test_layers",
    *(f"engine/test_{name}" for name in ("arrays", "nodes", "own_nodes", "graph", "messages")),
    *(f"engine/test_{name}" for name in ("schedule", "rules", "own_rules", "learning", "fit")),
    *(f"engine/test_{name}" for name in ("learning_starts", "bayes", "given", "evidence")),
    *(f"engine/test_{name}" for name in ("likelihood", "options", "files")),
    "tables/test_names",
    "analysis/test_summary",
    "course/test_compare",
}
"""Files of tests that say in half a minute whether a change has broken something."""


LONG = (
    *("test_site", "test_all_pages", "test_random_hands", "test_living_graph", "test_labs"),
    *("test_graph_editor", "test_reopened", "test_lab_pictures", "test_hands"),
)
"""Files of browser tests that take half a minute or more, the longest first."""


@pytest.fixture(scope="session")
def still_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site but for Python in it; no chapter is run for it. Workers share one build."""
    from fgn_notebooks import site

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, begun, done = (shared / f"still-site{end}" for end in ("", ".begun", ".done"))
    try:
        begun.touch(exist_ok=False)
    except FileExistsError:  # another worker is at it
        for _ in range(600):
            if done.exists():
                break
            time.sleep(1)
        assert (folder / "index.html").exists(), "another worker could not build the site"
        return folder
    try:
        site.build(folder, runs=False)
    finally:
        done.touch()
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last, as Playwright keeps an event loop running, the longest files first.

    A worker takes one file after another: where the last ones are short, both end together.
    """
    for item in items:
        if f"{item.path.parent.name}/{item.path.stem}" in QUICK:
            item.add_marker("quick")
    items.sort(key=place)


def place(item: pytest.Item) -> int:
    if item.get_closest_marker("browser") is None:
        return -1
    return LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    seen = item.get_closest_marker("browser") and not item.get_closest_marker("pyodide")
    if report.skipped and os.environ.get("CI") and seen:
        report.outcome = "failed"
        report.longrepr = f"a browser test may not be skipped in CI: {report.longrepr}"
    return report
