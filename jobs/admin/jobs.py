"""The operator's view of jobs, and the actions of an operator."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from jobs.admin.job_detail import detail_of
from jobs.admin.pages import VersionFilter
from jobs.admin.records import WorkAdmin, acting_for
from jobs.admin.workers import WORKER_PATHS
from jobs.core import states
from jobs.core.models import Document, ErasedReason, Job
from jobs.queue.release import republish_pages
from jobs.retention.erasing import erase_job
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from tenants.admin_base.columns import column, two_lines
from tenants.admin_base.confirmation import at_once, confirmed
from tenants.admin_base.filters import CreatedFilter, ErrorCodeFilter
from tenants.admin_base.formatting import NOTHING, ago, between, link_to, list_link, short
from tenants.billing.dashboard.money import shown_money
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError
from tenants.core.ids import first_id_at

SOME_DOCUMENTS = 200
REFUSALS_SAID = 5
SEARCHED_BACK = timedelta(days=30)
END_OF_ID = re.compile(r"[0-9a-fA-F]{6,12}")


@admin.register(Job)
class JobAdmin(WorkAdmin):
    id_fields = ("id", "tenant_id", "document_id", "api_key_id")
    search_help_text = _("ID or the end of it, request ID, tenant, document or email")
    list_display = (
        "named",
        "state_badge",
        "pages",
        "owner",
        "version",
        "waited",
        "ran",
        "cost",
        "error",
        "created",
    )
    list_filter = (
        ("state", ChoicesDropdownFilter),
        VersionFilter,
        ("tenant", AutocompleteSelectFilter),
        ErrorCodeFilter,
        ("created_at", CreatedFilter),
    )
    list_select_related = ("tenant", "model_version__served_model", "document")
    fields = ("id", "state")
    change_form_template = "admin/jobs/job/change_form.html"
    actions = ("cancel", "retry", "release_again", "erase")
    one_transaction = False  # each job has its own, through its tenant's role: see _acted_on

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Job]":
        found: QuerySet[Job] = super().get_queryset(request)
        return found.select_related(*self.list_select_related).defer("input")

    def get_urls(self) -> list[URLPattern]:
        workers = [path(at, self.admin_site.admin_view(view), name=name) for at, view, name in WORKER_PATHS]
        return [*workers, *super().get_urls()]

    def begins_with(self, term: str) -> Iterator[Q]:
        yield from super().begins_with(term)
        documents = Document.objects.filter(name__istartswith=term)
        yield Q(document_id__in=list(documents.values_list("id", flat=True)[:SOME_DOCUMENTS]))

    def candidates(self, term: str) -> Iterator[Q]:
        """Return the search conditions. Conditions without an index come last and look at the newest jobs only."""
        term = term.removeprefix("…")
        yield from super().candidates(term)
        lately = Q(id__gte=first_id_at(timezone.now() - SEARCHED_BACK))
        yield lately & Q(request_id=term)
        if END_OF_ID.fullmatch(term):
            yield lately & Q(id__endswith=term.lower())

    def in_words(self, row: Job) -> str:
        return f"{_name_of(row)} ({short(row.id)}) of {row.tenant.name}, {row.state.replace('_', ' ')}"

    def row_actions(self, row: Job) -> list[str]:
        if not row.terminal:
            return ["release_again", "cancel"]
        if row.erased:
            return []
        return ["erase"] if row.state == states.SUCCEEDED else ["retry", "erase"]

    def more(self, request: HttpRequest, row: Job) -> dict[str, Any]:
        return {**super().more(request, row), **detail_of(row)}

    @column(_("job"), order_by="id")
    def named(self, job: Job) -> str:
        return two_lines(_name_of(job), short(job.id))

    @column(_("pages"))
    def pages(self, job: Job) -> str:
        failed = f", {job.pages_failed} failed" if job.pages_failed else ""
        return f"{job.pages_done} / {job.pages_total}{failed}"

    @column(_("model"))
    def version(self, job: Job) -> str:
        return link_to(job.model_version)

    @column(_("time in queue"))
    def waited(self, job: Job) -> str:
        return between(job.created_at, job.started_at)

    @column(_("run time"))
    def ran(self, job: Job) -> str:
        return between(job.started_at, job.finished_at)

    @column(_("cost"))
    def cost(self, job: Job) -> str:
        return shown_money(job.cost_micros, job.currency)

    @column(_("error"))
    def error(self, job: Job) -> str:
        return list_link("jobs_job", job.error_code, error_code=job.error_code) if job.error_code else NOTHING

    @column(_("accepted"), order_by="id")
    def created(self, job: Job) -> str:
        return ago(job.created_at)

    def has_act_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("jobs.change_job"))

    @admin.action(description=_("Cancel"), permissions=["act"])
    @confirmed(
        _("Cancel these jobs?"),
        _(
            "Queued pages do not start. Results of running pages are discarded and not charged. You cannot resume a"
            " canceled job, but you can retry it."
        ),
        _("Cancel jobs"),
    )
    def cancel(self, request: HttpRequest, jobs: "QuerySet[Job]") -> None:
        def cancel(job: Job) -> str | None:
            if job.terminal:
                return None
            cancel_job(identity=acting_for(job, request), job_id=job.id)
            return "Canceled."

        self._each(request, jobs, cancel, "canceled")

    @admin.action(description=_("Retry failed pages"), permissions=["act"])
    @at_once
    def retry(self, request: HttpRequest, jobs: "QuerySet[Job]") -> None:
        def retry(job: Job) -> str:
            again = retry_job(identity=acting_for(job, request), job_id=job.id)
            return f"Retried as {again.id}."

        self._each(request, jobs, retry, "retried")

    @admin.action(description=_("Notify workers again"), permissions=["act"])
    @at_once
    def release_again(self, request: HttpRequest, jobs: "QuerySet[Job]") -> None:
        def release(job: Job) -> str | None:
            waiting = republish_pages(job)
            return f"Workers were notified of {waiting} queued pages." if waiting else None

        self._each(request, jobs, release, "jobs: workers notified again")

    @admin.action(description=_("Erase"), permissions=["act"])
    @confirmed(
        _("Erase these jobs?"),
        _(
            "Their results, inputs, events and derived data are erased permanently. Their counts and costs are kept."
            " The tenants see that the operator erased them. Unfinished jobs are not erased."
        ),
        _("Erase jobs"),
    )
    def erase(self, request: HttpRequest, jobs: "QuerySet[Job]") -> None:
        def erase(job: Job) -> str | None:
            if job.erased:
                return None
            acting = acting_for(job, request)
            erase_job(identity=acting, job_id=job.id, reason=ErasedReason.OPERATOR)
            return "Erased."

        self._each(request, jobs, erase, "erased")

    def _each(self, request: HttpRequest, jobs: "QuerySet[Job]", act: Callable[[Job], str | None], done: str) -> None:
        """Act on each job. The refusal of one job does not stop the action on the others."""
        acted, refusals = 0, []
        for job in jobs:
            try:
                acted += self._acted_on(request, job, act)
            except DomainError as refusal:
                refusals.append(f"{short(job.id)}: {refusal.detail}")
        unneeded = len(jobs) - acted - len(refusals)
        rest = f"; {unneeded} unchanged" if unneeded else ""
        self.message_user(request, f"{acted} {done}{rest}.", messages.SUCCESS if acted else messages.WARNING)
        for text in refusals[:REFUSALS_SAID]:
            self.message_user(request, text, messages.WARNING)

    def _acted_on(self, request: HttpRequest, job: Job, act: Callable[[Job], str | None]) -> bool:
        """Act on the job and write the log entry in one transaction through the tenant's role: both or neither."""
        with unit_of_work(job.tenant_id):
            message = act(job)
            if message:
                self.log_change(request, job, message)
        return message is not None


def _name_of(job: Job) -> str:
    if job.erased:
        return "erased"
    return job.document.name if job.document else "inline input"
