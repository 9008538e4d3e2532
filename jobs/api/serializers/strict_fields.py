"""Refuses what a request should not have: unknown fields, and other values where a text must be."""

from typing import Any

from rest_framework import serializers


class StrictFields(serializers.Serializer[Any]):
    """A serializer that refuses unknown fields, because ignoring a field would not do what the caller meant."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(self.initial_data) - set(self.fields))
        if unknown:
            raise serializers.ValidationError({name: ["Unknown field."] for name in unknown})
        return attrs


class StrictText(serializers.CharField):
    """A text that must be one: a number or a boolean is not taken for its digits or its name."""

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)
