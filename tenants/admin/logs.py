"""The log of what operators did in the admin, and the audit logs of all accounts. Nobody can edit them here."""

from collections.abc import Iterator

from django.contrib import admin
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    ChoicesDropdownFilter,
    DropdownFilter,
    RangeDateTimeFilter,
    RelatedDropdownFilter,
)

from tenants.accounts.models import User
from tenants.admin_base.columns import column, two_lines
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import NOTHING, ago, link, link_to
from tenants.admin_base.records import RecordAdmin
from tenants.audit.acting import KEY
from tenants.audit.actions import KINDS
from tenants.audit.entry_display import EntryDisplay
from tenants.audit.models import AuditEntry

DONE = {ADDITION: "added", CHANGE: "changed", DELETION: "deleted"}


class DoneFilter(DropdownFilter):  # type: ignore[misc]
    title = _("action")
    parameter_name = "action_flag"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(str(flag), title) for flag, title in DONE.items()]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[LogEntry]") -> "QuerySet[LogEntry]":
        flag = self.value()
        return queryset.filter(action_flag=int(flag)) if flag in map(str, DONE) else queryset


@admin.register(LogEntry)
class LogEntryAdmin(RecordAdmin):
    list_title = _("Audit log")
    row_names = (_("audit log entry"), _("audit log entries"))
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


class KindFilter(DropdownFilter):  # type: ignore[misc]
    title = _("changed object")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return list(KINDS.items())

    def queryset(self, request: HttpRequest, queryset: "QuerySet[AuditEntry]") -> "QuerySet[AuditEntry]":
        kind = self.value()
        return queryset.filter(action__startswith=f"{kind}.") if kind in KINDS else queryset


@admin.register(AuditEntry)
class AuditEntryAdmin(RecordAdmin):
    id_fields = ("id", "tenant_id", "actor_id", "subject_id")
    search_help_text = _("Tenant, email or whole ID of an entry, actor or changed object")
    list_display = ("when", "owner", "who", "did", "subject", "address")
    list_filter = (
        ("tenant", AutocompleteSelectFilter),
        KindFilter,
        ("actor_kind", ChoicesDropdownFilter),
        ("at", CreatedFilter),
    )
    ordering = ("-id",)
    fields = (
        "at",
        "owner",
        "who",
        "actor_kind",
        "behalf_of",
        "did",
        "action",
        "subject",
        "values",
        "note",
        "address",
        "user_agent",
        "request_id",
        "id",
    )

    def get_queryset(self, request: HttpRequest) -> "QuerySet[AuditEntry]":
        people = User.objects.filter(id=OuterRef("actor_id")).values("email")[:1]
        rows: QuerySet[AuditEntry] = super().get_queryset(request)
        return rows.select_related("tenant").annotate(person=Subquery(people))

    def begins_with(self, term: str) -> Iterator[Q]:
        if "@" in term:
            yield Q(actor_id__in=User.objects.filter(email=term.lower()).values("id"))
        yield from super().begins_with(term)

    @column(_("time"), order_by="id")
    def when(self, entry: AuditEntry) -> str:
        return ago(entry.at)

    @column(_("tenant"))
    def owner(self, entry: AuditEntry) -> str:
        return link_to(entry.tenant)

    @column(_("actor"))
    def who(self, entry: AuditEntry) -> str:
        person: str | None = getattr(entry, "person", None)
        if person is not None:
            return link("tenants_user", entry.actor_id, person)
        name = entry.actor_name or entry.actor_kind
        return link("tenants_apikey", entry.actor_id, name) if entry.actor_kind == KEY else name

    @column(_("action"))
    def did(self, entry: AuditEntry) -> str:
        return two_lines(EntryDisplay(entry).action_text, entry.note) if entry.note else EntryDisplay(entry).action_text

    @column(_("object"))
    def subject(self, entry: AuditEntry) -> str:
        return entry.subject_name or entry.subject_id or NOTHING

    @column(_("changes"))
    def values(self, entry: AuditEntry) -> str:
        return (
            "; ".join(f"{name}: {before} → {after}" for name, before, after in EntryDisplay(entry).changes) or NOTHING
        )
