"""The stages of a site that are built already, from the same files: these are not built again.

Vocabulary
    stage   pages, JupyterLite, living graphs: what is built by itself
    stamp   a hash of all that goes into a stage, kept beside the site in ``STAMPS``
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

STAMPS = ".fgn-site.json"


def stamp(*parts: Path | str) -> str:
    """A hash of texts, and of the names and contents of files and of all files in folders."""
    made = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            made.update(part.encode())
            continue
        for path in sorted(_files(part)):
            made.update(path.relative_to(part.parent).as_posix().encode())
            made.update(hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()


def _files(part: Path) -> Iterable[Path]:
    if part.is_file():
        return [part]
    return (p for p in part.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def built(dest: Path, stage: str, wanted: str, result: str) -> bool:
    """True if ``dest`` holds this stage with this stamp, and the file ``result`` of it."""
    return (dest / result).exists() and _read(dest).get(stage) == wanted


def note(dest: Path, stage: str, made: str) -> None:
    """Note that a stage was built."""
    text = json.dumps({**_read(dest), stage: made}, indent=1)
    (dest / STAMPS).write_text(text, encoding="utf-8")


def _read(dest: Path) -> dict[str, str]:
    with suppress(OSError, ValueError):
        held = json.loads((dest / STAMPS).read_text(encoding="utf-8"))
        return dict(held)
    return {}
