"""The operator's view of documents, jobs, pages and events: what went where and how it fared.

What a document says (texts sent inline, results, files) is the tenant's alone and is not shown here.
"""

from typing import Any

import redis
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from jobs.dispatch.workers import WorkerReport, live_workers
from jobs.errors import JobFinished
from jobs.models import Document, Event, Job, Page
from jobs.services import cancel_job
from tenants.admin_records import RecordAdmin
from tenants.billing.prices import display
from tenants.identity import Identity, all_scopes
from tenants.selectors import effective_limits


@admin.register(Document)
class DocumentAdmin(RecordAdmin):
    list_display = ("name", "tenant", "kind", "pages_total", "size_bytes", "created_at", "deleted_at")
    list_filter = ("kind", ("deleted_at", admin.EmptyFieldListFilter))
    list_select_related = ("tenant",)
    ordering = ("-id",)
    readonly_fields = ("id", "tenant", "created_at")


@admin.register(Job)
class JobAdmin(RecordAdmin):
    id_fields = ("id", "tenant_id", "document_id")
    search_help_text = "A whole id: of a job, its tenant or its document."
    list_display = ("id", "tenant", "model_version", "state", "pages", "cost", "error_code", "created_at")
    list_filter = ("state", "model_version__served_model")
    list_select_related = ("tenant", "model_version__served_model")
    ordering = ("-id",)
    exclude = ("input",)
    readonly_fields = ("id", "tenant", "cost", "created_at", "more")
    actions = ("cancel",)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Job]":
        return super().get_queryset(request).defer("input")

    def get_urls(self) -> list[URLPattern]:
        workers = path("workers/", self.admin_site.admin_view(workers_page), name="jobs_workers")
        return [workers, *super().get_urls()]

    @admin.display(description="pages done")
    def pages(self, job: Job) -> str:
        return f"{job.pages_done} / {job.pages_total}"

    @admin.display(ordering="cost_micros")
    def cost(self, job: Job) -> str:
        return f"{display(job.cost_micros)} {job.currency}"

    @admin.display(description="More")
    def more(self, job: Job) -> SafeString:
        asked = {"job__id__exact": job.pk}
        return format_html(
            '<a href="{}">pages</a> <a href="{}">events</a>',
            reverse("admin:jobs_page_changelist", query=asked),
            reverse("admin:jobs_event_changelist", query=asked),
        )

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("jobs.change_job"))

    @admin.action(description="Cancel the chosen jobs", permissions=["cancel"])
    def cancel(self, request: HttpRequest, jobs: "QuerySet[Job]") -> None:
        canceled = [job for job in jobs if self._cancel(request, job)]
        self.message_user(
            request, f"{len(canceled)} canceled; any others had ended already.", messages.SUCCESS
        )

    def _cancel(self, request: HttpRequest, job: Job) -> bool:
        if job.terminal:
            return False
        try:
            cancel_job(identity=_acting_for(job, request), job_id=job.id)
        except JobFinished:
            return False
        self.log_change(request, job, "Canceled.")
        return True


def _acting_for(job: Job, request: HttpRequest) -> Identity:
    """The operator in the tenant's place, so that the one way to cancel a job serves both."""
    return Identity(
        tenant_id=job.tenant_id, limits=effective_limits(), scopes=all_scopes(), user_id=request.user.pk
    )


@admin.register(Page)
class PageAdmin(RecordAdmin):
    id_fields = ("id", "tenant_id", "job_id")
    search_help_text = "A whole id: of a page, its tenant or its job."
    list_display = (
        "id",
        "tenant",
        "job_id",
        "number",
        "model_version",
        "state",
        "attempt",
        "worker",
        "error_code",
    )
    list_filter = ("state", "model_version__served_model")
    list_select_related = ("tenant", "model_version__served_model")
    ordering = ("-id",)
    exclude = ("result",)
    readonly_fields = ("id", "tenant", "created_at")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Page]":
        return super().get_queryset(request).defer("result")


@admin.register(Event)
class EventAdmin(RecordAdmin):
    id_fields = ("tenant_id", "job_id")
    search_help_text = "A whole id: of a tenant or a job."
    list_display = ("id", "created_at", "tenant", "job_id", "seq", "type")
    list_select_related = ("tenant",)
    ordering = ("-id",)
    readonly_fields = ("id", "tenant", "created_at")


def workers_page(request: HttpRequest) -> HttpResponse:
    context: dict[str, Any] = {**admin.site.each_context(request), "title": "Workers that are alive"}
    workers: list[WorkerReport] = []
    try:
        workers = live_workers()
    except redis.RedisError as error:
        context["problem"] = f"Redis, which knows the workers, does not answer: {error}"
    return TemplateResponse(request, "admin/jobs/workers.html", {**context, "workers": workers})
