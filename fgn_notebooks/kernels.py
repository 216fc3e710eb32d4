"""Kernels that run the Python that runs now."""

from collections.abc import Sequence
from typing import Any


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
