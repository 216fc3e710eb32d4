"""Runs in one JSON file, exactly: numbers, histories, rows, settings and what was said.

Vocabulary
    array   ``{"dtype": "float64", "shape": [2, 3], "values": [...]}``; what is no finite number
            stands as a word, "nan" or "-inf"
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bayes.files import FORMATS, broken, describe, read, restore, write
from ..data.evidence import Evidence
from ..graphs.normal_graph import as_normal
from ..graphs.theta import by_states
from .em import Progress
from .rules import RULES, Rule
from .run import Ending, Run
from .task import read_hold

FORMAT = "fgnwidgets run"
VERSION = 1

ARRAYS = ("loglik", "aggregated", "test_loglik", "test_aggregated", "dropped", "start_loglik",
          "weight", "test_weight", "repeated")  # fmt: skip
BY_NAME = ("theta", "final", "second")
DERIVED = ("counts", "free", "unreached")
SAID = ("reason", "separate_tables")
"""What a run works out from the rest, arrays by matrix and plain values: they are in files for who
reads them without this package."""

EARLIER = {"told": "settings"}
"""Names in files of earlier versions, and those of today."""

PLAIN = ("counted", "tol", "n_rows")


def save_run(path: str | os.PathLike[str], run: Run) -> None:
    """Write a run to a JSON file. A rule of a reader's own is a function: its name alone is kept,
    with a warning."""
    own = sorted({rule.name for rule in run.rules if rule.name not in RULES})
    if own:
        warnings.warn(
            f"the rule {own[0]!r} is a function of yours, which no file holds: the run can be read "
            "and asked, and dataclasses.replace(run, rules=...) gives it back its rules to go on",
            stacklevel=3,
        )
    content = {
        "format": FORMAT,
        "version": VERSION,
        "model": describe(run.graph, {}),
        "rule": run.rule if isinstance(run.rule, str) else list(run.rule),
        "rules": [rule.name for rule in run.rules],
        "n_its": list(run.n_its),
        "warnings": list(run.warnings),
        "noticed": {kind: list(said) for kind, said in run.noticed.items()},
        "settings": _settings(run),
        **{name: getattr(run, name) for name in (*SAID, *PLAIN)},
        "ending": run.ending.value,
        "rows": {
            "n": run.rows.n,
            "codes": _by_name(run.rows.codes),
            "vectors": _by_name(run.rows.vectors),
        },
        **{name: _array(getattr(run, name)) for name in (*ARRAYS, "settled")},
        "accelerated": run.accelerated,
        "progress": _progress(run),
        **{name: _by_name(getattr(run, name)) for name in (*BY_NAME, *DERIVED)},
    }
    write(path, content)


def load_any(path: str | os.PathLike[str]) -> Any:
    """The content of a JSON file: a run, or a graph and theta."""
    content = read(path, {**FORMATS, FORMAT: VERSION})
    if content["format"] != FORMAT:
        return restore(content, path)
    content = {EARLIER.get(name, name): value for name, value in content.items()}
    with broken(path):
        graph, _ = restore(content["model"], path)
        rows = content["rows"]
        arrays: dict[str, Any] = {name: _read_array(content[name]) for name in ARRAYS}
        arrays["settled"] = (
            _read_array(content["settled"])
            if "settled" in content
            else np.full(len(arrays["dropped"]), _ending(content) is Ending.SETTLED)
        )
        arrays |= {name: _read_by_name(content[name]) for name in BY_NAME}
        free, unreached = (_read_by_name(content[name]) for name in ("free", "unreached"))
        arrays["movable"] = {k: v | unreached[k] if k in unreached else v for k, v in free.items()}
        return Run(
            graph=graph,
            rules=tuple(RULES.get(name) or _lost(name) for name in content["rules"]),
            n_its=tuple(content["n_its"]),
            said=tuple(content["warnings"]),
            noticed=_noticed(content),
            settings={k: _read_setting(value) for k, value in content["settings"].items()},
            rows=Evidence(rows["n"], _read_by_name(rows["codes"]), _read_by_name(rows["vectors"])),
            ending=_ending(content),
            accelerated=content.get("accelerated", False),
            progress=_read_progress(content.get("progress")),
            **{name: content[name] for name in PLAIN},
            **arrays,
        )


def _progress(run: Run) -> dict[str, Any] | None:
    """The state of restarts that are on their way."""
    if run.progress is None:
        return None
    each = run.progress._asdict().items()
    return {name: _by_name(v) if isinstance(v, Mapping) else _array(v) for name, v in each}


def _read_progress(given: Mapping[str, Any] | None) -> Progress | None:
    if given is None:
        return None
    fields: dict[str, Any] = {name: _read_array(v) for name, v in given.items() if "dtype" in v}
    fields |= {name: _read_by_name(given[name]) for name in given.keys() - fields.keys()}
    return Progress(**fields)


def _ending(content: Mapping[str, Any]) -> Ending:
    """The end of a run: files of earlier versions say it in the words of ``reason`` alone."""
    if "ending" in content:
        return Ending(content["ending"])
    old = {"all ": Ending.DONE, "no ": Ending.SETTLED, "it was stopped by": Ending.INTERRUPTED}
    said = (ending for words, ending in old.items() if content["reason"].startswith(words))
    return next(said, Ending.STOPPED)


def _noticed(content: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The warnings from before learning: files of earlier versions say it among their warnings."""
    if "noticed" in content:
        return {kind: tuple(said) for kind, said in content["noticed"].items()}
    words = {"zeros": "zeros, which never leave", "names": "are only labels"}
    return {
        kind: tuple(said for said in content["warnings"] if phrase in said)
        for kind, phrase in words.items()
    }


