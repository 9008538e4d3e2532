"""Texts that callers have split into tokens, checked against the vocabulary and put between special tokens."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Self

from inference.core.contracts import WorkRefused
from inference.runtime.texts import WINDOW_TOKENS, too_long

ANY_WORD = "a"

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """The special tokens that a tokenizer puts around a text, such as `[CLS]` and `[SEP]`, and fills rows with."""

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
        known = tokenizer.get_vocab_size()
        raise WorkRefused(
            "token_unknown",
            f"{name} contains the token {unknown}, but the vocabulary of the model has {known} tokens; "
            "use the tokenizer of the model or send text",
        )
    marked = marks.around(row)
    if len(marked) > WINDOW_TOKENS:
        raise too_long(name, f"{len(marked)} tokens with its marks")
    return marked
