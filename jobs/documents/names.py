"""File names as people see them, also of fetched documents. They are shown and never used as paths."""

import unicodedata
from email.message import Message
from email.utils import collapse_rfc2231_value
from urllib.parse import unquote

LONGEST = 255
FALLBACK = "document"


def safe_name(given: str) -> str:
    """Drop folders, control and direction characters, and all beyond 255 characters except the ending."""
    last = given.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(char for char in last if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"})
    kept = kept.strip(" .")
    if len(kept) > LONGEST:
        stem, dot, ending = kept.rpartition(".")
        kept = f"{stem[: LONGEST - len(ending) - 1]}.{ending}" if dot and len(ending) <= 10 else kept[:LONGEST]
    return kept or FALLBACK


_LONGEST_READ = 4096


def fetched_name(*, given: str, disposition: str, path: str, host: str) -> str:
    """Return the caller's name, else the server's, else the last part of the path, else the host; no query."""
    return given or _named_by(disposition) or _last_of(path) or host


def _named_by(disposition: str) -> str:
    """Return the name in a Content-Disposition header, `filename*` before `filename` (RFC 6266)."""
    header = Message()
    header["Content-Disposition"] = disposition[:_LONGEST_READ]
    try:
        parameters = header.get_params([], "Content-Disposition")
        given = [value for name, value in parameters if name.lower() == "filename"]
        given.sort(key=lambda value: not isinstance(value, tuple))
        return _as_utf8(collapse_rfc2231_value(given[0])) if given else ""
    except (ValueError, LookupError, TypeError):  # an unknown character set, or parts without numbers
        return ""


def _as_utf8(name: str) -> str:
    """Decode a name as UTF-8 if possible, because many servers put UTF-8 into headers, which are read as Latin-1."""
    try:
        return name.encode("latin-1").decode()
    except UnicodeError:
        return name


def _last_of(path: str) -> str:
    return unquote(path.partition("?")[0].rpartition("/")[2], errors="replace")
