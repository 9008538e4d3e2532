"""Reads of uploads that come in pieces. They always run inside a unit of work."""

from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, F, FloatField, Q, QuerySet
from django.db.models.functions import Coalesce, Extract, Now

from jobs.uploads.decisions import Seen
from jobs.uploads.models import ResumableUpload
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid


def uploads() -> "QuerySet[ResumableUpload]":
    """Return the uploads, each with the values that depend on the clock of the database."""
    return ResumableUpload.objects.annotate(
        overdue=ExpressionWrapper(Q(expires_at__lte=Now()), output_field=BooleanField()),
        locked_for_s=Coalesce(
            Extract(F("lease_until") - Now(), "epoch", output_field=FloatField()),
            0.0,
            output_field=FloatField(),
        ),
    ).order_by("-id")


def get_upload(upload_id: object) -> ResumableUpload:
    """Return the upload. Raises NotFound if it never existed or belongs to another tenant."""
    wanted = as_uuid(upload_id)
    upload = uploads().filter(id=wanted).first() if wanted else None
    if upload is None:
        raise NotFound(f"There is no upload {str(upload_id)[:60]!r}.")
    return upload


def seen(upload: Any) -> Seen:
    """Describe an upload that was read by this module."""
    return Seen(
        state=upload.state,
        offset_bytes=upload.offset_bytes,
        size_bytes=upload.size_bytes,
        pieces=getattr(upload, "pieces_stored", 0),
        overdue=upload.overdue,
        locked_for_s=upload.locked_for_s,
        for_model=upload.purpose == ResumableUpload.Purpose.MODEL,
    )


def with_pieces(upload: ResumableUpload) -> Seen:
    upload.pieces_stored = upload.pieces.aggregate(count=Count("id"))["count"]  # type: ignore[attr-defined]
    return seen(upload)
