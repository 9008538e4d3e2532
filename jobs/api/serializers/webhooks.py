"""Serializes webhook endpoints, deliveries and attempts for API clients."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from jobs.api.serializers.strict_fields import StrictFields
from jobs.core.models.jobs import LONGEST_URL
from jobs.webhooks.kept_answers import why_none
from jobs.webhooks.models import WebhookAttempt, WebhookDelivery, WebhookEndpoint
from jobs.webhooks.patterns import ALL, ALL_OF_JOBS, EVENT_TYPES

EVENTS = [ALL, ALL_OF_JOBS, *EVENT_TYPES]
_NO_EVENT = f"'{{input}}' is not an event. Use {', '.join(EVENTS)}."


def _events(**options: Any) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.ChoiceField(EVENTS, error_messages={"invalid_choice": _NO_EVENT}),
        allow_empty=False,
        max_length=len(EVENTS),
        help_text="Event types: names, or patterns such as `job.*`.",
        **options,
    )


class EndpointRequestSerializer(StrictFields):
    """A webhook endpoint to create."""

    url = serializers.CharField(max_length=LONGEST_URL, help_text="An https URL on the public internet.")
    events = _events(required=False, default=[ALL])
    description = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class EndpointChangeSerializer(StrictFields):
    """Changes to a webhook endpoint. Fields that are left out keep their values."""

    url = serializers.CharField(max_length=LONGEST_URL, required=False)
    events = _events(required=False)
    description = serializers.CharField(max_length=200, required=False, allow_blank=True)
    enabled = serializers.BooleanField(required=False)


class EndpointSerializer(serializers.ModelSerializer[WebhookEndpoint]):
    object = serializers.CharField(read_only=True, default="webhook_endpoint")
    events = serializers.ListField(child=serializers.CharField())
    disabled_reason = serializers.SerializerMethodField(
        help_text="`by_hand`, `gone` or `failing`. Null if the endpoint is enabled."
    )
    paused_until = serializers.DateTimeField(
        source="left_alone_until",
        read_only=True,
        allow_null=True,
        help_text="Nothing is sent to the endpoint until this time.",
    )

    class Meta:
        model = WebhookEndpoint
        fields: tuple[str, ...] = (
            "id",
            "object",
            "url",
            "description",
            "events",
            "state",
            "disabled_reason",
            "disabled_at",
            "failing_since",
            "paused_until",
            "livemode",
            "created_at",
        )

    def get_disabled_reason(self, endpoint: WebhookEndpoint) -> str | None:
        return endpoint.disabled_reason or None


class EndpointWithSecretSerializer(EndpointSerializer):
    secret = serializers.CharField(help_text="Shown only in this response. Store it with the receiver.")

    class Meta(EndpointSerializer.Meta):
        fields = (*EndpointSerializer.Meta.fields, "secret")


class SecretSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    secret = serializers.CharField()


class ReplaySerializer(StrictFields):
    """The messages to send again: those created in this period. Messages in progress are not changed."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    only_failed = serializers.BooleanField(default=True)


REPLAYED = inline_serializer(
    "WebhookReplay",
    {
        "object": serializers.CharField(),
        "replayed": serializers.IntegerField(help_text="Number of messages that are sent again."),
    },
)


class DeliverySerializer(serializers.ModelSerializer[WebhookDelivery]):
    object = serializers.CharField(read_only=True, default="webhook_delivery")
    endpoint = serializers.SerializerMethodField(help_text="Null if the URL is the `webhook_url` of a job.")
    url = serializers.SerializerMethodField()
    webhook_id = serializers.CharField(source="message.webhook_id", help_text="Value of the header `webhook-id`.")
    type = serializers.CharField(source="message.type")
    job = serializers.UUIDField(source="message.job_id", allow_null=True)
    error_code = serializers.SerializerMethodField(help_text="Error code of the last attempt. Null if there is none.")

    class Meta:
        model = WebhookDelivery
        fields: tuple[str, ...] = (
            "id",
            "object",
            "endpoint",
            "url",
            "webhook_id",
            "type",
            "job",
            "state",
            "attempts_made",
            "next_attempt_at",
            "error_code",
            "created_at",
            "ended_at",
        )

    def get_endpoint(self, delivery: WebhookDelivery) -> str | None:
        return None if delivery.url else str(delivery.endpoint_id)

    def get_url(self, delivery: WebhookDelivery) -> str:
        return delivery.url or delivery.endpoint.url

    def get_error_code(self, delivery: WebhookDelivery) -> str | None:
        return delivery.error_code or None


class AttemptSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    duration_ms = serializers.IntegerField()
    status = serializers.IntegerField(
        allow_null=True, help_text="HTTP status of the response. Null if there was no response."
    )
    error = serializers.DictField(allow_null=True)
    response_body = serializers.CharField(
        help_text="The first 2,048 characters of a response outside 2xx, if the operator stores them. Otherwise empty."
    )
    response_note = serializers.CharField(help_text="Why `response_body` is empty, if there was a response.")


class DeliveryWithAttemptsSerializer(DeliverySerializer):
    body = serializers.CharField(help_text="The exact request body.")
    attempts = AttemptSerializer(many=True)

    class Meta(DeliverySerializer.Meta):
        fields = (*DeliverySerializer.Meta.fields, "body", "attempts")


def attempt_json(attempt: WebhookAttempt) -> dict[str, object]:
    error = {"code": attempt.error_code, "detail": attempt.detail} if attempt.error_code else None
    return {
        "number": attempt.number,
        "started_at": attempt.started_at,
        "duration_ms": attempt.duration_ms,
        "status": attempt.status,
        "error": error,
        "response_body": attempt.response_body,
        "response_note": why_none(attempt.status, attempt.response_body, allowed=settings.MAAS_WEBHOOK_KEEP_ANSWERS),
    }
