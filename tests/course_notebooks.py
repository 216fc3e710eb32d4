"""Small notebooks to plant faults in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fgn_notebooks import chapters
from fgn_notebooks.chapters import Chapter

Cell = dict[str, Any]

PLOT = """\
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(4, 2))
ax.set_ylim(0, 4)
ax.plot([0, 1, 2], [0, 1, {end}])
print("a line of three points")
plt.show()
"""


def prose(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code(text: str, *tags: str) -> Cell:
    metadata = {"tags": list(tags)} if tags else {}
    cell = {"cell_type": "code", "metadata": metadata, "source": text}
    return cell | {"outputs": [], "execution_count": None}


def save(path: Path, *cells: Cell) -> Chapter:
    """Store a notebook of these cells that was never run."""
    named = [{**cell, "id": f"c{place}"} for place, cell in enumerate(cells)]
    chapters.write(
        {"cells": named, "metadata": chapters.METADATA, "nbformat": 4, "nbformat_minor": 5}, path
    )
    return Chapter(int(path.name[:2]), "planted", path)


def edit(path: Path, change: Callable[[list[Cell]], None]) -> None:
    """Store the notebook again with its cells changed."""
    notebook = chapters.read(path)
    change(notebook["cells"])
    chapters.write(notebook, path)
