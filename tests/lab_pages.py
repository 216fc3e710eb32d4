"""A JupyterLab of our own and the Chromium of the system, for browser tests and benchmarks.

``run_all`` runs a notebook that is open on a page; ``running_lab`` serves a folder of notebooks.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

import fgnwidgets

CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first of these that there is. The shell has no windows, and takes an eighth less time."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Of several such switches the last one counts: Playwright's own features are named again, and
    # then two pages behind the address field, which every window of a browser opens for nothing.
    "--disable-features=AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,"
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,"
    "ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,"
    "NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,WebUIOmniboxPopup,"
    "WebUIOmniboxAimPopup",
)
LAPTOP = {"width": 1366, "height": 768}
TABLET = {"width": 820, "height": 1180}
PROJECTOR = {"width": 1920, "height": 1080}
APPS = ("LabServerApp", "LabApp", "JupyterNotebookApp")
EXTENSIONS = Path(fgnwidgets.__file__).parent / "labextensions"
LIGHT, DARK = "JupyterLab Light", "JupyterLab Dark"
SLOWLY = 90_000  # ms, for a page to load and a kernel to start on a busy machine


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab, which serves the folder ``root``; its settings are in ``home``."""

    url: str
    root: Path
    home: Path

    def write(self, name: str, *cells: str) -> str:
        """A notebook with these code cells in ``root``; its name."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}},
        )
        nbformat.write(notebook, self.root / name)
        return name

    def kernels(self) -> list[str]:
        with urllib.request.urlopen(f"{self.url}/api/kernels") as answer:
            return [kernel["id"] for kernel in json.load(answer)]

    def stop(self, kernels: Iterable[str]) -> None:
        for kernel in kernels:
            address = f"{self.url}/api/kernels/{kernel}"
            urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running_lab(home: Path) -> Iterator[Lab]:
    """A JupyterLab on a free port, with no settings but ours and no news from outside."""
    root = home / "notebooks"
    root.mkdir()
    port = free_port()
    news = home / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    news.parent.mkdir(parents=True)
    news.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    build = home / "CONFIG/labconfig/page_config.json"
    build.parent.mkdir(parents=True)
    build.write_text(json.dumps({"buildCheck": False}))  # it starts Node for every page
    folders = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *(f"--port={port}", "--ip=127.0.0.1", f"--ServerApp.root_dir={root}"),
                *("--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"),
                *("--expose-app-in-browser", "--JupyterNotebookApp.expose_app_in_browser=True"),
                f"--LabApp.user_settings_dir={home / 'settings'}",
                *(f"--{app}.extra_labextensions_path={EXTENSIONS}" for app in APPS),
            ],
            env={**os.environ, **folders, "IPYTHONDIR": str(home / "ipython")},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            lab = Lab(f"http://127.0.0.1:{port}", root, home)
            _wait_for(lab, server, home / "log")
            _ask_for_fonts(lab)
            yield lab
            lab.stop(lab.kernels())
        finally:
            server.terminate()
            server.wait(20)


def _wait_for(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(360):
        try:
            lab.kernels()
            return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.25)
    raise RuntimeError(f"JupyterLab did not answer: {log.read_text()[-2000:]}")


def _ask_for_fonts(lab: Lab) -> None:
    """JupyterLab gets its fonts, whoever comes first.

    The server keeps the place of a file by its name alone: Notebook 7 has fonts of the same names,
    and the second of the two to ask for one is refused.
    """
    for font in Path(sys.prefix, "share/jupyter/lab/static").glob("*.woff2"):
        urllib.request.urlopen(f"{lab.url}/static/lab/{font.name}").close()


def chromium_path() -> str | None:
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


def run_all(page: Any, theme: str = LIGHT) -> Any:
    """Run every cell of the notebook on the page, and wait until the last one has run."""
    page.wait_for_function(READY, timeout=SLOWLY)
    if page.evaluate("document.body.dataset.jpThemeName") != theme:
        command(page, "apputils:change-theme", {"theme": theme})
        page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")
    done(page, "notebook:run-all-cells")
    return page


def restart_kernel(page: Any) -> None:
    """Restart the kernel as a person does, and wait for the new one: the old one is idle, too."""
    command(page, "kernelmenu:restart")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    page.wait_for_function("window.commandDone", timeout=SLOWLY)
    page.wait_for_function(READY, timeout=SLOWLY)


def save_notebook(page: Any) -> None:
    """Save to the end: JupyterLab refuses to begin while it still makes the last checkpoint."""
    done(page, "docmanager:save")


def put_cells(page: Any, *cells: str) -> None:
    """Put these code cells in the place of all that the notebook on the page has."""
    page.evaluate(PUT, list(cells))


PUT = """(sources) => {
    const { content } = jupyterapp.shell.currentWidget;
    const { sharedModel } = content.model;
    const before = sharedModel.cells.length;
    const made = sources.map((source) => ({ cell_type: "code", source, metadata: {} }));
    sharedModel.insertCells(0, made);
    sharedModel.deleteCellRange(sources.length, sources.length + before);
    content.activeCellIndex = 0;
    content.mode = "command";
    content.node.querySelector(".jp-WindowedPanel-outer").scrollTop = 0;
}"""
"""The new cells come first: a notebook without cells gives itself one."""

READY = """() => {
    const notebook = window.jupyterapp?.shell.currentWidget;
    return notebook?.context?.isReady && notebook.sessionContext.session?.kernel?.status === "idle";
}"""
"""A command that runs cells before the notebook is the current widget does nothing, for ever."""


def command(page: Any, name: str, arguments: dict[str, Any] | None = None) -> None:
    """Start a command of JupyterLab; ``window.commandDone`` says when it has come to its end.

    Some never come to one, such as those that run a cell that goes on for ever.
    """
    page.evaluate(COMMAND, [name, arguments or {}])


def done(page: Any, name: str, arguments: dict[str, Any] | None = None) -> None:
    """Carry out a command of JupyterLab to its end: what it does to the page has been done then."""
    command(page, name, arguments)
    page.wait_for_function("window.commandDone", timeout=SLOWLY)


COMMAND = """([name, args]) => {
    const mine = window.commandNumber = (window.commandNumber ?? 0) + 1;
    window.commandDone = false;
    jupyterapp.commands.execute(name, args).then(() => {
        if (mine === window.commandNumber) window.commandDone = true;
    });
}"""


def laid_out(page: Any) -> None:
    """Until all that had come onto the page has its place: a frame begins with what scrolled and
    ends with what changed its size, and what answers these asks for one more frame at most."""
    page.evaluate(FRAMES)


def hand_comes(page: Any) -> None:
    """A press beside everything: a new graph that has not scrolled into sight stays where it is."""
    page.evaluate("window.dispatchEvent(new PointerEvent('pointerdown'))")


FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def settled(page: Any, what: Callable[[], object]) -> None:
    """Until it is so: messages of the page come in while something of the page is asked."""
    for _ in range(800):
        if what():
            return
        page.wait_for_timeout(25)
    raise AssertionError("it never came")


FILLED = """(most) => {
    const picture = document.querySelector(".fgn-picture img");
    const room = document.querySelector(".fgn-picture").clientWidth;
    return Math.abs(picture.naturalWidth - devicePixelRatio * Math.min(room, most)) <= 2;
}"""
"""The picture was drawn for its room, which a page tells Python when it is laid out: until then
it can be drawn anew at any time. ``most`` is how wide it may become, 1.6 times its figure."""
