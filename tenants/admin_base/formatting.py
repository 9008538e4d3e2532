"""The format of moments, durations and things in the operator's lists."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import Model
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from tenants.core.durations import age, duration

NOTHING = mark_safe('<span class="none">–</span>')


def between(start: datetime | None, end: datetime | None) -> str:
    return duration((end - start).total_seconds()) if start and end else NOTHING


def at(moment: datetime) -> str:
    """Write the moment itself in UTC, like logs, in Django's format for the fields of a row."""
    return str(date_format(moment.astimezone(UTC), "DATETIME_FORMAT"))


def ago(moment: datetime | None) -> SafeString | str:
    """Write the time that has passed since a moment. The moment itself is shown on hover."""
    if moment is None:
        return NOTHING
    since = timezone.now() - moment
    text = "just now" if since < timedelta(seconds=5) else f"{age(since.total_seconds())} ago"
    return format_html(
        '<time datetime="{}" title="{}" class="nowrap">{}</time>',
        moment.isoformat(timespec="seconds"),
        at(moment),
        text,
    )


def size(size_bytes: int) -> str:
    return str(filesizeformat(size_bytes)).replace("\xa0", " ")


def short(identifier: UUID) -> str:
    """Return the end of an identifier. Its beginning is the time, which is the same for all identifiers of a day."""
    return f"…{str(identifier)[-8:]}"


def link(name: str, pk: object, text: object) -> SafeString | str:
    """Write a link to the page of one row; `name` is `app_model`."""
    return format_html('<a class="ln" href="{}">{}</a>', reverse(f"admin:{name}_change", args=[pk]), text)


def link_to(row: Model | None, text: object = None) -> SafeString | str:
    if row is None:
        return NOTHING
    return link(f"{row._meta.app_label}_{row._meta.model_name}", row.pk, text or row)


def list_link(name: str, text: object, **filters: object) -> SafeString:
    """Write a link to a list that shows only some of its rows."""
    return format_html('<a class="ln" href="{}">{}</a>', reverse(f"admin:{name}_changelist", query=filters), text)
