"""The files of models in the API: a new model, its next version, and a variant of a version."""

import json
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from inference.api.model_json import task_json
from inference.api.model_schemas import TaskSerializer, VersionSerializer
from inference.api.model_work import VariantList
from inference.api.models import ModelList
from inference.api.versions import VersionList, described_version, owner_of
from inference.gateway.repeated_names import RepeatedName, without_repeated
from inference.registry.isolation import require_isolation
from inference.registry.tasks.services import found_task
from inference.registry.uploads import ModelDescription, ModelUpload
from jobs.api.creations import create_model_once, create_variant_once
from jobs.api.documents import uploaded
from jobs.api.requests import key_of, replay_headers
from jobs.api.schema import IDEMPOTENCY_KEY
from jobs.documents.uploads import Upload
from jobs.idempotency.keys import Operation
from tenants.api.callers import caller
from tenants.api.schema import REFUSALS
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.messages import names_in_words
from tenants.identity.identity import Identity

_TEXT = {"type": "string"}
_FILE = {"type": "string", "format": "binary"}
_OF_VERSION = {
    "file": _FILE,
    "license": {**_TEXT, "description": "Name of the license, such as Apache-2.0."},
    "description": _TEXT,
    "labels": {**_TEXT, "description": "JSON object of texts."},
    "card": {**_TEXT, "description": "Model card in Markdown."},
    "lineage": {**_TEXT, "description": "JSON object that says what the model was made from."},
}
_OF_MODEL = {"name": _TEXT, "title": _TEXT, **_OF_VERSION}
_OF_VARIANT = {"file": _FILE, "precision": {**_TEXT, "enum": ["fp32", "fp16", "bf16", "int8"]}}
MAX_LINEAGE = 10_000


def _form(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {"multipart/form-data": {"type": "object", "properties": properties, "required": list(required)}}


def _fields(upload: Upload, allowed: Mapping[str, Any]) -> Mapping[str, str]:
    unknown = sorted(set(upload.fields) - set(allowed))
    if unknown:
        raise InvalidRequest(f"Unknown form fields: {names_in_words(unknown)}. Use {names_in_words(sorted(allowed))}.")
    return upload.fields


def _object(fields: Mapping[str, str], name: str, longest: int) -> dict[str, Any] | None:
    """Return the JSON object in a field of the form, or None without the field."""
    text = fields.get(name)
    if text is None:
        return None
    try:
        value = json.loads(text, object_pairs_hook=without_repeated) if len(text) <= longest else None
    except (ValueError, RecursionError, RepeatedName) as error:
        raise InvalidRequest(f"The field `{name}` is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidRequest(f"The field `{name}` must be a JSON object of at most {longest} characters.")
    return value


def _add(
    request: Request, identity: Identity, model: str, allowed: Mapping[str, Any], operation: Operation
) -> Response:
    upload = uploaded(request)
    fields = _fields(upload, allowed)
    require_isolation()
    described = ModelDescription(
        description=fields.get("description"), labels=_object(fields, "labels", MAX_LINEAGE), card=fields.get("card")
    )
    wanted = ModelUpload(
        name=model,
        file=upload.path,
        license=fields.get("license", ""),
        title=fields.get("title", ""),
        description=described,
        lineage=_object(fields, "lineage", MAX_LINEAGE) or {},
        new=operation == "create_model",
    )
    answered = create_model_once(
        identity=identity, upload=wanted, sha256=upload.sha256, operation=operation, key=key_of(request)
    )
    with unit_of_work(identity):
        number = found_task(identity.tenant_id, model, answered.made.pk).version.number
    body = described_version(identity, model, number)
    headers = {"Location": body["url"], "Retry-After": "1", **replay_headers(answered)}
    return Response(body, status=answered.status, headers=headers)


class ModelUploads(ModelList):
    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        operation_id="create_model",
        summary="Upload a model",
        description="Makes version 1 of a new model, or the next version of a model of your own.",
        request=_form(_OF_MODEL, "name", "file", "license"),
        responses={202: VersionSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "models:write")
        name = uploaded(request).fields.get("name", "")
        identity.require_model(name)
        return _add(request, identity, name, _OF_MODEL, "create_model")


class VersionUploads(VersionList):
    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        operation_id="create_model_version",
        summary="Upload the next version of a model",
        request=_form(_OF_VERSION, "file", "license"),
        responses={202: VersionSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str) -> Response:
        identity = owner_of(request, model)
        return _add(request, identity, model, _OF_VERSION, "create_model_version")


class VariantUploads(VariantList):
    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        operation_id="create_model_variant",
        summary="Upload a variant of a version",
        description="The variant is compared with the version's own file. It is refused if it leaves its bounds.",
        request=_form(_OF_VARIANT, "file", "precision"),
        responses={202: TaskSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str, number: int) -> Response:
        identity = owner_of(request, model)
        upload = uploaded(request)
        precision = _fields(upload, _OF_VARIANT).get("precision", "")
        require_isolation()
        answered = create_variant_once(
            identity=identity, model=model, number=number, upload=upload, precision=precision, key=key_of(request)
        )
        with unit_of_work(identity):
            body = task_json(found_task(identity.tenant_id, model, answered.made.pk))
        headers = {"Location": body["url"], "Retry-After": "1", **replay_headers(answered)}
        return Response(body, status=answered.status, headers=headers)
