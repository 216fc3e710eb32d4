"""Files that are dropped on a page: they come in slices, since a message holds only so much.

Vocabulary
    slice      some bytes of a file, in base 64, with the place where they begin
    incoming   a file of which slices are still to come
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, field

MOST_BYTES = 20_000_000
"""Of a file that a page takes; a larger one is read from Python."""

MOST_AT_ONCE = 4_000_000
"""Of a slice; a notebook's socket closes at a message of 10 MiB, base 64 included."""


@dataclass
class SlicedFile:
    """A file that comes in slices."""

    name: str
    size: int
    data: bytearray = field(default_factory=bytearray)

    def take(self, at: int, part: str) -> bytes | None:
        """Take the slice that begins at ``at``; the whole file once it is there, else None.

        Raises ``ValueError`` for a slice that does not follow on the one before.
        """
        more = b64decode(part)
        if at != len(self.data) or len(more) > MOST_AT_ONCE or at + len(more) > self.size:
            raise ValueError(
                f"{self.name} did not arrive whole: a slice of {len(more):,} bytes came for byte "
                f"{at:,}, and {len(self.data):,} of {self.size:,} were there; drop it once more"
            )
        self.data += more
        return bytes(self.data) if len(self.data) == self.size else None


def begun(name: str, size: int) -> SlicedFile:
    """A new file; ``ValueError`` with both sizes if it is too large, or empty."""
    if size > MOST_BYTES:
        raise ValueError(
            f"{name} has {size / 1e6:.1f} MB: a page takes up to {MOST_BYTES / 1e6:.0f} MB; "
            "read it in Python, and set editor.table"
        )
    if size < 1:
        raise ValueError(f"{name} is empty: expected a table with a line of names")
    return SlicedFile(name, size)
