"""Checks and describes the JSON of own fields."""

from typing import Any

from rest_framework import serializers

from inference.own_fields.definition import PLACES, TYPES
from jobs.api.serializers.strict_fields import StrictText
from jobs.own_fields import applying, trials
from jobs.own_fields.spots import MAX_NUMBER

_TYPES, _PLACES = ", ".join(TYPES), ", ".join(PLACES)
_BOX = "Left, top, right and bottom in pixels, or four corners as in the result. It snaps to the words in it."


class StrictPart(serializers.Serializer[Any]):
    """A serializer that refuses unknown fields wherever it is used: for a body, or for a part of one."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if unknown:
            raise serializers.ValidationError({name: ["Unknown field."] for name in unknown})
        return super().to_internal_value(data)


class SpotSerializer(StrictPart):
    """A value on the picture of a page."""

    job = serializers.UUIDField(help_text="A job that read the document.")
    page = serializers.IntegerField(min_value=1, max_value=int(MAX_NUMBER), default=1)
    box = serializers.ListField(min_length=4, max_length=4, help_text=_BOX)


class OwnFieldChangeSerializer(StrictPart):
    """Changes to a field. What is left out stays."""

    title = StrictText(required=False, help_text="The name for people.")
    type = StrictText(required=False, help_text=f"`{_TYPES}`.")
    labels = serializers.ListField(
        child=StrictText(), required=False, help_text="The texts beside the value: synonyms."
    )
    place = StrictText(required=False, help_text=f"`{_PLACES}`.")
    classes = serializers.ListField(
        child=StrictText(), required=False, help_text="Only documents of these classes have it."
    )


class OwnFieldRequestSerializer(OwnFieldChangeSerializer):
    """A field to create. What is left out is as the first example shows it."""

    name = StrictText(help_text="For programs: a-z, 0-9 and _, such as `contract_number`.")
    examples = SpotSerializer(many=True, required=False)


class DraftSerializer(OwnFieldChangeSerializer):
    """A field that is not saved, or the changes of one that is."""

    examples = SpotSerializer(many=True, required=False)


class TrialRequestSerializer(StrictPart):
    """The field to try: `name` for one that is saved, `field` for one that is not, both for changes of a saved one."""

    name = StrictText(required=False)
    field = DraftSerializer(required=False)
    documents = serializers.IntegerField(min_value=1, max_value=trials.MAX_DOCUMENTS, default=20)


class ApplicationRequestSerializer(StrictPart):
    cursor = serializers.UUIDField(required=False, help_text="`next_cursor` of the piece before.")
    limit = serializers.IntegerField(min_value=1, max_value=applying.MAX_JOBS, default=applying.MAX_JOBS)


class ExampleSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    job = serializers.UUIDField(allow_null=True, help_text="Null once the job is erased.")
    document = serializers.UUIDField(allow_null=True)
    page = serializers.IntegerField(allow_null=True)
    box = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    created_at = serializers.DateTimeField()


class OwnFieldSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    object = serializers.CharField()
    name = serializers.CharField()
    title = serializers.CharField()
    type = serializers.ChoiceField(TYPES)
    labels = serializers.ListField(child=serializers.CharField())
    place = serializers.ChoiceField(PLACES)
    classes = serializers.ListField(child=serializers.CharField())
    examples = ExampleSerializer(many=True)
    livemode = serializers.BooleanField()
    author = serializers.CharField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class PointedSerializer(serializers.Serializer[Any]):
    """A place with what was read there, and how it may be found again."""

    object = serializers.CharField()
    job = serializers.UUIDField()
    page = serializers.IntegerField()
    text = serializers.CharField()
    box = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # the answer calls it so
    label_box = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), allow_null=True)
    type = serializers.ChoiceField(TYPES)
    place = serializers.ChoiceField(PLACES)


class TriedDefinitionSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(TYPES)
    labels = serializers.ListField(child=serializers.CharField())
    place = serializers.ChoiceField(PLACES)
    classes = serializers.ListField(child=serializers.CharField())


class TriedValueSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    value = serializers.CharField()
    normalized = serializers.CharField(allow_null=True)
    type = serializers.CharField()
    page = serializers.IntegerField()
    box = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), allow_null=True)
    quote = serializers.CharField()
    confidence = serializers.FloatField()


class TriedDocumentSerializer(serializers.Serializer[Any]):
    job = serializers.UUIDField()
    document = serializers.UUIDField()
    name = serializers.CharField()
    in_class = serializers.BooleanField(help_text="Whether documents of its class have the field.")
    values = TriedValueSerializer(many=True, help_text="Empty if nothing was found.")


class TrialSerializer(serializers.Serializer[Any]):
    """A trial of a field on the last documents, the newest first. Nothing is written."""

    object = serializers.CharField()
    field = TriedDefinitionSerializer()
    tried = serializers.IntegerField(help_text="Number of documents.")
    in_class = serializers.IntegerField(help_text="Number of documents whose class has the field.")
    found = serializers.IntegerField(help_text="Number of documents with a value.")
    documents = TriedDocumentSerializer(many=True)


class ApplicationSerializer(serializers.Serializer[Any]):
    """A piece of the documents that were read before. Repeat with `next_cursor` while there is one."""

    object = serializers.CharField()
    jobs = serializers.IntegerField(help_text="Number of jobs that were looked at.")
    changed = serializers.IntegerField(help_text="Number of jobs whose fields changed.")
    has_more = serializers.BooleanField()
    next_cursor = serializers.UUIDField(allow_null=True)
