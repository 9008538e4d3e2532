"""Serializes class sets, their examples and versions for API clients."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.strict_fields import StrictFields
from jobs.class_sets.names import LONGEST_NAME, LONGEST_TITLE
from jobs.class_sets.services import MAX_AT_ONCE


class ClassSetRequestSerializer(StrictFields):
    name = serializers.CharField(max_length=LONGEST_NAME, help_text="Of a-z, 0-9, - and _. It stays as it is.")
    title = serializers.CharField(max_length=LONGEST_TITLE, required=False, default="", allow_blank=True)


class ClassSetChangeSerializer(StrictFields):
    title = serializers.CharField(max_length=LONGEST_TITLE, required=False, allow_blank=True)
    version = serializers.IntegerField(min_value=1, required=False, help_text="Number of the version that serves.")
    default = serializers.BooleanField(
        required=False, help_text="Whether it classes documents whose job names no class set."
    )


class ClassExamplesRequestSerializer(StrictFields):
    label = serializers.CharField(max_length=60, help_text="The class. A new one begins with its first example.")  # type: ignore[assignment]  # the request calls it so
    jobs = serializers.ListField(
        child=serializers.CharField(max_length=60),
        min_length=1,
        max_length=MAX_AT_ONCE,
        help_text="Ids of jobs that read the documents.",
    )


class ClassSetTrialRequestSerializer(StrictFields):
    jobs = serializers.ListField(child=serializers.CharField(max_length=60), min_length=1, max_length=MAX_AT_ONCE)
    version = serializers.IntegerField(
        min_value=1, required=False, help_text="Number of a version. Default: the one that serves."
    )


class ClassCountSerializer(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]  # the answer calls it so
    examples = serializers.IntegerField()


class ClassSetSerializer(serializers.Serializer[Any]):
    """A set of classes that were learned from examples."""

    object = serializers.CharField()
    name = serializers.CharField()
    title = serializers.CharField()
    version = serializers.CharField(
        allow_null=True, help_text="The version that serves, such as `letters@3`. Null before the first training."
    )
    default = serializers.BooleanField(help_text="Whether it classes documents whose job names no class set.")
    classes = ClassCountSerializer(many=True, help_text="The classes of the examples at the moment.")
    livemode = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField(help_text="When an example was added or removed last.")


class ClassExampleSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    job = serializers.UUIDField()
    document = serializers.UUIDField()
    name = serializers.CharField(help_text="Name of the document.")
    label = serializers.CharField()  # type: ignore[assignment]  # the answer calls it so
    corrected = serializers.BooleanField(help_text="Whether it came from the correction of a class.")
    author = serializers.CharField(help_text="The member or API key that added it.")
    created_at = serializers.DateTimeField()


class ExampleOutcomeSerializer(serializers.Serializer[Any]):
    job = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]  # the answer calls it so
    predicted = serializers.CharField(help_text="The class that the other examples give it.")
    probability = serializers.FloatField(required=False)


class EvaluationSerializer(serializers.Serializer[Any]):
    """The evaluation of a version, in which each example is judged by all the others."""

    accuracy = serializers.FloatField(help_text="Share of the examples that get their label. `unsure` is not right.")
    confusion = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="Number of examples by their own label, then by the label that they get, or `unsure`.",
    )
    recall = serializers.DictField(child=serializers.FloatField())
    precision = serializers.DictField(child=serializers.FloatField(allow_null=True))
    examples = ExampleOutcomeSerializer(many=True)
    mistakes = ExampleOutcomeSerializer(many=True, help_text="Examples that are taken for another class.")
    unsure = ExampleOutcomeSerializer(many=True, help_text="Examples of the right class, but not with certainty.")


class ClassSetVersionSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    class_set = serializers.CharField(help_text="As a job names it: `letters@3`.")
    number = serializers.IntegerField()
    serves = serializers.BooleanField(help_text="Whether jobs that name no version get this one.")
    classes = serializers.ListField(child=serializers.CharField())
    evaluation = EvaluationSerializer()
    reason = serializers.ChoiceField(["request", "correction"])
    author = serializers.CharField()
    created_at = serializers.DateTimeField()


class TriedSerializer(serializers.Serializer[Any]):
    job = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]  # the answer calls it so
    probabilities = serializers.DictField(child=serializers.FloatField())
