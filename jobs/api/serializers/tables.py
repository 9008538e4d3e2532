"""Serializes tables and their cells."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.boxes import BoxField


class CellSerializer(serializers.Serializer[Any]):
    """A cell of a table."""

    row = serializers.IntegerField(help_text="First row, from 0.")
    column = serializers.IntegerField(help_text="First column, from 0.")
    row_span = serializers.IntegerField()
    column_span = serializers.IntegerField()
    text = serializers.CharField(allow_blank=True)
    box = BoxField(
        allow_null=True,
        help_text="Four corners, like those of a line.",
    )
    confidence = serializers.FloatField()
    header = serializers.BooleanField(help_text="Whether it is a header of its row or column.")


class TableSerializer(serializers.Serializer[Any]):
    """A grid of cells, some of which span rows or columns. Places without text may have no cell."""

    box = BoxField(
        allow_null=True,
        help_text="Four corners, like those of a line.",
    )
    rows = serializers.IntegerField()
    columns = serializers.IntegerField()
    header_rows = serializers.IntegerField(help_text="Number of rows at the top that are headers.")
    continues = serializers.BooleanField(help_text="Whether it goes on from the last table of the page before.")
    cells = CellSerializer(many=True)
