"""The chapters as notebooks that run inside the reader's browser: JupyterLite with Pyodide.

Vocabulary
    Pyodide     Python, NumPy and matplotlib for browsers, from its public address or from a folder
    extension   the JavaScript of a widget library or of a kernel
    setup       the first cell of a chapter on the site, which installs this package in the page
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import fgnwidgets
from fgn_notebooks import chapters
from fgn_notebooks.browser import SETUP
from fgn_notebooks.chapters import Chapter, CourseError

from . import wheels

FOLDER, PYODIDE = "lite", "pyodide"
"""The folder of JupyterLite, and of a Pyodide of one's own, in the site."""

LOCK = "pyodide-lock.json"
DEFAULT = re.compile(r"/pyodide/v([\d.]+)/full/(pyodide\.m?js)")
"""The address of a kernel's default Pyodide: the version that it was made for, and its script."""

KERNEL = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS = (KERNEL, "@jupyter-widgets/jupyterlab-manager", "anywidget")
OWN_EXTENSIONS = Path(str(fgnwidgets.__file__)).parent / "labextensions"
ICONS = ("notebook", "console", "file", "terminal", "busy-1", "busy-2", "busy-3")
AT_ONCE = ("micropip", "ssl", "sqlite3", "ipython", "numpy", "matplotlib")
"""Packages of Pyodide that every chapter needs: fetched side by side, and not one after another."""

SETTINGS = {
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "defer"},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}


def write(chosen: Iterable[Chapter], dest: Path, pyodide: Path | None = None) -> None:
    """Write JupyterLite with these chapters into ``dest``, and a Pyodide from a folder, if given.

    Raises :class:`CourseError` if JupyterLite is not installed, its build fails, or ``pyodide``
    holds no Pyodide that the installed kernel can use.
    """
    found = _extensions()
    version, start = made_for(found[KERNEL])
    if pyodide is not None:
        fits(pyodide, version)
        copy_pyodide(pyodide, dest / PYODIDE)
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        contents = work / "contents"
        contents.mkdir()
        for chapter in chosen:
            chapters.write(in_browser(chapters.read(chapter.path)), contents / chapter.path.name)
            for path in chapters.beside(chapter.path.parent):
                shutil.copy(path, contents)
        for name, path in found.items():
            shutil.copytree(path, work / "extensions" / name)
        shutil.copytree(OWN_EXTENSIONS, work / "extensions", dirs_exist_ok=True)
        wheels.write(work / "wheels")
        config = {
            "LiteBuildConfig": {
                "contents": [str(contents)],
                "output_dir": str((dest / FOLDER).resolve()),
                "cache_dir": str(work / "cache"),
                "ignore_sys_prefix": True,
                "no_sourcemaps": True,
                "no_unused_shared_packages": True,
            },
            "FederatedExtensionAddon": {"extra_labextensions_path": [str(work / "extensions")]},
            "PipliteAddon": {"piplite_urls": [str(work / "wheels")]},
        }
        _dump(config, work / "jupyter_lite_config.json")
        _dump(_page_config(pyodide is not None, start), work / "jupyter-lite.json")
        _dump(SETTINGS, work / "overrides.json")
        _build(work)
    _icons(dest)
    if not (dest / FOLDER / "api" / "contents" / "all.json").exists():
        raise CourseError(
            "JupyterLite did not take in the chapters: pip install 'jupyterlite-core[contents]'"
        )


def in_browser(notebook: dict[str, Any]) -> dict[str, Any]:
    """A chapter for JupyterLite: with the setup below its title, and without our answers."""
    plain = chapters.without_solutions(notebook)
    setup: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "id": "fgn-setup",
        "metadata": {},
        "outputs": [],
        "source": SETUP.splitlines(keepends=True),
    }
    title, *rest = plain["cells"]
    return {**plain, "cells": [title, setup, *rest]}


def ready(pyodide: Path | None) -> None:
    """Raise the errors of :func:`write` about the installation, before any page is built."""
    version, _ = made_for(_extensions()[KERNEL])
    if pyodide is not None:
        fits(pyodide, version)


