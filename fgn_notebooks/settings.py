"""What the course asks of JupyterLab and Notebook 7: to store the labs with the notebook.

Both leave widgets out of what they save, and where such a notebook is opened again, "model not
found" stands in the place of every lab. One of their settings stores them. It is set here as a
*default*, in a file of our own among the reader's settings: a choice that the reader made wins.
"""

import json
from pathlib import Path

DEFAULTS = {"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True}}
"""Plugin -> setting -> default, as JupyterLab reads it."""

PLACE = Path("labconfig", "default_setting_overrides.d", "fgn.json")
"""Below a folder of Jupyter's settings; what lies in a ``.d`` folder adds to other defaults."""


def keep_labs(folder: Path | None = None) -> Path | None:
    """Have labs stored with their notebooks; the file that says so, if it was written now.

    ``folder`` is that of the reader's Jupyter settings. Raises ``OSError`` where it is not
    writable.
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
    except ImportError:  # no Jupyter here, so no one to tell
        return None
    return Path(jupyter_config_dir())
