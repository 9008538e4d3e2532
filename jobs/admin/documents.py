"""The operator's view of documents and archives: tenant, size, progress. Contents and names in archives stay hidden."""

from collections.abc import Iterator

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from jobs.admin.records import WorkAdmin
from jobs.core import archive_states as states
from jobs.core.models import Document
from jobs.core.models.archives import Archive
from jobs.core.priorities import NAMES
from tenants.admin_base.columns import column, two_lines
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import NOTHING, ago, between, list_link, short, size


@admin.register(Document)
class DocumentAdmin(WorkAdmin):
    search_help_text = _("Name, tenant or whole ID")
    list_display = ("named", "owner", "kind", "pages_total", "weighs", "work", "created", "deleted")
    list_filter = (
        ("tenant", AutocompleteSelectFilter),
        ("kind", ChoicesDropdownFilter),
        ("created_at", CreatedFilter),
        ("deleted_at", admin.EmptyFieldListFilter),
    )
    fields = (
        "name",
        "owner",
        "kind",
        "content_type",
        "pages_total",
        "weighs",
        "work",
        "sha256",
        "mode",
        "id",
        "created_at",
        "deleted_at",
    )

    def begins_with(self, term: str) -> Iterator[Q]:
        yield Q(name__istartswith=term)
        yield from super().begins_with(term)

    @column(_("document"), order_by="id")
    def named(self, document: Document) -> str:
        return document.name or "erased"

    @column(_("size"))
    def weighs(self, document: Document) -> str:
        return size(document.size_bytes)

    @column(_("jobs"))
    def work(self, document: Document) -> str:
        return list_link("jobs_job", "jobs", document__id__exact=document.pk)

    @column(_("uploaded"), order_by="id")
    def created(self, document: Document) -> str:
        return ago(document.created_at)

    @column(_("deleted"), order_by="deleted_at")
    def deleted(self, document: Document) -> str:
        return ago(document.deleted_at) if document.deleted_at else NOTHING


@admin.register(Archive)
class ArchiveAdmin(WorkAdmin):
    list_display = ("named", "state_badge", "opened", "owner", "model", "weighs", "ran", "created")
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("tenant", AutocompleteSelectFilter),
        ("created_at", CreatedFilter),
    )
    fields = (
        "id",
        "name",
        "state_badge",
        "error_code",
        "waiting_code",
        "opened",
        "owner",
        "model",
        "urgency",
        "weighs",
        "sha256",
        "attempt",
        "worker",
        "run_after",
        "mode",
        "request_id",
        "ran",
        "created_at",
        "finished_at",
    )

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Archive]":
        entries = Count("entries")
        waiting = Count("entries", filter=Q(entries__state=states.WAITING))
        failed = Count("entries", filter=Q(entries__state=states.FAILED))
        found: QuerySet[Archive] = super().get_queryset(request)
        return found.annotate(entries_total=entries, entries_waiting=waiting, entries_failed=failed)

    @column(_("archive"), order_by="id")
    def named(self, archive: Archive) -> str:
        return two_lines(archive.name, short(archive.id))

    @column(_("files"))
    def opened(self, archive: Archive) -> str:
        total, waiting, failed = (int(getattr(archive, f"entries_{name}")) for name in ("total", "waiting", "failed"))
        return f"{total - waiting:,} / {total:,}{f', {failed:,} failed' if failed else ''}"

    @column(_("priority"))
    def urgency(self, archive: Archive) -> str:
        return NAMES[archive.priority] if archive.model else NOTHING

    @column(_("size"))
    def weighs(self, archive: Archive) -> str:
        return size(archive.size_bytes)

    @column(_("duration"))
    def ran(self, archive: Archive) -> str:
        return between(archive.created_at, archive.finished_at)

    @column(_("uploaded"), order_by="id")
    def created(self, archive: Archive) -> str:
        return ago(archive.created_at)
