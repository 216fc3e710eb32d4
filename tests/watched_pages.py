"""Pages that are watched: an error in the console is a fault, and a request that leaves here."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlparse

from lab_pages import LAPTOP

NOTEBOOKS_OWN = (
    "uncaught: Cannot read properties of undefined (reading 'schema')",
    "uncaught: Command 'filebrowser:open-path' not registered.",
    "Failed to load resource: the server responded with a status of 403 (Forbidden)",
)
"""What Notebook 7.6 may say on any page: two errors while it starts, and that it lacks the font of
the sign for widgets without a kernel."""

VOILAS_SIGNS = "https://cdn.jsdelivr.net/npm/@fortawesome/"
"""Voila's pages ask this address for small signs: it gets an empty answer here."""

VOILAS_OWN = "Error: The getter for the shared module is not a function."
"""What Voila says of JupyterLite's kernel."""

PATIENCE = 30_000  # ms, for what a living page does on a busy machine

LITES_OWN = "Error: Shared module @jupyterlite/"
"""What JupyterLab says of JupyterLite's kernel, which the site needs: it is none of its own."""

STRANGERS = (LITES_OWN, VOILAS_OWN, f"a request left this machine: {VOILAS_SIGNS}")


def known_in(place: str) -> tuple[str, ...]:
    """What pages of this place say by themselves."""
    return NOTEBOOKS_OWN if place.startswith("notebooks") else ()


@contextmanager
def watched(page: Any, known: tuple[str, ...] = ()) -> Iterator[Any]:
    """Until the end the page has no console errors, but for ``known`` ones, and stays here."""
    faults: list[str] = []
    heard = {
        "console": lambda m: faults.append(m.text) if m.type == "error" else None,
        "pageerror": lambda error: faults.append(f"uncaught: {error}"),
        "request": lambda request: faults.extend(_leaving(request.url)),
    }
    for event, hear in heard.items():
        page.on(event, hear)
    yield page
    for event, hear in heard.items():
        page.remove_listener(event, hear)
    own = [fault for fault in faults if fault not in known and not fault.startswith(STRANGERS)]
    assert own == [], own


@contextmanager
def watched_page(
    chromium: Any, viewport: dict[str, int] = LAPTOP, known: tuple[str, ...] = (), ratio: float = 1
) -> Iterator[Any]:
    """A page that is watched from its beginning to its end, and has nothing in common with others.

    Two pages of JupyterLab that know of each other quarrel about the names of their windows.
    """
    context = chromium.new_context(viewport=viewport, device_scale_factor=ratio)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    if slower := os.environ.get("FGN_SLOWER"):  # so many times: shows what a test does not wait for
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": float(slower)})
    with watched(page, known):
        yield page
        context.close()


def _leaving(url: str) -> list[str]:
    place = urlparse(url)
    local = place.scheme in ("data", "blob", "about", "file") or place.hostname in (
        "127.0.0.1",
        "localhost",
    )
    return [] if local else [f"a request left this machine: {url}"]
