"""What a run tells of itself by functions that stand above it; the package joins them here.

So that neither a run nor ``import fgnwidgets`` imports them before somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

summarize: Callable[[Any, bool | None], Any]
"""``run.summary(rank)``."""

diagnose: Callable[[Any], tuple[str, ...]]
"""``run.warnings``."""
