"""The operator's view of pages: the worker that ran each, the number of tries, how it ended. Filters use indexes."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    ChoicesDropdownFilter,
    DropdownFilter,
    TextFilter,
)

from inference.registry.models import ModelVersion
from jobs.admin.records import WorkAdmin
from jobs.core.models import Page
from tenants.admin_base.columns import column
from tenants.admin_base.filters import CreatedFilter, ErrorCodeFilter, MomentsFilter
from tenants.admin_base.formatting import NOTHING, ago, between, link, link_to, list_link, short
from tenants.billing.dashboard.money import shown_money

MAX_VERSIONS = 200


class VersionFilter(DropdownFilter):  # type: ignore[misc]  # the theme has no types
    """A filter by model version, as for watching rollouts. It compares for equality, so rows keep the index's order."""

    title = _("model version")
    parameter_name = "model_version__id__exact"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        versions = ModelVersion.objects.select_related("served_model")
        return [
            (str(version.pk), version.key)
            for version in versions.order_by("served_model__name", "-number")[:MAX_VERSIONS]
        ]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Page]") -> "QuerySet[Page]":
        chosen = self.value()
        return queryset.filter(model_version_id=int(chosen)) if chosen and chosen.isdecimal() else queryset


class WorkerFilter(TextFilter):  # type: ignore[misc]
    title = _("worker")
    parameter_name = "worker"

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Page]") -> "QuerySet[Page]":
        name = self.value()
        return queryset.filter(worker=name) if name else queryset


class ReviewFilter(DropdownFilter):  # type: ignore[misc]
    title = _("to check")
    parameter_name = "needs_review"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, Any]]:
        return [("yes", _("To check")), ("no", _("Nothing to check"))]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Page]") -> "QuerySet[Page]":
        chosen = self.value()
        return queryset.filter(needs_review=chosen == "yes") if chosen in ("yes", "no") else queryset


@admin.register(Page)
class PageAdmin(WorkAdmin):
    id_fields = ("id", "tenant_id", "job_id")
    search_help_text = _("Whole ID or tenant")
    list_display = (
        "named",
        "state_badge",
        "job_link",
        "owner",
        "version",
        "where",
        "attempt",
        "took",
        "quality_share",
        "review",
        "error",
        "created",
    )
    list_filter = (
        ("state", ChoicesDropdownFilter),
        VersionFilter,
        ("tenant", AutocompleteSelectFilter),
        ErrorCodeFilter,
        ReviewFilter,
        WorkerFilter,
        ("created_at", CreatedFilter),
        ("finished_at", MomentsFilter),
    )
    list_select_related = ("tenant", "model_version__served_model")
    fieldsets = (
        (None, {"fields": ("job_link", "number", "state_badge", "owner", "version", "cost", "usage")}),
        (
            "Run",
            {
                "fields": (
                    "where",
                    "attempt",
                    "started_at",
                    "finished_at",
                    "took",
                    "cached",
                    "result_at",
                    "quality_share",
                    "review",
                )
            },
        ),
        ("Error", {"fields": ("error_code", "error_detail")}),
        ("Queue", {"fields": ("run_after", "renotify_at", "lease_until", "lease_token")}),
        ("Record", {"fields": ("id", "created_at")}),
    )

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Page]":
        found: QuerySet[Page] = super().get_queryset(request)
        return found.defer("result")

    @column(_("page"), order_by="id")
    def named(self, page: Page) -> str:
        return f"page {page.number}"

    @column(_("job"))
    def job_link(self, page: Page) -> str:
        return link("jobs_job", page.job_id, short(page.job_id))

    @column(_("model"))
    def version(self, page: Page) -> str:
        return link_to(page.model_version)

    @column(_("worker"))
    def where(self, page: Page) -> str:
        return list_link("jobs_page", page.worker, worker=page.worker) if page.worker else NOTHING

    @column(_("run time"))
    def took(self, page: Page) -> str:
        return between(page.started_at, page.finished_at)

    @column(_("quality"))
    def quality_share(self, page: Page) -> str:
        return NOTHING if page.quality is None else f"{page.quality:.2f}"

    @column(_("to check"))
    def review(self, page: Page) -> str:
        return str(_("to check")) if page.needs_review else NOTHING

    @column(_("cost"))
    def cost(self, page: Page) -> str:
        return shown_money(page.cost_micros, page.job.currency)

    @column(_("usage"))
    def usage(self, page: Page) -> str:
        return list_link("tenants_usagerecord", "Usage record", q=page.pk)

    @column(_("error"))
    def error(self, page: Page) -> str:
        return list_link("jobs_page", page.error_code, error_code=page.error_code) if page.error_code else NOTHING

    @column(_("accepted"), order_by="id")
    def created(self, page: Page) -> str:
        return ago(page.created_at)
