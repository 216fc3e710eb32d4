"""Edits of the matrices of a document: all or a row are set, drawn, or made uniform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fgnwidgets.graphs.theta import random_theta, read_theta

from .document import Document, Matrix, plain
from .rebuild import uniform


def with_theta(doc: Document, theta: Mapping[str, ArrayLike]) -> Document:
    """Set all matrices."""
    return replace(doc, matrices=_plain(read_theta(_form(doc), theta)))


def with_row(doc: Document, matrix: str, row: int, values: Sequence[float]) -> Document:
    """Set a row of a matrix to ``values``, divided by their sum."""
    old = _matrix(doc, matrix)
    new = np.asarray(values, dtype=float)
    if new.shape != (len(old[0]),) or not (np.isfinite(new) & (new >= 0)).all() or not new.any():
        raise ValueError(
            f"row {row} of {matrix!r} is {list(values)}: expected {len(old[0])} numbers >= 0 that "
            "are not all zero"
        )
    rows = [tuple(map(float, new / new.sum())) if k == row else own for k, own in enumerate(old)]
    return replace(doc, matrices={**doc.matrices, matrix: tuple(rows)})


def drawn(doc: Document, seed: int | None = None) -> Document:
    """Draw random matrices, by default with the seed that follows the last one."""
    seed = seed if seed is not None else 0 if doc.seed is None else doc.seed + 1
    rng = np.random.default_rng(seed)
    return replace(doc, matrices=_plain(random_theta(_form(doc), rng)), seed=seed)


def flat(doc: Document) -> Document:
    """Make all matrices uniform."""
    shapes = {name: (len(m), len(m[0])) for name, m in doc.matrices.items()}
    return replace(doc, matrices={name: uniform(shape) for name, shape in shapes.items()})


def _matrix(doc: Document, name: str) -> Matrix:
    if name not in doc.matrices:
        raise ValueError(f"no matrix {name!r}: there are {', '.join(doc.matrices)}")
    return doc.matrices[name]


def _form(doc: Document) -> Any:
    """The normal form of the graph; it may have a loop, as only shapes of matrices are needed."""
    if doc.graph is None:
        raise ValueError("the graph has no variables yet: add one, or drop a table")
    return doc.form if doc.form is not None else doc.graph.normal_form(loops=True)


def _plain(theta: Mapping[str, Any]) -> dict[str, Any]:
    """Matrices as documents hold them; ``ValueError`` for those of several restarts."""
    if odd := [name for name, matrix in theta.items() if np.ndim(matrix) != 2]:
        raise ValueError(
            f"theta[{odd[0]!r}] has a restarts axis: an editor shows one model, run.best_theta"
        )
    return {name: plain(matrix) for name, matrix in theta.items()}
