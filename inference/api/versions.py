"""`/v1/models/{model}/versions`: the versions of a model, their description, retirement and deletion."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from inference.api.model_json import version_json
from inference.api.model_schemas import VersionChangeSerializer, VersionSerializer
from inference.registry import versions
from inference.registry.errors import VersionNotFound
from inference.registry.owners import owned_model
from inference.registry.reading import shown_model, versions_of
from inference.registry.uploads import ModelDescription
from tenants.api.callers import caller
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.messages import value_in_words
from tenants.identity.identity import Identity

MAX_LISTED = 200


def body_of(request: Request, form_of: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """Return the checked values of a JSON body. Unknown fields are refused, since a misspelled one would do nothing."""
    if not isinstance(request.data, dict):
        raise InvalidRequest("The body must be a JSON object.")
    form = form_of(data=request.data)
    unknown = sorted(set(request.data) - set(form.fields))
    if unknown:
        raise InvalidRequest(f"Unknown field {unknown[0][:40]!r}. Use {', '.join(form.fields)}.")
    for name, value in request.data.items():
        _check_kind(name, value, form.fields[name])
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def _check_kind(name: str, value: object, field: serializers.Field[Any, Any, Any, Any]) -> None:
    """Refuse a number for a text, or a text for true or false. The form would convert it without a word."""
    if value is None:
        return
    if isinstance(field, serializers.CharField) and not isinstance(value, str):
        raise InvalidRequest(f"`{name}` must be a text, not {value_in_words(value)}.")
    if isinstance(field, serializers.BooleanField) and not isinstance(value, bool):
        raise InvalidRequest(f"`{name}` must be true or false, not {value_in_words(value)}.")


def owner_of(request: Request, model: str) -> Identity:
    """Return the caller that may change the model. A model of somebody else is not found, whatever the body is."""
    identity = caller(request, "models:write")
    identity.require_model(model)
    with unit_of_work(identity):
        owned_model(identity.tenant_id, model)
    return identity


def described_version(identity: Identity, model: str, number: int) -> dict[str, Any]:
    with unit_of_work(identity):
        found = versions_of(shown_model(identity.tenant_id, model)).filter(number=number).first()
        if found is None:
            raise VersionNotFound(f"The model {model!r} has no version {number}.")
        return version_json(found)


class VersionList(APIView):
    @extend_schema(
        operation_id="list_model_versions",
        summary="List the versions of a model",
        responses={200: list_of("ModelVersionList", VersionSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, model: str) -> Response:
        identity = caller(request, "models:read")
        only(request)
        with unit_of_work(identity):
            found = versions_of(shown_model(identity.tenant_id, model))[:MAX_LISTED]
            return Response({"object": "list", "data": [version_json(version) for version in found]})


class VersionDetail(APIView):
    @extend_schema(
        operation_id="show_model_version",
        summary="Show a version of a model",
        responses={200: VersionSerializer, **REFUSALS},
    )
    def get(self, request: Request, model: str, number: int) -> Response:
        identity = caller(request, "models:read")
        only(request)
        return Response(described_version(identity, model, number))

    @extend_schema(
        operation_id="change_model_version",
        summary="Describe or resume a version of a model",
        request=VersionChangeSerializer,
        responses={200: VersionSerializer, **REFUSALS},
    )
    def patch(self, request: Request, model: str, number: int) -> Response:
        identity = owner_of(request, model)
        values = body_of(request, VersionChangeSerializer)
        paused = values.pop("paused", None)
        if paused:
            raise InvalidRequest("Only the server pauses a version. Pause the model, or retire the version.")
        versions.describe_version(
            owner=identity.tenant_id,
            model=model,
            number=number,
            description=ModelDescription(**values),
            resume=paused is False,
        )
        return Response(described_version(identity, model, number))

    @extend_schema(
        operation_id="delete_model_version", summary="Delete a version of a model", responses={204: None, **REFUSALS}
    )
    def delete(self, request: Request, model: str, number: int) -> Response:
        identity = owner_of(request, model)
        versions.delete_version(owner=identity.tenant_id, model=model, number=number)
        return Response(status=204)


class VersionRetirement(APIView):
    @extend_schema(
        operation_id="retire_model_version",
        summary="Retire a version of a model",
        request=None,
        responses={200: VersionSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str, number: int) -> Response:
        identity = owner_of(request, model)
        versions.retire_version(owner=identity.tenant_id, model=model, number=number)
        return Response(described_version(identity, model, number))
