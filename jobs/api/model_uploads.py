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
from inference.registry.uploads import ModelDescription, ModelUpload, add_upload
from inference.registry.variants import add_variant
from jobs.api.documents import uploaded
from jobs.documents.uploads import Upload
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


def _add(identity: Identity, upload: Upload, name: str, fields: Mapping[str, str], *, new: bool) -> Response:
    require_isolation()
    described = ModelDescription(
        description=fields.get("description"), labels=_object(fields, "labels", MAX_LINEAGE), card=fields.get("card")
    )
    version, _task = add_upload(
        owner=identity.tenant_id,
        upload=ModelUpload(
            name=name,
            file=upload.path,
            license=fields.get("license", ""),
            title=fields.get("title", ""),
            description=described,
            lineage=_object(fields, "lineage", MAX_LINEAGE) or {},
            new=new,
        ),
    )
    body = described_version(identity, name, version.number)
    return Response(body, status=202, headers={"Location": body["url"], "Retry-After": "1"})


class ModelUploads(ModelList):
    @extend_schema(
        operation_id="create_model",
        summary="Upload a model",
        description="Makes version 1 of a new model, or the next version of a model of your own.",
        request=_form(_OF_MODEL, "name", "file", "license"),
        responses={202: VersionSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "models:write")
        upload = uploaded(request)
        fields = _fields(upload, _OF_MODEL)
        name = fields.get("name", "")
        identity.require_model(name)
        return _add(identity, upload, name, fields, new=True)


class VersionUploads(VersionList):
    @extend_schema(
        operation_id="create_model_version",
        summary="Upload the next version of a model",
        request=_form(_OF_VERSION, "file", "license"),
        responses={202: VersionSerializer, **REFUSALS},
    )
    def post(self, request: Request, name: str) -> Response:
        identity = owner_of(request, name)
        upload = uploaded(request)
        return _add(identity, upload, name, _fields(upload, _OF_VERSION), new=False)


class VariantUploads(VariantList):
    @extend_schema(
        operation_id="create_model_variant",
        summary="Upload a variant of a version",
        description="The variant is compared with the version's own file. It is refused if it leaves its bounds.",
        request=_form(_OF_VARIANT, "file", "precision"),
        responses={202: TaskSerializer, **REFUSALS},
    )
    def post(self, request: Request, name: str, number: int) -> Response:
        identity = owner_of(request, name)
        upload = uploaded(request)
        precision = _fields(upload, _OF_VARIANT).get("precision", "")
        require_isolation()
        _variant, task = add_variant(
            owner=identity.tenant_id, model=name, number=number, file=upload.path, precision=precision
        )
        with unit_of_work(identity):
            body = task_json(found_task(identity.tenant_id, name, task.pk))
        return Response(body, status=202, headers={"Location": body["url"], "Retry-After": "1"})
