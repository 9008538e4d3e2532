"""Names of documents as names of folders that any system can unpack, no two alike; pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

LONGEST = 80
LONGEST_BYTES = 240
"""As UTF-8: systems count so, to 255, and a number may be added."""
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*]')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def folder_names(names: Iterable[str]) -> Iterator[str]:
    """`a.pdf`, `a (2).pdf`: told apart also where cases, or two spellings of an accent, are taken for one."""
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
