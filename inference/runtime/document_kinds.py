"""The kinds of document that a model may read, and their names in messages."""

from collections.abc import Sequence

PDF, IMAGE, PLAIN_TEXT = "pdf", "image", "text"
EVERY_KIND = (PDF, IMAGE, PLAIN_TEXT)
_PLURAL = {PDF: "PDF files", IMAGE: "images", PLAIN_TEXT: "plain text"}
_SINGULAR = {PDF: "a PDF file", IMAGE: "an image", PLAIN_TEXT: "plain text"}


def kinds_in_words(kinds: Sequence[str]) -> str:
    """Return a text such as `PDF files and images`."""
    named = [_PLURAL[kind] for kind in kinds]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def mismatch(model: str, readable: Sequence[str], kind: str) -> str:
    """Return a sentence that says why a document of this kind does not fit."""
    return f"The model {model!r} reads {kinds_in_words(readable)}, but this document is {_SINGULAR[kind]}."
