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
# The quick set looks at fewer of them; the whole suite at all.
settings.register_profile("quick", settings.get_profile("default"), max_examples=8)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


QUICK = {
    "tests/test_layers",
    *(f"engine/test_{name}" for name in ("arrays", "nodes", "own_nodes", "graph", "messages")),
    *(f"engine/test_{name}" for name in ("schedule", "rules", "own_rules", "learning", "fit")),
    *(f"engine/test_{name}" for name in ("learning_starts", "bayes", "given", "evidence")),
    *(f"engine/test_{name}" for name in ("likelihood", "options", "files")),
    *(f"tables/test_{name}" for name in ("names", "tables", "text")),
    *(f"analysis/test_{name}" for name in ("summary", "comparing", "wald", "goodness")),
    *(f"widgets/test_{name}" for name in ("lab", "learning_view", "graph_view")),
    *(f"course/test_{name}" for name in ("compare", "spelling")),
}
"""Files of tests that say in half a minute whether a change has broken something."""

THOROUGH = {
    "test_pinned_curves_are_those_of_the_earlier_picture_on_the_new_one_s_axes",
    "test_files_are_offered_without_a_server",
    "test_data_and_pictures_are_saved",
    "test_a_picture_is_drawn_as_large_and_as_fine_as_the_page_says",
    "test_a_readers_own_drawing_is_that_of_its_code_however_often_it_is_drawn_anew",
    "test_it_shows_a_picture_and_a_stable_text_where_no_kernel_runs",
    "test_threads_that_ask_at_once_leave_one_consistent_state",
    "test_unless_told_criteria_are_of_maximum_likelihood_and_held_out_rows_of_half_a_count",
    "test_null_ratios_are_those_that_fits_of_drawn_tables_have",
    "test_a_thousand_changes_leave_no_figure_open_and_memory_flat",
    "test_a_control_that_moves_cuts_the_run_and_the_newest_values_win",
    "test_a_cell_that_runs_twelve_times_keeps_the_models_of_one_lab",
    "test_figures_of_pyplot_are_closed_after_they_were_drawn",
    "test_the_first_result_is_there_at_once_and_the_last_in_the_end",
    "test_random_walks_through_the_controls_draw_what_a_new_figure_draws",
    "test_where_one_class_made_the_tables_the_ratio_test_seldom_asks_for_a_second",
    "test_the_ratio_test_asks_for_the_second_class_and_not_for_the_third",
    "test_under_the_hypothesis_p_is_uniform",
    "test_where_the_model_made_the_tables_p_is_as_often_small_as_it_says",
    "test_three_classes_fit_as_polca_has_it_and_leave_two_degrees_and_not_one",
    "test_a_spelling_is_its_own_and_that_of_every_normal_form",
    *(f"test_slides_whose_columns_are_permuted_have_one_kind_by_bic[{k}]" for k in (1, 2)),
}
"""Tests in these files that are left to the whole suite: slow ones, and cases of one more kind."""


def pytest_configure(config: pytest.Config) -> None:
    if only_quick(config) and "HYPOTHESIS_PROFILE" not in os.environ:
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m quick`` other files are not read: to import them all takes longer than it runs."""
    here = collection_path
    if only_quick(config) and here.suffix in (".py", ".ipynb") and here.name.startswith("test_"):
        return f"{here.parent.name}/{here.stem}" not in QUICK or None
    return None


def only_quick(config: pytest.Config) -> bool:
    return config.getoption("markexpr", "") == "quick"


LONG = (
    *("test_site", "test_reopened", "test_labs", "test_living_graph", "test_graph_look"),
    *("test_hands", "test_editor_as_a_person", "test_learning_view", "test_graph_as_a_person"),
    *("test_pictures_answer", "test_lab_pictures", "test_all_pages"),
)
"""Files of browser tests that take half a minute or more, the longest first."""


@pytest.fixture(scope="session")
def still_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site but for Python in it; no chapter is run for it. Workers share one build."""
    from fgn_notebooks.authors import site

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
        quick = f"{item.path.parent.name}/{item.path.stem}" in QUICK
        names = {item.name, getattr(item, "originalname", item.name)}
        if quick and not THOROUGH & names and item.get_closest_marker("slow") is None:
            item.add_marker("quick")
    items.sort(key=place)


def place(item: pytest.Item) -> int:
    if item.get_closest_marker("browser") is None:
        return -1
    return LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        browser = item.get_closest_marker("browser") and not item.get_closest_marker("pyodide")
        if browser or is_missing_package(call.excinfo):
            report.outcome = "failed"
            report.longrepr = f"this may not be skipped in CI: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file that skips itself as a whole, since a package is missing, fails in CI, too."""
    report = yield
    call = getattr(report, "call", None)
    if report.skipped and os.environ.get("CI") and call and is_missing_package(call.excinfo):
        report.outcome = "failed"
        report.longrepr = f"this may not be skipped in CI: {report.longrepr}"
    return report


def is_missing_package(error: pytest.ExceptionInfo[BaseException] | None) -> bool:
    """Whether a skip is one of ``importorskip``, which raises it because an import has failed."""
    if error is None or not isinstance(error.value, pytest.skip.Exception):
        return False
    return isinstance(error.value.__context__ or error.value.__cause__, ImportError) or any(
        entry.name == "importorskip" for entry in error.traceback
    )
