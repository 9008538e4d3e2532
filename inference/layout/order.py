"""The regions of a page in reading order, by recursive cuts along gutters and between bands."""

from collections.abc import Iterator, Sequence
from functools import cache
from statistics import median

from inference.layout.boxes import PICTURE, Box, PageLine, usual_height
from inference.layout.captions import below_pictures
from inference.layout.columns import CERTAIN, judge, narrow_columns
from inference.layout.direction import runs_from_right
from inference.layout.gutters import MIN_GUTTER, Band, Gutter, find_bands, find_gutters, free_between
from inference.layout.regions import Region
from inference.layout.rows import gather_rows

MAX_DEPTH = 24
MAX_BANDS = 200
"""The most bands that are looked at for a common gutter."""
ONE_SIDED = 24
"""The most bands on one side alone before the other side begins."""
AHEAD = 4
"""The bands after a band that are asked whether their gutter runs further down."""
WIDE_WHITE = 1.6
"""The height of white, as a multiple of a line's height, after which the rows of another table may begin."""
ANY_WHITE = 0.3
"""The same after which blocks beside each other have ended, such as an address and a date."""
MARGIN_WIDTH = 0.25
MARGIN_PRINT = 0.95
MARGIN_TEXT = 0.2
"""The width, the size of print and the length of notes in a margin, at most, as shares of those of all text there."""
MARGIN_TO_COLUMN = 0.6
"""The width of such notes, at most, as a share of the width of the widest column beside them."""
MAX_STRETCHED_ROWS = 2
STRETCHED_WIDTH = 0.95
MAX_STRETCHED_WHITE = 0.35
"""The width of a stretched row and the white in it, as shares of the width of its column."""
HEADLINE = 1.25
"""The height of a headline, at least, as a multiple of a line's height."""
OFF_CENTER = 0.06
"""The distance of a headline's middle from the middle of the page, at most, as a share of the page's width."""


def regions_in_order(lines: Sequence[PageLine]) -> list[Region]:
    if not lines:
        return []
    from_right = runs_from_right(line.text for line in lines)
    height = usual_height(lines)
    return below_pictures(list(_cut(lines, height, from_right=from_right, depth=0)), PICTURE * height)


def _cut(lines: Sequence[PageLine], height: float, *, from_right: bool, depth: int) -> Iterator[Region]:
    gutters = find_gutters(lines, height) if depth < MAX_DEPTH else []
    narrow = narrow_columns(lines, height) if depth < MAX_DEPTH else None
    if not gutters and narrow is None:
        yield from _by_bands(lines, height, from_right=from_right, depth=depth)
        return
    columns = narrow or judge(lines, gutters, height)
    parts: Sequence[Sequence[PageLine]] = columns.parts[::-1] if from_right else columns.parts
    white = WIDE_WHITE if columns.by_rows else ANY_WHITE
    margins: list[Region] = []
    apart = _parts(lines, white * height) if columns.certainty < CERTAIN else []
    if len(apart) > 1:
        parts = apart
    elif columns.by_rows:
        yield Region(tuple(lines), is_table=True, certainty=columns.certainty)
        return
    widest = max(Box.around(line.box for line in part).width for part in parts)
    for part in parts:
        if not columns.by_rows and parts is not apart and _is_margin(part, lines, widest, height):
            margins.append(Region(tuple(part), is_margin=True))
        else:
            yield from _cut(part, height, from_right=from_right, depth=depth + 1)
    yield from margins


def _is_margin(part: Sequence[PageLine], lines: Sequence[PageLine], widest: float, height: float) -> bool:
    """Return whether the part holds short notes in small print beside much wider text."""
    whole = Box.around(line.box for line in lines)
    limit = min(MARGIN_WIDTH * whole.width, MARGIN_TO_COLUMN * widest)
    narrow = Box.around(line.box for line in part).width <= limit
    small = median(line.box.height for line in part) <= MARGIN_PRINT * height
    few = sum(len(line.text) for line in part) <= MARGIN_TEXT * sum(len(line.text) for line in lines)
    return narrow and small and few


