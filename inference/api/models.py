"""The resource `/v1/models`: the served models, in the format that OpenAI's client reads, with additional fields."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from inference.api.model_schemas import ModelChangeSerializer
from inference.api.versions import body_of, owner_of
from inference.gateway.open_inference.faces import face_of
from inference.registry.errors import ModelNotFound
from inference.registry.models import ServedModel
from inference.registry.owners import owned_model
from inference.registry.selectors import active_models, find_version
from inference.registry.versions import change_model, delete_model
from inference.runtime.parameters import documents_of
from tenants.api.callers import caller
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tenants.plans.agreed import AgreedPrice, AgreedPrices
from tenants.plans.prices import Price, display


class ModelSerializer(serializers.ModelSerializer[ServedModel]):
    id = serializers.CharField(source="name")
    object = serializers.CharField(read_only=True, default="model")
    created = serializers.SerializerMethodField()
    owned_by = serializers.SerializerMethodField(help_text="`maas` for the installation, `you` for your own.")
    documents = serializers.SerializerMethodField(help_text="Kinds of documents that the model accepts.")
    version = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()
    digest = serializers.SerializerMethodField()
    signature = serializers.SerializerMethodField()
    price = serializers.SerializerMethodField()
    cached_price = serializers.SerializerMethodField()
    review_price = serializers.SerializerMethodField(help_text="Price of pages that a person must check.")

    class Meta:
        model = ServedModel
        fields = (
            "id",
            "object",
            "created",
            "owned_by",
            "title",
            "description",
            "state",
            "accepts",
            "documents",
            "parameters",
            "version",
            "versions",
            "digest",
            "signature",
            "price",
            "cached_price",
            "review_price",
            "cache_ttl_s",
        )

    def get_owned_by(self, served: ServedModel) -> str:
        return "maas" if served.tenant_id is None else "you"

    def get_created(self, served: ServedModel) -> int:
        return int(served.created_at.timestamp())

    def get_documents(self, served: ServedModel) -> list[str]:
        current = served.current
        return list(documents_of(current.runtime, current.config)) if current else []

    def get_version(self, served: ServedModel) -> int | None:
        return served.current.number if served.current else None

    def get_versions(self, served: ServedModel) -> list[int]:
        return [
            version.number
            for version in served.versions.all()
            if version.state == "ready" and version.deleted_at is None
        ]

    def get_digest(self, served: ServedModel) -> str | None:
        return served.current.digest if served.current else None

    def get_signature(self, served: ServedModel) -> dict[str, Any]:
        """Return the input and output tensors of `/v2`, with the names that clients must use."""
        if served.current is None:
            return {"inputs": [], "outputs": []}
        current = served.current
        face = face_of(current.runtime, served.accepts, current.signature)
        return {
            "inputs": [tensor.as_json() for tensor in face.inputs],
            "outputs": [tensor.as_json() for tensor in face.outputs],
        }

    def get_price(self, served: ServedModel) -> dict[str, Any]:
        return _price_json(self._agreed(served).price)

    def get_cached_price(self, served: ServedModel) -> dict[str, Any]:
        return _price_json(self._agreed(served).cached_price)

    def get_review_price(self, served: ServedModel) -> dict[str, Any]:
        return _price_json(self._agreed(served).price_of_review)

    def _agreed(self, served: ServedModel) -> AgreedPrice:
        """Return the price that applies to the caller."""
        prices: AgreedPrices = self.context["prices"]
        return prices.of_model(served.name, served.price, served.cached_price, served.review_price)


def _price_json(price: Price) -> dict[str, Any]:
    return {**price.to_json(), "amount": display(price.amount_micros)}


class ModelList(APIView):
    @extend_schema(
        operation_id="list_models",
        summary="List models",
        responses={200: list_of("ModelList", ModelSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "models:read")
        only(request)
        with unit_of_work(identity):
            served = active_models(identity.tenant_id).prefetch_related("versions")
            serializer = ModelSerializer(served, many=True, context={"prices": identity.prices})
            return Response({"object": "list", "data": serializer.data})


class ModelDetail(APIView):
    @extend_schema(operation_id="show_model", summary="Show a model", responses={200: ModelSerializer, **REFUSALS})
    def get(self, request: Request, model: str) -> Response:
        identity = caller(request, "models:read")
        with unit_of_work(identity):
            return Response(_shown(identity, model))

    @extend_schema(
        operation_id="change_model",
        summary="Change a model of your own",
        request=ModelChangeSerializer,
        responses={200: ModelSerializer, **REFUSALS},
    )
    def patch(self, request: Request, model: str) -> Response:
        identity = owner_of(request, model)
        change_model(owner=identity.tenant_id, model=model, **body_of(request, ModelChangeSerializer))
        with unit_of_work(identity):
            return Response(_shown(identity, model))

    @extend_schema(operation_id="delete_model", summary="Delete a model of your own", responses={204: None, **REFUSALS})
    def delete(self, request: Request, model: str) -> Response:
        identity = owner_of(request, model)
        delete_model(owner=identity.tenant_id, model=model)
        return Response(status=204)


def _shown(identity: Identity, reference: str) -> Any:
    """Describe a model. One of the caller's own is shown also before a version of it is ready."""
    try:
        served = find_version(reference, tenant_id=identity.tenant_id).served_model
    except ModelNotFound:
        served = owned_model(identity.tenant_id, reference)
    return ModelSerializer(served, context={"prices": identity.prices}).data
