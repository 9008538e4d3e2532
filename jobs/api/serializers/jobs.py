"""Serializes jobs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from jobs.api.serializers.classes import DocumentClassSerializer
from jobs.api.serializers.costs import CostSerializer
from jobs.api.serializers.errors import ErrorSerializer
from jobs.api.serializers.results import ResultSerializer
from jobs.core.models import ErasedReason, Job
from jobs.core.priorities import NAMES, NUMBERS
from jobs.queue.waiting import REASONS
from jobs.results.result_json import cost_json


class JobSerializer(serializers.ModelSerializer[Job]):
    object = serializers.CharField(read_only=True, default="job")
    model = serializers.CharField(source="model_version.key", help_text="Model name and version.")
    document = serializers.UUIDField(source="document_id", allow_null=True)
    priority = serializers.SerializerMethodField()
    pages_done = serializers.IntegerField(help_text="Pages that have ended, successfully or not.")
    pages_to_review = serializers.IntegerField(help_text="Finished pages that a person should check.")
    needs_review = serializers.BooleanField(help_text="Whether a person should check at least one page.")
    quality = serializers.FloatField(allow_null=True, help_text="Lowest quality of the finished pages, from 0 to 1.")
    error = serializers.SerializerMethodField()
    cost = serializers.SerializerMethodField()
    retry_of = serializers.UUIDField(source="retry_of_id", allow_null=True)
    erased_reason = serializers.SerializerMethodField()
    urls = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields: tuple[str, ...] = (
            "id",
            "object",
            "state",
            "model",
            "document",
            "parameters",
            "priority",
            "pages_total",
            "pages_done",
            "pages_succeeded",
            "pages_failed",
            "pages_cached",
            "pages_coalesced",
            "pages_to_review",
            "needs_review",
            "quality",
            "error",
            "cost",
            "retry_of",
            "livemode",
            "last_seq",
            "created_at",
            "expires_at",
            "cancel_at",
            "started_at",
            "finished_at",
            "erased_at",
            "erased_reason",
            "urls",
        )

    def get_fields(self) -> dict[str, Any]:
        """Add the field `class`, which Python does not allow as an attribute name."""
        return {**super().get_fields(), "class": serializers.SerializerMethodField()}

    @extend_schema_field(DocumentClassSerializer(allow_null=True))
    def get_class(self, job: Job) -> dict[str, Any] | None:
        found = job.document_class
        return None if found is None else found.to_json()

    @extend_schema_field(serializers.ChoiceField(list(NUMBERS)))
    def get_priority(self, job: Job) -> str:
        return NAMES[job.priority]

    @extend_schema_field(ErrorSerializer(allow_null=True))
    def get_error(self, job: Job) -> dict[str, str] | None:
        return {"code": job.error_code, "detail": job.error_detail} if job.error_code else None

    @extend_schema_field(serializers.ChoiceField(ErasedReason.values, allow_null=True))
    def get_erased_reason(self, job: Job) -> str | None:
        return job.erased_reason or None

    @extend_schema_field(CostSerializer)
    def get_cost(self, job: Job) -> dict[str, Any]:
        return cost_json(job.cost_micros, job.currency)

    def get_urls(self, job: Job) -> dict[str, str]:
        here = f"/v1/jobs/{job.id}"
        return {
            "self": here,
            "result": f"{here}/result",
            "pages": f"{here}/pages",
            "events": f"{here}/events",
            "cancel": f"{here}/cancel",
            "retry": f"{here}/retry",
        }


class JobWithResultSerializer(JobSerializer):
    result = ResultSerializer(
        required=False, help_text="Included with `include=result`, and if the job ends during `Prefer: wait`."
    )

    retained_until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When the job will be erased. Null until the job ends, or if it is never erased.",
    )
    position = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="While the job waits: number of pages of its model that start first.",
    )
    eta_seconds = serializers.IntegerField(
        required=False, allow_null=True, help_text="While the job waits: estimated seconds until it starts."
    )
    reason_waiting = serializers.ChoiceField(
        REASONS, required=False, allow_null=True, help_text="Why the job waits. Null if it does not wait."
    )

    class Meta(JobSerializer.Meta):
        fields = (
            *JobSerializer.Meta.fields,
            "retained_until",
            "position",
            "eta_seconds",
            "reason_waiting",
            "result",
        )
