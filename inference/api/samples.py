"""`/v1/models/{model}/samples`: the inputs on which an owner wants the variants of a model to be compared."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from inference.api.versions import body_of, owner_of
from inference.core.contracts import WorkRefused
from inference.registry import samples
from inference.registry.errors import SamplesInvalid
from inference.registry.models import ModelSamples
from inference.registry.owners import owned_model
from inference.runtime.tensor_requests import read_tensors
from tenants.api.callers import caller
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS
from tenants.core.db.unit_of_work import unit_of_work


class SampleSerializer(serializers.Serializer[Any]):
    inputs = serializers.ListField(child=serializers.DictField(), help_text="Input tensors, as for `/v2`.")


class SamplesRequestSerializer(serializers.Serializer[Any]):
    samples = SampleSerializer(many=True)


class SamplesSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    model = serializers.CharField()
    samples = serializers.IntegerField()
    rows = serializers.IntegerField(help_text="Rows of all samples together.")
    sha256 = serializers.CharField()
    created = serializers.IntegerField()
    created_by = serializers.CharField()


class SamplesOfModel(APIView):
    @extend_schema(
        operation_id="show_model_samples",
        summary="Show the samples of a model",
        responses={200: SamplesSerializer, **REFUSALS},
    )
    def get(self, request: Request, model: str) -> Response:
        identity = caller(request, "models:read")
        only(request)
        with unit_of_work(identity):
            return Response(_json(model, samples.found_samples(owned_model(identity.tenant_id, model))))

    @extend_schema(
        operation_id="set_model_samples",
        summary="Choose the samples of a model",
        description="Every variant is compared with its version on these inputs from now on, in place of generated "
        "ones. Half of their rows are used to calibrate, the other half to judge.",
        request=SamplesRequestSerializer,
        responses={200: SamplesSerializer, **REFUSALS},
    )
    def put(self, request: Request, model: str) -> Response:
        identity = owner_of(request, model)
        given = body_of(request, SamplesRequestSerializer)["samples"]
        feeds = [_feeds(number, sample["inputs"]) for number, sample in enumerate(given, 1)]
        kept = samples.set_samples(owner=identity.tenant_id, model=model, samples=feeds)
        return Response(_json(model, kept))

    @extend_schema(
        operation_id="delete_model_samples",
        summary="Delete the samples of a model",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, model: str) -> Response:
        identity = owner_of(request, model)
        samples.delete_samples(owner=identity.tenant_id, model=model)
        return Response(status=204)


def _feeds(number: int, inputs: list[dict[str, Any]]) -> samples.Feeds:
    try:
        return read_tensors(inputs)
    except WorkRefused as refused:
        raise SamplesInvalid(f"Sample {number}: {refused.detail}.") from refused


def _json(model: str, found: ModelSamples) -> dict[str, Any]:
    return {
        "object": "model.samples",
        "model": model,
        "samples": found.samples,
        "rows": found.rows,
        "sha256": found.sha256,
        "created": int(found.created_at.timestamp()),
        "created_by": found.author,
    }
