"""The chapters that each chapter of the course needs."""

from collections.abc import Mapping

NEEDS: Mapping[str, tuple[str, ...]] = {
    "00": (),
    "01": ("00",),
    "02": ("01",),
    "03": ("02",),
    "04": ("03",),
    "05": ("04",),
    "06": ("05",),
    "07": ("05",),
    "08": ("05",),
    "09": ("06", "07", "08"),
    "10": ("09",),
    "11": ("09",),
    "12": ("11",),
    "13": ("11",),
    "14": ("10", "12"),
    "15": ("13",),
    "16": ("05",),
    "17": ("03",),
    "A": ("02",),
    "B": ("05",),
    "C": ("05",),
    "D": (),
    "E": ("14",),
}
"""Direct needs only; what these chapters need themselves is not repeated."""
