"""Serializes the result of a job."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.classes import SegmentSerializer
from jobs.api.serializers.corrections import CorrectionSerializer
from jobs.api.serializers.fields import FieldSerializer, LineItemSerializer, TaxRateSerializer
from jobs.api.serializers.pages import PageSerializer
from jobs.api.serializers.warnings import WarningSerializer


class ResultSerializer(serializers.Serializer[Any]):
    """The result of a job. The JSON Schema at `/v1/schemas/result-1.json` describes every field, with its unit."""

    object = serializers.CharField()
    schema_version = serializers.IntegerField(help_text="Version of the schema: 1.")
    job = serializers.UUIDField()
    state = serializers.CharField()
    model = serializers.CharField()
    pages_total = serializers.IntegerField()
    pages_done = serializers.IntegerField()
    missing = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="In the file: numbers of pages without a result."
    )
    text = serializers.CharField()
    segments = SegmentSerializer(
        many=True, required=False, help_text="With a class set: the documents in the file, one after the other."
    )
    pages = PageSerializer(many=True)
    fields = FieldSerializer(  # type: ignore[assignment]  # the answer's own name
        many=True, required=False, help_text="What was found of an invoice or receipt. What is not there is absent."
    )
    tax_rates = TaxRateSerializer(many=True, required=False)
    line_items = LineItemSerializer(many=True, required=False)
    warnings = WarningSerializer(many=True, required=False, help_text="Such as sums that contradict each other.")
    corrections = CorrectionSerializer(
        many=True, required=False, help_text="The corrected class and fields of the whole document, if any."
    )
