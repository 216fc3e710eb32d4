"""Write a living graph as one web page that runs Python in the browser (section 2).

Vocabulary
    still     the picture that the page shows first, and keeps if it cannot run Python
    Pyodide   Python and NumPy for browsers; its files are embedded, or fetched from an address
    parts     the contents of the page: model, drawing script, Python files, and so on

A page with an embedded Pyodide works offline. Python runs in a worker of the page, and the page
draws by the same script as in Jupyter.
"""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fgnwidgets.border.files import save

from .observed import to_codes
from .scripts import STATIC, script

if TYPE_CHECKING:
    from .graph_view import GraphView

PUBLIC = "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/"
"""The address of the version of Pyodide that was tested, for pages that do not embed it."""

CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
PACKAGES = ("fgnwidgets", "networkx", "traitlets")
"""The packages whose Python files the page contains; it gets NumPy with Pyodide."""
SET = ("form", "schedule", "start", "round", "selected")
"""The traits of the view that the page begins with, besides the evidence."""


def write(
    view: GraphView,
    path: str | os.PathLike[str],
    *,
    embed: str | os.PathLike[str] | None = None,
    address: str = PUBLIC,
    title: str = "",
) -> Path:
    """Write ``view`` as a page with the evidence and round that it shows now; return its path.

    ``embed`` is a folder with Pyodide, whose Python and NumPy go into the page. Without it the page
    fetches them from ``address``, which may be relative to the page. Raises ``ValueError`` with the
    name of the missing file if ``embed`` does not hold Pyodide with NumPy.
    """
    png, words = _still(view)
    files = {"python.zip": _python()}
    if embed is not None:
        files |= _pyodide(Path(embed))
        address = ""
    name = title or _sentence(str(view.scene["name"]))
    parts = {
        "{{title}}": html.escape(name),
        "{{picture}}": base64.b64encode(png).decode(),
        "{{words}}": html.escape(words),
        "{{style}}": _text("graph_view.css"),
        "{{facts}}": _in_script(json.dumps({"address": address, "state": _state(view)})),
        "{{model}}": _in_script(_model(view)),
        "{{view}}": _in_script(script("graph_view.js")),
        "{{python}}": _in_script(_text("in_page.py")),
        "{{worker}}": _in_script(_text("standalone_worker.js")),
        "{{script}}": _in_script(_text("standalone.js")),
        "{{files}}": "\n".join(_embedded(files)),
    }
    page = _text("standalone.html")
    for mark, part in parts.items():
        page = page.replace(mark, part)
    written = Path(path)
    written.write_text(page, encoding="utf-8")
    return written


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _still(view: GraphView) -> tuple[bytes, str]:
    png, _ = view.still()
    return base64.b64decode(png), str(view.scene["summary"])


def _state(view: GraphView) -> dict[str, Any]:
    """The values that the page sets first: evidence as codes, and the traits ``SET``."""
    values: dict[str, Any] = {"evidence": to_codes(view.graph, view.evidence)}
    return values | {name: getattr(view, name) for name in SET}


def _model(view: GraphView) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        save(path, view.graph if view.bayes is None else view.bayes, view.theta)
        return path.read_text(encoding="utf-8")


def _python() -> bytes:
    """A zip archive of the Python files of ``PACKAGES``."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in PACKAGES:
            root = Path(str(import_module(name).__file__)).parent
            for file in sorted(root.rglob("*.py")):
                inside = file.relative_to(root.parent)
                if "tests" not in inside.parts:
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
        packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
        yield f'<script type="text/plain" class="file" data-name="{name}">{packed}</script>'


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _in_script(text: str) -> str:
    """Text as JSON for a script element; without "<" it cannot end the element."""
    return json.dumps(text).replace("<", "\\u003c")
