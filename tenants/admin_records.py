"""How the operator looks at what the product itself wrote: read-only, found by id, counted only so far."""

from functools import cached_property
from typing import Any, cast
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """To count a table of events takes Postgres longer than an operator waits."""

    MOST_ROWS = 10_000

    @cached_property
    def count(self) -> int:
        rows = cast("QuerySet[Any]", self.object_list).order_by()
        return rows[: self.MOST_ROWS].count()


class FoundById(admin.ModelAdmin):  # type: ignore[type-arg]
    """Search takes ids alone: each has an index, where words would read every tenant's rows."""

    id_fields: tuple[str, ...] = ("id", "tenant_id")
    search_fields = ("id",)
    search_help_text = "A whole id: of a row, or of its tenant."
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50

    def get_search_results(
        self, request: HttpRequest, queryset: "QuerySet[Any]", search_term: str
    ) -> "tuple[QuerySet[Any], bool]":
        if not search_term.strip():
            return queryset, False
        try:
            wanted = UUID(search_term.strip())
        except ValueError:
            return queryset.none(), False
        matches = Q()
        for name in self.id_fields:
            matches |= Q(**{name: wanted})
        return queryset.filter(matches), False


class RecordAdmin(FoundById):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
