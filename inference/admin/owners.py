"""What the lists of models have in common: the owner of a row, and actions that are recorded with what they do."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from inference.registry.owners import owner_work
from tenants.admin_base.acts import ActsOnEach
from tenants.admin_base.columns import column
from tenants.admin_base.formatting import link_to

Show = Callable[[Any, Any], str]


def once(show: Show) -> Show:
    """Look a value up once for each row, because the page of a row shows its fields several times."""

    @wraps(show)
    def shown(self: Any, row: Any) -> str:
        known: dict[str, str] = row.__dict__.setdefault("_shown", {})
        if show.__name__ not in known:
            known[show.__name__] = show(self, row)
        return known[show.__name__]

    return shown


class OwnerFilter(admin.SimpleListFilter):
    """A filter for the models of the installation or those of accounts."""

    title = _("owner")
    parameter_name = "owner"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("installation", _("Installation")), ("accounts", _("Accounts"))]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        chosen = self.value()
        return queryset if chosen is None else queryset.filter(tenant__isnull=chosen == "installation")


class OwnedAdmin(ActsOnEach):
    """A list of rows of the installation and of accounts."""

    with_rows: tuple[str, ...] = ("tenant",)
    """The rows that a page shows with its own."""
    services_tell = True

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        found: QuerySet[Any] = super().get_queryset(request)
        return found.select_related(*self.with_rows)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row. A page that is only viewed asks for its row twice and gets the same object."""
        shown = getattr(request, "row_shown", None)
        if shown is not None and request.method == "GET" and str(shown.pk) == unquote(object_id):
            return shown
        row = super().get_object(request, object_id, from_field)
        request.row_shown = row  # type: ignore[attr-defined]
        return row

    @column(_("owner"))
    def owner(self, row: Any) -> str:
        return link_to(row.tenant) if row.tenant_id else "installation"

    def transaction_of(self, row: Any) -> AbstractContextManager[Any]:
        return owner_work(row.tenant_id)
