"""File names as people see them. They are shown and never used as paths."""

import unicodedata

LONGEST = 255
FALLBACK = "document"


def safe_name(given: str) -> str:
    """Drop folders, control and direction characters, and all beyond 255 characters except the ending."""
    last = given.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(char for char in last if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"})
    kept = kept.strip(" .")
    if len(kept) > LONGEST:
        stem, dot, ending = kept.rpartition(".")
        kept = (
            f"{stem[: LONGEST - len(ending) - 1]}.{ending}" if dot and len(ending) <= 10 else kept[:LONGEST]
        )
    return kept or FALLBACK
