"""For teachers: plans and slides, marking, and assignments for other tools."""

from .slides import present, show

__all__ = ["present", "show"]
