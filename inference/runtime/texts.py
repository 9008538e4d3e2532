"""Which texts an embedding model takes."""

from inference.contracts import PageInput, TextInput, WorkRefused

WINDOW_TOKENS = 256
"""The model reads this many tokens at once, its two marks included."""
MAX_TEXTS = 2048


def check_texts(work: TextInput) -> None:
    if not work.texts:
        raise WorkRefused("input_empty", "the list of texts is empty; send at least one text")
    if len(work.texts) > MAX_TEXTS:
        raise WorkRefused("input_too_large", f"{len(work.texts)} texts are too many; at most {MAX_TEXTS} fit")
    for position, text in enumerate(work.texts):
        _check_text(text, "the text" if work.single else f"text {position}")


def page_text(page: PageInput) -> str:
    if page.text_lines is None:
        raise WorkRefused("input_not_accepted", f"page {page.number} is a picture; this model reads text")
    text = "\n".join(line.text for line in page.text_lines)
    _check_text(text, f"page {page.number}")
    return text


def _check_text(text: str, name: str) -> None:
    if not text.strip():
        raise WorkRefused("input_empty", f"{name} is empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise WorkRefused("text_not_unicode", f"{name} holds half of a surrogate pair") from None
