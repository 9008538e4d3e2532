"""Reads PowerPoint presentations: a page for each slide, with its title, texts and tables, and the speaker's notes."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..limits import DocumentLimits, no_such_page, too_many_pages
from .embedded_pictures import A4_EMU, Picture, picture_of
from .grid import Grid
from .items import FoundPage, PageItems, clean
from .package import Package
from .xml_stream import Element, child, children, local_name, number

_TITLES = frozenset({"title", "ctrTitle"})
_EDGES = {"ftr": "footer", "dt": "footer", "hdr": "header", "sldNum": "page_number"}
_LISTED = frozenset({"body", "obj", ""})
"""The placeholders whose paragraphs have bullets unless they say otherwise."""
_ROW_EMU = 300_000
"""The height of a line of text, about 8 mm: shapes that begin within it stand beside each other."""

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Shape:
    element: Element
    placeholder: str | None
    place: Place | None
    """Its top and its left, or None if neither the slide nor its layout says where it is."""


def count_pages(package: Package, limits: DocumentLimits) -> int:
    count = len(_slide_ids(package))
    if count > limits.max_pages:
        raise too_many_pages(count, limits)
    return max(1, count)


def read_pages(package: Package, page: int, limits: DocumentLimits) -> list[FoundPage]:
    slides = _slide_ids(package)
    items = PageItems(limits)
    if not slides and page == 1:
        return [FoundPage([])]
    if page > len(slides):
        raise no_such_page(page, len(slides))
    relation = package.relations_of(package.main_part).get(slides[page - 1])
    if relation is None or relation.type != "slide" or not package.has(relation.part):
        return [FoundPage([])]
    slide = package.read_xml(relation.part)
    if slide.get("show") in {"0", "false"}:
        items.add("side_note", "This slide is hidden.")
    for shape in _in_order(slide, _places_of_layout(package, relation.part)):
        _add(items, shape, limits)
    notes = package.part_of_type(relation.part, "notesSlide")
    if notes is not None:
        for shape in _shapes(child(package.read_xml(notes), "cSld", "spTree"), {}):
            if shape.placeholder == "body":
                items.add("side_note", "\n".join(text for text, _ in _paragraphs(child(shape.element, "txBody"))))
    return [_with_pictures(items, _pictures(package, slide, relation.part))]


def _with_pictures(items: PageItems, pictures: list[Picture]) -> FoundPage:
    """Return the slide. A large picture on a slide without text, such as a scan, is the whole page."""
    large = [picture for picture in pictures if picture.is_worth_reading]
    if not items and len(large) == 1 and large[0].is_whole_page:
        return FoundPage([], large[0])
    return FoundPage(items.reply(), None, len(large))


def _pictures(package: Package, slide: Element, part: str) -> list[Picture]:
    size = child(package.read_xml(package.main_part), "sldSz")
    area = 0 if size is None else number(size.get("cx")) * number(size.get("cy"))
    relations = package.relations_of(part)
    found = (piece for piece in slide.iter() if local_name(piece) == "pic")
    return [picture for piece in found if (picture := picture_of(piece, relations, area or A4_EMU)) is not None]


def _slide_ids(package: Package) -> list[str]:
    presentation = package.read_xml(package.main_part)
    # An entry has an id of its own and, in another namespace, that of its relation.
    entries = children(child(presentation, "sldIdLst"), "sldId")
    return [next((value for key, value in entry.items() if key.endswith("}id")), "") for entry in entries]


def _in_order(slide: Element, places: dict[str, Place]) -> list[_Shape]:
    """Return the shapes as they are read: titles first, then row by row from the left."""
    shapes = list(_shapes(child(slide, "cSld", "spTree"), places))
    placed = sorted((shape.place for shape in shapes if shape.place is not None), key=lambda place: place[0])
    rows: dict[float, int] = {}
    row, start = 0, placed[0][0] if placed else 0.0
    for top, _ in placed:
        if top - start > _ROW_EMU:
            row, start = row + 1, top
        rows[top] = row

    def key(shape: _Shape) -> tuple[int, int, float]:
        if shape.placeholder in _TITLES:
            return 0, 0, 0.0
        if shape.placeholder in _EDGES:
            return 2, 0, 0.0
        return (1, -1, 0.0) if shape.place is None else (1, rows[shape.place[0]], shape.place[1])

    return sorted(shapes, key=key)


def _shapes(
    tree: Element | None, places: dict[str, Place], *, scale: tuple[float, float] = (1, 1), shift: Place = (0, 0)
) -> Iterator[_Shape]:
    for element in tree if tree is not None else ():
        name = local_name(element)
        if name == "AlternateContent":
            yield from _shapes(child(element, "Choice"), places, scale=scale, shift=shift)
        elif name == "grpSp":
            inner_scale, inner_shift = _inside(child(element, "grpSpPr", "xfrm"))
            whole = scale[0] * inner_scale[0], scale[1] * inner_scale[1]
            moved = shift[0] + scale[0] * inner_shift[0], shift[1] + scale[1] * inner_shift[1]
            yield from _shapes(element, places, scale=whole, shift=moved)
        elif name in {"sp", "graphicFrame"}:
            found = next((piece for piece in element.iter() if local_name(piece) == "ph"), None)
            transform = child(element, "xfrm") if name == "graphicFrame" else child(element, "spPr", "xfrm")
            place = _place(child(transform, "off"))
            if place is not None:
                place = shift[0] + scale[0] * place[0], shift[1] + scale[1] * place[1]
            elif found is not None:
                place = places.get(_placeholder_key(found))
            yield _Shape(element, None if found is None else found.get("type", ""), place)


def _place(offset: Element | None) -> Place | None:
    if offset is None:
        return None
    return float(number(offset.get("y"), least=-(1 << 31))), float(number(offset.get("x"), least=-(1 << 31)))


def _inside(transform: Element | None) -> tuple[tuple[float, float], Place]:
    """Return how positions inside a group become positions around it: factors and shifts, down and across."""
    outer, inner = _place(child(transform, "off")), _place(child(transform, "chOff"))
    size, inner_size = child(transform, "ext"), child(transform, "chExt")
    if outer is None or inner is None or size is None or inner_size is None:
        return (1, 1), (0, 0)
    down = number(size.get("cy")) / max(1, number(inner_size.get("cy"), 1))
    across = number(size.get("cx")) / max(1, number(inner_size.get("cx"), 1))
    return (down, across), (outer[0] - down * inner[0], outer[1] - across * inner[1])


def _places_of_layout(package: Package, slide: str) -> dict[str, Place]:
    layout = package.part_of_type(slide, "slideLayout")
    if layout is None:
        return {}
    places = {}
    for shape in _shapes(child(package.read_xml(layout), "cSld", "spTree"), {}):
        if shape.placeholder is not None and shape.place is not None:
            found = next(piece for piece in shape.element.iter() if local_name(piece) == "ph")
            places[_placeholder_key(found)] = shape.place
    return places


def _placeholder_key(placeholder: Element) -> str:
    return placeholder.get("idx") or placeholder.get("type") or ""


def _add(items: PageItems, shape: _Shape, limits: DocumentLimits) -> None:
    table = next((piece for piece in shape.element.iter() if local_name(piece) == "tbl"), None)
    if table is not None:
        items.add_table(_grid(table, limits).table())
        return
    paragraphs = list(_paragraphs(child(shape.element, "txBody")))
    if shape.placeholder in _TITLES:
        items.add("heading", "\n".join(text for text, _ in paragraphs), 1)
        return
    if shape.placeholder in _EDGES:
        items.add(_EDGES[shape.placeholder], "\n".join(text for text, _ in paragraphs))
        return
    if shape.placeholder == "subTitle":
        items.add("heading", "\n".join(text for text, _ in paragraphs), 2)
        return
    is_listed = shape.placeholder in _LISTED and sum(bool(text) for text, _ in paragraphs) > 1
    for text, mark in paragraphs:
        listed = mark or ("•" if is_listed and mark is None else "")
        items.add("list_item" if listed else "paragraph", f"{listed} {text}" if listed and text else text)


def _paragraphs(body: Element | None) -> Iterator[tuple[str, str | None]]:
    """Yield the text of each paragraph with its bullet or number: empty if it has none, None if it does not say."""
    count = 0
    for paragraph in children(body, "p"):
        properties = child(paragraph, "pPr")
        text = clean("".join(_printed(piece) for piece in paragraph.iter()))
        if child(properties, "buNone") is not None:
            yield text, ""
        elif child(properties, "buAutoNum") is not None:
            count += bool(text)
            yield text, f"{count}."
            continue
        elif child(properties, "buChar") is not None:
            yield text, "•"
        else:
            yield text, None
        count = 0


def _printed(piece: Element) -> str:
    match local_name(piece):
        case "t":
            return piece.text or ""
        case "br":
            return "\n"
    return ""


def _grid(table: Element, limits: DocumentLimits) -> Grid:
    grid = Grid(limits)
    about = child(table, "tblPr")
    first_is_header = about is not None and about.get("firstRow") == "1"
    for row in children(table, "tr"):
        grid.begin_row(header=first_is_header and grid.row < 0)
        for cell in children(row, "tc"):
            if "1" in (cell.get("hMerge"), cell.get("vMerge")) or "true" in (cell.get("hMerge"), cell.get("vMerge")):
                continue  # The cell that it is merged with has a span.
            grid.add(
                "\n".join(text for text, _ in _paragraphs(child(cell, "txBody"))),
                row_span=number(cell.get("rowSpan"), 1),
                column_span=number(cell.get("gridSpan"), 1),
            )
    return grid
