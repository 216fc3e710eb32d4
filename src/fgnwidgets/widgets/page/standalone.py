"""Write a living graph, or an editor, as one web page that runs Python in the browser (section 2).

Vocabulary
    still     the picture that the page shows first, and keeps if it cannot run Python
    Pyodide   Python and NumPy for browsers; its files are embedded, or fetched from an address
    parts     the contents of the page: model, drawing script, Python files, and so on
    answers   scenes of a living graph by which the page answers clicks before Python is there

A page with an embedded Pyodide works offline. Python runs in a worker of the page, and the page
draws by the same script as in Jupyter.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from fgnwidgets.bayes.files import save

from .outputs import undrawn
from .scripts import STATIC, bundle
from .web_page import pictured, scripts, web_page

Live = Any
"""A view with a ``BUNDLE``, a ``scene``, a ``still``, and a ``page_state`` to begin with."""

PUBLIC = "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/"
"""The address of the version of Pyodide that was tested, for pages that do not embed it."""

CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
PYTHON = "python.zip"
"""The file with the packages of :func:`python_files`; the page's worker unpacks it."""
LABS = Path("fgnwidgets/widgets/lab")
"""Python files that no graph and no editor needs."""

PACKAGES = ("fgnwidgets", "traitlets")
"""The packages whose Python files the page contains; it gets NumPy with Pyodide."""
FRAMED = """\
.framed main { padding: 4px 8px 8px; }
.framed h1 { display: none; }
@media (min-width: 900px) { /* beside the buttons, so that the drawing is higher by a line */
  .framed #told { position: absolute; right: 12px; top: 6px; max-width: 55%; margin: 0; }
}"""
ABOUT = "Click a variable, and the beliefs in all others and the messages between them follow."


def write(
    view: Live,
    path: str | os.PathLike[str],
    *,
    embed: str | os.PathLike[str] | None = None,
    address: str = PUBLIC,
    title: str = "",
    python: str = "",
    at_once: bool = True,
) -> Path:
    """Write ``view`` as a page with the evidence and round that it shows now; return its path.

    ``embed`` is a folder with Pyodide, whose Python and NumPy go into the page. Without it the page
    fetches them from ``address``, which may be relative to the page. ``python`` is the address of a
    file of :func:`python_files`, which many pages can share; without it the page holds these files.
    Python is loaded ``at_once``, or else when a hand first touches the page. Raises ``ValueError``
    with the name of the missing file if ``embed`` does not hold Pyodide with NumPy.
    """
    png, words = _still(view)
    drawing, style = bundle(view.BUNDLE)
    files = {} if python else {PYTHON: python_files()}
    if embed is not None:
        files |= _pyodide(Path(embed))
        address = ""
    facts = _facts(view, address) | {"python": python, "atOnce": at_once}
    given = view.answers() if hasattr(view, "answers") else None
    name = title or _sentence(str(view.scene.get("name", "graph editor")))
    starts = (
        "<script>(0, eval)(JSON.parse(document.getElementById('script').textContent));</script>"
    )
    late = {
        "model": _model(view),
        "python": _text("in_page.py"),
        "worker": _text("standalone_worker.js"),
    }
    answers = _packed(json.dumps(given).encode()) if given else ""
    page = web_page(
        name,
        f"{name}. {ABOUT if given else view.LIVE} {words}",
        style=f"{style}\n{FRAMED}",
        still=pictured(png, words),
        promise="this graph answers clicks",
        data={
            "facts": json.dumps(facts),
            "answers": answers,
            "answering": _text("answers.js"),
            "view": drawing,
            "script": _text("standalone.js"),
        },
        # It begins before what Python needs has arrived.
        elements="\n".join([starts, *scripts(late), *_embedded(files)]),
    )
    written = Path(path)
    written.write_text(page, encoding="utf-8")
    return written


def _facts(view: Live, address: str) -> dict[str, Any]:
    """The address of Python, what is set first, and what is said once the page is live."""
    return {"address": address, "state": view.page_state(), "live": view.LIVE}


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _still(view: Live) -> tuple[str, str]:
    """The picture in base 64, or "" where it cannot be drawn, and its words."""
    words = str(view.scene["summary"])
    try:
        return view.picture_png()[0], words
    except Exception as error:  # of the library that draws: the page comes alive all the same
        return "", f"{words} {undrawn('graph', error)}"


def _model(view: Live) -> str:
    if view.graph is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        save(path, getattr(view, "bayes", None) or view.graph, view.theta)
        return path.read_text(encoding="utf-8")


def python_files() -> bytes:
    """A zip archive of the Python files of ``PACKAGES``, which a page unpacks."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in PACKAGES:
            root = Path(str(import_module(name).__file__)).parent
            for file in sorted(root.rglob("*.py")):
                inside = file.relative_to(root.parent)
                if "tests" not in inside.parts and not inside.is_relative_to(LABS):
                    entry = zipfile.ZipInfo(inside.as_posix())
                    archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _pyodide(folder: Path) -> dict[str, bytes]:
    """The files of Pyodide's Python and NumPy, and a lock file that names only these."""
    try:
        lock = json.loads(_read(folder, LOCK))
        held = _with_needs("numpy", lock["packages"])
        files = {name: _read(folder, name) for name in CORE}
        files |= {p["file_name"]: _read(folder, p["file_name"]) for p in held.values()}
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{folder / LOCK} is not a lock file of Pyodide: {error!r}") from None
    return {**files, LOCK: json.dumps({**lock, "packages": held}).encode()}


def _with_needs(name: str, packages: Mapping[str, Any]) -> dict[str, Any]:
    """A package of a lock file with all that it depends on."""
    held = {name: packages[name]}
    for other in packages[name]["depends"]:
        held |= _with_needs(other, packages)
    return held


def _read(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError:
        raise ValueError(
            f"embed is {str(folder)!r}: {name} was expected there. A release of Pyodide, unpacked, "
            "has it; without embed the page fetches Pyodide from its public address"
        ) from None


def _embedded(files: Mapping[str, bytes]) -> Iterator[str]:
    """Files as HTML elements that hold them."""
    for name, data in files.items():
        yield f'<script type="text/plain" class="file" data-name="{name}">{_packed(data)}</script>'


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
