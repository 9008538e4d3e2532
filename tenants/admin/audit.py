"""The log of all changes and actions of operators in the admin. Nobody can edit it here."""

from collections.abc import Iterator

from django.contrib import admin
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    DropdownFilter,
    RangeDateTimeFilter,
    RelatedDropdownFilter,
)

from tenants.admin_base.columns import column
from tenants.admin_base.formatting import ago, link_to
from tenants.admin_base.records import RecordAdmin

DONE = {ADDITION: "added", CHANGE: "changed", DELETION: "deleted"}


class DoneFilter(DropdownFilter):  # type: ignore[misc]
    title = _("action")
    parameter_name = "action_flag"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(str(flag), words) for flag, words in DONE.items()]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[LogEntry]") -> "QuerySet[LogEntry]":
        flag = self.value()
        return queryset.filter(action_flag=int(flag)) if flag in map(str, DONE) else queryset


@admin.register(LogEntry)
class LogEntryAdmin(RecordAdmin):
    list_title = _("Audit log")
    search_help_text = _("Email of the operator or whole ID")
    list_display = ("when", "person", "done", "what", "message")
    list_filter = (
        ("user", AutocompleteSelectFilter),
        DoneFilter,
        ("content_type", RelatedDropdownFilter),
        ("action_time", RangeDateTimeFilter),
    )
    list_select_related = ("user", "content_type")
    ordering = ("-id",)
    fields = ("action_time", "user", "done", "what", "message", "object_id")

    def candidates(self, term: str) -> Iterator[Q]:
        yield Q(user__email=term.lower()) if "@" in term else Q(object_id=term)

    @column(_("time"), order_by="action_time")
    def when(self, entry: LogEntry) -> str:
        return ago(entry.action_time)

    @column(_("operator"))
    def person(self, entry: LogEntry) -> str:
        return link_to(entry.user)

    @column(_("action"))
    def done(self, entry: LogEntry) -> str:
        return DONE[entry.action_flag]

    @column(_("object"))
    def what(self, entry: LogEntry) -> str:
        kind = entry.content_type.name if entry.content_type else "worker"
        url = None if entry.is_deletion() else entry.get_admin_url()
        if url is None:
            return f"{kind} {entry.object_repr}"
        return format_html('{} <a class="ln" href="{}">{}</a>', kind, url, entry.object_repr)

    @column(_("details"))
    def message(self, entry: LogEntry) -> str:
        return entry.get_change_message()
