"""Filters of jobs and pages. Each one is served by an index."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter, TextFilter

from inference.registry.models import ModelVersion
from jobs.core.models import Page

MAX_VERSIONS = 200


class VersionFilter(DropdownFilter):  # type: ignore[misc]  # the theme has no types
    """A filter by model version, which is how rollouts are watched. Because it compares for equality, the rows stay in
    the order of the index.
    """

    title = _("model version")
    parameter_name = "model_version__id__exact"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        versions = ModelVersion.objects.select_related("served_model")
        return [
            (str(one.pk), one.key)
            for one in versions.order_by("served_model__name", "-number")[:MAX_VERSIONS]
        ]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Page]") -> "QuerySet[Page]":
        chosen = self.value()
        return queryset.filter(model_version_id=int(chosen)) if chosen and chosen.isdecimal() else queryset


class WorkerFilter(TextFilter):  # type: ignore[misc]
    """A filter by the whole name of a worker."""

    title = _("worker")
    parameter_name = "worker"

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Page]") -> "QuerySet[Page]":
        name = self.value()
        return queryset.filter(worker=name) if name else queryset
