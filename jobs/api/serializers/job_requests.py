"""Parses requests that submit a job or fetch a document."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.strict_fields import StrictFields
from jobs.core.deadlines import LONGEST_S
from jobs.core.models.jobs import LONGEST_URL
from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.intake.uploads import LONGEST_PASSWORD
from jobs.submission.inputs import normal_form
from tenants.core.messages import one_of


class PasswordField(serializers.CharField):
    """The password of an encrypted PDF that is fetched."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            default="",
            allow_blank=True,
            trim_whitespace=False,
            max_length=LONGEST_PASSWORD,
            help_text="Password of an encrypted PDF. It is used once and neither logged nor stored.",
        )


class AddressSerializer(StrictFields):
    """The URL of a document to fetch."""

    url = serializers.CharField(
        max_length=LONGEST_URL, help_text="An `https://…` URL. It is used once and neither logged nor stored."
    )
    name = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=255,
        help_text="Name of the document. Default: the name from the server or the URL.",
    )
    attachments = serializers.BooleanField(
        required=False, default=True, help_text="Whether the attachments of an email become documents too."
    )
    password = PasswordField()


class JobRequestSerializer(StrictFields):
    """The JSON form of a submission. The multipart form has `model`, `file`, `webhook_url` and, as JSON text,
    `parameters`.
    """

    model = serializers.CharField(max_length=120, help_text="`parse` for the current version, `parse@2` for version 2.")
    document = serializers.UUIDField(required=False, allow_null=True)
    document_url = serializers.CharField(
        required=False,
        max_length=LONGEST_URL,
        help_text="Instead of `document`: an `https://…` URL to fetch it from.",
    )
    input = serializers.JSONField(required=False, allow_null=True, help_text="Text, list of texts, or tensors.")
    parameters = serializers.DictField(required=False, default=dict)
    priority = serializers.ChoiceField(
        list(NUMBERS),
        default=DEFAULT,
        help_text="Scheduling priority of the job.",
        error_messages={"invalid_choice": f"Use {one_of(NUMBERS)}."},
    )
    webhook_url = serializers.CharField(
        required=False,
        max_length=LONGEST_URL,
        help_text="URL that is notified when the job ends, in addition to the webhook endpoints of the account.",
    )

    class_set = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=60,
        help_text="Your class set that classes the document: `letters`, or `letters@3` for version 3. Default: your "
        "default set, if there is one; null turns it off.",
    )
    expires_after = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LONGEST_S,
        help_text="Seconds. A job that has not ended by then ends as `expired`.",
        error_messages={"invalid": "Must be a whole number of seconds, such as 900. Only a form takes 15m."},
    )
    attachments = serializers.BooleanField(
        required=False,
        default=True,
        help_text="Whether the attachments of an email are read too, as jobs of their own.",
    )
    password = PasswordField()

    def validate_input(self, value: object) -> dict[str, Any] | None:
        return None if value is None else normal_form(value)
