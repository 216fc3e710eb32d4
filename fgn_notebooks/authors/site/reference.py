"""Pages of the API reference: every public name, in the order of its module's ``__all__``."""

from __future__ import annotations

import inspect
from importlib import import_module
from importlib.util import find_spec

MODULES = {
    "fgnwidgets": "The engine",
    "fgnwidgets.analysis": "Analysis",
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
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and inspect.isfunction(value) and value.__module__ == name
    ]


def _page(name: str, title: str) -> str:
    module = import_module(name)
    summary, _, _ = (inspect.getdoc(module) or "").partition("\n\n")
    text = [*_heading(title), f"``{name}``", "", *summary.splitlines(), ""]
    text += [f".. currentmodule:: {name}", ""]
    for key in public(name):
        value = getattr(module, key)
        if inspect.isclass(value):
            text += [f".. autoclass:: {key}", "   :members:", ""]
        elif inspect.isfunction(value):
            text += [f".. autofunction:: {key}", ""]
        else:
            text += [f".. py:data:: {key}", "", f"   A {type(value).__name__}.", ""]
    return "\n".join(text)


def _exists(name: str) -> bool:
    try:
        return find_spec(name) is not None and import_module(name) is not None
    except ImportError:  # an optional dependency of the module is not installed
        return False


def _heading(title: str) -> list[str]:
    return [title, "=" * len(title), ""]
