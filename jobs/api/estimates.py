"""`/v1/estimate`: the cost of work at the caller's own prices, before it is sent."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from inference.core.contracts import Json
from inference.gateway.open_inference.faces import face_of
from inference.gateway.open_inference.infer import checked_work
from inference.gateway.open_inference.requests import read_request as read_infer
from inference.gateway.openai.embedding_request import read_request as read_embeddings
from inference.gateway.openai.embeddings import check_dimensions
from inference.gateway.openai.planned_embeddings import RUNTIME
from inference.registry.errors import ModelTypeMismatch
from inference.registry.selectors import find_version
from inference.runtime.parameters import TRUNCATE, work_kind
from jobs.api.documents import uploaded
from jobs.api.jobs import request_of_form, request_of_json
from jobs.api.schema import JOB_UPLOAD
from jobs.api.serializers.costs import CostSerializer
from jobs.api.serializers.job_requests import JobRequestSerializer
from jobs.api.serializers.strict_fields import StrictFields
from jobs.submission.estimates import (
    EstimateRequest,
    PricedEstimate,
    SynchronousCall,
    estimate,
    estimate_call,
    estimate_job,
)
from tenants.api.callers import caller
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS
from tenants.core.asgi.protocol import UPLOAD
from tenants.core.errors import InvalidRequest
from tenants.core.messages import names_in_words
from tenants.identity.identity import Identity
from tenants.plans.agreed import AgreedPrice
from tenants.plans.prices import Price, display

AMOUNTS = frozenset({"pages", "tokens", "calls", "gpu_milliseconds", "model_hours"})
_OF_JOBS = frozenset({"document", "document_url", "input"})
_OF_EMBEDDINGS = frozenset({"encoding_format", "dimensions", "user"})
_OF_INFER = frozenset({"id", "parameters", "inputs", "outputs"})


def call_reader(body: Mapping[str, Any]) -> Callable[[Identity, Mapping[str, Any]], SynchronousCall] | None:
    """Return the function that reads this body as a synchronous call, or None if it is no such call."""
    if "inputs" in body:
        return infer_call
    if _OF_EMBEDDINGS & body.keys() or _holds_tokens(body.get("input")):
        return embeddings_call
    return None


def is_job(body: Mapping[str, Any]) -> bool:
    """Return whether the body submits a job. A body with only a document is an amount too; the estimate is equal."""
    return not AMOUNTS & body.keys() and bool(_OF_JOBS & body.keys())


def _holds_tokens(given: object) -> bool:
    return isinstance(given, list) and bool(given) and all(isinstance(part, int | list) for part in given)


def embeddings_call(identity: Identity, body: Mapping[str, Any]) -> SynchronousCall:
    call = read_embeddings(json.dumps(body).encode())
    version = find_version(call.model, tenant_id=identity.tenant_id)
    if version.runtime != RUNTIME:
        raise ModelTypeMismatch(f"The model {version.served_model.name!r} has no text embeddings. Use another model.")
    check_dimensions(call.dimensions, version.key, version.config)
    return SynchronousCall(version, call.work, work_kind(call.work), {TRUNCATE.name: False})


def infer_call(identity: Identity, body: Mapping[str, Any]) -> SynchronousCall:
    """Read the call in a body with `model`. In the call itself the model is part of the path."""
    model = body.get("model")
    if not isinstance(model, str):
        raise InvalidRequest("`inputs` needs `model`: send the model name from the URL of the call.")
    unknown = sorted(body.keys() - _OF_INFER - {"model"})
    if unknown:
        raise InvalidRequest(f"Unknown fields for a call with `inputs`: {names_in_words(unknown)}.")
    version = find_version(model, tenant_id=identity.tenant_id)
    written = json.dumps({name: value for name, value in body.items() if name != "model"}).encode()
    request = read_infer(written, len(written))
    face = face_of(version.runtime, version.served_model.accepts, version.signature)
    parameters: Mapping[str, Json] = request.parameters or {}
    return SynchronousCall(version, checked_work(face, request), face.asked, parameters)


MOST = 1_000_000_000_000
_WITH_FILE = {**JOB_UPLOAD, "properties": {**JOB_UPLOAD["properties"], "cached_share": {"type": "string"}}}


class ShareSerializer(serializers.Serializer[Any]):
    cached_share = serializers.DecimalField(
        required=False,
        default=Decimal(0),
        max_digits=10,
        decimal_places=6,
        min_value=0,
        max_value=1,
        help_text="Expected share of cache hits, from 0 to 1.",
    )


class EstimateRequestSerializer(StrictFields):
    model = serializers.CharField(max_length=120, help_text="Model name, or `name@version`.")
    document = serializers.UUIDField(required=False, help_text="ID of a document. All its pages are counted.")
    pages = serializers.IntegerField(required=False, min_value=1, max_value=MOST)
    tokens = serializers.IntegerField(required=False, min_value=1, max_value=MOST)
    calls = serializers.IntegerField(required=False, min_value=1, max_value=MOST)
    gpu_milliseconds = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST,
        help_text="GPU time, for a model that is priced by `gpu_second`.",
    )
    model_hours = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST,
        help_text="Hours in which a version of a model of your own is in memory.",
    )


class EstimatedAmountSerializer(EstimateRequestSerializer, ShareSerializer):
    """An amount of the unit that the model is priced by."""


class EstimatedJobSerializer(JobRequestSerializer, ShareSerializer):
    """The body of `POST /v1/jobs`, with the expected share of cache hits."""


class AgreedPriceSerializer(serializers.Serializer[Any]):
    meter = serializers.CharField()
    amount_micros = serializers.IntegerField()
    per = serializers.IntegerField(help_text="Number of units that the amount is for.")
    currency = serializers.CharField()
    amount = serializers.CharField()


class CoveredSerializer(serializers.Serializer[Any]):
    quantity = serializers.IntegerField(help_text="Units of this work that the plan includes.")
    remaining = serializers.IntegerField(help_text="Included units that remain this month after this work.")


class PlanSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    name = serializers.CharField()


class EstimateSerializer(serializers.Serializer[Any]):
    object = serializers.CharField(default="estimate")
    model = serializers.CharField()
    livemode = serializers.BooleanField(help_text="False with a test key. Its work costs nothing.")
    meter = serializers.CharField()
    quantity = serializers.IntegerField(help_text="Units of the meter. `gpu_second` is in milliseconds.")
    is_maximum = serializers.BooleanField(help_text="True if the quantity is an upper bound: the work may cost less.")
    attachments = serializers.IntegerField(
        help_text="Attachments of an email. Each becomes a job of its own at this price, which is not in this estimate."
    )
    cached_quantity = serializers.IntegerField()
    price = AgreedPriceSerializer()
    cached_price = AgreedPriceSerializer()
    review_price = AgreedPriceSerializer(
        help_text="Price of a page that a person must check. The estimate expects none."
    )
    price_of = serializers.ChoiceField(["tenant", "plan", "model"], help_text="Where the price is set.")
    price_version = serializers.UUIDField(allow_null=True, help_text="Null for the price of the model itself.")
    price_valid_from = serializers.DateTimeField(allow_null=True)
    plan = PlanSerializer(allow_null=True)
    cost = CostSerializer(help_text="Cost at these prices, as the job or call would report it.")
    included = CoveredSerializer()
    amount_due = CostSerializer(help_text="Cost without the units that the plan includes.")


class Estimates(APIView):
    @extend_schema(
        operation_id="estimate",
        summary="Estimate the cost of work",
        request={
            "application/json": PolymorphicProxySerializer(
                "EstimateBody",
                [EstimatedAmountSerializer, EstimatedJobSerializer],
                resource_type_field_name=None,
            ),
            "multipart/form-data": _WITH_FILE,
        },
        description="Send amounts, or the body of `POST /v1/jobs`, of `POST /v1/embeddings`, or of "
        "`POST /v2/models/{name}/infer` with an additional field `model`. Nothing is stored, counted or charged.",
        responses={200: EstimateSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        seen = cast(Identity, request.user)
        identity = caller(request, "jobs:read" if "jobs:read" in seen.scopes else "models:read")
        only(request)
        return Response(_body(identity, _told(request, identity)))


def _told(request: Request, identity: Identity) -> PricedEstimate:
    if UPLOAD in request.META:
        fields, share = _without_share(uploaded(request).fields)
        upload = replace(uploaded(request), fields=fields)
        job = request_of_form(request, upload)
        return estimate_job(identity=identity, request=job, upload=upload, cached_share=share)
    if not isinstance(request.data, dict):
        raise InvalidRequest("The body must be a JSON object.")
    body, share = _without_share(request.data)
    read = call_reader(body)
    if read is not None:
        return estimate_call(identity=identity, call=read(identity, body), cached_share=share)
    if is_job(body):
        job, url = request_of_json(request, body)
        if url:
            raise InvalidRequest(
                "An estimate does not fetch `document_url`, so its number of pages is unknown. Send "
                "the file itself or the number of `pages`."
            )
        return estimate_job(identity=identity, request=job, upload=None, cached_share=share)
    form = EstimateRequestSerializer(data=body)
    form.is_valid(raise_exception=True)
    return estimate(identity=identity, request=EstimateRequest(**form.validated_data, cached_share=share))


def _without_share(fields: Mapping[str, Any]) -> tuple[dict[str, Any], Fraction]:
    share = ShareSerializer(data={name: fields[name] for name in ("cached_share",) if name in fields})
    share.is_valid(raise_exception=True)
    rest = {name: value for name, value in fields.items() if name != "cached_share"}
    return rest, Fraction(share.validated_data["cached_share"])


def _body(identity: Identity, estimate: PricedEstimate) -> dict[str, Any]:
    agreed, found, plan = estimate.agreed, estimate.estimate, estimate.standing.plan
    charged = 1 if identity.livemode else 0
    return {
        "object": "estimate",
        "model": estimate.version.key,
        "livemode": identity.livemode,
        "meter": agreed.price.meter,
        "quantity": found.quantity,
        "is_maximum": estimate.is_maximum,
        "attachments": estimate.attachments,
        "cached_quantity": found.cached_quantity,
        **_prices(agreed),
        "plan": {"code": plan.code, "name": plan.name} if plan else None,
        "cost": _amount(found.cost_micros * charged, agreed.price.currency),
        "included": {"quantity": found.included, "remaining": found.left},
        "amount_due": _amount(found.to_pay_micros * charged, agreed.price.currency),
    }


def _prices(agreed: AgreedPrice) -> dict[str, Any]:
    return {
        "price": _price(agreed.price),
        "cached_price": _price(agreed.cached_price),
        "review_price": _price(agreed.price_of_review),
        "price_of": agreed.of,
        "price_version": agreed.version,
        "price_valid_from": agreed.valid_from,
    }


def _price(price: Price) -> dict[str, Any]:
    return {**price.to_json(), "amount": display(price.amount_micros)}


def _amount(micros: int, currency: str) -> dict[str, Any]:
    return {"amount": display(micros), "amount_micros": micros, "currency": currency}