def made_for(kernel: Path) -> tuple[str, str]:
    """The version of Pyodide that a kernel was made for, and the name of Pyodide's start script.

    Old kernels load a plain script, new ones a module.
    """
    for path in sorted((kernel / "static").glob("*.js")):
        if told := DEFAULT.search(path.read_text(encoding="utf-8", errors="ignore")):
            return told[1], told[2]
    return "", "pyodide.js"


def fits(folder: Path, version: str) -> None:
    """Raise :class:`CourseError` for a Pyodide of another series than ``version``.

    Chapters would open, but never run.
    """
    here = str(_lock(folder)["info"].get("version", version))
    if version and here.split(".")[:2] != version.split(".")[:2]:
        raise CourseError(
            f"{folder} holds Pyodide {here}, and the installed jupyterlite-pyodide-kernel starts "
            f"with Pyodide {version} only: give that one, or install the pair that was tried, "
            "pip install 'jupyterlite-core==0.5.1' 'jupyterlite-pyodide-kernel==0.5.2'"
        )


def copy_pyodide(folder: Path, dest: Path) -> None:
    """Copy a Pyodide, and leave packages without files out of its lock file."""
    held = _lock(folder)
    shutil.copytree(folder, dest, dirs_exist_ok=True)
    held["packages"] = here = {
        name: package
        for name, package in held["packages"].items()
        if (folder / package["file_name"]).exists()
    }
    for package in here.values():
        package["depends"] = [d for d in package["depends"] if _key(d) in map(_key, here)]
    _dump(held, dest / LOCK)


def _lock(folder: Path) -> dict[str, Any]:
    """The lock file of a Pyodide, with its version and its packages."""
    lock = folder / LOCK
    if not lock.is_file() or not (folder / "pyodide.js").is_file():
        raise CourseError(f"{folder} holds no Pyodide: pyodide.js and {LOCK} were expected there")
    try:
        held: dict[str, Any] = json.loads(lock.read_text(encoding="utf-8"))
        return {**held, "info": dict(held["info"]), "packages": dict(held["packages"])}
    except (ValueError, KeyError, TypeError):
        raise CourseError(
            f"{lock} does not say which Pyodide it belongs to, and with which packages: unpack "
            "Pyodide anew"
        ) from None


def _page_config(own_pyodide: bool, start: str) -> dict[str, Any]:
    kernel: dict[str, Any] = {"loadPyodideOptions": {"packages": list(AT_ONCE)}}
    if own_pyodide:
        kernel |= {"pyodideUrl": f"./../{PYODIDE}/{start}", "disablePyPIFallback": True}
    settings = {f"{KERNEL}:kernel": kernel}
    data = {"litePluginSettings": settings, "exposeAppInBrowser": True, "appName": "fgn"}
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}


def _extensions() -> dict[str, Path]:
    """The installed extensions that a chapter needs: name -> folder."""
    try:
        import jupyterlite_core  # noqa: F401
        from jupyter_core.paths import jupyter_path
    except ImportError as error:
        raise CourseError(
            f"chapters run in a page by JupyterLite ({error}): pip install 'fgnwidgets[site]'"
        ) from error
    places = [Path(place) for place in jupyter_path("labextensions")]
    found = {}
    for name in EXTENSIONS:
        here = [place / name for place in places if (place / name / "package.json").exists()]
        if not here:
            raise CourseError(f"JupyterLite needs {name}: pip install 'fgnwidgets[site]'")
        found[name] = here[0]
    return found


def _build(work: Path) -> None:
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(work)]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    if done.returncode:
        raise CourseError(f"JupyterLite was not built: {(done.stdout + done.stderr)[-2000:]}")


def _icons(dest: Path) -> None:
    """Write the icons that JupyterLite's pages need and its build does not copy."""
    icon = dest / FOLDER / "lab" / "favicon.ico"
    if icon.exists():
        places = [dest / FOLDER / "static" / "favicons" / f"favicon-{name}.ico" for name in ICONS]
        for place in (*places, dest / "favicon.ico"):
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                shutil.copy(icon, place)


def _key(name: str) -> str:
    return name.lower().replace("_", "-")


def _dump(value: Any, path: Path) -> None:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
