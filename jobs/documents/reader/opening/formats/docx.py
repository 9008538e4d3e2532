"""Reads Word documents. Their pages are those that Word noted when it laid them out, and those of page breaks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..limits import DocumentLimits, no_such_page, too_many_pages
from .docx_numbering import Style, read_numbering, read_styles, style_of_paragraph
from .grid import Grid
from .items import Cell, Json, PageItems, clean
from .package import Package, property_of
from .xml_stream import Element, attribute, child, children, elements, is_on, local_name, number

_SKIPPED = frozenset({"del", "moveFrom", "delText", "delInstrText", "Fallback", "pPr", "rPr"})
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_PRINTED = {"t": "", "noBreakHyphen": "-", "tab": " ", "br": "\n", "cr": "\n", "sym": "•"}
"""The text that each piece of a run prints. Only `t` has a text of its own."""
_PAGE_FIELD = "PAGE"
_LINKS = {"header": "headerReference", "footer": "footerReference"}


def count_pages(package: Package, limits: DocumentLimits) -> int:
    return _Document(package, limits, wanted=None).read()


def read_items(package: Package, page: int, limits: DocumentLimits) -> list[Json]:
    document = _Document(package, limits, wanted=page)
    count = document.read()
    if page > count:
        raise no_such_page(page, count)
    return document.items_with_edges()


@dataclass
class _Paragraph:
    """A paragraph, or the part of one that is on one page: its text, and what else was found in it."""

    text: str = ""
    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    """The kind, the id and the mark of each note that the text refers to."""


class _Document:
    """A document that is read once, from beginning to end. Only the wanted page is gathered."""

    def __init__(self, package: Package, limits: DocumentLimits, *, wanted: int | None) -> None:
        self._package = package
        self._limits = limits
        self._wanted = wanted
        self._main = package.main_part
        self._styles = read_styles(package, self._main)
        self._numbering = read_numbering(package, self._main)
        self._relations = package.relations_of(self._main)
        self._items = PageItems(limits)
        self._page = 1
        self._is_filled = False
        """Whether something stands on the current page already."""
        self._page_ended = False
        self._notes_seen = 0
        self._notes: list[tuple[str, str, str]] = []
        self._edges: dict[str, str] = {}
        """The ids of the header and the footer of the section that the wanted page is in."""
        self._has_edges = False

    def read(self) -> int:
        """Read the document and return the number of its pages."""
        for element in elements(self._package.open(self._main), {"p", "tbl", "sectPr"}):
            match local_name(element):
                case "p":
                    self._read_paragraph(element)
                case "tbl":
                    self._read_table(element)
                case _:
                    self._end_section(element)
        return self._page

    def items_with_edges(self) -> list[Json]:
        """Return the items of the wanted page between its header and its footer."""
        texts = {kind: self._texts_of_notes(kind) for kind in {kind for kind, _, _ in self._notes}}
        for kind, note_id, mark in self._notes:
            self._items.add("footnote", f"{mark} {texts[kind].get(note_id, '')}")
        return [*self._edge("header"), *self._items.reply(), *self._edge("footer")]

    @property
    def _is_wanted(self) -> bool:
        return self._page == self._wanted

    def _end_page(self) -> None:
        """End a page, unless nothing stands on it: Word notes both a page break and the page that it leads to."""
        self._page_ended = self._is_filled

    def _fill(self) -> bool:
        """Return whether what comes now belongs to the wanted page."""
        self._page += self._page_ended
        if self._page > self._limits.max_pages:
            raise too_many_pages(f"more than {self._limits.max_pages}", self._limits)
        self._page_ended, self._is_filled = False, True
        return self._is_wanted

    def _read_paragraph(self, element: Element) -> None:
        properties = child(element, "pPr")
        if is_on(child(properties, "pageBreakBefore")):
            self._end_page()
        style = style_of_paragraph(properties, self._styles)
        label = self._label(style)
        for number_, part in enumerate(self._parts(element)):
            if number_:
                self._end_page()
            text = clean(part.text)
            if text and self._fill():
                self._items.add(_type_of(style), f"{label} {text}", style.level)
                self._notes += part.notes
            label = "" if text else label
            for box in part.boxes:
                self._read_box(box)
        section = child(properties, "sectPr")
        if section is not None:
            self._end_section(section)

    def _label(self, style: Style) -> str:
        return "" if style.list_id is None else self._numbering.label(style.list_id, style.list_level or 0)

    def _read_box(self, box: Element) -> None:
        for inner in _outermost(box):
            if local_name(inner) == "tbl":
                self._read_table(inner)
            else:
                self._read_paragraph(inner)

    def _read_table(self, element: Element) -> None:
        if self._fill():
            self._items.add_table(self._grid(element).table())

    def _grid(self, element: Element) -> Grid:
        grid = Grid(self._limits)
        above: dict[int, Cell | None] = {}
        for row in _rows(element, "tr"):
            properties = child(row, "trPr")
            grid.begin_row(header=is_on(child(properties, "tblHeader")))
            grid.skip(number(property_of(properties, "gridBefore")))
            for cell in _rows(row, "tc"):
                about = child(cell, "tcPr")
                span = max(1, number(property_of(about, "gridSpan"), 1))
                merge = child(about, "vMerge")
                column = grid.column
                up = above.get(column)
                if merge is not None and attribute(merge, "val") != "restart" and up is not None:
                    if up.row + up.row_span == grid.row:
                        up.row_span += 1
                    grid.skip(span)
                else:
                    above[column] = grid.add(self._text_of(cell), column_span=span)
        return grid

    def _text_of(self, container: Element) -> str:
        """Return the text of a cell, a note, a header or a footer: a line for each paragraph."""
        lines = []
        for inner in _outermost(container):
            if local_name(inner) == "tbl":
                lines += ["\t".join(self._text_of(cell) for cell in _rows(row, "tc")) for row in _rows(inner, "tr")]
                continue
            label = self._label(style_of_paragraph(child(inner, "pPr"), self._styles))
            for part in self._parts(inner):
                lines.append(f"{label} {part.text}" if part.text else "")
                lines += [self._text_of(box) for box in part.boxes]
                if self._is_wanted:
                    self._notes += part.notes
        return "\n".join(lines)

    def _parts(self, element: Element) -> Iterator[_Paragraph]:
        """Yield the parts of a paragraph, one for each page that it is on."""
        part, field_code, shows_page = _Paragraph(), "", False
        for piece in _walk(element):
            match local_name(piece):
                case "lastRenderedPageBreak":
                    yield part
                    part = _Paragraph()
                case "br" if attribute(piece, "type") == "page":
                    yield part
                    part = _Paragraph()
                case "fldChar":
                    kind = attribute(piece, "fldCharType")
                    # The number that Word noted in a header is that of any page.
                    shows_page = kind == "separate" and field_code.split()[:1] == [_PAGE_FIELD]
                    part.text += str(self._wanted or self._page) if shows_page else ""
                    field_code = field_code if kind == "separate" else ""
                case "instrText":
                    field_code += piece.text or ""
                case "txbxContent":
                    part.boxes.append(piece)
                case "footnoteReference" | "endnoteReference" as name:
                    self._notes_seen += 1
                    mark = str(self._notes_seen).translate(_SUPERSCRIPT)
                    part.text += mark
                    part.notes.append((name.removesuffix("Reference"), attribute(piece, "id") or "", mark))
                case name if name in _PRINTED and not shows_page:
                    part.text += _PRINTED[name] or piece.text or ""
        yield part

    def _texts_of_notes(self, kind: str) -> dict[str, str]:
        part = self._package.part_of_type(self._main, f"{kind}s")
        if part is None:
            return {}
        ids = {note_id for of_kind, note_id, _ in self._notes if of_kind == kind}
        found = ((attribute(note, "id") or "", note) for note in elements(self._package.open(part), {kind}))
        return {note_id: self._text_of(note) for note_id, note in found if note_id in ids}

    def _end_section(self, section: Element) -> None:
        if not self._has_edges:
            # A section without a header of its own goes on with the one before.
            for edge, name in _LINKS.items():
                for link in children(section, name):
                    if attribute(link, "type") == "default":
                        self._edges[edge] = attribute(link, "id") or ""
            self._has_edges = self._wanted is not None and self._page >= self._wanted
        if property_of(section, "type") != "continuous":
            self._end_page()

    def _edge(self, edge: str) -> list[Json]:
        items = PageItems(self._limits)
        relation = self._relations.get(self._edges.get(edge, ""))
        if relation is not None and self._package.has(relation.part):
            items.add(edge, self._text_of(self._package.read_xml(relation.part)))
        return items.reply()


def _type_of(style: Style) -> str:
    if style.level is not None:
        return "heading"
    if style.caption:
        return "caption"
    return "paragraph" if style.list_id is None else "list_item"


def _walk(element: Element) -> Iterator[Element]:
    """Yield the pieces of a paragraph in order. What a text box contains is not among them."""
    for piece in element:
        name = local_name(piece)
        if name == "txbxContent":
            yield piece
        elif name == "r" and is_on(child(piece, "rPr", "vanish")):
            continue
        elif name not in _SKIPPED:
            yield piece
            if len(piece):
                yield from _walk(piece)


def _outermost(container: Element) -> Iterator[Element]:
    """Yield the paragraphs and tables in a container, whatever wraps them."""
    for piece in container:
        name = local_name(piece)
        if name in {"p", "tbl"}:
            yield piece
        elif name not in _SKIPPED and len(piece):
            yield from _outermost(piece)


def _rows(container: Element, wanted: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, whatever wraps them."""
    for piece in container:
        name = local_name(piece)
        if name == wanted:
            yield piece
        elif name in {"sdt", "sdtContent", "customXml", "ins", "moveTo"}:
            yield from _rows(piece, wanted)
