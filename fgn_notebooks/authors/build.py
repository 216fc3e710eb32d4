"""Run a chapter in a clean kernel, and store its outputs the same way on every machine.

The kernel runs the Python that runs this module, whatever kernels are installed, and ignores the
user's settings of IPython and matplotlib. What differs from one run to the next is not stored:
times, widget views and states, versions, the folders in a traceback. A picture whose pixels did
not change keeps its stored bytes.
"""

import copy
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

import fgn_notebooks
from fgn_notebooks.authors import compare, own
from fgn_notebooks.chapters import METADATA, Chapter, CourseError, beside, read, write
from fgn_notebooks.kernels import notebook_format, this_python
from fgn_notebooks.students import personal

TIMEOUT = 120  # seconds for one cell
KEPT_CELL_METADATA = ("tags", "jupyter")


class DoesNotRun(CourseError):
    """A chapter that fails, takes too long, or is refused; others may run."""


def build(chapter: Chapter) -> bool:
    """Run a chapter and store its outputs; return whether the file changed.

    Raises :class:`CourseError` for a chapter of an installed package, which is not to be changed,
    and for an own chapter whose exercises a class could not work with (``own.faults``), or whose
    own answers are wrong; then nothing is stored.
    """
    if chapter.path.parent.parent == Path(str(fgn_notebooks.__file__)).parent:
        raise CourseError(
            "fgn build writes the chapters of a checkout: pip install -e . there first"
        )
    before = chapter.path.read_bytes()
    stored = read(chapter.path)
    mine = own.is_own(chapter)
    if mine:
        _refuse(chapter, own.faults(chapter))
    made = run(stored, chapter)
    if mine:
        _refuse(chapter, [f"your own answer fails: {words}" for words in _wrong_answers(made)])
        for student in own.STUDENTS[:1] if own.draws(stored, chapter) else ():
            wrong = _wrong_answers(run(personal.numbers(stored, student), chapter))
            with_them = f"with the numbers of {student} your own answer fails"
            _refuse(chapter, [f"{with_them}: {words}" for words in wrong])
    write(tidy(made, stored), chapter.path)
    return chapter.path.read_bytes() != before


def _refuse(chapter: Chapter, found: Sequence[str]) -> None:
    if found:
        listed = "".join(f"\n  {fault}" for fault in found)
        raise DoesNotRun(f"{chapter.path.name} is not built:{listed}")


def check(chapter: Chapter) -> list[str]:
    """Run a chapter and list the differences from its stored outputs; nothing is written.

    A cell that was never run has no stored outputs; it is run, but not compared. Wrong answers to
    exercises are listed too, whatever is stored.
    """
    stored = read(chapter.path)
    new = run(stored, chapter)
    return _wrong_answers(new) + [
        f"In [{before['execution_count']}]: {fault}"
        for before, now in zip(stored["cells"], new["cells"], strict=True)
        if before["cell_type"] == "code" and before["execution_count"] is not None
        for fault in compare.faults(before["outputs"], now["outputs"])
    ]


def _wrong_answers(notebook: Mapping[str, Any]) -> list[str]:
    printed = [
        "".join(output["text"])
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
        if output["output_type"] == "stream"
    ]
    return re.findall(r"^[0-9A-Z]+\.\d+: look again: .*$", "\n".join(printed), re.MULTILINE)


