"""Wheels for Python in a browser: of this package and of its dependencies in pure Python.

Vocabulary
    wheel    the file of a distribution, here for any Python and any machine
    given    distributions that Pyodide and JupyterLite have themselves

The wheels are made of the files that are installed here. So the site has the versions that were
tested, and no network is needed. Tests are left out, and so are compiled copies of Python files.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from typing import Any

import fgn_notebooks
import fgnwidgets
from fgn_notebooks import chapters
from fgn_notebooks.chapters import CourseError

NAME = "fgnwidgets"
GIVEN = frozenset(
    {"numpy", "matplotlib", "contourpy", "pillow", "ipython", "traitlets", "widgetsnbextension"}
)
COMPILED = (".so", ".pyd", ".dylib")
LEFT_OUT = ("tests", "__pycache__", ".ipynb_checkpoints")
WHEEL = "Wheel-Version: 1.0\nGenerator: fgn site\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def write(folder: Path) -> list[Path]:
    """Write the wheels of this package and of its pure dependencies into ``folder``.

    Raises :class:`CourseError` if a dependency is not installed, or is not in pure Python.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted({NAME, *needed(NAME)})
    return [_write(_distribution(name), folder) for name in names]


def needed(name: str, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names of all dependencies of a distribution, direct and indirect, that are not given."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    for line in _distribution(name).requires or ():
        asked = Requirement(line)
        other = canonicalize_name(asked.name)
        if other in known or other in GIVEN:
            continue
        if asked.marker is None or asked.marker.evaluate({"extra": ""}):
            known = needed(other, known | {other})
    return known


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise CourseError(f"{name} is not installed, and the site needs a wheel of it") from error


def _write(dist: Distribution, folder: Path) -> Path:
    stem = f"{dist.name.replace('-', '_')}-{dist.version}"
    info = f"{stem}.dist-info"
    files = dict(_own_files() if dist.name == NAME else _files(dist))
    files[f"{info}/METADATA"] = (dist.read_text("METADATA") or "").encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    record = [f"{path},{_hash(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return wheel


def _files(dist: Distribution) -> Iterator[tuple[str, bytes]]:
    paths = {str(path) for path in dist.files or ()}
    for path in sorted(paths):
        pure = PurePosixPath(path)
        if pure.parts[0] == ".." or pure.parts[0].endswith(".dist-info"):
            continue
        if any(part in LEFT_OUT for part in pure.parts):
            continue
        if pure.suffix in COMPILED:
            source = pure.with_name(f"{pure.name.partition('.')[0]}.py")
            if str(source) not in paths and not pure.name.partition(".")[0].endswith("__mypyc"):
                raise CourseError(f"{dist.name} is compiled ({path}): a browser cannot run it")
            continue
        yield path, Path(str(dist.locate_file(path))).read_bytes()


def _own_files() -> Iterator[tuple[str, bytes]]:
    """The files of this package, from its folders: an editable installation does not list them.

    Chapters are included for their titles, tags and slides, without pictures and our answers. The
    code that builds the site is left out.
    """
    for package in (fgnwidgets, fgn_notebooks):
        root = Path(str(package.__file__)).parent
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root.parent)
            if path.is_dir() or any(part in LEFT_OUT for part in inside.parts):
                continue
            if path.suffix != ".ipynb" and inside.parts[:3] != ("fgn_notebooks", "authors", "site"):
                yield inside.as_posix(), path.read_bytes()
    for chapter in chapters.chapters():
        notebook = chapters.without_solutions(chapters.read(chapter.path))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = [*map(_without_picture, cell["outputs"])]
        yield f"fgn_notebooks/notebooks/{chapter.path.name}", json.dumps(notebook).encode()


def _without_picture(output: dict[str, Any]) -> dict[str, Any]:
    """An output that tells that there was a picture, and what was printed: slides count words."""
    if "data" not in output:
        return output
    pictured = {"image/png": ""} if "image/png" in output["data"] else {}
    return {**output, "data": pictured}


def _hash(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"
