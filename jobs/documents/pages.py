"""A page as models take it: its picture rendered once and kept, its own text where it has any."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast
from uuid import UUID

from inference.contracts import PageInput, Pixels, TextLine
from jobs.documents import erasure, files
from jobs.documents.reader import PageContent
from jobs.documents.reading import reader
from jobs.documents.selectors import get_document
from jobs.models import Document, DocumentPage
from tenants.context import unit_of_work

Kind = Literal["pdf", "image", "text"]


def page_input(tenant_id: UUID, document_id: UUID, number: int) -> PageInput:
    """Raises DocumentRejected when only rendering shows that the page cannot be read."""
    with unit_of_work(tenant_id):
        document = get_document(document_id)
        kept = document.pages.filter(number=number).first()
    if kept is not None:
        return _from_kept(kept)
    with files.local_file(document.file) as path:
        content = reader().read_page(path, cast(Kind, document.kind), number)
    if content.picture is not None and content.picture_content_type is not None:
        _keep(document, number, content, content.picture, content.picture_content_type)
    return _from_content(number, content)


def _from_kept(page: DocumentPage) -> PageInput:
    def load_pixels() -> Pixels:
        with files.local_file(page.picture) as path:
            return reader().decode_picture(path)

    return PageInput(
        number=page.number,
        width_px=page.width_px,
        height_px=page.height_px,
        text_lines=None if page.text_layer is None else tuple(_line(raw) for raw in page.text_layer),
        load_pixels=load_pixels,
    )


def _from_content(number: int, content: PageContent) -> PageInput:
    pixels = content.pixels
    return PageInput(
        number=number,
        width_px=content.width_px,
        height_px=content.height_px,
        text_lines=content.text_lines,
        load_pixels=None if pixels is None else lambda: pixels,
    )


def _keep(document: Document, number: int, content: PageContent, picture: bytes, picture_type: str) -> None:
    """Loses quietly to another worker that was first, and leaves nothing behind when the document is gone."""
    name = files.picture_name(document.tenant_id, document.id, number, picture_type)
    with unit_of_work(document.tenant_id):
        erasure.order([name], due_in=erasure.TIME_TO_KEEP)
    files.save_bytes(name, picture)
    with unit_of_work(document.tenant_id):
        live = Document.objects.select_for_update().filter(id=document.id, deleted_at=None).exists()
        kept = live and _insert(document, number, content, name)
        if kept:
            erasure.withdraw(name)
    if not kept:
        erasure.carry_out_now(document.tenant_id, [name])


def _insert(document: Document, number: int, content: PageContent, name: str) -> bool:
    _, created = DocumentPage.objects.get_or_create(
        document_id=document.id,
        number=number,
        defaults={
            "tenant_id": document.tenant_id,
            "width_px": content.width_px,
            "height_px": content.height_px,
            "picture": name,
            "picture_type": content.picture_content_type or "",
            "text_layer": None if content.text_lines is None else [_raw(line) for line in content.text_lines],
        },
    )
    return created


def _raw(line: TextLine) -> dict[str, object]:
    return {"text": line.text, "box": line.box, "confidence": line.confidence}


def _line(raw: Mapping[str, Any]) -> TextLine:
    corners: Sequence[Sequence[float]] | None = raw["box"]
    box = None if corners is None else tuple((float(x), float(y)) for x, y in corners)
    return TextLine(text=raw["text"], box=box, confidence=raw["confidence"])  # type: ignore[arg-type]
