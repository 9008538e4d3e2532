"""Texts that callers have split into tokens themselves: held against the vocabulary, put between the marks."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Self

from inference.core.contracts import WorkRefused
from inference.runtime.texts import WINDOW_TOKENS, too_long

ANY_WORD = "a"

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """What a tokenizer puts around every text, `[CLS]` and `[SEP]` for one, and after it to fill a row."""

    before: Row
    after: Row
    padding: int | None = None

    @classmethod
    def of(cls, tokenizer: Any, *, padding: int | None) -> Self:
        """`tokenizer` as it is used here, which fills no rows."""
        encoding = tokenizer.encode(ANY_WORD)
        ids, is_mark = tuple(encoding.ids), list(encoding.special_tokens_mask)
        before = len(list(takewhile(bool, is_mark)))
        after = len(list(takewhile(bool, reversed(is_mark))))
        return cls(ids[:before], ids[len(ids) - after :], padding)

    def around(self, row: Row) -> Row:
        """Once, and without padding: whoever had them from the tokenizer need not take them off."""
        end = len(row)
        while end and row[end - 1] == self.padding:
            end -= 1
        filled = row[:end]
        return filled if self._are_around(filled) else self.before + row + self.after

    def _are_around(self, row: Row) -> bool:
        inner = len(row) - len(self.before) - len(self.after)
        return inner >= 0 and row == self.before + row[len(self.before) :][:inner] + self.after


def read_tokens(tokenizer: Any, marks: Marks, row: Row, name: str) -> Row:
    """As the tokenizer gives the text that these are tokens of. `name` is the text's, for refusals."""
    unknown = next((token for token in row if tokenizer.id_to_token(token) is None), None)
    if unknown is not None:
        known = tokenizer.get_vocab_size()
        raise WorkRefused(
            "token_unknown",
            f"{name} holds the token {unknown}, but the model's vocabulary has {known}; "
            "take the ids from the model's own tokenizer, or send text",
        )
    marked = marks.around(row)
    if len(marked) > WINDOW_TOKENS:
        raise too_long(name, f"{len(marked)} tokens with its marks")
    return marked
