"""Decides which part of a receiver's response is stored, and explains why nothing was stored."""

MAX_CHARACTERS = 2048
"""The most characters that are kept. This is enough to say why a message was refused, and too little to store anything
else.
"""
_UTF8_BYTES = 4


def kept_answer(status: int, body: bytes, *, allowed: bool, is_own: bool) -> str:
    """Return the beginning of the body of a failure. Return nothing if the operator does not allow it or if the host is
    one of the operator's own.
    """
    if not allowed or is_own or is_success(status):
        return ""
    # NUL is the only character that Postgres cannot store.
    text = body[: MAX_CHARACTERS * _UTF8_BYTES].decode(errors="replace").replace("\0", "\ufffd")
    return text[:MAX_CHARACTERS]


def why_none(status: int | None, answer: str, *, allowed: bool) -> str:
    """Return why an attempt has no response to show, or nothing if it has one or if none came.

    The text does not say whether the host is one of the operator's, because a tenant could find out which hosts are.
    """
    if answer or status is None:
        return ""
    if is_success(status):
        return "The body of an answer from 200 to 299 is not kept."
    if not allowed:
        return "Bodies of answers are not kept on this installation."
    return "The body was empty, or was not kept."


def is_success(status: int) -> bool:
    return 200 <= status < 300
