"""The catalog of models, the page of one model with its playground, and the code for the playground's call."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from inference.core.contracts import Json
from inference.registry.class_labels import class_labels
from inference.registry.errors import ModelNotFound, VersionNotFound
from inference.registry.models import ModelVersion, ServedModel
from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.dashboard.base.job_view import may_write
from jobs.dashboard.base.wording import run_cost
from jobs.dashboard.catalog import examples
from jobs.dashboard.catalog.filled_form import call_in, example_call
from jobs.dashboard.catalog.model_view import current_of, model_view, version_row
from jobs.dashboard.catalog.selectors import (
    listed_models,
    model_named,
    newest_versions,
    recent_speeds,
    unready_models,
    version_to_try,
)
from jobs.dashboard.catalog.snippets.languages import snippets_of
from jobs.dashboard.catalog.tensor_fields import TensorField, tensor_fields
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.plans.agreed import AgreedPrices

_TITLES = {"document": "Document", "text": "One text", "texts": "Several texts", "tensors": "Tensors"}


@dataclass(frozen=True)
class InputKind:
    name: str
    title: str
    cost: str
    example: str


@dataclass(frozen=True)
class ParameterField:
    name: str
    type: str
    default: str
    """The default in the form that the playground and JSON use."""
    meaning: str
    range: str


@dataclass(frozen=True)
class PlaygroundView:
    kinds: tuple[InputKind, ...]
    parameters: tuple[ParameterField, ...]
    tensors: tuple[TensorField, ...]
    """A field for each input, if all are small tables. Others are written as JSON alone."""
    classes: str
    """The names of the classes of a classifier, as a JSON list."""


def playground_view(served: ServedModel, prices: AgreedPrices, version: ModelVersion) -> PlaygroundView:
    signature = version.signature
    price = prices.of_model(served.name, served.price, served.cached_price).price
    kinds = tuple(
        InputKind(kind, _TITLES[kind], run_cost(price, kind), _example(kind, signature))
        for kind in input_kinds(served.accepts)
    )
    fields = tuple(_field(parameter) for parameter in served.parameters)
    tensors = tensor_fields(signature) if kinds[0].name == "tensors" else ()
    return PlaygroundView(kinds, fields, tensors, json.dumps(class_labels(version.labels)))


def input_kinds(accepts: list[str]) -> list[str]:
    """Return the kinds of input, the first to begin with: texts for models that take several, else pages."""
    kinds = [kind for kind in accepts if kind in _TITLES] or ["tensors"]
    return sorted(kinds, key=lambda kind: kind == "document") if "texts" in kinds else kinds


def _example(kind: str, signature: Mapping[str, Json]) -> str:
    match kind:
        case "text":
            return examples.TEXT
        case "texts":
            return "\n".join(examples.TEXTS)
        case "tensors":
            return _tensors_text(examples.example_tensors(signature))
    return ""


def _tensors_text(tensors: list[dict[str, Json]] | None) -> str:
    """Return tensors as JSON with a text line for each field, so that long data does not hide what follows it."""
    if tensors is None:
        return ""
    written = (
        ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in tensor.items()) for tensor in tensors
    )
    return "[\n" + ",\n".join(f"  {{\n{fields}\n  }}" for fields in written) + "\n]"


def _field(parameter: Mapping[str, Json]) -> ParameterField:
    return ParameterField(
        name=str(parameter["name"]),
        type=str(parameter["type"]),
        default=json.dumps(parameter["default"]),
        meaning=str(parameter["description"]),
        range=_range(parameter.get("minimum"), parameter.get("maximum")),
    )


def _range(minimum: float | None, maximum: float | None) -> str:
    if minimum is not None and maximum is not None:
        return f"{minimum:g} to {maximum:g}"
    if minimum is not None:
        return f"at least {minimum:g}"
    return f"at most {maximum:g}" if maximum is not None else ""


@require_GET
@members_only
def model_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("models:read")
    with unit_of_work(identity):
        served = listed_models(identity.tenant_id)
        speeds = recent_speeds(identity.tenant_id, [current_of(model).pk for model in served])
        unready = list(unready_models(identity.tenant_id))
    models = [
        (model_view(model, speeds.get(current_of(model).pk), identity.prices), model.versions.all()) for model in served
    ]
    return render(request, "jobs/catalog/model_list.html", {"models": models, "unready": unready})


@require_GET
@members_only
def model_page(request: HttpRequest, identity: Identity, name: str) -> HttpResponse:
    identity.require("models:read")
    with unit_of_work(identity):
        served = _found(identity, name)
        version, reference = _chosen(request, served)
        speeds = recent_speeds(identity.tenant_id, [version.pk])
        versions = newest_versions(served)
    playground = playground_view(served, identity.prices, version)
    kind = playground.kinds[0].name
    context = {
        "model": model_view(served, speeds.get(version.pk), identity.prices, version),
        "reference": reference,
        "is_current": version.pk == served.current_id,
        "versions": [version_row(version, served) for version in versions],
        "playground": playground,
        "snippets": snippets_of(
            example_call(reference, version.runtime, kind, version.signature), settings.MAAS_PUBLIC_URL
        ),
        "priorities": list(NUMBERS),
        "usual_priority": DEFAULT,
        "may_write": may_write(identity),
        "max_bytes": identity.limits.upload_bytes,
        "now": timezone.now(),
    }
    return render(request, "jobs/catalog/model_page.html", context)


@require_POST
@members_only
def model_code(request: HttpRequest, identity: Identity, name: str) -> HttpResponse:
    identity.require("models:read")
    with unit_of_work(identity):
        version, reference = _chosen(request, _found(identity, name))
    try:
        call = call_in(request.body, model=reference, runtime=version.runtime)
    except InvalidRequest as refusal:
        return render(request, "jobs/catalog/code.html", {"refusal": refusal.detail}, status=400)
    snippets = snippets_of(call, settings.MAAS_PUBLIC_URL)
    return render(request, "jobs/catalog/code.html", {"snippets": snippets})


def _chosen(request: HttpRequest, served: ServedModel) -> tuple[ModelVersion, str]:
    """Return the version to try and its name in calls: the one that the address names, or else the current one."""
    try:
        version = version_to_try(served, request.GET.get("version", ""))
    except VersionNotFound as missing:
        raise Http404(missing.detail) from missing
    return (version, version.key) if version else (current_of(served), served.name)


def _found(identity: Identity, name: str) -> ServedModel:
    try:
        return model_named(identity.tenant_id, name)
    except ModelNotFound as missing:
        raise Http404(missing.detail) from missing
