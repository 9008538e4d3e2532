"""The values that belong to a label: what follows it in its piece, stands beside it, or below it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from inference.fields.item_heads import head_lines
from inference.fields.labels.finding import Label, find_labels, language_of
from inference.fields.labels.vocabulary import Vocabulary
from inference.fields.page_text import PageText, Piece
from inference.layout.boxes import Box

Direction = Literal["inline", "beside", "below"]
MAX_BESIDE = 6
_JOINED = re.compile(r"\s*[/&+]\s*")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a piece, where a value is or may be."""

    piece: Piece
    start: int
    end: int
    direction: Direction

    @property
    def text(self) -> str:
        return self.piece.text[self.start : self.end]

    def box(self, start: int = 0, end: int | None = None) -> Box:
        """Return the box of a part of it."""
        return self.piece.part(self.start + start, self.start + (len(self.text) if end is None else end))


@dataclass(frozen=True)
class Labeled:
    """A page with its labels."""

    text: PageText
    language: str | None
    labels: dict[tuple[int, int], list[Label]]
    """The labels of each piece by its line and its start."""

    @classmethod
    def of(cls, text: PageText, vocabulary: Vocabulary | None = None) -> "Labeled":
        by_number = find_labels(text.pieces, vocabulary)
        pieces = text.pieces
        by_place = {(pieces[number].line, pieces[number].start): labels for number, labels in by_number.items()}
        return cls(text, language_of(by_number.values()), by_place)

    @cached_property
    def heads(self) -> set[tuple[int, int]]:
        """Return the pieces that are heads of the columns of items, by line and start."""
        return head_lines(self.text)

    def labels_of(self, piece: Piece) -> Sequence[Label]:
        return self.labels.get((piece.line, piece.start), ())

    def roles(self, label: Label) -> frozenset[str]:
        return label.roles_in(self.language)

    def is_label(self, piece: Piece) -> bool:
        """Return whether a piece is a label, or begins with one before a colon."""
        labels = self.labels_of(piece)
        return bool(labels) and (labels[0].is_alone or (labels[0].at_start and labels[0].has_colon))

    def spans(self, label: Label) -> Iterator[Span]:
        """Yield where the value of a label may be, the likeliest place first."""
        inline = self.inline(label)
        if inline is not None:
            yield inline
            return
        yield from self.beside(label)
        yield from self.below(label)

    def inline(self, label: Label) -> Span | None:
        """Return what follows a label up to the next one. Of `Label / other label value`, both have the value."""
        later = min(
            (each for each in self.labels_of(label.piece) if each.start >= label.end),
            key=lambda each: each.start,
            default=None,
        )
        if later is not None and _JOINED.fullmatch(label.piece.text[label.end : later.start]):
            return self.inline(later)
        end = len(label.piece.text) if later is None else later.start
        text = label.piece.text[label.value_start : end]
        stripped = text.rstrip(" ·|;,-–•")
        return Span(label.piece, label.value_start, label.value_start + len(stripped), "inline") if stripped else None

    def beside(self, label: Label) -> Iterator[Span]:
        """Yield what stands to the right in the same row, up to the next label."""
        for piece in self.text.beside(label.piece.box)[:MAX_BESIDE]:
            if self.is_label(piece):
                return
            yield Span(piece, 0, len(piece.text), "beside")

    def below(self, label: Label, *, whole: bool = False) -> Iterator[Span]:
        """Yield what stands below a label, or with `whole` below all of its piece."""
        place = label.piece.box if whole else label.piece.part(label.start, label.end)
        for piece in self.text.below(place):
            if not self.is_label(piece):
                yield Span(piece, 0, len(piece.text), "below")
