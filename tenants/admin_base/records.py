"""The operator's view of what the product wrote: read-only, searched by id or name, counted up to a limit."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from copy import copy
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin import ShowFacets
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin, checkbox
from unfold.views import ChangeList

from tenants.accounts.models import Membership, Tenant
from tenants.admin_base.audited import audit_action, audit_deletion, audit_form, with_values
from tenants.admin_base.columns import column
from tenants.core.db.unit_of_work import OPERATOR, operator_entry
from tenants.core.ids import as_uuid

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

SOME_TENANTS = 20
_VALUE = "the-value-of-a-row"
FIELD_LABELS = {
    "id": _("ID"),
    "event_id": _("Event ID"),
    "request_id": _("Request ID"),
    "source_id": _("Source ID"),
    "object_id": _("Object ID"),
    "input_file_id": _("Input file ID"),
    "output_file_id": _("Output file ID"),
    "error_file_id": _("Error file ID"),
    "sha256": _("SHA-256"),
    "url": _("URL"),
    "tax_rate_bp": _("Tax rate in hundredths of a percent"),
    "is_active": _("Active"),
}
"""The labels of fields whose names are abbreviations."""


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """A paginator that counts rows only up to a limit. Postgres would count a table of events too long."""

    MAX_ROWS = 10_000
    template_name = "admin/bounded_pagination.html"

    @cached_property
    def count(self) -> int:
        return min(self._counted, self.MAX_ROWS)

    @property
    def counted(self) -> str:
        return f"{self.MAX_ROWS:,}+" if self._counted > self.MAX_ROWS else f"{self._counted:,}"

    @cached_property
    def _counted(self) -> int:
        rows = cast("QuerySet[Any]", self.object_list).order_by()
        return rows[: self.MAX_ROWS + 1].count()


class BoundedChangeList(ChangeList):  # type: ignore[misc]  # the theme has no types
    """A list without a count of all rows. The theme compares with such a count, which is not made here."""

    def __init__(self, request: HttpRequest, model: Any, *more: Any, **named: Any) -> None:
        """Use the name of the list as its title, so that the page, the menu and the breadcrumbs agree."""
        super().__init__(request, model, *more, **named)
        if not self.is_popup:
            self.opts = self.model_admin.opts
            self.title = self.model_admin.list_title or capfirst(self.opts.verbose_name_plural)

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        capped = self.result_count >= BoundedPaginator.MAX_ROWS
        if capped or not (self.query or self.has_active_filters):
            self.full_result_count = self.result_count


@cache
def _checkbox_around_value() -> tuple[str, str]:
    """Return the HTML around the value of a checkbox. It is rendered once, because rendering it for each row would
    take half the time of a list.
    """
    before, after = str(checkbox.render(ACTION_CHECKBOX_NAME, _VALUE)).split(_VALUE)
    return before, after


class OperatorAdmin(ModelAdmin):  # type: ignore[misc]  # the theme has no types
    """The settings and methods that all lists share."""

    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 0
    # A count beside each choice of a filter would read the whole table for each choice.
    show_facets = ShowFacets.NEVER
    list_filter_submit = True
    list_fullwidth = True
    list_disable_select_all = True
    compressed_fields = True

    list_title: "StrOrPromise" = ""
    """The title of the list, if it differs from the plural of the model."""
    row_names: "tuple[StrOrPromise, StrOrPromise] | None" = None
    """The singular and the plural of the rows, if they differ from those of the model, which may not be ours."""
    change_form_outer_before_template = "admin/row_actions.html"
    one_transaction = True
    """A flag that puts an action and its log entries into one transaction."""

    def __init__(self, model: type[Model], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        if self.row_names:
            self.opts = copy(model._meta)
            self.opts.verbose_name, self.opts.verbose_name_plural = self.row_names

    def get_form(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Return the form with labels that a person reads, also for fields that are only shown."""
        own = getattr(getattr(self.form, "_meta", None), "labels", None) or {}
        return super().get_form(request, obj, **{"labels": {**FIELD_LABELS, **own}, **kwargs})

    @column(_("mode"), order_by="livemode")
    def mode(self, row: Any) -> str:
        return "live" if row.livemode else "test"

    def row_actions(self, row: Any) -> list[str]:
        """Return the actions of the list that make sense for this row. They are offered on its page too."""
        return []

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Mapping[str, Any] | None = None,
    ) -> HttpResponse:
        says_more = type(self).row_actions is not OperatorAdmin.row_actions
        row = self.get_object(request, object_id) if says_more else None
        more = self.more(request, row) if row is not None else {}
        answer = super().change_view(request, object_id, form_url, {**(extra_context or {}), **more})
        return cast("HttpResponse", answer)

    def more(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return what the page of a row shows in addition to its fields."""
        allowed = self.get_actions(request)
        offered = [(name, allowed[name][2]) for name in self.row_actions(row) if name in allowed]
        meta = self.opts
        act_at = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        return {"offered": offered, "act_at": act_at, "notice": self.notice(row)}

    def notice(self, row: Any) -> str:
        """Return a sentence to show above the row, or nothing."""
        return ""

    @admin.display(description=ModelAdmin.action_checkbox.short_description)
    def action_checkbox(self, obj: Model) -> SafeString:
        before, after = _checkbox_around_value()
        return mark_safe(f"{before}{escape(obj.pk)}{after}")  # noqa: S308  # only the value does not come from the theme

    def response_action(self, request: HttpRequest, queryset: "QuerySet[Any]") -> HttpResponse | None:
        """Run an action only on rows that were seen, never on all rows that a filter would find."""
        if request.POST.get("select_across") == "1":
            self.message_user(request, _("Nothing was changed. Select the rows one by one."), messages.ERROR)
            return None
        with transaction.atomic(using=OPERATOR) if self.one_transaction else nullcontext():
            answer: HttpResponse | None = super().response_action(request, queryset)
        return answer

    services_tell = False
    """A flag that is true if the services behind its actions record them in the tenant's audit log."""

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        audit_form(form, formsets or (), add=add)
        return with_values(super().construct_change_message(request, form, formsets, add), form)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Log a change. A message that is a text describes an action. Any other message describes a form, whose
        changes are recorded elsewhere.
        """
        if isinstance(message, str) and not self.services_tell:
            audit_action(obj, message)
        with operator_entry():
            return super().log_change(request, obj, message)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        audit_deletion(obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        for row in queryset:
            audit_deletion(row)
        super().delete_queryset(request, queryset)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[BoundedChangeList]:
        return BoundedChangeList

    def in_words(self, row: Any) -> str:
        """Name a row for a person who must confirm an action on it."""
        return str(row)

    def url_of(self, row: Model) -> str:
        meta = self.opts
        return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])


class FoundById(OperatorAdmin):
    """A list that is searched by whole ids and beginnings of names, which have indexes."""

    id_fields: tuple[str, ...] = ("id", "tenant_id")
    search_fields = ("id",)
    search_help_text = _("Whole ID, tenant or email")

    def get_search_results(
        self, request: HttpRequest, queryset: "QuerySet[Any]", search_term: str
    ) -> "tuple[QuerySet[Any], bool]":
        term = search_term.strip()
        if not term:
            return queryset, False
        for matches in self.candidates(term):
            found = queryset.filter(matches)
            if found.order_by()[:1].exists():
                return found, False
        return queryset.none(), False

    def candidates(self, term: str) -> Iterator[Q]:
        """Yield the possible meanings of the term, likeliest first, each to be tried with its own index."""
        wanted = as_uuid(term)
        if wanted is None:
            yield from self.begins_with(term)
        else:
            yield from (Q(**{name: wanted}) for name in self.id_fields)

    def begins_with(self, term: str) -> Iterator[Q]:
        if "tenant_id" in self.id_fields and (tenants := tenants_named(term)):
            yield Q(tenant_id__in=tenants)


def tenants_named(term: str) -> list[UUID]:
    if "@" in term:
        members = Membership.objects.filter(user__email=term.lower())
        return list(members.values_list("tenant_id", flat=True)[:SOME_TENANTS])
    return list(Tenant.objects.filter(name__istartswith=term).values_list("id", flat=True)[:SOME_TENANTS])


class ReadOnly:
    """Rows that nobody adds, changes or deletes here."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class RecordAdmin(ReadOnly, FoundById):
    """A list of what the product itself wrote."""
