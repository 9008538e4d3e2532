"""Reads Excel workbooks: a page for each sheet, with its values as they are shown."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..limits import DocumentLimits, no_such_page, too_complex, too_large, too_many_pages
from . import number_formats
from .grid import finished
from .items import Cell, FoundPage, PageItems, Table, clean
from .package import Package
from .xml_stream import Element, attribute, child, children, elements, local_name, number

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
_MAX_MERGED_PLACES = 2_000_000
_LONGEST_NUMBER = 40
_PLACE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_NUMBER = re.compile(r"[+-]?\d*\.?\d*(?:[eE][+-]?\d+)?")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def count_pages(package: Package, limits: DocumentLimits) -> int:
    count = len(_sheets(package.read_xml(package.main_part)))
    if count > limits.max_pages:
        raise too_many_pages(count, limits)
    return max(1, count)


def read_pages(package: Package, page: int, limits: DocumentLimits) -> list[FoundPage]:
    workbook = package.read_xml(package.main_part)
    sheets = _sheets(workbook)
    items = PageItems(limits)
    if not sheets and page == 1:
        return [FoundPage([])]
    if page > len(sheets):
        raise no_such_page(page, len(sheets))
    entry = sheets[page - 1]
    relation = package.relations_of(package.main_part).get(attribute(entry, "id") or "")
    items.add("heading", entry.get("name", ""), 1)
    if (entry.get("state") or "visible") != "visible":
        items.add("side_note", "This sheet is hidden.")
    if relation is not None and relation.type == "worksheet":
        properties = child(workbook, "workbookPr")
        since_1904 = properties is not None and properties.get("date1904") in {"1", "true"}
        for table in _SheetReader(package, limits, since_1904=since_1904).tables(relation.part):
            if table.rows == table.columns == 1:
                items.add("paragraph", table.cells[0].text)
            else:
                items.add_table(table)
    return [FoundPage(items.reply())]


def _sheets(workbook: Element) -> list[Element]:
    return list(children(child(workbook, "sheets"), "sheet"))


@dataclass(slots=True)
class _Value:
    text: str
    is_number: bool = False
    shared: int | None = None
    """The number of the text in the strings that all sheets share."""


@dataclass(frozen=True, slots=True)
class _Range:
    top: int
    left: int
    bottom: int
    right: int


@dataclass
class _SheetReader:
    package: Package
    limits: DocumentLimits
    since_1904: bool
    values: dict[int, dict[int, _Value]] = field(default_factory=dict)
    """The values by row and column, from 0."""
    merged: list[_Range] = field(default_factory=list)
    frozen_rows: int = 0
    filtered: list[_Range] = field(default_factory=list)
    """The ranges whose first rows are headers, since they can be filtered."""

    def tables(self, part: str) -> Iterator[Table]:
        """Yield the tables of a sheet. Empty rows part them; what the sheet says of its size does not matter."""
        self._read(part)
        self._share_strings()
        self._drop_empty()
        covered, spans = self._merge()
        for rows in self._parted():
            cells = [
                Cell(row, column, value.text, *spans.get((row, column), (1, 1)))
                for row in rows
                for column, value in sorted(self.values[row].items())
                if (row, column) not in covered
            ]
            if cells:
                headers = self._header_rows(rows)
                yield finished(cells, rows[headers] if 0 < headers < len(rows) else 0)

    def _read(self, part: str) -> None:
        formats = _formats(self.package)
        count, row_number = 0, -1
        names = {"row", "mergeCell", "pane", "autoFilter", "tablePart"}
        relations = self.package.relations_of(part)
        for element in elements(self.package.open(part), names):
            match local_name(element):
                case "row":
                    row_number = number(element.get("r"), row_number + 2, least=1, most=MAX_ROWS) - 1
                    column = -1
                    for cell in children(element, "c"):
                        column = _column_of(cell.get("r"), column + 1)
                        value = self._value(cell, formats)
                        if value is not None and column < MAX_COLUMNS:
                            self.values.setdefault(row_number, {})[column] = value
                            count += 1
                            self._refuse_many(count)
                case "mergeCell":
                    self.merged += _ranges(element.get("ref"))
                    if len(self.merged) > self.limits.max_table_cells:
                        raise too_complex("The sheet has too many merged cells.")
                case "pane" if (element.get("state") or "").startswith("frozen"):
                    self.frozen_rows = number(element.get("ySplit"), most=MAX_ROWS)
                case "autoFilter":
                    self.filtered += _ranges(element.get("ref"))
                case "tablePart":
                    relation = relations.get(attribute(element, "id") or "")
                    if relation is not None and self.package.has(relation.part) and len(self.filtered) < 1000:
                        table = self.package.read_xml(relation.part)
                        if table.get("headerRowCount") != "0":
                            self.filtered += _ranges(table.get("ref"))

    def _refuse_many(self, count: int) -> None:
        most = self.limits.max_table_cells
        if count > most:
            raise too_large(f"The sheet has more than the {most} filled cells that are allowed.")

    def _value(self, cell: Element, formats: Sequence[str]) -> _Value | None:
        type_ = cell.get("t", "n")
        if type_ == "inlineStr":
            return _Value(_string(child(cell, "is")))
        found = child(cell, "v")
        text = "" if found is None else (found.text or "")
        match type_:
            case _ if not text:
                return None
            case "s":
                return _Value("", shared=number(text, -1, least=-1))
            case "b":
                return _Value("TRUE" if text == "1" else "FALSE")
            case "n" if len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text):
                return _Value(self._shown(text, number(cell.get("s")), formats), is_number=True)
        return _Value(clean(_unescaped(text)))

    def _shown(self, text: str, style: int, formats: Sequence[str]) -> str:
        code = formats[style] if style < len(formats) else ""
        try:
            return number_formats.shown(float(text), code, since_1904=self.since_1904)
        except ValueError:
            return text

    def _share_strings(self) -> None:
        wanted: dict[int, list[_Value]] = {}
        for row in self.values.values():
            for value in row.values():
                if value.shared is not None:
                    wanted.setdefault(value.shared, []).append(value)
        part = self.package.part_of_type(self.package.main_part, "sharedStrings")
        if not wanted or part is None:
            return
        chars, last = 0, max(wanted)
        for position, entry in enumerate(elements(self.package.open(part), {"si"})):
            if position in wanted:
                text = _string(entry)
                chars += len(text) * len(wanted[position])
                if chars > self.limits.max_text_chars:
                    raise too_large(f"The sheet has more than {self.limits.max_text_chars} characters.")
                for value in wanted[position]:
                    value.text = text
            if position >= last:
                break

    def _drop_empty(self) -> None:
        filled = {
            row: kept
            for row, values in sorted(self.values.items())
            if (kept := {column: value for column, value in values.items() if value.text})
        }
        self.values = filled

    def _merge(self) -> tuple[set[tuple[int, int]], dict[tuple[int, int], tuple[int, int]]]:
        """Return the places under merged cells, and the spans of those cells. Merged cells that overlap are ignored."""
        covered: set[tuple[int, int]] = set()
        spans: dict[tuple[int, int], tuple[int, int]] = {}
        left = _MAX_MERGED_PLACES
        rows = list(self.values)
        columns = sorted({column for values in self.values.values() for column in values})
        for area in self.merged:
            start = area.top, area.left
            if area.top not in self.values or area.left not in self.values[area.top] or start in covered:
                continue
            # Rows and columns without any value are not in the table, so a span cannot reach into them.
            places = [
                (row, column)
                for row in _between(rows, area.top, area.bottom)
                for column in _between(columns, area.left, area.right)
            ]
            left -= len(places)
            if left < 0:
                raise too_complex("The merged cells of the sheet cover too many places.")
            if any(place in covered or place in spans for place in places):
                continue
            spans[start] = area.bottom - area.top + 1, area.right - area.left + 1
            covered.update(place for place in places if place != start)
        return covered, spans

    def _parted(self) -> Iterator[list[int]]:
        """Yield the rows of each table. A table whose grid would be too large is parted too."""
        rows: list[int] = []
        columns: set[int] = set()
        for row, values in self.values.items():
            is_large = (len(rows) + 1) * len(columns | values.keys()) > self.limits.max_table_places // 4
            if rows and (row > rows[-1] + 1 or is_large):
                yield rows
                rows, columns = [], set()
            rows.append(row)
            columns |= values.keys()
        if rows:
            yield rows

    def _header_rows(self, rows: Sequence[int]) -> int:
        """Return the number of header rows: those that are frozen or have a filter, or a row of texts above numbers."""
        if rows[0] < self.frozen_rows:
            return sum(row < self.frozen_rows for row in rows)
        if any(area.top == rows[0] for area in self.filtered):
            return 1
        if len(rows) < 2:
            return 0
        first, second = self.values[rows[0]], self.values[rows[1]]
        texts = len(first) > 1 and not any(value.is_number for value in first.values())
        return int(texts and any(value.is_number for value in second.values()))


def _formats(package: Package) -> list[str]:
    """Return the number format of each style of cells."""
    part = package.part_of_type(package.main_part, "styles")
    if part is None:
        return []
    codes = dict(number_formats.BUILT_IN)
    formats: list[str] = []
    for element in elements(package.open(part), {"numFmt", "cellXfs"}):
        if local_name(element) == "numFmt":
            codes[number(element.get("numFmtId"))] = element.get("formatCode", "")
        else:
            formats = [codes.get(number(style.get("numFmtId")), "") for style in children(element, "xf")]
    return formats


def _string(element: Element | None) -> str:
    """Return a text, without the readings that are printed above Japanese."""
    if element is None:
        return ""
    texts = [piece.text or "" for piece in children(element, "t")]
    texts += [piece.text or "" for run in children(element, "r") for piece in children(run, "t")]
    return clean(_unescaped("".join(texts)))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _column_of(place: str | None, default: int) -> int:
    match = _PLACE.fullmatch(place or "")
    return default if match is None else _column(match[1])


def _column(letters: str) -> int:
    column = 0
    for letter in letters.upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1


def _ranges(text: str | None) -> list[_Range]:
    first, _, last = (text or "").partition(":")
    start, end = _PLACE.fullmatch(first), _PLACE.fullmatch(last or first)
    if start is None or end is None:
        return []
    rows = sorted((int(start[2]), int(end[2])))
    columns = sorted((_column(start[1]), _column(end[1])))
    return [_Range(rows[0] - 1, columns[0], min(MAX_ROWS, rows[1]) - 1, min(MAX_COLUMNS - 1, columns[1]))]


def _between(numbers: Sequence[int], first: int, last: int) -> Sequence[int]:
    return numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]
