"""Serializes reasons why a person should look at a result."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.boxes import BoxField


class WarningSerializer(serializers.Serializer[Any]):
    """A reason why a person should look at the page."""

    code = serializers.CharField()
    message = serializers.CharField()
    box = BoxField(
        required=False,
        help_text="Four corners of the place on the page, like those of a line.",
    )
