"""Reads Word documents. Their pages are those that Word noted when it laid them out, and those of page breaks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..limits import DocumentLimits, no_such_page, too_many_pages
from .docx_numbering import Style, read_numbering, read_styles, style_of_paragraph
from .docx_pages import MAX_PAGES_AHEAD, GatheredPage, GatheredPages, Note
from .docx_walk import outermost, rows, walk
from .embedded_pictures import Picture, picture_of
from .grid import Grid
from .items import Cell, FoundPage, Json, PageItems, clean
from .package import Package, property_of
from .xml_stream import Element, attribute, child, children, elements, is_on, local_name, number

_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_PRINTED = {"t": "", "noBreakHyphen": "-", "tab": " ", "br": "\n", "cr": "\n", "sym": "•"}
"""The text that each piece of a run prints. Only `t` has a text of its own."""
_PAGE_FIELD = "PAGE"
_PAGE_MARK = "\0"
"""The character that stands for the number of the page until it is known. No XML document can contain it."""
_LINKS = {"header": "headerReference", "footer": "footerReference"}


def count_pages(package: Package, limits: DocumentLimits) -> int:
    return _Document(package, limits, range(0)).read()


def read_pages(package: Package, page: int, limits: DocumentLimits) -> list[FoundPage]:
    """Return a page and some of those after it: all pages before must be read each time, so that these cost little."""
    document = _Document(package, limits, range(page, page + 1 + MAX_PAGES_AHEAD))
    count = document.read()
    if page > count:
        raise no_such_page(page, count)
    return document.found()


@dataclass
class _Paragraph:
    """A paragraph, or the part of one that is on one page: its text, and what else was found in it."""

    text: str = ""
    boxes: list[Element] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    whole_picture: Picture | None = None
    """The picture that is a page by itself, so that there is no text."""
    unread_pictures: int = 0


class _Document:
    """A document that is read once, from beginning to end. Only the pages of `window` are gathered."""

    def __init__(self, package: Package, limits: DocumentLimits, window: range) -> None:
        self._package = package
        self._limits = limits
        self._gathered = GatheredPages(window, limits)
        self._main = package.main_part
        self._styles = read_styles(package, self._main)
        self._numbering = read_numbering(package, self._main)
        self._relations = package.relations_of(self._main)
        self._page = 1
        self._is_filled = False
        """Whether something stands on the current page already."""
        self._page_ended = False
        self._notes_seen = 0
        self._edges: dict[str, str] = {}
        """The ids of the header and the footer of the section that ended last."""

    def read(self) -> int:
        """Read the document and return the number of its pages."""
        for element in elements(self._package.open(self._main), {"p", "tbl", "sectPr"}):
            with self._gathered.errors_on(self._page):
                match local_name(element):
                    case "p":
                        self._read_paragraph(element)
                    case "tbl":
                        self._read_table(element)
                    case _:
                        self._end_section(element)
        return self._page

    def found(self) -> list[FoundPage]:
        """Return the pages in their order, each with its header, its footnotes and its footer."""
        pages = list(self._gathered)
        texts = {
            kind: self._texts_of_notes(kind, pages) for kind in {note.kind for page in pages for note in page.notes}
        }
        found = []
        for page in pages:
            with self._gathered.errors_on(page.number):
                found.append(self._finished(page, texts))
        return found[: len(list(self._gathered))]

    def _finished(self, page: GatheredPage, texts: Mapping[str, Mapping[str, str]]) -> FoundPage:
        for note in page.notes:
            page.items.add("footnote", f"{note.mark} {texts[note.kind].get(note.id, '')}")
        items = [*self._edge("header", page), *page.items.reply(), *self._edge("footer", page)]
        return FoundPage(items, page.picture, page.unread_pictures)

    def _end_page(self) -> None:
        """End a page, unless nothing stands on it: Word notes both a page break and the page that it leads to."""
        self._page_ended = self._is_filled

    @property
    def _next_page(self) -> int:
        """The number of the page that what comes now is on."""
        return self._page + self._page_ended

    def _fill(self) -> GatheredPage | None:
        """Return the page on which what comes now stands, if it is gathered."""
        self._page = self._next_page
        if self._page > self._limits.max_pages:
            raise too_many_pages(f"more than {self._limits.max_pages}", self._limits)
        self._page_ended, self._is_filled = False, True
        return self._gathered.page(self._page)

    def _read_paragraph(self, element: Element) -> None:
        properties = child(element, "pPr")
        if is_on(child(properties, "pageBreakBefore")):
            self._end_page()
        style = style_of_paragraph(properties, self._styles)
        label = self._label(style)
        for number_, part in enumerate(self._parts(element)):
            if number_:
                self._end_page()
            text = clean(part.text.replace(_PAGE_MARK, str(self._next_page)))
            if (text or part.whole_picture or part.unread_pictures) and (page := self._fill()) is not None:
                page.items.add(_type_of(style), f"{label} {text}" if text else "", style.level)
                page.notes += part.notes
                page.picture = part.whole_picture or page.picture
                page.unread_pictures += part.unread_pictures
            label = "" if text else label
            for box in part.boxes:
                self._read_box(box)
        section = child(properties, "sectPr")
        if section is not None:
            self._end_section(section)

    def _label(self, style: Style) -> str:
        return "" if style.list_id is None else self._numbering.label(style.list_id, style.list_level or 0)

    def _read_box(self, box: Element) -> None:
        for inner in outermost(box):
            if local_name(inner) == "tbl":
                self._read_table(inner)
            else:
                self._read_paragraph(inner)

    def _read_table(self, element: Element) -> None:
        page = self._fill()
        if page is not None:
            page.items.add_table(self._grid(element, page).table())

    def _grid(self, element: Element, page: GatheredPage) -> Grid:
        grid = Grid(self._limits)
        above: dict[int, Cell | None] = {}
        for row in rows(element, "tr"):
            properties = child(row, "trPr")
            grid.begin_row(header=is_on(child(properties, "tblHeader")))
            grid.skip(number(property_of(properties, "gridBefore")))
            for cell in rows(row, "tc"):
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
                    above[column] = grid.add(self._text_of(cell, page), column_span=span)
        return grid

    def _text_of(self, container: Element, page: GatheredPage) -> str:
        """Return the text of a cell, a note, a header or a footer: a line for each paragraph."""
        lines = []
        for inner in outermost(container):
            if local_name(inner) == "tbl":
                lines += ["\t".join(self._text_of(cell, page) for cell in rows(row, "tc")) for row in rows(inner, "tr")]
                continue
            label = self._label(style_of_paragraph(child(inner, "pPr"), self._styles))
            for part in self._parts(inner):
                lines.append(f"{label} {part.text}" if part.text else "")
                lines += [self._text_of(box, page) for box in part.boxes]
                page.notes += part.notes
                page.unread_pictures += part.unread_pictures + (part.whole_picture is not None)
        return "\n".join(lines).replace(_PAGE_MARK, str(page.number))

    def _parts(self, element: Element) -> Iterator[_Paragraph]:
        """Yield the parts of a paragraph, one for each page that it is on."""
        part, field_code, shows_page = _Paragraph(), "", False
        for piece in walk(element):
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
                    part.text += _PAGE_MARK if shows_page else ""
                    field_code = field_code if kind == "separate" else ""
                case "instrText":
                    field_code += piece.text or ""
                case "txbxContent":
                    part.boxes.append(piece)
                case "footnoteReference" | "endnoteReference" as name:
                    self._notes_seen += 1
                    mark = str(self._notes_seen).translate(_SUPERSCRIPT)
                    part.text += mark
                    part.notes.append(Note(name.removesuffix("Reference"), attribute(piece, "id") or "", mark))
                case "inline" | "anchor" | "shape":
                    picture = picture_of(piece, self._relations)
                    if picture is not None and picture.is_whole_page:
                        yield part
                        yield _Paragraph(whole_picture=picture)
                        part = _Paragraph()
                    elif picture is not None:
                        part.unread_pictures += picture.is_worth_reading
                case name if name in _PRINTED and not shows_page:
                    part.text += _PRINTED[name] or piece.text or ""
        yield part

    def _texts_of_notes(self, kind: str, pages: Sequence[GatheredPage]) -> dict[str, str]:
        part = self._package.part_of_type(self._main, f"{kind}s")
        if part is None:
            return {}
        page_of = {note.id: page for page in pages for note in page.notes if note.kind == kind}
        found = ((attribute(note, "id") or "", note) for note in elements(self._package.open(part), {kind}))
        return {note_id: self._text_of(note, page_of[note_id]) for note_id, note in found if note_id in page_of}

    def _end_section(self, section: Element) -> None:
        # A section without a header of its own goes on with the one before.
        for edge, name in _LINKS.items():
            for link in children(section, name):
                if attribute(link, "type") == "default":
                    self._edges[edge] = attribute(link, "id") or ""
        for page in self._gathered:
            if page.edges is None and page.number <= self._page:
                page.edges = dict(self._edges)
        if property_of(section, "type") != "continuous":
            self._end_page()

    def _edge(self, edge: str, page: GatheredPage) -> list[Json]:
        items = PageItems(self._limits)
        relation = self._relations.get((page.edges or {}).get(edge, ""))
        if relation is not None and self._package.has(relation.part):
            items.add(edge, self._text_of(self._package.read_xml(relation.part), page))
        return items.reply()


def _type_of(style: Style) -> str:
    if style.level is not None:
        return "heading"
    if style.caption:
        return "caption"
    return "paragraph" if style.list_id is None else "list_item"
