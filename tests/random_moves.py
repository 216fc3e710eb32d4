"""How many gestures the random hands of browser tests make: more, where somebody has the time.

``FGN_TIMES=7`` makes seven times as many, over a thousand for each seed.
"""

import os

TIMES = "FGN_TIMES"


def moves(count: int) -> int:
    """So many gestures, or as many times that as the environment asks for."""
    asked = os.environ.get(TIMES, "1")
    if not asked.isdigit() or not int(asked):
        raise ValueError(f"{TIMES} is {asked!r}: expected a whole number from 1, such as 7")
    return count * int(asked)
