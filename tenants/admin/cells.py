"""The operator's view of accounts whose home is another cell, and of what the control cell's export has changed."""

from collections.abc import Iterator

from django.contrib import admin
from django.db.models import Q
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from tenants.admin_base.columns import badge, column
from tenants.admin_base.formatting import ago
from tenants.admin_base.records import RecordAdmin
from tenants.cells.models import CellChange, DirectoryEntry


@admin.register(DirectoryEntry)
class DirectoryEntryAdmin(RecordAdmin):
    """Accounts of other cells. Nothing of theirs is here but the name."""

    id_fields = ("id",)
    search_help_text = _("Whole ID or beginning of the name")
    list_display = ("name", "home", "state_badge", "id")
    list_filter = (("state", ChoicesDropdownFilter), ("home", admin.AllValuesFieldListFilter))
    ordering = ("name", "id")
    fields = ("id", "name", "home", "state")

    @column(_("state"), order_by="state")
    def state_badge(self, entry: DirectoryEntry) -> str:
        return badge(entry.state)

    def begins_with(self, term: str) -> Iterator[Q]:
        yield Q(name__istartswith=term)


@admin.register(CellChange)
class CellChangeAdmin(RecordAdmin):
    """Changes that were made in this cell because the control cell's export says so."""

    id_fields = ()
    search_help_text = _("Beginning of the code of a plan or the name of a model")
    list_display = ("when", "part", "text", "cell", "version")
    list_filter = (("kind", ChoicesDropdownFilter),)
    ordering = ("-id",)
    fields = ("at", "kind", "key", "changes", "cell", "version")

    @column(_("time"), order_by="at")
    def when(self, change: CellChange) -> SafeString | str:
        return ago(change.at)

    @column(_("changed"))
    def part(self, change: CellChange) -> SafeString:
        return format_html("{} {}", change.kind, change.key)

    @column(_("changes"))
    def text(self, change: CellChange) -> str:
        return change.changes if len(change.changes) <= SHOWN else f"{change.changes[:SHOWN]} …"

    def begins_with(self, term: str) -> Iterator[Q]:
        yield Q(key__istartswith=term)


SHOWN = 200
