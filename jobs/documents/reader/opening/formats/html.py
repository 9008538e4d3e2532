"""Reads web pages: what a person sees of one without its style sheets. Nothing that it refers to is fetched."""

import codecs
import re
from collections.abc import Iterator

from lxml import etree

from ..limits import DocumentLimits, too_complex, too_large
from .grid import Grid
from .items import Json, PageItems, clean

MAX_DEPTH = 250
_ENCODINGS = (
    "utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "ascii", "latin-1", "cp437", "cp850", "cp852",
    "cp866", "cp874", "cp932", "cp949", "cp950", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256",
    "cp1257", "cp1258", "big5", "big5hkscs", "euc-jp", "euc-kr", "gb2312", "gb18030", "gbk", "hz", "iso2022_jp",
    "iso2022_kr", "iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8",
    "iso8859-9", "iso8859-10", "iso8859-11", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16", "johab", "koi8-r",
    "koi8-u", "mac-roman", "mac-cyrillic", "shift-jis", "tis-620", "utf-7",
)  # fmt: skip
"""The encodings of web pages and emails. They are looked up now, because none can be once the file system is closed."""
for _name in _ENCODINGS:
    codecs.lookup(_name)
_KNOWN = {codecs.lookup(name).name for name in _ENCODINGS}
_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(rb"""<(?:meta[^>]{0,200}charset|\?xml[^>]{0,100}encoding)\s*=\s*["']?\s*([\w.:-]{1,40})""", re.I)
_DECLARED_WITHIN = 4096
_TYPES = {"pre": "paragraph", "caption": "caption", "figcaption": "caption", "aside": "side_note"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup",
    "option", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
    "ul",
})  # fmt: skip
_UNSEEN = frozenset({
    "applet", "area", "audio", "base", "canvas", "datalist", "embed", "frame", "head", "iframe", "link", "map",
    "meta", "math", "noembed", "noframes", "noscript", "object", "param", "rp", "rt", "script", "source",
    "style", "svg", "template", "textarea", "title", "track", "video",
})  # fmt: skip
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)", re.I)
_MAX_BYTES_PER_CHAR = 4
_LONGEST_NUMBER = 8


def read_items(data: bytes, limits: DocumentLimits) -> list[Json]:
    items = PageItems(limits)
    add_page(items, decode(data), limits)
    return items.reply()


