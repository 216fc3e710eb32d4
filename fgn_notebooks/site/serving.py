"""A web server for a site, on this machine only: pages that run Python do not start from a disk."""

from __future__ import annotations

import http.server
from functools import partial
from pathlib import Path

from fgn_notebooks.chapters import CourseError

PORT = 8000


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Names the kinds of files by itself: some systems do not know those that Python needs."""

    protocol_version = "HTTP/1.1"
    extensions_map = {  # noqa: RUF012 -- the base class has it so
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *args: object) -> None:
        """A page asks for hundreds of files, and none of them is news."""


class Server(http.server.ThreadingHTTPServer):
    """The server of one folder."""

    daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, address: object) -> None:
        """A page that is closed drops what it asked for."""


def server(folder: Path, port: int = PORT) -> Server:
    """A server that others cannot reach; ``serve_forever`` starts it. Port 0 is any free one.

    Raises
    ------
    CourseError
        if the port is taken.
    """
    try:
        return Server(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
    except (OSError, OverflowError) as error:
        raise CourseError(
            f"the site in {folder} cannot be served at port {port} ({error}): "
            f"name another one, such as --serve {PORT + 80}"
        ) from None
