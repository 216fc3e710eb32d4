"""Latent class analysis as an estimator of scikit-learn (the extra ``[sklearn]``).

Vocabulary
    class    a state of one hidden variable; the columns are independent within a class
    label    the value of a cell: text or a number; NaN, None and "" are blanks, cells not observed,
             and so are the codes that ``missing`` names

The estimator makes a graph with one hidden parent of all columns, and calls ``fgnwidgets.fit``.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
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

from .algebra.arrays import Index, Mask
from .arguments import read_count, wrong
from .bayes.graph import BayesGraph
from .data.answers import Missing, no_answers, read_missing, refuse_nearly
from .data.columns import by_value, categories, is_frame, is_lazy, narwhal, read
from .data.evidence import Evidence, are_counts
from .data.names import in_order, is_missing, key_of, plain
from .data.reading import alike, many_states
from .inference.decoding import sample as draw
from .inference.queries import loglik, posterior
from .learning.fit import fit
from .learning.observations import observations
from .learning.run import Run

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
    ``alpha``        pseudo-counts added to every count (Laplace smoothing); half a count predicts
                     new rows well. With 0, maximum likelihood, for a report with ``bic``, a new
                     row can have probability zero
    ``max_iter``     most epochs of EM
    ``tol``          EM stops when an epoch gains less log-likelihood than this per sample
    ``unknown``      what to do with a label that ``fit`` has not seen: "blank" warns and takes the
                     cell for a blank, "error" refuses it
    ``missing``      codes for no answer: a list for all columns, or ``{"A": [9, "DK"]}`` by the
                     names of columns, ``x0``, ``x1``, ... where they have none; compared by type
    ``random_state`` an integer or a ``RandomState``

    The labels of a column are sorted, or its declared categories in their order, as those of a
    Categorical of pandas, an Enum of polars or a dictionary of Arrow.

    After ``fit``: ``run_`` (a ``fgnwidgets.Run``; ``run_.summary()`` reports it), ``graph_``,
    ``theta_``, ``categories_`` (the labels of each column), ``weights_`` (the classes' shares),
    ``labels_``, ``n_iter_``, ``loglik_``, ``n_features_in_``, ``feature_names_in_``.
    """

    def __init__(
        self,
        n_classes: int = 3,
        *,
        restarts: int = 10,
        alpha: float = 0.5,
        max_iter: int = 500,
        tol: float = 1e-6,
        unknown: str = "blank",
        missing: Missing = None,
        random_state: Any = None,
    ) -> None:
        self.n_classes = n_classes
        self.restarts = restarts
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.unknown = unknown
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> LatentClass:
        """Learn from a table of labels ``(N, V)``; ``sample_weight`` ``(N,)`` weights its rows."""
        if self.unknown not in ("blank", "error"):
            raise wrong("unknown", self.unknown, "'blank' or 'error'")
        cells = self._cells(X, reset=True)
        weight = _weights(sample_weight, cells)
        learned = slice(None) if weight is None else weight > 0
        rows = len(cells) if weight is None else float(weight.sum())
        found = zip(cells[learned].T, _declared(X, self._missing), strict=True)
        self.categories_ = [_categories(column, declared) for column, declared in found]
        self._columns = [name if name != CLASS else f"{name} " for name in self._missing]
        states: dict[str, Any] = {CLASS: read_count(self.n_classes, "n_classes", 1)}
        for name, labels in zip(self._columns, self.categories_, strict=True):
            if not len(labels):
                raise ValueError(f"column {name!r} holds no value: only blanks were found")
            words = [plain(label) for label in labels]
            refuse_nearly(self._missing.get(name, ()), words, name)
            odd = no_answers(name, words), alike(name, words), many_states(name, len(words), rows)
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

    def predict(self, X: Any) -> Index:
        """The most probable class of every row, ``(N,)``."""
        best: Index = self.predict_proba(X).argmax(axis=1)
        return best

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(class | row), ``(N, n_classes)``."""
        check_is_fitted(self)
        return self._posterior(self._cells(X))

    def transform(self, X: Any) -> NDArray[np.float64]:
        """:meth:`predict_proba` as a transformer; ``set_output`` makes it a data frame."""
        return self.predict_proba(X)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """log P(row), ``(N,)``."""
        check_is_fitted(self)
        return loglik(self.graph_, self.theta_, self._evidence(self._cells(X)))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """The (weighted) mean of log P(row), which model selection maximises."""
        logs = self.score_samples(X)
        return float(np.average(logs, weights=_weights(sample_weight, logs)))

    def sample(self, n_samples: int = 1) -> tuple[NDArray[Any], Index]:
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

    def bic(self, X: Any, sample_weight: ArrayLike | None = None) -> float:
        """Schwarz's criterion on ``X``, ``-2 sum w log P(row) + n_free log(n)``.

        Smaller is better. n is the sum of the weights of the rows in which something was observed,
        and ``n_free`` leaves out levels that no row of the table of ``fit`` has, as in
        ``run_.bic``. Weights that are not all whole are no counts of rows: they are scaled to
        sum to the number of rows with a weight above zero, with a warning, so that any multiple of
        them gives the same criterion.
        """
        loglik, n = self._weighted(X, sample_weight)
        return float(-2 * loglik + self.run_.n_free * np.log(max(n, 1)))

    def aic(self, X: Any, sample_weight: ArrayLike | None = None) -> float:
        """Akaike's criterion on ``X``, ``-2 sum w log P(row) + 2 n_free``; smaller is better.

        Weights are taken as by :meth:`bic`.
        """
        return float(-2 * self._weighted(X, sample_weight)[0] + 2 * self.run_.n_free)

    def _weighted(self, X: Any, sample_weight: ArrayLike | None) -> tuple[float, float]:
        """``sum w log P(row)`` and n; the weights w are scaled if they are no counts.

        A row of weight zero has no part in it, even if it is impossible.
        """
        check_is_fitted(self)
        evidence = self._evidence(self._cells(X))
        logs = loglik(self.graph_, self.theta_, evidence)
        says = observations(self.graph_, evidence) > 0
        weight = _weights(sample_weight, logs)
        if weight is None:
            return float(logs.sum()), float(says.sum())
        live = weight > 0
        logs, says, weight = logs[live], says[live], weight[live]
        if not are_counts(weight):
            factor = len(weight) / weight.sum()
            warnings.warn(
                "sample_weight is not whole, so it holds no counts of equal rows: it was "
                f"multiplied by {factor:.4g}, to sum to the {len(weight)} rows",
                UserWarning,
                stacklevel=3,
            )
            weight = weight * factor
        return float(weight @ logs), float(weight @ says)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_classes)

    def _cells(self, X: Any, *, reset: bool = False) -> NDArray[Any]:
        """The table as an array; codes for no answer, which ``fit`` reads, are blanks in it."""
        cells = _cells(self, X, reset=reset)
        if reset:
            names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(cells.shape[1])])
            codes = read_missing(self.missing, [str(name) for name in names])
            self._missing = {str(name): codes.get(str(name), ()) for name in names}
        return _without(cells, list(self._missing.values()))

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


def _blank(column: NDArray[Any]) -> Mask:
    if column.dtype.kind == "O":
        return np.array([is_missing(cell) for cell in column], dtype=bool)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)


def _declared(X: Any, missing: Mapping[str, Sequence[Any]]) -> list[list[Any] | None]:
    """The declared categories of every column, without codes for no answer; None if it has none."""
    frame = narwhal(X)
    if not is_frame(frame):
        return [None] * len(missing)
    found: list[list[Any] | None] = []
    for series, codes in zip(frame.iter_columns(), missing.values(), strict=True):
        own, blank = categories(series), {key_of(code) for code in codes}
        found.append(None if own is None else [v for v in own if key_of(v) not in blank])
    return found


def _without(cells: NDArray[Any], missing: Sequence[Sequence[Any]]) -> NDArray[Any]:
    """The cells with blanks for the codes for no answer of each column."""
    if not any(missing):
        return cells
    found = cells.astype(object if cells.dtype.kind in "Ob" else np.float64)
    for k, codes in enumerate(missing):
        column, blank = by_value(read(cells[:, k])), {key_of(code) for code in codes}
        out = [not is_missing(value) and key_of(value) in blank for value in column.values]
        found[np.append(out, False).astype(bool)[column.codes], k] = np.nan
    return found


def _categories(column: NDArray[Any], declared: Sequence[Any] | None) -> NDArray[Any]:
    """The different labels in order, or those that are declared, without blanks."""
    known = column[~_blank(column)]
    if declared is None and known.dtype.kind != "O":
        return np.asarray(np.unique(known))
    different = in_order(dict.fromkeys(known.tolist())) if declared is None else declared
    return np.fromiter(different, dtype=object, count=len(different))


def _codes(labels: NDArray[Any], column: NDArray[Any]) -> tuple[Index, Any]:
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
