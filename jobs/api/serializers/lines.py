"""Serializes the lines and blocks of a page."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.boxes import BoxField


class LineSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    box = BoxField(
        allow_null=True,
        help_text="Four corners in pixels of the page picture, clockwise from the top left of the text as it is read.",
    )
    confidence = serializers.FloatField(allow_null=True)


class BlockSerializer(serializers.Serializer[Any]):
    """Lines that belong together, such as a paragraph."""

    type = serializers.CharField(help_text="Such as `heading`, `paragraph`, `list_item` or `table`.")
    level = serializers.IntegerField(required=False, help_text="Level of a heading on its page, from 1, the highest.")
    box = BoxField(
        allow_null=True,
        help_text="Four corners, like those of a line.",
    )
    lines = serializers.ListField(child=serializers.IntegerField(), help_text="Positions in `lines`, from 0.")
    table = serializers.IntegerField(required=False, help_text="Position of a table in `tables`, from 0.")
