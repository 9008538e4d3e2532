"""The texts that an embedding model accepts, and those that callers have split into tokens themselves."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Self

from inference.core.contracts import PageInput, TextInput, TokenInput, WorkRefused

WINDOW_TOKENS = 256
"""The number of tokens that the model reads at once, including its two special tokens."""
MAX_TEXTS = 2048
LARGEST_TOKEN_ID = 2**31 - 1


def check_texts(work: TextInput) -> None:
    _check_count(len(work.texts))
    for position, text in enumerate(work.texts):
        _check_text(text, name_of(position, single=work.single))


def check_tokens(work: TokenInput) -> None:
    """Check what holds for every model. The model itself checks its vocabulary."""
    _check_count(len(work.rows))
    for position, row in enumerate(work.rows):
        name = name_of(position, single=work.single)
        if not row:
            raise WorkRefused("input_empty", f"{name} is empty: it has no tokens")
        if len(row) > WINDOW_TOKENS:
            raise too_long(name, f"{len(row)} tokens")
        if not 0 <= min(row) <= max(row) <= LARGEST_TOKEN_ID:
            odd = next(token for token in row if not 0 <= token <= LARGEST_TOKEN_ID)
            raise WorkRefused("token_unknown", f"{name} holds {str(odd)[:20]}, which is not a token ID")


def name_of(position: int, *, single: bool) -> str:
    return "the text" if single else f"text {position}"


def too_long(name: str, size: str, *, windows: int = 1) -> WorkRefused:
    """Return the error. `size` is the length as a text, and `windows` is how many the model would have read."""
    return WorkRefused(
        "context_length_exceeded",
        f"{name} ({size}) is longer than {windows * WINDOW_TOKENS} tokens, the maximum; split it",
    )


def _check_count(texts: int) -> None:
    if not texts:
        raise WorkRefused("input_empty", "the list of texts is empty; send at least one text")
    if texts > MAX_TEXTS:
        raise WorkRefused("input_too_large", f"{texts} texts were sent, but at most {MAX_TEXTS} are allowed")


def page_text(page: PageInput) -> str:
    if page.text_lines is None:
        raise WorkRefused("input_not_accepted", "the page is an image, but this model reads text")
    text = "\n".join(line.text for line in page.text_lines)
    _check_text(text, "the page")
    return text


def _check_text(text: str, name: str) -> None:
    if not text.strip():
        raise WorkRefused("input_empty", f"{name} is empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise WorkRefused("text_not_unicode", f"{name} contains half of a surrogate pair") from None


ANY_WORD = "a"

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """The special tokens of a tokenizer: those before and after a text, such as `[CLS]` and `[SEP]`, and the one for
    padding.
    """

    before: Row
    after: Row
    padding: int | None = None

    @classmethod
    def of(cls, tokenizer: Any, *, padding: int | None) -> Self:
        """Find the special tokens of `tokenizer` as it is used here, where it does not pad rows."""
        encoding = tokenizer.encode(ANY_WORD)
        ids, is_mark = tuple(encoding.ids), list(encoding.special_tokens_mask)
        before = len(list(takewhile(bool, is_mark)))
        after = len(list(takewhile(bool, reversed(is_mark))))
        return cls(ids[:before], ids[len(ids) - after :], padding)

    def around(self, row: Row) -> Row:
        """Return the row with the special tokens once and no padding. Callers need not remove them."""
        end = len(row)
        while end and row[end - 1] == self.padding:
            end -= 1
        filled = row[:end]
        return filled if self._are_around(filled) else self.before + row + self.after

    def _are_around(self, row: Row) -> bool:
        inner = len(row) - len(self.before) - len(self.after)
        return inner >= 0 and row == self.before + row[len(self.before) :][:inner] + self.after


def read_tokens(tokenizer: Any, marks: Marks, row: Row, name: str) -> Row:
    """Return the tokens as the tokenizer gives them for the same text. `name` is for error messages."""
    unknown = next((token for token in row if tokenizer.id_to_token(token) is None), None)
    if unknown is not None:
        vocabulary_size = tokenizer.get_vocab_size()
        raise WorkRefused(
            "token_unknown",
            f"{name} contains the token {unknown}, but the vocabulary of the model has {vocabulary_size} tokens; "
            "use the tokenizer of the model or send text",
        )
    marked = marks.around(row)
    if len(marked) > WINDOW_TOKENS:
        raise too_long(name, f"{len(marked)} tokens with its marks")
    return marked
