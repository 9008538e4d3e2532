"""The operator's view of the event log, as callers see it."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from jobs.core.models import Event, Job
from tenants.admin_base.columns import column
from tenants.admin_base.formatting import ago, at, link, link_to, short
from tenants.admin_base.records import RecordAdmin
from tenants.core.durations import duration
from tenants.plans.wording import exact_money


@admin.register(Event)
class EventAdmin(RecordAdmin):
    id_fields = ("job_id", "tenant_id")
    search_help_text = _("Whole ID of a job, or tenant")
    list_display = ("type", "job_link", "seq", "details", "owner", "when")
    list_filter = (("tenant", AutocompleteSelectFilter),)
    list_select_related = ("tenant",)
    ordering = ("-id",)
    fields = ("type", "job_link", "seq", "details", "owner", "created_at", "id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """Add the currency of its job, which may have been erased."""
        of_job = Job.objects.filter(id=OuterRef("job_id")).values("currency")
        found: QuerySet[Event] = super().get_queryset(request).annotate(currency=Subquery(of_job))
        return found

    @column(_("job"))
    def job_link(self, event: Event) -> str:
        return link("jobs_job", event.job_id, short(event.job_id))

    @column(_("tenant"))
    def owner(self, event: Event) -> str:
        return link_to(event.tenant)

    @column(_("details"))
    def details(self, event: Event) -> str:
        return details_of(event, getattr(event, "currency", None) or "")

    @column(_("time"), order_by="id")
    def when(self, event: Event) -> str:
        return ago(event.created_at)


def details_of(event: Event, currency: str) -> str:
    """Describe what the type does not say already. Costs are in the currency of the job."""
    said = (_in_words(name, value, currency) for name, value in event.data.items() if name != "state")
    return ", ".join(words for words in said if words)


def _in_words(name: str, value: Any, currency: str) -> str:
    label = name.replace("_", " ")
    if name == "timings":
        steps = ((step.removesuffix("_ms"), ms) for step, ms in value.items())
        return ", ".join(f"{step} {duration(ms / 1000)}" for step, ms in steps)
    if name == "error" and isinstance(value, dict):
        return f"{value.get('code', '')}: {value.get('detail', '')}".strip(": ")
    if name == "cost_micros":
        return f"cost {exact_money(value, currency)}"
    if name.endswith("_at") and isinstance(value, str):
        return f"{label.removesuffix(' at')} of {at(datetime.fromisoformat(value))}"
    return _plainly(label, value, currency)


def _plainly(label: str, value: Any, currency: str) -> str:
    match value:
        case bool():
            return label if value else f"not {label}"
        case dict():
            return ", ".join(_in_words(inner, one, currency) for inner, one in value.items())
    return f"{label} {value}"
