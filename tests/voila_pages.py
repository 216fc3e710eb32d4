"""A Voila of our own, which runs a notebook and shows its outputs alone."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from lab_pages import free_port

PATIENCE = 90.0  # seconds until it answers, on a busy machine


@contextmanager
def running_voila(home: Path, *cells: str) -> Iterator[str]:
    """The address of a page with the outputs of these code cells."""
    code = [nbformat.v4.new_code_cell(cell) for cell in cells]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}}
    nbformat.write(nbformat.v4.new_notebook(cells=code, metadata=kernel), home / "page.ipynb")
    port = free_port()
    folders = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "voila", str(home / "page.ipynb"), "--no-browser"),
                *(f"--port={port}", "--Voila.ip=127.0.0.1", "--token="),
            ],
            env={**os.environ, **folders, "IPYTHONDIR": str(home / "ipython")},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/voila/static/voila.js", server, home / "log")
            yield address
        finally:
            server.terminate()
            server.wait(20)


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(address).close()
        except OSError:
            time.sleep(0.25)
        else:
            return
    raise RuntimeError(f"Voila did not answer: {log.read_text()[-2000:]}")
