"""Have JupyterLab and Notebook 7 store labs with their notebooks.

By default both save a notebook without its widgets, and show "model not found" in their place when
it is opened again. A setting changes this. The course sets it as a *default*, in a file of its own
among the reader's Jupyter settings, so that the reader's own choice goes before it.
"""

import json
from pathlib import Path

DEFAULTS = {"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True}}
"""Plugin -> setting -> default, as JupyterLab reads it."""

PLACE = Path("labconfig", "default_setting_overrides.d", "fgn.json")
"""The file in the folder of Jupyter's settings; files in a ``.d`` folder are merged."""


def keep_labs(folder: Path | None = None) -> Path | None:
    """Write the default; return its file, or None if it was there already or Jupyter is missing.

    ``folder`` is the folder of Jupyter's settings, by default the reader's. Raises ``OSError`` if
    it is not writable.
    """
    folder = folder or _folder()
    if folder is None:
        return None
    file = folder / PLACE
    text = json.dumps(DEFAULTS, indent=1) + "\n"
    if file.exists() and file.read_text(encoding="utf-8") == text:
        return None
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def _folder() -> Path | None:
    try:
        from jupyter_core.paths import jupyter_config_dir
    except ImportError:
        return None
    return Path(jupyter_config_dir())
