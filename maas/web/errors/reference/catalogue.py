"""The error codes and their meanings, read from the tables of docs/api.md, so that there is one list."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings

DOCUMENT = "docs/api.md"
_ROW_WITHOUT_STATUS = "| code | when |"


@dataclass(frozen=True)
class Meaning:
    section: str
    """The heading of its table, such as `Of requests`."""
    status: int | None
    """The HTTP status, or None for a code that only occurs inside a response."""
    text: str
    """The text in the document's Markdown, with code, links and bold text."""


def read_meanings(text: str) -> Mapping[str, tuple[Meaning, ...]]:
    """Return the meanings by code. A code that is in several tables has one meaning for each."""
    found: defaultdict[str, list[Meaning]] = defaultdict(list)
    section, has_status = "", True
    for line in text.partition("\n## Errors\n")[2].splitlines():
        if line.startswith("## "):
            break
        if line.startswith("### "):
            section = line.removeprefix("### ")
        elif line.startswith("| code |"):
            has_status = line != _ROW_WITHOUT_STATUS
        elif line.startswith("| `") and section:
            code, status, meaning = _cells(line, has_status=has_status)
            found[code].append(Meaning(section, status, meaning))
    return {code: tuple(meanings) for code, meanings in found.items()}


def _cells(line: str, *, has_status: bool) -> tuple[str, int | None, str]:
    code, *rest = (cell.strip() for cell in line.strip().strip("|").split("|", 2 if has_status else 1))
    status = int(rest[0]) if has_status and rest[0] else None
    return code.strip("`"), status, rest[-1]


@cache
def meanings() -> Mapping[str, tuple[Meaning, ...]]:
    """Read the document once in a process."""
    return read_meanings((settings.BASE_DIR / DOCUMENT).read_text())
