"""Serializes the pages of jobs."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.boxes import BoxField
from jobs.api.serializers.classes import ClassSerializer
from jobs.api.serializers.corrections import CorrectionSerializer
from jobs.api.serializers.costs import CostSerializer
from jobs.api.serializers.errors import ErrorSerializer
from jobs.api.serializers.lines import BlockSerializer, LineSerializer
from jobs.api.serializers.marks import CodeSerializer, MarkSerializer, PairSerializer
from jobs.api.serializers.tables import TableSerializer
from jobs.api.serializers.warnings import WarningSerializer


class PageSerializer(serializers.Serializer[Any]):
    """A page of a job. Each model adds its own results (`text`, `lines`, `embedding`, `outputs`, …)."""

    number = serializers.IntegerField()
    state = serializers.CharField()
    error = ErrorSerializer(allow_null=True)
    attempts = serializers.IntegerField()
    cached = serializers.BooleanField(help_text="Whether the result came from the cache.")
    cost = CostSerializer()
    picture = serializers.CharField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField(required=False)
    lines = LineSerializer(many=True, required=False)
    width = serializers.IntegerField(required=False)
    height = serializers.IntegerField(required=False)
    quality = serializers.FloatField(required=False, help_text="How well the page was read, from 0 to 1.")
    needs_review = serializers.BooleanField(required=False, help_text="Whether a person should check the page.")
    warnings = WarningSerializer(many=True, required=False)
    codes = CodeSerializer(many=True, required=False)
    marks = MarkSerializer(many=True, required=False)
    pairs = PairSerializer(many=True, required=False)
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the answer's own name
        choices=["text", "text_layer", "ocr", "mixed", "document"], required=False
    )
    embedding = serializers.ListField(child=serializers.FloatField(), required=False)
    embeddings = serializers.ListField(child=serializers.ListField(), required=False)
    truncated = serializers.JSONField(
        required=False, help_text="Whether the text was cut for the model. For a list of texts, the positions of those."
    )
    dimensions = serializers.IntegerField(required=False, help_text="Of `embed`: the number of values of an embedding.")
    tokens = serializers.IntegerField(required=False, help_text="Of `embed`: the number of tokens that were read.")
    certainty = serializers.FloatField(required=False, help_text="Of `orient`: how certain the rotation is, 0 to 1.")
    outputs = serializers.ListField(child=serializers.DictField(), required=False)
    blocks = BlockSerializer(many=True, required=False)
    tables = TableSerializer(many=True, required=False)
    rotation = serializers.IntegerField(
        required=False, help_text="Degrees clockwise by which the stored picture was turned to be upright."
    )
    angle = serializers.FloatField(required=False, help_text="Skew in degrees that was taken out after the turn.")
    sheet = BoxField(
        required=False,
        allow_null=True,
        help_text="Four corners of the photographed sheet in the stored picture, if it was cut out.",
    )
    corrections = CorrectionSerializer(many=True, required=False, help_text="What people corrected, if anything.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field `class`, which Python does not allow as an attribute name."""
        return {**super().get_fields(), "class": ClassSerializer(required=False)}
