"""The features of a page that decide its class: phrases, the shape of the text and the arrangement of the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from inference.classes.arrangement import arrangement_names, arrangement_of
from inference.classes.passages import passages_of, strength
from inference.classes.phrases import EVIDENCE
from inference.classes.shape import shape_names, shape_of
from inference.core.contracts import TextLine

NAMES: tuple[str, ...] = (*(evidence.name for evidence in EVIDENCE), *shape_names(), *arrangement_names())
MAX_BEGINNING, MAX_END = 3_500, 1_000
"""The characters of a page that are looked at, at its beginning and at its end. Few printed pages have more."""
MAX_LINES = 200


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
    printed = "\n".join(line.text for line in lines)
    whole = text if 2 * len(printed) < len(text) else printed
    if len(whole) > MAX_BEGINNING + MAX_END:
        whole = f"{whole[:MAX_BEGINNING]}\n{whole[-MAX_END:]}"
    return whole.splitlines()[:MAX_LINES]
