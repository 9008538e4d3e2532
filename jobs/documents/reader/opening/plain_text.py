"""Decodes plain text and refuses what is not text."""

import codecs
import re

from .limits import DocumentLimits, corrupt, empty, too_large, unsupported

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The codecs are looked up now, because their modules cannot be read once the file system is closed.
for _name in (*(encoding for _, encoding in _BYTE_ORDER_MARKS), "cp1252", "latin-1"):
    codecs.lookup(_name)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_MAX_BYTES_PER_CHAR = 4
_MAX_HIGH_BYTES = 0.3
"""The largest share of bytes outside ASCII in a Western one-byte encoding. More mean another encoding."""


def read_lines(data: bytes, limits: DocumentLimits) -> list[str]:
    """Return the lines of a text that are not blank."""
    text = decode(data)
    if len(text) > limits.max_text_chars:
        raise too_large(f"The text has {len(text)} characters and at most {limits.max_text_chars} are allowed.")
    lines = [line.rstrip() for line in _LINE_END.split(text)]
    lines = [line for line in lines if line]
    if not lines:
        raise empty("The text is nothing but blanks.")
    if len(lines) > limits.max_text_lines:
        raise too_large(f"The text has {len(lines)} lines and at most {limits.max_text_lines} are allowed.")
    return lines


def refuse_too_many_bytes(count: int, limits: DocumentLimits) -> None:
    """Refuse a file, before it is read, that cannot be within the limit on characters in any encoding."""
    most = limits.max_text_chars * _MAX_BYTES_PER_CHAR
    if count > most:
        raise too_large(f"The text has {count} bytes and at most {most} are allowed.")


def decode(data: bytes) -> str:
    text = _decode_marked(data) if data.startswith(tuple(mark for mark, _ in _BYTE_ORDER_MARKS)) else None
    if text is None:
        text = _decode_unmarked(data)
    if _CONTROL.search(text):
        raise unsupported("binary data of an unknown kind")
    return text


def _decode_marked(data: bytes) -> str | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise corrupt(f"The text is not valid {encoding.upper()} as its first bytes say.") from error
    return None


def _decode_unmarked(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if sum(byte >= 0x80 for byte in data) > len(data) * _MAX_HIGH_BYTES:
            raise unsupported(
                "binary data of an unknown kind, or text in an unknown encoding", "If it is text, save it as UTF-8."
            ) from error
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")