def decode(data: bytes, charset: str | None = None) -> str:
    """Return the text, in the encoding of its first bytes, of its mail header, or the one that it declares itself."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if data[:2] == b"<\x00" or data[:2] == b"\x00<":
        return data.decode("utf-16-le" if data[0] else "utf-16-be", "replace")
    declared = _DECLARED.search(data[:_DECLARED_WITHIN])
    for name in (charset, declared and declared[1].decode("ascii", "replace"), "utf-8"):
        try:
            encoding = codecs.lookup(name or "").name
            if encoding in _KNOWN and not encoding.startswith(("utf-16", "utf-32")):
                return data.decode("cp1252" if encoding == "iso8859-1" else encoding)
        except (LookupError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def add_page(items: PageItems, text: str, limits: DocumentLimits) -> None:
    if len(text) > limits.max_text_chars * _MAX_BYTES_PER_CHAR:
        raise too_large(f"The page has {len(text)} characters of markup, which is too much.")
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, recover=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError) as error:
        if not clean(text):
            return
        raise too_complex("The markup of the page cannot be read.") from error
    if root is not None:
        flow = _Flow(items, limits)
        flow.read(root)
        flow.end_block()


class _Flow:
    """Gathers running text until the block that it is in ends."""

    def __init__(self, items: PageItems, limits: DocumentLimits) -> None:
        self._items = items
        self._limits = limits
        self._texts: list[str] = []
        self._type = "paragraph"
        self._level: int | None = None
        self._mark = ""
        self._lists: list[int | None] = []
        """The next number in each list that is open, or None for one without numbers."""

    def end_block(self) -> None:
        text = clean("".join(self._texts))
        self._texts.clear()
        if text:
            self._items.add(self._type, f"{self._mark} {text}" if self._mark else text, self._level)
            self._mark = ""

    def read(self, element: etree._Element, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise too_complex(f"The page has elements within elements, more than {MAX_DEPTH} levels deep.")
        name = element.tag if isinstance(element.tag, str) else ""
        if not name or name in _UNSEEN or _is_hidden(element):
            return
        match name:
            case "br" | "input":
                is_seen = name == "br" or element.get("type", "text") == "text"
                self._texts.append("\n" if name == "br" else f" {element.get('value', '')} " if is_seen else "")
            case "table" if not _is_layout(element):
                self._read_table(element)
            case "pre" | "caption" | "figcaption" | "aside":
                self._as(element, depth, _TYPES[name], lines=name == "pre")
            case "li":
                self._mark, before = self._next_mark(), self._mark
                self._as(element, depth, "list_item")
                self._mark = before
            case "ol" | "ul" | "menu" | "dir":
                self._lists.append(_number(element.get("start")) if name == "ol" else None)
                self._as(element, depth, self._type)
                self._lists.pop()
            case _ if name in _HEADINGS:
                self._as(element, depth, "heading", level=_HEADINGS[name])
            case _ if name in _BLOCKS:
                self._as(element, depth, self._type, level=self._level)
            case _:
                self._inside(element, depth)

    def _as(
        self, element: etree._Element, depth: int, type_: str, *, level: int | None = None, lines: bool = False
    ) -> None:
        """Read an element whose text is a block of this type of its own."""
        self.end_block()
        before = self._type, self._level
        self._type, self._level = type_, level
        self._inside(element, depth, lines=lines)
        self.end_block()
        self._type, self._level = before

    def _inside(self, element: etree._Element, depth: int, *, lines: bool = False) -> None:
        self._add(element.text, lines=lines)
        for inner in element:
            self.read(inner, depth + 1)
            self._add(inner.tail, lines=lines)

    def _add(self, text: str | None, *, lines: bool) -> None:
        if text:
            # Line breaks in the markup are no more than spaces, except in text that is laid out already.
            self._texts.append(text if lines else " ".join(text.split("\n")).replace("\r", " "))

    def _next_mark(self) -> str:
        count = self._lists[-1] if self._lists else None
        if count is None:
            return "•"
        self._lists[-1] = count + 1
        return f"{count}."

    def _read_table(self, table: etree._Element) -> None:
        self.end_block()
        grid = Grid(self._limits)
        for row, in_head in _table_rows(table):
            cells = [cell for cell in row if cell.tag in {"td", "th"} and not _is_hidden(cell)]
            if not cells:
                continue
            grid.begin_row(header=in_head or all(cell.tag == "th" for cell in cells))
            for cell in cells:
                grid.add(
                    "".join(_texts_in(cell)),
                    row_span=_number(cell.get("rowspan")),
                    column_span=_number(cell.get("colspan")),
                    header=cell.tag == "th",
                )
        for caption in table.iterchildren("caption"):
            self.read(caption)
        self._items.add_table(grid.table())


def _number(text: str | None) -> int:
    text = (text or "1").strip()
    return int(text) if text.isdecimal() and len(text) < _LONGEST_NUMBER else 1


def _is_hidden(element: etree._Element) -> bool:
    return element.get("hidden") is not None or bool(_HIDDEN.search(element.get("style") or ""))


def _is_layout(table: etree._Element) -> bool:
    """Return whether a table only places parts of the page, as in most emails: it has one row or column, or blocks."""
    if table.get("role") in {"presentation", "none"}:
        return True
    if next(table.iterdescendants("table", "h1", "h2", "h3", "h4", "h5", "h6"), None) is not None:
        return True
    if next(table.iterdescendants("th"), None) is not None:
        return False
    rows = [sum(cell.tag == "td" for cell in row) for row, _ in _table_rows(table)]
    return len(rows) < 2 or max(rows) < 2


def _table_rows(table: etree._Element) -> Iterator[tuple[etree._Element, bool]]:
    """Yield the rows of a table, and whether they are in its head."""
    for part in table:
        if part.tag == "tr" and not _is_hidden(part):
            yield part, False
        elif part.tag in {"thead", "tbody", "tfoot"} and not _is_hidden(part):
            for row in part:
                if row.tag == "tr" and not _is_hidden(row):
                    yield row, part.tag == "thead"


def _texts_in(element: etree._Element, depth: int = 0) -> Iterator[str]:
    """Yield the seen text of a cell, with its blocks on lines of their own."""
    if depth > MAX_DEPTH:
        raise too_complex(f"The page has elements within elements, more than {MAX_DEPTH} levels deep.")
    yield " ".join((element.text or "").split("\n"))
    for inner in element:
        if isinstance(inner.tag, str) and inner.tag not in _UNSEEN and not _is_hidden(inner):
            yield "\n" if inner.tag in _BLOCKS or inner.tag == "br" else ""
            yield from _texts_in(inner, depth + 1)
            yield "\n" if inner.tag in _BLOCKS else ""
        yield " ".join((inner.tail or "").split("\n"))