def _lost(name: str) -> Rule:
    """A rule whose function was not in the file."""

    def step(*_: object, **__: object) -> NDArray[Any]:
        raise ValueError(
            f"the rule {name!r} is a function, which no file holds: expected it back by "
            "dataclasses.replace(run, rules=...)"
        )

    return Rule(name, step)


def _settings(run: Run) -> dict[str, Any]:
    """``hold`` and the constants: numbers and words as they are, arrays in the order of states."""
    form = as_normal(run.graph)
    plain: dict[str, Any] = {}
    for name, value in run.settings.items():
        if name == "hold":
            rows = {} if value is None else read_hold(form, value)
            plain[name] = None if value is None else _by_name({k: v[:, 0] for k, v in rows.items()})
        elif isinstance(value, Mapping):
            matrices = {k: np.asarray(by_states(form, k, v, name), float) for k, v in value.items()}
            plain[name] = _by_name(matrices)
        elif isinstance(value, np.ndarray | np.generic):
            plain[name] = value.item() if value.ndim == 0 else _array(np.asarray(value))
        else:
            plain[name] = value
    return plain


def _read_setting(value: Any) -> Any:
    if isinstance(value, dict):
        return _read_array(value) if "dtype" in value else _read_by_name(value)
    return value


def _by_name(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    return {name: _array(array) for name, array in arrays.items()}


def _read_by_name(given: dict[str, Any]) -> dict[str, NDArray[Any]]:
    return {name: _read_array(array) for name, array in given.items()}


def _array(array: NDArray[Any] | None) -> dict[str, Any] | None:
    if array is None:
        return None
    values = array.ravel().tolist()
    if array.dtype.kind == "f":
        values = [v if np.isfinite(v) else str(v) for v in values]
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": values}


def _read_array(given: dict[str, Any] | None) -> Any:
    if given is None:
        return None
    kind = np.dtype(given["dtype"])
    if kind.kind not in "biuf":
        raise ValueError(f"an array holds {given['dtype']!r}: expected numbers")
    values = [float(v) if isinstance(v, str) else v for v in given["values"]]
    return np.array(values, kind).reshape(given["shape"])
