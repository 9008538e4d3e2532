"""Filters that use an index: a time of creation is a range of the time-ordered key."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.contrib.messages import get_messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import RangeDateTimeFilter, TextFilter

from tenants.core.ids import first_id_at


class MomentsFilter(RangeDateTimeFilter):  # type: ignore[misc]  # the theme has no types
    """A filter for the time between two moments (UTC). A date without a time means its midnight."""

    def bounds(self, comparison: str, moment: datetime) -> dict[str, object]:
        return {f"{self.field_path}__{comparison}": moment}

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        first, last = self._moment(request, "from"), self._moment(request, "to")
        if first:
            queryset = queryset.filter(**self.bounds("gte", first))
        return queryset.filter(**self.bounds("lt", last)) if last else queryset

    def _moment(self, request: HttpRequest, end: str) -> datetime | None:
        """Return the moment. An invalid moment sets no bound, and a warning above the list says so."""
        day = self.used_parameters.get(f"{self.parameter_name}_{end}_0") or ""
        hour = self.used_parameters.get(f"{self.parameter_name}_{end}_1") or "00:00"
        if not day:
            return None
        try:
            return datetime.fromisoformat(f"{day} {hour}").replace(tzinfo=UTC)
        except ValueError:
            _warn_once(request, f"“{day} {hour}” is not a valid date and time. Use 2026-01-31 and 14:00.")
            return None


def _warn_once(request: HttpRequest, text: str) -> None:
    """Show a warning only once, because a list evaluates its filters more than once."""
    if text not in {str(message) for message in getattr(get_messages(request), "_queued_messages", ())}:
        messages.warning(request, text)


class CreatedFilter(MomentsFilter):
    """A filter by the time-ordered key, which has the index."""

    def bounds(self, comparison: str, moment: datetime) -> dict[str, object]:
        return {f"id__{comparison}": first_id_at(moment)}


class ErrorCodeFilter(TextFilter):  # type: ignore[misc]
    """A filter for one whole error code, as it is stored in the column."""

    title = _("error code")
    parameter_name = "error_code"

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        code = self.value()
        return queryset.filter(error_code=code) if code else queryset
