"""Regions of a page: lines that are read together, such as a column, a table or the notes in a margin."""

from dataclasses import dataclass

from inference.layout.boxes import PageLine


@dataclass(frozen=True, slots=True)
class Region:
    lines: tuple[PageLine, ...]
    is_table: bool = False
    """Whether the region is read row by row, across its columns."""
    is_margin: bool = False
    """Whether the lines are notes in the margin, each beside the text that it belongs to."""
    certainty: float = 1.0
