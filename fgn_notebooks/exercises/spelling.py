"""One spelling of a name, from which numbers are drawn, and by which names are compared.

"Évariste Galois", "evariste-galois" and "Galois" in whatever code points are typed in many ways,
by people, by systems of files and by learning platforms. Nobody gets other numbers by that.
"""

from __future__ import annotations

import re
import unicodedata

SUBMISSION = re.compile(r"_\d+_assignsubmission_\w*\Z")
"""The ending that Moodle adds to a student's name in the name of a folder."""


def spelling(name: str) -> str:
    """The letters and digits of a name, without marks on them, spaces, punctuation and case.

    Signs of vowels, as Hindi and Thai write them, are letters. It is empty if a name has none.
    """
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(c for c in apart if c.isalnum() or _vowel(c))


def _vowel(sign: str) -> bool:
    """True for a sign of a vowel: accents have a combining class, and these have none."""
    of_mark = unicodedata.category(sign) in ("Mc", "Mn") and not unicodedata.combining(sign)
    return of_mark and not re.search(
        "VARIATION SELECTOR|GRAPHEME JOINER", unicodedata.name(sign, "")
    )


def of_folder(name: str) -> str:
    """The student's name in the name of a folder, as it is typed or as a platform writes it."""
    return SUBMISSION.sub("", unicodedata.normalize("NFC", name)).replace("_", " ").strip()
