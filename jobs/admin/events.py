"""The operator's view of the event log, as callers are told it."""

from typing import Any

from django.contrib import admin
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from jobs.models import Event
from tenants.admin.columns import column
from tenants.admin.records import RecordAdmin
from tenants.admin.words import ago, link, link_to, short
from tenants.durations import duration


@admin.register(Event)
class EventAdmin(RecordAdmin):
    id_fields = ("job_id", "tenant_id")
    search_help_text = "Whole id of a job, or tenant"
    list_display = ("type", "job_link", "seq", "details", "owner", "when")
    list_filter = (("tenant", AutocompleteSelectFilter),)
    list_select_related = ("tenant",)
    ordering = ("-id",)
    fields = ("type", "job_link", "seq", "details", "owner", "created_at", "id")

    @column("job")
    def job_link(self, event: Event) -> str:
        return link("jobs_job", event.job_id, short(event.job_id))

    @column("tenant")
    def owner(self, event: Event) -> str:
        return link_to(event.tenant)

    @column("details")
    def details(self, event: Event) -> str:
        return details_of(event)

    @column("when", order_by="id")
    def when(self, event: Event) -> str:
        return ago(event.created_at)


def details_of(event: Event) -> str:
    """What is not said by the type already."""
    said = (_in_words(name, value) for name, value in event.data.items() if name != "state")
    return ", ".join(words for words in said if words)


def _in_words(name: str, value: Any) -> str:
    label = name.replace("_", " ")
    if name == "timings":
        steps = ((step.removesuffix("_ms"), ms) for step, ms in value.items())
        return ", ".join(f"{step} {duration(ms / 1000)}" for step, ms in steps)
    if name == "error" and isinstance(value, dict):
        return f"{value.get('code', '')}: {value.get('detail', '')}".strip(": ")
    if name == "cost_micros":
        return f"cost {value / 1_000_000:,.6g}"
    if isinstance(value, dict):
        return ", ".join(_in_words(inner, one) for inner, one in value.items())
    return f"{label} {value}"
