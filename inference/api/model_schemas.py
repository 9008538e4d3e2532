"""The OpenAPI schemas of versions, aliases, variants and tasks."""

from typing import Any

from rest_framework import serializers

from inference.registry.references import CURRENT


class TaskProgressSerializer(serializers.Serializer[Any]):
    stage = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()


class ArtifactSerializer(serializers.Serializer[Any]):
    role = serializers.CharField()
    precision = serializers.CharField()
    sha256 = serializers.CharField()
    bytes = serializers.IntegerField()


class VersionSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    model = serializers.CharField()
    version = serializers.IntegerField()
    state = serializers.ChoiceField(["validating", "ready", "retired", "refused"])
    paused_reason = serializers.CharField(allow_null=True, help_text="Why it takes no calls, if it is paused.")
    report = serializers.DictField(help_text="Results of the checks. For a refused version: code, detail, what to do.")
    progress = TaskProgressSerializer(allow_null=True)
    task = serializers.CharField(allow_null=True, help_text="ID of the newest task.")
    digest = serializers.CharField()
    license = serializers.CharField()
    description = serializers.CharField()
    labels = serializers.DictField()
    card = serializers.CharField(help_text="Model card in Markdown.")
    evaluation = serializers.DictField()
    signature = serializers.DictField()
    artifacts = ArtifactSerializer(many=True)
    aliases = serializers.ListField(child=serializers.CharField())
    source = serializers.CharField(  # type: ignore[assignment]  # DRF has an attribute of this name
        allow_null=True, help_text="Version that it was made from."
    )
    lineage = serializers.DictField()
    created = serializers.IntegerField()
    created_by = serializers.CharField()
    ready = serializers.IntegerField(allow_null=True)
    url = serializers.CharField()


class VersionChangeSerializer(serializers.Serializer[Any]):
    paused = serializers.BooleanField(
        required=False, help_text="False: let a version run again that was paused because its process ended."
    )
    description = serializers.CharField(required=False, allow_blank=True)
    labels = serializers.DictField(required=False)
    card = serializers.CharField(required=False, allow_blank=True)
    evaluation = serializers.DictField(required=False)


class ModelChangeSerializer(serializers.Serializer[Any]):
    title = serializers.CharField(required=False, max_length=200)
    description = serializers.CharField(required=False, allow_blank=True)
    paused = serializers.BooleanField(required=False, help_text="Whether the model takes no new work.")
    kind = serializers.ChoiceField(["", "embedding", "classifier", "tensor"], required=False)
    bounds = serializers.DictField(
        required=False, help_text="Largest deviation of a variant, by measure. Others have defaults."
    )


class AliasMoveRequestSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField(min_value=1)
    if_version = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, help_text="Version before the move. Null: the alias is new."
    )
    reason = serializers.CharField(required=False, allow_blank=True, max_length=500)


class VariantUseSerializer(serializers.Serializer[Any]):
    alias = serializers.CharField(default=CURRENT, help_text="Alias that is moved to the version.")
    if_version = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, help_text="Version before the move. Null: the alias is new."
    )


class RollbackSerializer(serializers.Serializer[Any]):
    if_version = serializers.IntegerField(
        required=False, min_value=1, help_text="Version before the rollback, so that a repeated request goes back once."
    )


class AliasSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    alias = serializers.CharField()
    version = serializers.IntegerField()
    url = serializers.CharField()


class AliasMoveSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    alias = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    previous = serializers.IntegerField(allow_null=True)
    moved_at = serializers.DateTimeField()
    moved_by = serializers.CharField()
    reason = serializers.CharField()


class VariantSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    id = serializers.CharField()
    model = serializers.CharField()
    version = serializers.IntegerField()
    precision = serializers.CharField()
    transformation = serializers.CharField()
    state = serializers.ChoiceField(["measuring", "admitted", "refused"])
    sha256 = serializers.CharField()
    bytes = serializers.IntegerField()
    lineage = serializers.DictField()
    report = serializers.DictField()
    used_as = serializers.IntegerField(allow_null=True)
    created = serializers.IntegerField()
    created_by = serializers.CharField()
    url = serializers.CharField()


class TaskErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()


class TaskSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    id = serializers.CharField()
    kind = serializers.ChoiceField(["validate", "measure", "optimize", "replay"])
    model = serializers.CharField()
    version = serializers.IntegerField()
    variant = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(["queued", "running", "succeeded", "failed", "canceled"])
    progress = TaskProgressSerializer()
    result = serializers.DictField()
    error = TaskErrorSerializer(allow_null=True)
    created = serializers.IntegerField()
    ended = serializers.IntegerField(allow_null=True)
    url = serializers.CharField()


class OptimizationSerializer(serializers.Serializer[Any]):
    transformations = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Transformations to try. Default: all that suit it."
    )
    bounds = serializers.DictField(
        required=False, help_text="Bounds of the model's variants, by measure, from now on. Others have defaults."
    )
