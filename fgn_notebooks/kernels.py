"""Kernels that run the Python that runs now, and the library that reads their notebooks."""

import importlib
import sys
from collections.abc import Sequence
from typing import Any


def notebook_format() -> Any:
    """The module ``nbformat``, which checks no internationalized addresses: notebooks have none.

    It checks notebooks by jsonschema, which takes rfc3987_syntax for such addresses where Jupyter's
    server has brought it; that builds its parser when it is imported, and takes longer than all the
    rest together. Raises ImportError where there is no ``nbformat``.
    """
    parser = "rfc3987_syntax"
    if parser in sys.modules:
        return importlib.import_module("nbformat")
    sys.modules[parser] = None  # type: ignore[assignment]  # jsonschema does without it
    try:
        return importlib.import_module("nbformat")
    finally:
        del sys.modules[parser]


def this_python(command: Sequence[str] = ()) -> Any:
    """A Jupyter kernel manager with one kernel: the Python that runs now.

    It is started by ``command``, or else as ``ipykernel`` starts it.
    """
    from ipykernel.kernelspec import RESOURCES, get_kernel_dict
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

    class ThisPython(KernelSpecManager):
        """Answers every request for a kernel with the same one."""

        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            spec = KernelSpec(resource_dir=RESOURCES, **get_kernel_dict())
            spec.argv = list(command) or spec.argv
            return spec

    return ThisPython()
