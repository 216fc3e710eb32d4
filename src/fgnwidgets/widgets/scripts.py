"""Join the JavaScript modules of a page into one script, without a build step.

Vocabulary
    module   a file of JavaScript; it imports others by ``import { a, b } from "./file.js";``
    script   a module with everything that it imports, as one text, since anywidget loads one file

A script begins with the imported modules, each once, and has no ``import`` and ``export``
statements of its own. So a name must mean the same in all modules of a script.
"""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"

IMPORT = re.compile(r'^import \{[^}]*\} from "(\.\.?/[\w/]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|function|class|async) )", re.MULTILINE)


def script(name: str) -> str:
    """The script of the module ``static/<name>``."""
    texts: dict[Path, str] = {}
    _collect(STATIC / name, texts)
    return "\n".join(EXPORT.sub("", text) for text in texts.values())


def _collect(path: Path, texts: dict[Path, str]) -> None:
    """Add a module to ``texts`` after those that it imports."""
    text = path.read_text(encoding="utf-8")
    for other in IMPORT.findall(text):
        needed = (path.parent / other).resolve()
        if needed not in texts:
            _collect(needed, texts)
    texts[path.resolve()] = IMPORT.sub("", text)