def run(notebook: Mapping[str, Any], chapter: Chapter, *, timeout: int = TIMEOUT) -> dict[str, Any]:
    """The notebook with the outputs of a run in a clean kernel; ``timeout`` seconds for one cell.

    It runs in a new folder that holds copies of the tables and exercises beside the chapter.
    Raises :class:`DoesNotRun` if a cell fails or takes too long, and :class:`CourseError` if
    Jupyter is not installed.
    """
    try:
        nbformat = notebook_format()
        from jupyter_client.manager import AsyncKernelManager
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    except ImportError as error:
        raise CourseError(
            f"running a chapter needs Jupyter ({error}): pip install 'fgnwidgets[lab]'"
        ) from error

    manager = AsyncKernelManager(kernel_name="python3")
    manager.kernel_spec_manager = this_python()
    fresh = nbformat.reads(json.dumps(_with_ids(notebook)), as_version=4)
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as settings:
        client = NotebookClient(
            fresh,
            km=manager,
            timeout=timeout,
            record_timing=False,
            store_widget_state=False,
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],  # keep the kernel's own log out of the outputs
            resources={"metadata": {"path": empty}},
        )
        for path in beside(chapter.path.parent):
            shutil.copy(path, empty)
        plain = {
            "IPYTHONDIR": settings,
            "MATPLOTLIBRC": matplotlib.get_data_path(),
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        }
        try:
            client.execute(env=os.environ | plain, cleanup_kc=True)
        except CellExecutionError as error:
            reason = f"{error.ename}: {error.evalue}"
            raise DoesNotRun(f"{chapter.path.name} does not run: {reason}") from error
        except (CellTimeoutError, DeadKernelError) as error:
            reason = str(error).partition("\n")[0]
            raise DoesNotRun(f"{chapter.path.name} does not run: {reason}") from error
    executed: dict[str, Any] = fresh
    return executed


def tidy(notebook: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook without anything that depends on the run or the machine, ready to be stored.

    ``stored`` is the present file, whose pictures are kept where their pixels are the same.
    """
    before = {cell.get("id"): cell for cell in stored["cells"]}
    cells = [_tidy_cell(cell, before.get(cell["id"], {})) for cell in notebook["cells"]]
    return {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def _tidy_cell(cell: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    tidied = copy.deepcopy(dict(cell))
    tidied["source"] = "".join(cell["source"]).splitlines(keepends=True)
    tidied["metadata"] = {k: v for k, v in cell["metadata"].items() if k in KEPT_CELL_METADATA}
    if cell["cell_type"] == "code":
        tidied["outputs"] = [_tidy_output(output) for output in cell["outputs"]]
        _keep_equal_pictures(tidied["outputs"], stored.get("outputs", []))
    return tidied


def _tidy_output(output: Mapping[str, Any]) -> dict[str, Any]:
    tidied = copy.deepcopy(dict(output))
    for part in ("data", "metadata"):
        for widget in compare.WIDGETS:
            tidied.get(part, {}).pop(widget, None)
    for mime, value in tidied.get("data", {}).items():
        if isinstance(value, str) and mime != compare.PICTURE:
            tidied["data"][mime] = value.splitlines(keepends=True)
    if "text" in tidied:
        tidied["text"] = "".join(tidied["text"]).splitlines(keepends=True)
    if "traceback" in tidied:  # a traceback names folders of this machine
        tidied["traceback"] = []
    return tidied


def _keep_equal_pictures(new: list[dict[str, Any]], stored: list[dict[str, Any]]) -> None:
    """Keep the stored PNG of a picture with the same pixels: encoders differ between machines."""
    drawn = [output for output in new if compare.PICTURE in output.get("data", {})]
    known = [output for output in stored if compare.PICTURE in output.get("data", {})]
    for output, old in zip(drawn, known, strict=False):
        before, after = compare.pictures([old, output])
        if not compare.picture_fault(before, after, tolerance=0.0):
            output["data"][compare.PICTURE] = old["data"][compare.PICTURE]


def _with_ids(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook with ids for cells of old formats, which have none; they are not random."""
    taken = {cell.get("id") for cell in notebook["cells"]}
    free = (name for n in range(10**6) if (name := f"cell-{n}") not in taken)
    cells = [{**cell, "id": cell.get("id") or next(free)} for cell in notebook["cells"]]
    return {**copy.deepcopy(dict(notebook)), "cells": copy.deepcopy(cells), "nbformat_minor": 5}
