"""Captions at the foot of a column, below a picture that is as wide as several columns."""

from collections.abc import Sequence
from dataclasses import replace

from inference.layout.boxes import Box
from inference.layout.gutters import find_bands
from inference.layout.regions import Region

MAX_ROWS = 2


def below_pictures(regions: Sequence[Region], white: float) -> list[Region]:
    """Move each caption behind the columns that end above its picture. `white` is the height of a picture, at least."""
    found = list(regions)
    for position in range(len(regions) - 1, -1, -1):
        parts = _parted(found[position], white)
        if parts is None:
            continue
        above, caption = parts
        last = _last_above(found, position, Box.around(line.box for line in caption.lines), white)
        if last > position:
            found[position : last + 1] = [above, *found[position + 1 : last + 1], caption]
    return found


def _parted(region: Region, white: float) -> tuple[Region, Region] | None:
    """Return the column and the caption below it, apart by white that is high enough for a picture."""
    bands = find_bands(region.lines)
    if region.is_table or region.is_margin or len(bands) < 2:
        return None
    for rows in range(1, min(MAX_ROWS + 1, len(bands))):
        if bands[-rows].box.top - max(band.box.bottom for band in bands[:-rows]) >= white:
            caption = tuple(line for band in bands[-rows:] for line in band.lines)
            return replace(region, lines=tuple(line for line in region.lines if line not in caption)), replace(
                region, lines=caption
            )
    return None


def _last_above(regions: Sequence[Region], position: int, caption: Box, white: float) -> int:
    """Return the number of the last column in a row, from the caption's on, that ends above the picture."""
    column = Box.around(line.box for line in regions[position].lines)
    last = position
    for number in range(position + 1, len(regions)):
        box = Box.around(line.box for line in regions[number].lines)
        if box.bottom > caption.top - white or box.shares_width(column) > 0 or not box.shares_height(column):
            break
        last = number
    return last
