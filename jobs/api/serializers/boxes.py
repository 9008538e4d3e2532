"""Serializes boxes: the four corners of a thing on a page."""

from typing import Any

from rest_framework import serializers


class BoxField(serializers.ListField):
    """The four corners of a thing on a page, each with two coordinates."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=serializers.ListField(child=serializers.FloatField()), **options)
