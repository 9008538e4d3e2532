"""The files of models in the API: a new model, its next version, and a variant of a version."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
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
from inference.registry.models import ModelTask
from inference.registry.own_pipelines import OwnPipeline, add_own_pipeline
from inference.registry.tasks.services import found_task
from inference.registry.uploads import ModelDescription, ModelUpload, VersionUpload, add_upload
from inference.registry.variants import add_variant
from jobs.api.model_creations import ModelCreation
from jobs.api.model_files import model_fields, model_source
from jobs.api.requests import fetch_first, key_of, replay_headers
from jobs.api.schema import IDEMPOTENCY_KEY
from jobs.core.storable import unstorable_text
from jobs.documents.uploads import Address
from jobs.idempotency.idempotent_requests import Answered
from jobs.idempotency.keys import Operation
from tenants.api.callers import caller
from tenants.api.schema import REFUSALS
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity

_TEXT = {"type": "string"}
_FILE = {"file": {"type": "string", "format": "binary"}}
_ELSEWHERE = {
    "url": {**_TEXT, "description": "Instead of `file`: an `https://…` URL to fetch it from. It is not stored."},
    "upload": {**_TEXT, "description": "Instead of `file`: the id of a finished resumable upload for a model."},
}
_PIPELINE = {
    "pipeline": {**_TEXT, "description": "Instead of `file`: JSON object that declares a pipeline."},
    "members": {**_TEXT, "description": "With `pipeline`: JSON object of its members by role, such as `adder@1`."},
}
_OF_VERSION = {
    **_PIPELINE,
    "license": {**_TEXT, "description": "Name of the license, such as Apache-2.0."},
    "description": _TEXT,
    "labels": {**_TEXT, "description": "JSON object of texts."},
    "card": {**_TEXT, "description": "Model card in Markdown."},
    "lineage": {**_TEXT, "description": "JSON object that says what the model was made from."},
}
_OF_MODEL = {"name": _TEXT, "title": _TEXT, **_OF_VERSION}
_OF_VARIANT = {"precision": {**_TEXT, "enum": ["fp32", "fp16", "bf16", "int8"]}}
_AS_OBJECT = {"labels", "lineage", "pipeline", "members"}
MAX_LINEAGE = 10_000
MAX_PIPELINE = 64 * 1024
Properties = Mapping[str, Mapping[str, Any]]


def _body(properties: Properties, *required: str) -> dict[str, Any]:
    """Return the schema of the body: a form with the file, or a form or JSON that names where it is."""
    given = {**_ELSEWHERE, **properties}
    in_json = {name: {**about, "type": "object"} if name in _AS_OBJECT else about for name, about in given.items()}
    return {
        "multipart/form-data": {"type": "object", "properties": {**_FILE, **given}, "required": list(required)},
        "application/json": {"type": "object", "properties": in_json, "required": list(required)},
    }


def _object(fields: Mapping[str, Any], name: str, longest: int = MAX_LINEAGE) -> dict[str, Any] | None:
    """Return the object in a field, which is JSON text in a form, or None without the field."""
    value = fields.get(name)
    if value is None:
        return None
    try:
        text = value if isinstance(value, str) else json.dumps(value, allow_nan=False)
        found = json.loads(text, object_pairs_hook=without_repeated) if len(text) <= longest else None
        json.dumps(found, allow_nan=False)
    except (ValueError, RecursionError, RepeatedName) as error:
        raise InvalidRequest(f"The field `{name}` is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidRequest(f"The field `{name}` must be a JSON object of at most {longest} characters.")
    if unstorable_text(found) is not None:
        raise InvalidRequest(f"The field `{name}` contains a NUL character or half a surrogate pair.")
    return found


def _answer(
    request: Request, creation: ModelCreation, fields: Mapping[str, Any], shown: Callable[[ModelTask], dict[str, Any]]
) -> Response:
    """Add the file, or let the live layer fetch it first."""
    source = model_source(request, creation.identity, fields)
    require_isolation()
    if isinstance(source, Address):
        earlier = creation.before(source)
        if earlier is None:
            return fetch_first(request, source, partial(creation.hold, source))
        return _accepted(earlier, shown)
    return _accepted(creation.make(source), shown)


def _accepted(answered: Answered[ModelTask], shown: Callable[[ModelTask], dict[str, Any]]) -> Response:
    body = shown(answered.made)
    headers = {"Location": body["url"], "Retry-After": "1", **replay_headers(answered)}
    return Response(body, status=answered.status, headers=headers)


def _add_version(
    request: Request, identity: Identity, model: str, fields: Mapping[str, Any], operation: Operation
) -> Response:
    described = ModelDescription(
        description=fields.get("description"), labels=_object(fields, "labels"), card=fields.get("card")
    )
    told: dict[str, Any] = {
        "name": model,
        "license": fields.get("license", ""),
        "title": fields.get("title", ""),
        "lineage": _object(fields, "lineage") or {},
    }

    pipeline = _pipeline(fields)

    def add(path: Path, also: Callable[[ModelTask], None]) -> ModelTask:
        new = operation == "create_model"
        owner = identity.tenant_id
        if pipeline is not None:
            declared = VersionUpload(description=described, new=new, **told)
            return add_own_pipeline(owner=owner, upload=declared, pipeline=pipeline, also=also)[1]
        upload = ModelUpload(file=path, description=described, new=new, **told)
        return add_upload(owner=owner, upload=upload, also=also)[1]

    def shown(task: ModelTask) -> dict[str, Any]:
        with unit_of_work(identity):
            number = found_task(identity.tenant_id, model, task.pk).version.number
        return described_version(identity, model, number)

    values = {**told, **asdict(described), **({"pipeline": asdict(pipeline)} if pipeline is not None else {})}
    return _answer(request, ModelCreation(identity, operation, key_of(request), model, values, add), fields, shown)


def _pipeline(fields: Mapping[str, Any]) -> OwnPipeline | None:
    declared, members = _object(fields, "pipeline", MAX_PIPELINE), _object(fields, "members")
    if declared is None:
        if members is not None:
            raise InvalidRequest("The field `members` belongs to a `pipeline`, which is missing.")
        return None
    for role, member in (members or {}).items():
        if not isinstance(member, str):
            raise InvalidRequest(f"The member {role[:40]!r} must be a text, such as adder@1.")
    return OwnPipeline(declared, members or {})


class ModelUploads(ModelList):
    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        operation_id="create_model",
        summary="Upload a model",
        description="Makes version 1 of a new model, or the next version of a model of your own.",
        request=_body(_OF_MODEL, "name", "license"),
        responses={202: VersionSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "models:write")
        fields = model_fields(request, (*_FILE, *_ELSEWHERE, *_OF_MODEL))
        name = fields.get("name", "")
        identity.require_model(name)
        return _add_version(request, identity, name, fields, "create_model")


class VersionUploads(VersionList):
    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        operation_id="create_model_version",
        summary="Upload the next version of a model",
        request=_body(_OF_VERSION, "license"),
        responses={202: VersionSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str) -> Response:
        identity = owner_of(request, model)
        fields = model_fields(request, (*_FILE, *_ELSEWHERE, *_OF_VERSION))
        return _add_version(request, identity, model, fields, "create_model_version")


class VariantUploads(VariantList):
    @extend_schema(
        parameters=[IDEMPOTENCY_KEY],
        operation_id="create_model_variant",
        summary="Upload a variant of a version",
        description="The variant is compared with the version's own file. It is refused if it leaves its bounds.",
        request=_body(_OF_VARIANT, "precision"),
        responses={202: TaskSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str, number: int) -> Response:
        identity = owner_of(request, model)
        fields = model_fields(request, (*_FILE, *_ELSEWHERE, *_OF_VARIANT))
        precision = fields.get("precision", "")

        def add(path: Path, also: Callable[[ModelTask], None]) -> ModelTask:
            owner = identity.tenant_id
            return add_variant(owner=owner, model=model, number=number, file=path, precision=precision, also=also)[1]

        def shown(task: ModelTask) -> dict[str, Any]:
            with unit_of_work(identity):
                return task_json(found_task(identity.tenant_id, model, task.pk))

        values = {"model": model, "version": number, "precision": precision}
        creation = ModelCreation(identity, "create_model_variant", key_of(request), model, values, add)
        return _answer(request, creation, fields, shown)
