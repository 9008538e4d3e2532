"""The operator's view of archives: the tenant, the progress, and the reason for a wait. Names of the files in them are
not shown.
"""

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from jobs.archives import states
from jobs.archives.models import Archive
from jobs.core.priorities import NAMES
from tenants.admin_base.columns import badge, column, two_lines
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import NOTHING, ago, between, link_to, short, size
from tenants.admin_base.records import RecordAdmin


@admin.register(Archive)
class ArchiveAdmin(RecordAdmin):
    search_help_text = _("Tenant or whole ID")
    list_display = ("named", "state_badge", "opened", "owner", "model", "weighs", "ran", "created")
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("tenant", AutocompleteSelectFilter),
        ("created_at", CreatedFilter),
    )
    list_select_related = ("tenant",)
    ordering = ("-id",)
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
        "livemode",
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

    @column(_("state"))
    def state_badge(self, archive: Archive) -> str:
        return badge(archive.state)

    @column(_("files"))
    def opened(self, archive: Archive) -> str:
        total, waiting, failed = (
            int(getattr(archive, f"entries_{name}")) for name in ("total", "waiting", "failed")
        )
        return f"{total - waiting:,} / {total:,}{f', {failed:,} failed' if failed else ''}"

    @column(_("tenant"))
    def owner(self, archive: Archive) -> str:
        return link_to(archive.tenant)

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
