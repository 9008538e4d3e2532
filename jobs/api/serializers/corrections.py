"""Serializes corrections by people."""

from typing import Any

from rest_framework import serializers

from jobs.core.models import Correction


class LearnedSerializer(serializers.Serializer[Any]):
    """The outcome of a corrected class for the class set of its job."""

    class_set = serializers.CharField()
    version = serializers.CharField(allow_null=True, help_text="The version that was trained, such as `letters@4`.")
    reason = serializers.CharField(allow_null=True, help_text="Why none was trained.")


class CorrectionSerializer(serializers.Serializer[Any]):
    """A correction by a person in the result of a page or document."""

    kind = serializers.ChoiceField(Correction.Kind.values)
    table = serializers.IntegerField(
        allow_null=True, help_text="Position of the cell's table, from 0. Null for all others."
    )
    index = serializers.IntegerField(
        allow_null=True,
        help_text="Position of the line or cell, from 0, or of one of several values of a field. Null for all others.",
    )
    name = serializers.CharField(allow_null=True, help_text="Name of the field. Null for all others.")
    original = serializers.CharField()
    corrected = serializers.CharField()
    author = serializers.CharField(help_text="The member or API key that corrected it.")
    created_at = serializers.DateTimeField()
    learned = LearnedSerializer(required=False, help_text="When the class of a job with a class set is corrected.")
