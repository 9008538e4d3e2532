"""The operator's view of pages: the worker that ran each, the number of tries, and how it ended."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from jobs.admin.filters import VersionFilter, WorkerFilter
from jobs.core.models import Page
from tenants.admin_base.columns import badge, column
from tenants.admin_base.filters import CreatedFilter, ErrorCodeFilter, MomentsFilter
from tenants.admin_base.formatting import NOTHING, ago, between, link, link_to, list_link, short
from tenants.admin_base.records import RecordAdmin
from tenants.billing.dashboard.money import shown_money


@admin.register(Page)
class PageAdmin(RecordAdmin):
    id_fields = ("id", "tenant_id", "job_id")
    search_help_text = "Whole id, or tenant"
    list_display = (
        "named",
        "state_badge",
        "job_link",
        "owner",
        "version",
        "where",
        "attempt",
        "took",
        "error",
        "created",
    )
    list_filter = (
        ("state", ChoicesDropdownFilter),
        VersionFilter,
        ("tenant", AutocompleteSelectFilter),
        ErrorCodeFilter,
        WorkerFilter,
        ("created_at", CreatedFilter),
        ("finished_at", MomentsFilter),
    )
    list_select_related = ("tenant", "model_version__served_model")
    ordering = ("-id",)
    fieldsets = (
        (None, {"fields": ("job_link", "number", "state_badge", "owner", "version", "cost", "usage")}),
        (
            "Where it ran",
            {"fields": ("where", "attempt", "started_at", "finished_at", "took", "cached", "result_at")},
        ),
        ("How it failed", {"fields": ("error_code", "error_detail")}),
        ("In the queue", {"fields": ("run_after", "wake_again_at", "lease_until", "lease_token")}),
        ("Row", {"fields": ("id", "created_at")}),
    )

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Page]":
        found: QuerySet[Page] = super().get_queryset(request)
        return found.defer("result")

    @column("page", order_by="id")
    def named(self, page: Page) -> str:
        return f"page {page.number}"

    @column("state")
    def state_badge(self, page: Page) -> str:
        return badge(page.state)

    @column("job")
    def job_link(self, page: Page) -> str:
        return link("jobs_job", page.job_id, short(page.job_id))

    @column("tenant")
    def owner(self, page: Page) -> str:
        return link_to(page.tenant)

    @column("model")
    def version(self, page: Page) -> str:
        return link_to(page.model_version)

    @column("worker")
    def where(self, page: Page) -> str:
        return list_link("jobs_page", page.worker, worker=page.worker) if page.worker else NOTHING

    @column("took")
    def took(self, page: Page) -> str:
        return between(page.started_at, page.finished_at)

    @column("cost")
    def cost(self, page: Page) -> str:
        return shown_money(page.cost_micros, page.job.currency)

    @column("usage")
    def usage(self, page: Page) -> str:
        return list_link("tenants_usagerecord", "its usage record", q=page.pk)

    @column("error")
    def error(self, page: Page) -> str:
        return (
            list_link("jobs_page", page.error_code, error_code=page.error_code)
            if page.error_code
            else NOTHING
        )

    @column("accepted", order_by="id")
    def created(self, page: Page) -> str:
        return ago(page.created_at)
