"""Names of documents as names of folders that any system can unpack. No two names are the same. This module is pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

LONGEST = 80
LONGEST_BYTES = 240
"""The most bytes of a name in UTF-8. Systems count bytes, up to 255, and a number may be added to the name."""
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*]')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def folder_names(names: Iterable[str]) -> Iterator[str]:
    """Yield a different name for each document: `a.pdf`, `a (2).pdf`. The names also differ on a system that ignores
    case, or that takes two spellings of an accent for the same.
    """
    taken: set[str] = set()
    for name in names:
        free = _free(_safe(name), taken)
        taken.add(free.casefold())
        yield free


def _safe(name: str) -> str:
    shown = _FORBIDDEN.sub("_", unicodedata.normalize("NFC", name))[:LONGEST]
    kept = shown.encode(errors="ignore")[:LONGEST_BYTES].decode(errors="ignore").strip(" .") or "document"
    return f"_{kept}" if _RESERVED.fullmatch(kept) else kept


def _free(name: str, taken: set[str]) -> str:
    stem, dot, ending = name.rpartition(".")
    number, free = 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{stem} ({number}).{ending}" if dot and stem else f"{name} ({number})"
    return free
