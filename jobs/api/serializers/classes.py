"""Serializes the classes of pages, documents and segments."""

from typing import Any

from rest_framework import serializers


class DocumentClassSerializer(serializers.Serializer[Any]):
    """The class of a whole document."""

    label = serializers.CharField(  # type: ignore[assignment]  # the answer calls it so
        help_text="The class that a person chose, else the most probable, or `unsure` if its probability is below 0.5."
    )
    probabilities = serializers.DictField(
        child=serializers.FloatField(), help_text="The probability of each class, as the model gave it."
    )
    corrected = serializers.BooleanField(help_text="Whether the label is the correction of a person.")
    class_set = serializers.CharField(
        required=False, help_text="The version of your class set, such as `letters@3`, if it gave the class."
    )


class ClassSerializer(serializers.Serializer[Any]):
    """The predicted class of a page. Results made by earlier versions have scores in place of probabilities."""

    label = serializers.CharField()  # type: ignore[assignment]  # the answer calls it so
    probabilities = serializers.DictField(child=serializers.FloatField(), required=False)
    score = serializers.FloatField(required=False)
    scores = serializers.DictField(child=serializers.FloatField(), required=False)
    class_set = serializers.CharField(required=False, help_text="Version of the class set that gave the class.")


class SegmentSerializer(serializers.Serializer[Any]):
    """A document in a file of several, such as a stack of scanned mail."""

    first_page = serializers.IntegerField()
    last_page = serializers.IntegerField()
    probability = serializers.FloatField(help_text="Probability of the most probable class.")
    confidence = serializers.FloatField(help_text="Probability that the document begins and ends with these pages.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field `class`, which Python does not allow as an attribute name."""
        return {**super().get_fields(), "class": serializers.CharField(help_text="The class, or `unsure`.")}
