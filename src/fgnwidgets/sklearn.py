"""Latent class analysis as an estimator of scikit-learn (the extra ``[sklearn]``).

Vocabulary
    class    a state of one hidden variable; the columns are independent within a class
    label    the value of a cell: text or a number; NaN, None and "" are blanks, cells not observed

The estimator makes a graph with one hidden parent of all columns, and calls ``fgnwidgets.fit``.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    from sklearn.base import (
        BaseEstimator,
        ClassNamePrefixFeaturesOutMixin,
        ClusterMixin,
        TransformerMixin,
    )
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise ImportError(
        f"LatentClass needs scikit-learn ({error}): pip install 'fgnwidgets[sklearn]'"
    ) from error

from .border.bayes import BayesGraph
from .border.decoding import sample as draw
from .border.fit import fit
from .border.queries import loglik, posterior
from .border.run import Run
from .engine.messages import Evidence
from .readers import read_count, wrong
from .tables.columns import is_lazy, narwhal
from .tables.names import in_order, is_missing, plain
from .tables.reading import alike, blank_words, many_states

CLASS = "class"
"""Name of the hidden variable."""


class LatentClass(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
):
    """Latent class analysis of categorical columns by EM.

    ``n_classes``    how many classes
    ``restarts``     random starts, of which the best is kept
    ``alpha``        pseudo-counts added to every count; with 0, maximum likelihood, a new row can
                     have probability zero
    ``max_iter``     most epochs of EM
    ``tol``          EM stops when an epoch gains less log-likelihood than this per sample
    ``unknown``      what to do with a label that ``fit`` has not seen: "blank" warns and takes the
                     cell for a blank, "error" refuses it
    ``random_state`` an integer or a ``RandomState``

    After ``fit``: ``run_`` (a ``fgnwidgets.Run``; ``run_.summary()`` reports it), ``graph_``,
    ``theta_``, ``categories_`` (the labels of each column), ``weights_`` (the classes' shares),
    ``labels_``, ``n_iter_``, ``loglik_``, ``n_features_in_``, ``feature_names_in_``.
    """

    def __init__(
        self,
        n_classes: int = 3,
        *,
        restarts: int = 10,
        alpha: float = 0.1,
        max_iter: int = 500,
        tol: float = 1e-6,
        unknown: str = "blank",
        random_state: Any = None,
    ) -> None:
        self.n_classes = n_classes
        self.restarts = restarts
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.unknown = unknown
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> LatentClass:
        """Learn from a table of labels ``(N, V)``; ``sample_weight`` ``(N,)`` weights its rows."""
        if self.unknown not in ("blank", "error"):
            raise wrong("unknown", self.unknown, "'blank' or 'error'")
        cells = _cells(self, X, reset=True)
        weight = _weights(sample_weight, cells)
        learned = slice(None) if weight is None else weight > 0
        rows = len(cells) if weight is None else float(weight.sum())
        self.categories_ = [_categories(column) for column in cells[learned].T]
        names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(cells.shape[1])])
        self._columns = [name if name != CLASS else f"{name} " for name in map(str, names)]
        states: dict[str, Any] = {CLASS: read_count(self.n_classes, "n_classes", 1)}
        for name, labels in zip(self._columns, self.categories_, strict=True):
            if not len(labels):
                raise ValueError(f"column {name!r} holds no value: only blanks were found")
            words = [plain(label) for label in labels]
            odd = blank_words(name, words), alike(name, words), many_states(name, len(words), rows)
            for warning in filter(None, odd):
                warnings.warn(warning, UserWarning, stacklevel=2)
            states[name] = words if all(isinstance(w, str) for w in words) else len(words)
        self.graph_ = BayesGraph(states, dict.fromkeys(self._columns, CLASS))
        self.run_: Run = fit(
            self.graph_,
            self._evidence(cells[learned]),
            restarts=self.restarts,
            n_epochs=self.max_iter,
            tol=self.tol,
            alpha=self.alpha,
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            weight=None if weight is None else weight[learned],
            record=["loglik"],
            progress=False,
        )
        self.theta_ = self.run_.best_theta
        self.weights_ = self.theta_[CLASS][0]
        self.n_iter_ = self.run_.n_epochs
        self.loglik_ = float(self.run_.final_loglik[self.run_.best])
        self.labels_ = self._posterior(cells).argmax(axis=1)
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """The most probable class of every row, ``(N,)``."""
        best: NDArray[np.intp] = self.predict_proba(X).argmax(axis=1)
        return best

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(class | row), ``(N, n_classes)``."""
        check_is_fitted(self)
        return self._posterior(_cells(self, X, reset=False))

    def transform(self, X: Any) -> NDArray[np.float64]:
        """:meth:`predict_proba` as a transformer; ``set_output`` makes it a data frame."""
        return self.predict_proba(X)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """log P(row), ``(N,)``."""
        check_is_fitted(self)
        return loglik(self.graph_, self.theta_, self._evidence(_cells(self, X, reset=False)))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """The (weighted) mean of log P(row), which model selection maximises."""
        logs = self.score_samples(X)
        return float(np.average(logs, weights=_weights(sample_weight, logs)))

    def sample(self, n_samples: int = 1) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Rows drawn from the model, ``(n_samples, V)`` labels, and their classes."""
        check_is_fitted(self)
        count = read_count(n_samples, "n_samples", 1)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        table = draw(self.graph_, self.theta_, count, np.random.default_rng(seed))
        kept = zip(self._columns, self.categories_, strict=True)
        columns = [
            table[name] if table[name].dtype.kind in "UO" else labels[table[name]]
            for name, labels in kept
        ]
        mixed = len({column.dtype.kind for column in columns}) > 1
        return np.column_stack([c.astype(object) if mixed else c for c in columns]), table[CLASS]

    def bic(self, X: Any) -> float:
        """Schwarz's criterion on ``X``; smaller is better."""
        logs = self.score_samples(X)
        return float(-2 * logs.sum() + self.run_.n_free * np.log(len(logs)))

    def aic(self, X: Any) -> float:
        """Akaike's criterion on ``X``; smaller is better."""
        return float(-2 * self.score_samples(X).sum() + 2 * self.run_.n_free)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_classes)

    def _posterior(self, cells: NDArray[Any]) -> NDArray[np.float64]:
        return posterior(self.graph_, self.theta_, self._evidence(cells), CLASS)

    def _evidence(self, cells: NDArray[Any]) -> Evidence:
        """The codes of all cells, -1 where one is blank or unknown."""
        codes, unseen = {}, []
        for name, labels, column in zip(self._columns, self.categories_, cells.T, strict=True):
            codes[name], odd = _codes(labels, column)
            if odd is not None:
                unseen.append(f"{name}: {odd!r}")
        if unseen:
            found = f"labels that were not seen in fit, such as {unseen[0]}"
            if self.unknown == "error":
                raise ValueError(f"X holds {found}: unknown='blank' would pass over them")
            warnings.warn(f"X holds {found}: they count as blanks", UserWarning, stacklevel=3)
        return Evidence(len(cells), codes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _cells(model: LatentClass, X: Any, *, reset: bool) -> NDArray[Any]:
    """The table as an array of numbers, or of objects."""
    records = isinstance(X, list | tuple) and any(isinstance(row, Mapping) for row in X)
    sparse = hasattr(X, "toarray")  # scikit-learn refuses these; one kind of them is a Mapping
    if records or (isinstance(X, Mapping) and not sparse) or is_lazy(narwhal(X)):
        raise ValueError(
            f"X is a {type(X).__name__}: expected rows in memory, as a data frame or an array has "
            "them; fgnwidgets.fit takes mappings and lazy tables too"
        )
    if isinstance(X, list | tuple):  # NumPy would make the text 'nan' of a blank beside text
        words = [
            isinstance(cell, str) for row in X if isinstance(row, list | tuple) for cell in row
        ]
        X = np.array(X, dtype=object) if any(words) else X
    cells = validate_data(model, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    return np.asarray(cells if cells.dtype.kind in "biuf" else cells.astype(object))


def _weights(sample_weight: Any, rows: NDArray[Any]) -> NDArray[np.float64] | None:
    if isinstance(sample_weight, str):
        raise wrong("sample_weight", sample_weight, "numbers, one for each row, such as X['w']")
    if sample_weight is None:
        return None
    found: NDArray[np.float64] = _check_sample_weight(
        sample_weight, rows, dtype=np.float64, ensure_non_negative=True
    )
    return found


def _blank(column: NDArray[Any]) -> NDArray[np.bool_]:
    if column.dtype.kind == "O":
        return np.array([is_missing(cell) for cell in column], dtype=bool)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)


def _categories(column: NDArray[Any]) -> NDArray[Any]:
    """The different labels in order, without blanks."""
    known = column[~_blank(column)]
    if known.dtype.kind != "O":
        return np.asarray(np.unique(known))
    different = in_order(dict.fromkeys(known.tolist()))
    return np.fromiter(different, dtype=object, count=len(different))


def _codes(labels: NDArray[Any], column: NDArray[Any]) -> tuple[NDArray[np.intp], Any]:
    """The index of every cell among the labels, -1 if it is none; and one that is none, or None."""
    blank = _blank(column)
    if column.dtype.kind != "O" and labels.dtype.kind != "O":
        at = np.minimum(np.searchsorted(labels, column), len(labels) - 1)
        at = np.where(labels[at] == column, at, -1)
    else:
        place: Mapping[Any, int] = {label: k for k, label in enumerate(labels.tolist())}
        at = np.array([place.get(cell, -1) for cell in column.tolist()], dtype=np.intp)
    odd = np.flatnonzero((at < 0) & ~blank)
    return np.where(blank, -1, at), plain(column[odd[0]]) if odd.size else None
