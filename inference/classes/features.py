"""The features of a page by which its class is told: phrases, the shape of the text and the arrangement of the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from inference.classes.arrangement import arrangement_names, arrangement_of
from inference.classes.passages import passages_of, strength
from inference.classes.phrases import EVIDENCE
from inference.classes.shape import shape_names, shape_of
from inference.core.contracts import TextLine

NAMES: tuple[str, ...] = (*(evidence.name for evidence in EVIDENCE), *shape_names(), *arrangement_names())
MAX_CHARACTERS = 10_000
MAX_LINES = 300
"""How much of a page is looked at. A printed page has less; a page of plain text may have much more."""


def features_of(
    text: str,
    blocks: Sequence[Mapping[str, Any]] = (),
    lines: Sequence[TextLine] = (),
    width: float | None = None,
    height: float | None = None,
) -> dict[str, float]:
    """Return the features by name, in the order of `NAMES`."""
    printed = printed_lines(text, lines)
    passages = passages_of(printed)
    found = {evidence.name: strength(evidence, passages) for evidence in EVIDENCE}
    return found | shape_of(printed) | arrangement_of(blocks, lines[:MAX_LINES], width, height)


def printed_lines(text: str, lines: Sequence[TextLine]) -> list[str]:
    """Return the lines as printed, or those of the text if there are none or they lack most of the text."""
    printed = [line.text for line in lines]
    if 2 * sum(map(len, printed)) < len(text):
        printed = text.splitlines()
    return "\n".join(printed[:MAX_LINES])[:MAX_CHARACTERS].split("\n")
