"""Walks through the XML of a Word document: the pieces of a paragraph, and what stands in cells, boxes and notes."""

from collections.abc import Iterator

from .xml_stream import Element, child, is_on, local_name

_SKIPPED = frozenset({"del", "moveFrom", "delText", "delInstrText", "Fallback", "pPr", "rPr"})


def walk(element: Element) -> Iterator[Element]:
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
                yield from walk(piece)


def outermost(container: Element) -> Iterator[Element]:
    """Yield the paragraphs and tables in a container, whatever wraps them."""
    for piece in container:
        name = local_name(piece)
        if name in {"p", "tbl"}:
            yield piece
        elif name not in _SKIPPED and len(piece):
            yield from outermost(piece)


def rows(container: Element, wanted: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, whatever wraps them."""
    for piece in container:
        name = local_name(piece)
        if name == wanted:
            yield piece
        elif name in {"sdt", "sdtContent", "customXml", "ins", "moveTo"}:
            yield from rows(piece, wanted)
