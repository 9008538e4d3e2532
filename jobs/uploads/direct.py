"""Direct uploads, whose bytes go to the storage itself: the URLs for their parts, the stored parts, and their joining.

The row holds everything that is known about the parts in the storage. A multipart upload that was begun there is
abandoned when the upload ends, even if a process died during it. Joining is the only step that cannot be done twice, so
a process that finds the file already joined continues from there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models.functions import Now

from jobs.documents.files import PartStore, StoredPart, direct_name, part_store, storage_errors
from jobs.uploads.decisions import locked, not_in_parts
from jobs.uploads.errors import DirectUploadsUnavailable, PartsMissing
from jobs.uploads.layout import Layout
from jobs.uploads.models import ResumableUpload
from jobs.uploads.receiving import Lease, move_offset, release, take
from jobs.uploads.selectors import get_upload, seen
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity

State = ResumableUpload.State
URL_LIVES_S = 900
JOINING_S = 120.0
"""Seconds for joining. This is longer than the timeout for a storage that does not respond."""
MAX_NAMED = 100
"""The highest number of missing parts that a response names."""


@dataclass(frozen=True)
class PartUrl:
    number: int
    size_bytes: int
    url: str


def layout_of(upload: ResumableUpload) -> Layout:
    return Layout(upload.size_bytes, upload.part_bytes)


def require_part_store() -> PartStore:
    store = part_store()
    if store is None:
        raise DirectUploadsUnavailable(
            "Direct uploads to the storage are not available. Use a resumable upload."
        )
    return store


def part_urls(*, identity: Identity, upload_id: object, numbers: object) -> list[PartUrl]:
    """Return the URLs for these parts. A client that asks for them continues the upload, so its expiry time starts
    again.
    """
    upload = _receiving(identity, upload_id)
    store = require_part_store()
    layout = layout_of(upload)
    wanted = layout.wanted(numbers)
    parts_id = upload.parts_id or _begin(store, upload)
    _prolong(upload)
    name = direct_name(upload.tenant_id, upload.id)
    with storage_errors():
        return [
            PartUrl(number, size, store.url(name, parts_id, number, size, lives_s=URL_LIVES_S))
            for number, size in ((number, layout.bytes_of(number)) for number in wanted)
        ]


def stored_parts(*, identity: Identity, upload_id: object) -> Sequence[StoredPart]:
    upload = _receiving(identity, upload_id)
    return _stored(require_part_store(), upload) or ()


def complete(*, identity: Identity, upload_id: object) -> Lease | None:
    """Take the turn to make a document of the upload. Return None if all bytes had come already and another process has
    that turn.
    """
    with unit_of_work(identity):
        upload = get_upload(upload_id)
        if upload.direct and upload.state in (State.CHECKING, State.READY, State.REJECTED):
            return None
        if (refusal := not_in_parts(seen(upload))) is not None:
            raise refusal
        store = require_part_store()
        turn = take(upload, 0, lease_s=JOINING_S)
        if turn is None:
            raise locked(max(seen(upload).locked_for_s, 1.0))
    try:
        _join(store, upload)
        with unit_of_work(turn.tenant_id):
            move_offset(turn, 0, upload.size_bytes)
    except BaseException:
        release(turn)
        raise
    return turn


def _receiving(identity: Identity, upload_id: object) -> ResumableUpload:
    with unit_of_work(identity):
        upload = get_upload(upload_id)
    if (refusal := not_in_parts(seen(upload))) is not None:
        raise refusal
    return upload


def _begin(store: PartStore, upload: ResumableUpload) -> str:
    """Begin the multipart upload in the storage. If two requests do so at once, the first one counts, and the other one
    is abandoned with the upload.
    """
    with storage_errors():
        parts_id = store.begin(direct_name(upload.tenant_id, upload.id))
    with unit_of_work(upload.tenant_id):
        mine = ResumableUpload.objects.filter(id=upload.id, state=State.RECEIVING, parts_id="")
        mine.update(parts_id=parts_id)
        now = get_upload(upload.id)
    if (refusal := not_in_parts(seen(now))) is not None:
        with storage_errors():
            store.abort(direct_name(upload.tenant_id, upload.id))
        raise refusal
    return now.parts_id


def _prolong(upload: ResumableUpload) -> None:
    with unit_of_work(upload.tenant_id):
        ResumableUpload.objects.filter(id=upload.id, state=State.RECEIVING, expires_at__gt=Now()).update(
            expires_at=Now() + timedelta(seconds=settings.MAAS_UPLOAD_EXPIRES_S)
        )


def _stored(store: PartStore, upload: ResumableUpload) -> Sequence[StoredPart] | None:
    if not upload.parts_id:
        return None
    with storage_errors():
        return store.stored(direct_name(upload.tenant_id, upload.id), upload.parts_id)


def _join(store: PartStore, upload: ResumableUpload) -> None:
    name, layout = direct_name(upload.tenant_id, upload.id), layout_of(upload)
    stored = _stored(store, upload)
    if stored is None and _is_joined(store, upload, name):
        return
    parts = {part.number: part for part in stored or ()}
    missing = layout.missing({number: part.size_bytes for number, part in parts.items()})
    if missing:
        raise PartsMissing(
            f"{len(missing)} of {layout.count} parts are missing or have the wrong size. Send them again.",
            extra={"missing": missing[:MAX_NAMED], "missing_total": len(missing)},
        )
    with storage_errors():
        store.join(name, upload.parts_id, [parts[number] for number in range(1, layout.count + 1)])
        if store.size(name) != upload.size_bytes:
            raise OSError(f"{name} has not the bytes of its parts")


def _is_joined(store: PartStore, upload: ResumableUpload, name: str) -> bool:
    """Return whether the file is joined already. If it is not, the storage has dropped the parts by itself, and new
    ones may be begun.
    """
    with storage_errors():
        if store.size(name) == upload.size_bytes:
            return True
    with unit_of_work(upload.tenant_id):
        ResumableUpload.objects.filter(id=upload.id, parts_id=upload.parts_id).update(parts_id="")
    return False
