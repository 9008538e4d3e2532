"""What is kept of a receiver's answer, and in which words its absence is explained."""

MAX_CHARACTERS = 2048
"""Enough to say why a message was refused, not enough to be a store of anything."""
_UTF8_BYTES = 4


def kept_answer(status: int, body: bytes, *, allowed: bool, is_own: bool) -> str:
    """Return the beginning of a failure's body, where the operator allows it and the host is none of theirs."""
    if not allowed or is_own or is_success(status):
        return ""
    # NUL is the one character that Postgres has no place for.
    text = body[: MAX_CHARACTERS * _UTF8_BYTES].decode(errors="replace").replace("\0", "\ufffd")
    return text[:MAX_CHARACTERS]


def why_none(status: int | None, answer: str, *, allowed: bool) -> str:
    """Return why an attempt has no answer to show; nothing where it has one, or where none came.

    Whether the host is one of the operator's is not said: a tenant could ask which are.
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
