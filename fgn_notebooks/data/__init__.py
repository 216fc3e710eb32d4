"""Data sets of the course, each a small CSV file whose first lines name its source."""

from pathlib import Path

import numpy as np


def carcinoma() -> dict[str, np.ndarray]:
    """Seven pathologists' judgements of 118 slides: 1 where they saw carcinoma, 0 where not.

    One column of 118 integers for each pathologist, ``"A"`` to ``"G"`` (Agresti 2002, Table 13.1).
    """
    return _columns("carcinoma.csv")


def _columns(file: str) -> dict[str, np.ndarray]:
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    header, *rows = [line for line in lines if not line.startswith("#")]
    table = np.array([row.split(",") for row in rows], dtype=int)
    return dict(zip(header.split(","), table.T.copy(), strict=True))
