"""A local web server for a site, whose pages cannot run Python when opened from a disk."""

from __future__ import annotations

import http.server
from functools import partial
from pathlib import Path

from fgn_notebooks.chapters import CourseError

PORT = 8000


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files with MIME types of its own, since some systems lack those that Pyodide needs."""

    protocol_version = "HTTP/1.1"
    extensions_map = {  # noqa: RUF012 -- the base class has it so
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        """A browser asks each time whether a file has changed, and gets it only then."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *args: object) -> None:
        """Log nothing: a page asks for hundreds of files."""


class Server(http.server.ThreadingHTTPServer):
    """A server of the files in one folder."""

    daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, address: object) -> None:
        """Ignore errors: a page that is closed breaks its connections."""


def server(folder: Path, port: int = PORT) -> Server:
    """A server that only this machine can reach; ``serve_forever`` starts it.

    Port 0 means any free port. Raises :class:`CourseError` if the port is taken.
    """
    try:
        return Server(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
    except (OSError, OverflowError) as error:
        raise CourseError(
            f"the site in {folder} cannot be served at port {port} ({error}): "
            f"name another one, such as --serve {PORT + 80}"
        ) from None
