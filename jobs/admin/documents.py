"""The operator's view of documents: the tenant, the size and the number of pages. The content belongs to the tenant
alone.
"""

from collections.abc import Iterator

from django.contrib import admin
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from jobs.core.models import Document
from tenants.admin_base.columns import column
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import NOTHING, ago, link_to, list_link, size
from tenants.admin_base.records import RecordAdmin


@admin.register(Document)
class DocumentAdmin(RecordAdmin):
    search_help_text = _("Name, tenant or whole ID")
    list_display = ("named", "owner", "kind", "pages_total", "weighs", "work", "created", "deleted")
    list_filter = (
        ("tenant", AutocompleteSelectFilter),
        ("kind", ChoicesDropdownFilter),
        ("created_at", CreatedFilter),
        ("deleted_at", admin.EmptyFieldListFilter),
    )
    list_select_related = ("tenant",)
    ordering = ("-id",)
    fields = (
        "name",
        "owner",
        "kind",
        "content_type",
        "pages_total",
        "weighs",
        "work",
        "sha256",
        "livemode",
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

    @column(_("tenant"))
    def owner(self, document: Document) -> str:
        return link_to(document.tenant)

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