def _parts(lines: Sequence[PageLine], white: float) -> list[list[PageLine]]:
    """Return the parts of the page between white that is at least this high."""
    parts: list[list[PageLine]] = []
    reach = float("-inf")
    for band in find_bands(lines):
        if band.box.top - reach >= white:
            parts.append([])
        parts[-1].extend(band.lines)
        reach = max(reach, band.box.bottom)
    return parts


def _by_bands(lines: Sequence[PageLine], height: float, *, from_right: bool, depth: int) -> Iterator[Region]:
    """Group the bands that share a gutter. Bands without one are a region of their own."""
    groups = _groups(find_bands(lines), height)
    if len(groups) == 1:
        yield Region(tuple(lines), is_table=False)
        return
    for group in groups:
        yield from _cut(group, height, from_right=from_right, depth=depth + 1)


def _groups(bands: Sequence[Band], height: float) -> list[list[PageLine]]:
    lines = [line for band in bands for line in band.lines]
    page = Gutter(min(line.box.left for line in lines), max(line.box.right for line in lines))
    groups: list[list[PageLine]] = []
    end_of = cache(lambda start: _end_of_gutter(bands, start, page, height))
    plain, start = False, 0
    while start < len(bands):
        end = end_of(start)
        ahead = range(start + 1, min(start + AHEAD, end or 0))
        if end is not None and end < start + MAX_BANDS and any((end_of(later) or 0) > end for later in ahead):
            # A short line that happens to stand beside the gutter of what follows must not take its place.
            end = None
        shared = [] if end is None else [line for band in bands[start:end] for line in band.lines]
        gutters = find_gutters(shared, height)
        if not gutters or _is_stretched(shared, gutters, page):
            end = None
        if end is not None and _hides_gutters(bands, start, end, len(gutters), height):
            end = None
        if end is not None:
            groups.append(shared)
        elif plain:
            groups[-1].extend(bands[start].lines)
        else:
            groups.append(list(bands[start].lines))
        plain, start = end is None, end or start + 1
    return groups


def _hides_gutters(bands: Sequence[Band], start: int, end: int, count: int, height: float) -> bool:
    """Return whether lines that stand alone above columns, such as a short headline, hide gutters between those."""
    for later in range(start + 1, min(start + 1 + AHEAD, end)):
        if len(bands[later - 1].lines) > 1:
            return False
        below = [line for band in bands[later:end] for line in band.lines]
        if len(find_gutters(below, height)) > count:
            return True
    return False


def _is_stretched(lines: Sequence[PageLine], gutters: Sequence[Gutter], page: Gutter) -> bool:
    """Return whether these are one or two rows of a justified column, whose spaces are as wide as gutters."""
    if len(gather_rows(lines)) > MAX_STRETCHED_ROWS:
        return False
    box = Box.around(line.box for line in lines)
    white = sum(gutter.width for gutter in gutters)
    return box.width >= STRETCHED_WIDTH * page.width and white <= MAX_STRETCHED_WHITE * page.width


def _end_of_gutter(bands: Sequence[Band], start: int, page: Gutter, height: float) -> int | None:
    """Return where the bands end that have a gutter in common from here on, or None if they have none."""
    free, end = [page], None
    left, right = page.right, page.left
    for position, band in enumerate(bands[start : start + MAX_BANDS], start):
        if position == start and _is_headline(band, page, height):
            return None
        free = free_between(free, band.lines, MIN_GUTTER * height)
        left, right = min(left, band.box.left), max(right, band.box.right)
        inside = [gutter for gutter in free if left < gutter.center < right]
        if not free or (not inside and (end is not None or position - start >= ONE_SIDED)):
            break
        if inside:
            free, end = inside, position + 1
    return end


def _is_headline(band: Band, page: Gutter, height: float) -> bool:
    """Return whether the band is one large line in the middle of the page, which belongs to no column."""
    if len(band.lines) > 1 or band.lines[0].box.height < HEADLINE * height:
        return False
    return abs(band.lines[0].box.center - page.center) <= OFF_CENTER * page.width
