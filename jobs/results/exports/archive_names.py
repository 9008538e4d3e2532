"""Names of folders and files in an archive, which every system can unpack. This module is pure."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

LONGEST = 80
LONGEST_BYTES = 240
"""The most bytes of a name in UTF-8. Systems count bytes, up to 255, and a number may be added to the name."""
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*]')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def distinct_names(names: Iterable[str], taken_before: Collection[str] = ()) -> Iterator[str]:
    """Yield a different name for each folder or file, such as `a.pdf`, `a (2).pdf`. Names that differ only in case or
    accents count as equal, as they do on some systems.
    """
    taken = set(taken_before)
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
