"""Pages in the form that models take: a picture, and the page's own text if any.

A page with text of its own is drawn when somebody needs its picture. Each page is drawn once, and its picture stored.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Protocol, cast
from uuid import UUID

from inference.core.calls import Call
from inference.core.contracts import Code, Findings, FormValue, PageInput, Pixels, Quad, TextLine, TickBox
from jobs.core.errors import FileMissing
from jobs.core.models import Document, DocumentPage
from jobs.documents import erasure, files
from jobs.documents.content import page_sha256, undrawn_sha256, with_findings
from jobs.documents.pages_ahead import PagesAhead
from jobs.documents.reader import DocumentRejected, Kind, PageContent
from jobs.documents.reading import reader
from jobs.documents.selectors import get_document
from jobs.documents.too_complex_pages import CODE, DETAIL, is_refused
from tenants.core.db.unit_of_work import unit_of_work

_AHEAD = PagesAhead()


class StoredDocument(Protocol):
    @property
    def tenant_id(self) -> UUID: ...
    @property
    def id(self) -> UUID: ...
    @property
    def kind(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def too_complex_pages(self) -> Sequence[int] | None: ...


@dataclass(frozen=True, slots=True)
class OpenedPage:
    work: PageInput
    sha256: str
    """The hash of what a model is given of the page, or of its text if the page is drawn on demand. It is empty for a
    page without a picture, which is known by its file: see `file_content_sha256`.
    """
    picture_sha256: str
    """The hash for a model that looks at the picture."""


def open_page(document: StoredDocument, number: int, call: Call | None = None) -> OpenedPage:
    """Open one page. Raises DocumentRejected if it cannot be rendered, DocumentDeleted or CallCanceled."""
    kept = None
    if document.kind in Document.PICTURED:
        with unit_of_work(document.tenant_id):
            kept = DocumentPage.objects.filter(document_id=document.id, number=number).first()
    if kept is not None and kept.findings is None:
        kept = _look_again(document, kept, call)
    if kept is not None:
        work, sha256 = _from_kept(document, kept, call), kept.content_sha256 or _content_of_kept(kept)
        return OpenedPage(work, sha256, _picture_sha256(document, work, sha256))
    content = _read(document, number, call)
    if not content.width_px:
        return OpenedPage(_from_content(number, content), "", "")
    sha256 = page_sha256(
        picture=content.picture,
        width_px=content.width_px,
        height_px=content.height_px,
        text_layer=_text_layer(content),
        scans=content.scans,
        rules=content.rules,
        findings=_findings(content.findings),
    )
    _keep(document, number, content, sha256)
    work = _from_content(number, content)
    if content.pixels is None:
        work = replace(work, load_pixels=partial(_drawn, document, number, call))
    return OpenedPage(work, sha256, _picture_sha256(document, work, sha256))


def _look_again(document: StoredDocument, page: DocumentPage, call: Call | None) -> DocumentPage:
    """Return a page that was stored before findings were, with its findings. Its other content stays as it is."""
    findings = _findings(_read(document, page.number, call).findings)
    sha256 = page.content_sha256
    if findings and sha256:
        sha256 = with_findings(sha256, findings)
    with unit_of_work(page.tenant_id):
        DocumentPage.objects.filter(id=page.id, findings=None).update(findings=findings, content_sha256=sha256)
        return DocumentPage.objects.filter(id=page.id).first() or page


def with_picture(document: StoredDocument, page: DocumentPage) -> DocumentPage:
    """Return the page with its picture, which is drawn now if nobody needed it before. Raises like `open_page`."""
    if page.picture:
        return page
    _drawn(document, page.number)
    with unit_of_work(document.tenant_id):
        get_document(document.id)
        return DocumentPage.objects.get(id=page.id)


def _read(document: StoredDocument, number: int, call: Call | None, *, drawn: bool = False) -> PageContent:
    if is_refused(document.too_complex_pages or (), number):
        raise DocumentRejected(CODE, DETAIL)
    if document.kind != Document.Kind.DOCX:
        return _read_pages(document, number, call, drawn=drawn)[0]
    # All of a Word document must be read for a page of it, so that pages after it are read at the same time.
    key = document.tenant_id, document.id, number
    with _AHEAD.turn(key):
        known = None if drawn else _AHEAD.take(key, time.monotonic())
        if known is not None:
            return known
        content, *ahead = _read_pages(document, number, call, drawn=drawn)
        _AHEAD.put((document.tenant_id, document.id, number + 1), ahead, time.monotonic())
    return content


def _read_pages(document: StoredDocument, number: int, call: Call | None, *, drawn: bool) -> list[PageContent]:
    try:
        with files.local_file(document.file) as path:
            if document.kind == Document.Kind.DOCX:
                return reader().read_pages(path, "docx", number, call, drawn=drawn)
            if drawn:
                return [reader().read_page(path, cast(Kind, document.kind), number, call, drawn=True)]
            return [reader().read_page(path, cast(Kind, document.kind), number, call)]
    except FileMissing:
        with unit_of_work(document.tenant_id):
            get_document(document.id)
        raise


def _picture_sha256(document: StoredDocument, page: PageInput, sha256: str) -> str:
    if page.text_lines is None or page.scans:
        return sha256
    return undrawn_sha256(document.sha256, page.number, page.width_px, page.height_px)


def _from_kept(document: StoredDocument, page: DocumentPage, call: Call | None) -> PageInput:
    def load_pixels() -> Pixels:
        with files.local_file(page.picture) as path:
            return reader().decode_picture(path, call)

    return PageInput(
        number=page.number,
        width_px=page.width_px,
        height_px=page.height_px,
        text_lines=None if page.text_layer is None else tuple(_line(raw) for raw in page.text_layer),
        scans=tuple(tuple(scan) for scan in page.scans or ()),
        rules=tuple(tuple(rule) for rule in page.rules or ()),
        findings=findings_of(page.findings or {}),
        load_pixels=load_pixels if page.picture else partial(_drawn, document, page.number, call),
    )


def _drawn(document: StoredDocument, number: int, call: Call | None = None) -> Pixels:
    """Draw a page that was read before, store its picture, and return its pixels."""
    content = _read(document, number, call, drawn=True)
    if content.picture is None or content.pixels is None or content.picture_content_type is None:
        raise ValueError(f"page {number} of document {document.id} was not drawn")
    name = _save_picture(document, number, content.picture, content.picture_content_type)
    columns = {"picture": name, "picture_type": content.picture_content_type}
    _point_at(document, name, lambda: _insert_picture(document, number, columns))
    return content.pixels


def _insert_picture(document: StoredDocument, number: int, columns: Mapping[str, str]) -> bool:
    undrawn = DocumentPage.objects.filter(document_id=document.id, number=number, picture="")
    return bool(undrawn.update(**columns))


def _content_of_kept(page: DocumentPage) -> str:
    """Compute the content hash of a page that was rendered before hashes were stored, and store it."""
    with files.local_file(page.picture) as path:
        picture = path.read_bytes()
    sha256 = page_sha256(
        picture=picture,
        width_px=page.width_px,
        height_px=page.height_px,
        text_layer=page.text_layer,
        findings=page.findings,
    )
    with unit_of_work(page.tenant_id):
        DocumentPage.objects.filter(id=page.id).update(content_sha256=sha256)
    return sha256


def _from_content(number: int, content: PageContent) -> PageInput:
    pixels = content.pixels
    return PageInput(
        number=number,
        width_px=content.width_px,
        height_px=content.height_px,
        text_lines=content.text_lines,
        load_pixels=None if pixels is None else lambda: pixels,
        scans=content.scans,
        rules=content.rules,
        items=content.items,
        findings=content.findings,
        unread_pictures=content.unread_pictures,
    )


def _keep(document: StoredDocument, number: int, content: PageContent, sha256: str) -> None:
    """Store the page's row and, if the page was drawn, its picture, unless another worker was first or the document is
    gone.
    """
    name = ""
    if content.picture is not None and content.picture_content_type is not None:
        name = _save_picture(document, number, content.picture, content.picture_content_type)
    _point_at(document, name, lambda: _insert(document, number, content, name, sha256))


def _save_picture(document: StoredDocument, number: int, picture: bytes, content_type: str) -> str:
    name = files.picture_name(document.tenant_id, document.id, number, content_type)
    with unit_of_work(document.tenant_id):
        erasure.order([name], due_in=erasure.TIME_TO_KEEP)
    files.save_bytes(name, picture)
    return name


def _point_at(document: StoredDocument, name: str, write: Callable[[], bool]) -> None:
    """Write the row that points at a saved picture, if there is one. The picture is erased if nothing was written."""
    with unit_of_work(document.tenant_id):
        live = Document.objects.select_for_update().filter(id=document.id, deleted_at=None).exists()
        written = live and write()
        if written and name:
            erasure.withdraw(name)
    if name and not written:
        erasure.carry_out_now(document.tenant_id, [name])


def _insert(document: StoredDocument, number: int, content: PageContent, name: str, sha256: str) -> bool:
    _, created = DocumentPage.objects.get_or_create(
        document_id=document.id,
        number=number,
        defaults={
            "tenant_id": document.tenant_id,
            "width_px": content.width_px,
            "height_px": content.height_px,
            "picture": name,
            "picture_type": content.picture_content_type or "",
            "text_layer": _text_layer(content),
            "scans": content.scans or None,
            "rules": content.rules or None,
            "findings": _findings(content.findings),
            "content_sha256": sha256,
        },
    )
    return created


def _text_layer(content: PageContent) -> list[dict[str, object]] | None:
    return None if content.text_lines is None else [_raw(line) for line in content.text_lines]


def _raw(line: TextLine) -> dict[str, object]:
    return {"text": line.text, "box": line.box, "confidence": line.confidence, "words": line.words}


def _findings(findings: Findings) -> dict[str, Any]:
    """Return findings as they are stored: the lists that are not empty."""
    return {name: found for name, found in asdict(findings).items() if found}


def findings_of(stored: Mapping[str, Any]) -> Findings:
    return Findings(
        tuple(Code(**{**code, "box": _quad(code["box"])}) for code in stored.get("codes", ())),
        tuple(TickBox(**{**box, "box": _quad(box["box"])}) for box in stored.get("tick_boxes", ())),
        tuple(FormValue(**{**value, "box": _quad(value["box"])}) for value in stored.get("form_values", ())),
    )


def _quad(corners: Sequence[Sequence[float]]) -> Quad:
    return tuple((float(x), float(y)) for x, y in corners)  # type: ignore[return-value]


def _line(raw: Mapping[str, Any]) -> TextLine:
    corners: Sequence[Sequence[float]] | None = raw["box"]
    box = None if corners is None else _quad(corners)
    words = tuple((float(start), float(end)) for start, end in raw.get("words", ()))
    return TextLine(raw["text"], box, raw["confidence"], words)
