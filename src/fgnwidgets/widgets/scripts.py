"""A page's script from its files: plain ES modules, put together when they are read.

Vocabulary
    module   a file of JavaScript; it imports others by ``import { a, b } from "./file.js";``
    script   one text with everything a module needs, for anywidget, which loads a single file

There is no build step: in front of a module stands what it imports, each file once, and the words
``import`` and ``export`` of what stands in front go. So a name means one thing in all files.
"""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"

IMPORT = re.compile(r'^import \{[^}]*\} from "(\.\.?/[\w/]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|function|class|async) )", re.MULTILINE)


def script(name: str) -> str:
    """The module ``static/<name>`` with all that it imports in front of it."""
    texts: dict[Path, str] = {}
    _collect(STATIC / name, texts)
    return "\n".join(EXPORT.sub("", text) for text in texts.values())


def _collect(path: Path, texts: dict[Path, str]) -> None:
    """Add a module after those that it imports."""
    text = path.read_text(encoding="utf-8")
    for other in IMPORT.findall(text):
        needed = (path.parent / other).resolve()
        if needed not in texts:
            _collect(needed, texts)
    texts[path.resolve()] = IMPORT.sub("", text)
