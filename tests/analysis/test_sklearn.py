"""The scikit-learn face keeps scikit-learn's rules, and says what the engine says."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from latent_classes import SLIDES, TRUE, TWO, classes, drawn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import fgnwidgets as fg
from fgnwidgets.sklearn import LatentClass

CANNOT = {
    "check_clustering": "its blobs are measured: hardly a value comes twice, so as categories the "
    "columns say nothing of each other"
}
SLIDE_ROWS = np.column_stack(list(SLIDES.values()))


@pytest.mark.filterwarnings("ignore:X holds labels that were not seen:UserWarning")
@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API")
@parametrize_with_checks([LatentClass()], expected_failed_checks=lambda estimator: CANNOT)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_a_search_on_the_slides_picks_three_kinds():
    search = GridSearchCV(
        LatentClass(restarts=10, random_state=0), {"n_classes": [1, 2, 3, 4, 5]}, cv=10
    )
    search.fit(SLIDE_ROWS)
    assert search.best_params_ == {"n_classes": 3}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_without_pseudo_counts_bic_is_the_published_one():
    model = LatentClass(3, alpha=0.0, restarts=20, random_state=1, max_iter=3000, tol=1e-9)
    assert abs(model.fit(SLIDE_ROWS).bic(SLIDE_ROWS) - 697.14) < 0.005
    assert abs(model.aic(SLIDE_ROWS) - model.run_.aic) < 1e-6
    blank = np.full((250, SLIDE_ROWS.shape[1]), np.nan)  # rows that observe nothing count nothing
    assert model.bic(np.vstack([SLIDE_ROWS, blank])) == pytest.approx(model.run_.bic)


def worded(seed=0, n=300):
    table = drawn(TWO, TRUE, n, seed, "ABCD")
    frame = pd.DataFrame({k: np.array(["no", "yes"], dtype=object)[v] for k, v in table.items()})
    rng = np.random.default_rng(seed)
    for name in frame:
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame


def test_labels_and_blanks_say_what_the_engine_says_of_them():
    frame = worded()
    model = LatentClass(2, random_state=0).fit(frame)
    assert [c.tolist() for c in model.categories_] == [["no", "yes"]] * 4
    graph = classes(2, dict.fromkeys("ABCD", ("no", "yes")))
    theta = {"S": model.theta_["class"]}
    theta |= {f"{v}|S": model.theta_[f"{v}|class"] for v in "ABCD"}
    np.testing.assert_allclose(
        model.predict_proba(frame), fg.posterior(graph, theta, frame, "S"), atol=1e-12
    )
    np.testing.assert_allclose(model.score_samples(frame), fg.loglik(graph, theta, frame))
    assert model.score(frame) == pytest.approx(fg.loglik(graph, theta, frame).mean())
    assert (model.predict(frame) == model.labels_).all()
    assert model.weights_.sum() == pytest.approx(1)
    run = fg.fit(graph, frame, alpha=0.5)
    penalised = run.final_loglik[run.best]
    assert model.loglik_ == pytest.approx(penalised, abs=0.05)


def test_any_frame_gives_the_same_and_output_comes_in_the_frame_that_is_asked_for():
    frame = worded()
    model = LatentClass(2, random_state=0).fit(frame)
    other = LatentClass(2, random_state=0).fit(pl.from_pandas(frame))
    np.testing.assert_array_equal(model.predict(frame), other.predict(pl.from_pandas(frame)))
    out = clone(model).set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["latentclass0", "latentclass1"]
    out = clone(model).set_output(transform="polars").fit_transform(frame)
    assert isinstance(out, pl.DataFrame)
    pipe = make_pipeline(FunctionTransformer(), LatentClass(2, random_state=0))
    assert pipe.fit_predict(frame).shape == (300,)


def test_weights_count_rows():
    frame = worded(n=60)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    one = LatentClass(2, random_state=0).fit(frame, sample_weight=weight)
    two = LatentClass(2, random_state=0).fit(frame.loc[np.repeat(frame.index, weight)])
    np.testing.assert_allclose(one.predict_proba(frame), two.predict_proba(frame), atol=1e-9)


def test_a_label_that_was_never_seen_is_a_blank_with_a_warning_or_refused():
    frame = worded()
    model = LatentClass(2, random_state=0).fit(frame)
    odd, blank = frame.head(1).copy(), frame.head(1).copy()
    odd["A"], blank["A"] = "maybe", None
    with pytest.warns(UserWarning, match="A: 'maybe'"):
        p = model.predict_proba(odd)
    np.testing.assert_array_equal(p, model.predict_proba(blank))
    with pytest.raises(ValueError, match="unknown='blank'"):
        model.set_params(unknown="error").predict(odd)


def test_a_column_that_is_surely_not_meant_so_is_told():
    frame = worded(n=60)
    with pytest.warns(UserWarning, match="column 'A' has the states 'Yes ', 'yes', which differ"):
        LatentClass(2, max_iter=1).fit(frame.assign(A=["Yes ", "yes", "no"] * 20))
    with pytest.warns(UserWarning, match="'id' has 60 states in 60 rows"):
        LatentClass(2, max_iter=1).fit(frame.assign(id=range(60)))
    with pytest.warns(UserWarning, match="column 'A' has the state 'NA'"):
        LatentClass(2, max_iter=1).fit(frame.assign(A=["NA", "yes", "no"] * 20))


def test_a_blank_in_a_list_of_words_is_a_blank():
    rows = [["yes", "no"], ["no", None], ["yes", float("nan")], ["no", "yes"]]
    model = LatentClass(2, random_state=0).fit(rows)
    assert [list(found) for found in model.categories_] == [["no", "yes"]] * 2
    np.testing.assert_array_equal(model.predict([["yes", None]]), model.predict([["yes", ""]]))


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"X": {"A": ["no", "yes"]}}, "X is a dict: expected rows in memory"),
        ({"X": [{"A": "no"}, {"A": "yes"}]}, "X is a list: expected rows in memory"),
        ({"X": pl.LazyFrame({"A": ["no", "yes"]})}, "X is a LazyFrame: expected rows in memory"),
        ({"n_classes": 0}, "n_classes is 0: expected at least 1"),
        ({"n_classes": "3"}, "n_classes is '3': expected a whole number >= 1"),
        ({"unknown": "ignore"}, "unknown is 'ignore': expected 'blank' or 'error'"),
        ({"sample_weight": "w"}, "sample_weight is 'w': expected numbers, one for each row"),
    ],
)
def test_mistakes_are_told_in_the_words_of_the_estimator(asked, says):
    given = {"X": [["no"], ["yes"]], "sample_weight": None, **asked}
    data = {name: given.pop(name) for name in ("X", "sample_weight")}
    with pytest.raises(ValueError, match=says):
        LatentClass(**given).fit(**data)


def test_mistakes_after_fit_are_told_in_the_words_of_the_estimator():
    frame = worded(n=60)
    model = LatentClass(2, max_iter=1).fit(frame)
    with pytest.raises(ValueError, match="n_samples is -1: expected at least 1"):
        model.sample(-1)
    with pytest.raises(ValueError, match="sample_weight"):
        model.score(frame, sample_weight=[1, 2])


def test_samples_have_the_labels_and_the_shares_of_the_model():
    model = LatentClass(2, random_state=0).fit(worded())
    rows, kinds = model.sample(4000)
    assert set(rows.ravel()) == {"no", "yes"}
    np.testing.assert_allclose(np.bincount(kinds) / 4000, model.weights_, atol=0.04)
    said = (rows[kinds == 0, 0] == "yes").mean()
    assert said == pytest.approx(model.theta_["A|class"][0, 1], abs=0.05)


def test_nothing_of_the_library_imports_scikit_learn():
    code = "import sys, fgnwidgets, fgnwidgets.draw; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
