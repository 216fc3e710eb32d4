"""Pages of the API reference: every public name, in the order of its module's ``__all__``.

A class that a public function returns, such as the :class:`Errors` of ``standard_errors``, has
methods that are called on the result. So it is there too: below the function, or on the page of
its own module.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, get_args, get_type_hints

import fgnwidgets
from fgnwidgets.report import Report

MODULES = {
    "fgnwidgets": "The engine",
    "fgnwidgets.analysis": "Analysis",
    "fgnwidgets.data": "Tables",
    "fgnwidgets.interop": "Other people's models",
    "fgnwidgets.sklearn": "scikit-learn",
    "fgnwidgets.draw": "Drawings",
    "fgnwidgets.widgets": "Widgets",
    "fgn_notebooks.labs": "Labs of the course",
    "fgn_notebooks.experiments": "Experiments of the course",
    "fgn_notebooks.claims": "The claims ledger as a module",
    "fgn_notebooks.data": "Data of the course",
    "fgn_notebooks.examples": "Example graphs",
    "fgn_notebooks.exercises": "Exercises",
}
"""The titles of pages by their modules; a module that cannot be imported has no page."""

ONLY = {"fgnwidgets.data": ["read_csv"]}
"""What a page shows of a module whose other names serve the engine."""


def pages() -> dict[str, str]:
    """The pages in reStructuredText, by their file names, with an ``index``."""
    made = {name: _page(name, title) for name, title in MODULES.items() if _exists(name)}
    lead = (
        "Every public name of the library and of the course, from its docstring. Where a docstring "
        "names a section, a formula or a figure of the paper, it links to the chapter about it."
    )
    table = [".. list-table::", "   :header-rows: 0", "   :widths: 35 65", ""]
    for name in made:
        summary = (inspect.getdoc(import_module(name)) or "").partition("\n\n")[0]
        table += [f"   * - :doc:`{name}`", f"     - {' '.join(summary.split())}"]
    tree = [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in made), ""]
    made["index"] = "\n".join([*_heading("Reference"), lead, "", *table, "", *tree])
    return made


def public(name: str) -> list[str]:
    """The public names of a module: its ``__all__``, or else the functions that it defines."""
    module = import_module(name)
    listed = ONLY.get(name, getattr(module, "__all__", None))
    if listed is not None:
        return list(listed)
    return [
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and inspect.isfunction(value) and value.__module__ == name
    ]


def results() -> dict[type, str]:
    """The classes of what the engine's public functions return, and the function of each.

    Also of what the methods of these return. Those that are public themselves are left out.
    """
    found: dict[type, str] = {}
    known = {getattr(fgnwidgets, name) for name in fgnwidgets.__all__ if name != "RULES"}
    todo = [(getattr(fgnwidgets, name), name) for name in fgnwidgets.__all__]
    for value, name in todo:
        if inspect.isclass(value):
            todo += [(f, name) for key, f in vars(value).items() if not key.startswith("_")]
        elif inspect.isfunction(value):
            for kind in _returned(value):
                if kind not in known and kind not in found:
                    found[kind] = name
                    todo.append((kind, name))
    return found


def _returned(function: Any) -> Iterator[type]:
    """The classes of this library in the annotation of what a function returns."""
    said = function.__annotations__.get("return")
    public = {name: getattr(fgnwidgets, name) for name in (*fgnwidgets.__all__, "Summary")}
    names = {**public, **function.__globals__}  # a module may know a class for its types alone
    hints = get_type_hints(_only_return(said), names) if said is not None else {}
    todo = [hints.get("return")]
    for hint in todo:
        todo += get_args(hint)
        if inspect.isclass(hint) and hint.__module__.startswith("fgnwidgets."):
            yield hint


def _only_return(said: Any) -> Any:
    def bare() -> None: ...

    bare.__annotations__ = {"return": said}
    return bare


def _page(name: str, title: str) -> str:
    module = import_module(name)
    summary, _, _ = (inspect.getdoc(module) or "").partition("\n\n")
    text = [*_heading(title), f"``{name}``", "", *summary.splitlines(), ""]
    text += [f".. currentmodule:: {name}", ""]
    kinds = {} if not name.startswith("fgnwidgets") else results()
    own = [kind for kind in kinds if kind.__module__.startswith(f"{name}.")]
    if name == "fgnwidgets.analysis":
        text += [line for kind in (Report, *own) for line in _result(kind)]
    for key in public(name):
        value = getattr(module, key)
        if inspect.isclass(value):
            text += [f".. autoclass:: {key}", "   :members:", ""]
        elif inspect.isfunction(value):
            text += [f".. autofunction:: {key}", ""]
        else:
            text += [f".. py:data:: {key}", "", f"   A {type(value).__name__}.", ""]
        for kind, function in kinds.items():
            if (function, name) == (key, "fgnwidgets") and "analysis" not in kind.__module__:
                text += _result(kind)
    return "\n".join(text)


def _result(kind: type) -> list[str]:
    """A class that is no public name, under the name of its module."""
    return [
        f".. autoclass:: {kind.__module__}.{kind.__qualname__}()",
        "   :members:",
        "   :show-inheritance:",
        "",
    ]


def _exists(name: str) -> bool:
    try:
        return find_spec(name) is not None and import_module(name) is not None
    except ImportError:  # an optional dependency of the module is not installed
        return False


def _heading(title: str) -> list[str]:
    return [title, "=" * len(title), ""]
