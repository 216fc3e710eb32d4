"""Other people's models: pgmpy and pyAgrum, ``.bif`` files, and files of our own."""

from .models import (
    FILES,
    from_pgmpy,
    from_pyagrum,
    load,
    save,
    to_pgmpy,
    to_pyagrum,
)

__all__ = ["FILES", "from_pgmpy", "from_pyagrum", "load", "save", "to_pgmpy", "to_pyagrum"]
