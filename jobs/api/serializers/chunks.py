"""Serializes the chunks of a job's text."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.boxes import BoxField


class ChunkPageSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    width = serializers.FloatField(allow_null=True, help_text="Width of the page picture in pixels.")
    height = serializers.FloatField(allow_null=True, help_text="Height of the page picture in pixels.")
    blocks = serializers.ListField(
        child=serializers.IntegerField(), help_text="Positions in the `blocks` of the page, from 0."
    )
    boxes = serializers.ListField(
        child=BoxField(),
        help_text="Four corners of each block with a position, in pixels of the page picture.",
    )


class ChunkSerializer(serializers.Serializer[Any]):
    """A line of the chunks of a job."""

    object = serializers.CharField()
    number = serializers.IntegerField(help_text="Counts from 1 in each job.")
    job = serializers.UUIDField()
    document = serializers.UUIDField(allow_null=True)
    name = serializers.CharField(help_text="Name of the document.")
    text = serializers.CharField()
    words = serializers.IntegerField()
    headings = serializers.ListField(
        child=serializers.CharField(), help_text="Headings above the first block, from the highest down."
    )
    pages = ChunkPageSerializer(many=True)
