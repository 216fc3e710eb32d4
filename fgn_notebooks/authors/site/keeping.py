"""The service worker, which keeps what was loaded for the next visit: its files in a built site."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

SOURCE = Path(__file__).parent / "source"
KEEP, MARK = "keep.js", "{{build}}"
LITES = Path("lite") / "service-worker.js"
CLAIM = """<script>
addEventListener("load", async () => {
  const worker = await navigator.serviceWorker?.ready;
  worker?.active.postMessage({ claim: true });
});
</script>
"""
"""A page that was still loading when its service worker began is not the worker's until it asks."""


def write(dest: Path) -> None:
    """Name the build in ``keep.js``, and have JupyterLite's own service worker load it first.

    The name is a hash of all files of the site, so that what another build has loaded is dropped.
    """
    lites = dest / LITES
    if lites.exists():  # before the files are read, since these are some of them
        above = dest / "lite" / "api" / "all.json"  # its drive asks for it, and lists nothing there
        above.parent.mkdir(exist_ok=True)
        above.write_text(json.dumps({"content": [], "type": "directory"}), encoding="utf-8")
        for page in lites.parent.glob("*/index.html"):
            text = page.read_text(encoding="utf-8")
            if CLAIM not in text:
                page.write_text(text.replace("</head>", f"{CLAIM}</head>", 1), encoding="utf-8")
    found = hashlib.sha256()
    for path in sorted(path for path in dest.rglob("*") if path.is_file()):
        if path.name in (KEEP, "keep.json") or path.relative_to(dest) == LITES:
            continue
        found.update(path.relative_to(dest).as_posix().encode())
        found.update(str(path.stat().st_size).encode())
        if path.suffix in (".html", ".js", ".json", ".css"):
            found.update(path.read_bytes())
    text = (SOURCE / "extra" / KEEP).read_text(encoding="utf-8")
    text = text.replace(MARK, found.hexdigest()[:16])
    (dest / KEEP).write_text(text, encoding="utf-8")
    known = {"lite": _lites_version(lites.parent) if lites.exists() else ""}
    (dest / "keep.json").write_text(json.dumps(known), encoding="utf-8")
    if lites.exists():
        first = f'importScripts("../{KEEP}");\n'
        text = lites.read_text(encoding="utf-8")
        if not text.startswith(first):
            lites.write_text(first + text, encoding="utf-8")


def _lites_version(lite: Path) -> str:
    """The version by which JupyterLite knows its own service worker."""
    held = json.loads((lite / "jupyter-lite.json").read_text(encoding="utf-8"))
    return str(held["jupyter-config-data"].get("appVersion", ""))
