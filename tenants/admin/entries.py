"""The operator's view of the audit logs of all accounts, with the names of the operators. Nobody can edit it."""

from collections.abc import Iterator

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter, DropdownFilter

from tenants.accounts.models import User
from tenants.admin_base.columns import column, two_lines
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import NOTHING, ago, link, link_to
from tenants.admin_base.records import RecordAdmin
from tenants.audit.acting import KEY
from tenants.audit.actions import KINDS
from tenants.audit.entry_display import EntryDisplay
from tenants.audit.models import AuditEntry


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
        return two_lines(EntryDisplay(entry).did, entry.note) if entry.note else EntryDisplay(entry).did

    @column(_("object"))
    def subject(self, entry: AuditEntry) -> str:
        return entry.subject_name or entry.subject_id or NOTHING

    @column(_("changes"))
    def values(self, entry: AuditEntry) -> str:
        return (
            "; ".join(f"{name}: {before} → {after}" for name, before, after in EntryDisplay(entry).changes)
            or NOTHING
        )
