"""The kinds of document that a model may read, and what messages call them."""

from collections.abc import Sequence

PDF, IMAGE, PLAIN_TEXT = "pdf", "image", "text"
EVERY_KIND = (PDF, IMAGE, PLAIN_TEXT)
_PLURAL = {PDF: "PDF files", IMAGE: "images", PLAIN_TEXT: "plain text"}
_SINGULAR = {PDF: "a PDF file", IMAGE: "an image", PLAIN_TEXT: "plain text"}


def kinds_in_words(kinds: Sequence[str]) -> str:
    """Return `PDF files and images`, for example."""
    named = [_PLURAL[kind] for kind in kinds]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def mismatch(model: str, readable: Sequence[str], kind: str) -> str:
    """Return what is wrong with a document of this kind, as a sentence."""
    return f"The model {model!r} reads {kinds_in_words(readable)}, and this document is {_SINGULAR[kind]}."
