"""The arrangement of a page, as numbers from 0 to 1: its blocks, and where its lines are. Plain text has none."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from inference.core.contracts import Quad, TextLine

KINDS_OF_BLOCKS = ("heading", "list_item", "table", "caption", "footnote")
MIN_WORDS = 5
"""The words of a line of running text at least. Their width is that of a column."""


def arrangement_of(
    blocks: Sequence[Mapping[str, Any]], lines: Sequence[TextLine], width: float | None, height: float | None
) -> dict[str, float]:
    shares = _shares(blocks)
    boxes = [line.box for line in lines if line.box]
    arrangement = {f"in_{kind}": shares.get(kind, 0.0) for kind in KINDS_OF_BLOCKS}
    arrangement["in_table"] += shares.get("rows", 0.0)
    running = [line.box for line in lines if line.box and line.text.count(" ") >= MIN_WORDS]
    return arrangement | {
        "side_by_side": _side_by_side(boxes),
        "narrow": _narrow(running, width),
        "unfilled": _unfilled(boxes, height),
    }


def arrangement_names() -> tuple[str, ...]:
    return tuple(arrangement_of((), (), None, None))


def _shares(blocks: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the share of the lines that are in blocks of each kind."""
    counts: dict[str, int] = {}
    for block in blocks:
        kind, lines = block.get("type"), block.get("lines")
        counts[str(kind)] = counts.get(str(kind), 0) + (len(lines) if isinstance(lines, Sequence) else 1)
    total = max(1, sum(counts.values()))
    return {kind: count / total for kind, count in counts.items()}


def _side_by_side(boxes: Sequence[Quad]) -> float:
    """Return the share of the lines that begin at the height of the line before them, or nearly."""
    if not boxes:
        return 0.0
    tops = sorted((box[0][1], box[3][1] - box[0][1]) for box in boxes)
    return sum(lower - upper < 0.4 * high for (upper, high), (lower, _) in pairwise(tops)) / len(boxes)


def _narrow(running: Sequence[Quad], width: float | None) -> float:
    """Return how much narrower than the page the lines of running text are."""
    if not running or not width:
        return 0.0
    return max(0.0, 1 - median(box[1][0] - box[0][0] for box in running) / width)


def _unfilled(boxes: Iterable[Quad], height: float | None) -> float:
    """Return the share of the page's height below the last line but two."""
    bottoms = sorted(box[2][1] for box in boxes)
    if len(bottoms) < 3 or not height:
        return 0.0
    return min(1.0, max(0.0, 1 - bottoms[-3] / height))
