"""`/v1/webhooks`: endpoints, their secrets, and the result of each message."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.creations import (
    create_endpoint_once,
    replay_once,
    replay_range_once,
    rotate_once,
    rotate_own_once,
    send_test_once,
)
from jobs.api.requests import key_of, replay_headers
from jobs.api.schema import IDEMPOTENCY_KEY
from jobs.api.serializers.webhooks import (
    REPLAYED,
    DeliverySerializer,
    DeliveryWithAttemptsSerializer,
    EndpointChangeSerializer,
    EndpointRequestSerializer,
    EndpointSerializer,
    EndpointWithSecretSerializer,
    ReplaySerializer,
    SecretSerializer,
    attempt_json,
)
from jobs.webhooks import services
from jobs.webhooks.models import WebhookDelivery
from jobs.webhooks.secrets import text_of
from jobs.webhooks.selectors import deliveries, endpoints, get_delivery, get_endpoint
from tenants.api.callers import caller
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, paged_list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.messages import one_of

STATES = WebhookDelivery.State.values


def endpoint_body(made: services.WithSecret) -> dict[str, Any]:
    return {**EndpointSerializer(made.endpoint).data, "secret": made.secret}


def delivery_body(delivery: WebhookDelivery) -> dict[str, Any]:
    return dict(DeliverySerializer(delivery).data)


def _asked(form: serializers.Serializer[Any]) -> dict[str, Any]:
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


class EndpointList(APIView):
    @extend_schema(
        operation_id="create_webhook_endpoint",
        summary="Create a webhook endpoint",
        parameters=[IDEMPOTENCY_KEY],
        request=EndpointRequestSerializer,
        responses={201: EndpointWithSecretSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "webhooks:write")
        key = key_of(request)
        values = _asked(EndpointRequestSerializer(data=request.data))
        answered = create_endpoint_once(identity=identity, values=values, key=key)
        endpoint = services.told_with(answered.made)
        headers = {"Location": f"/v1/webhooks/endpoints/{endpoint.endpoint.id}", **replay_headers(answered)}
        return Response(endpoint_body(endpoint), answered.status, headers=headers)

    @extend_schema(
        operation_id="list_webhook_endpoints",
        summary="List webhook endpoints",
        parameters=PAGED,
        responses={200: paged_list_of("WebhookEndpointList", EndpointSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "webhooks:read")
        only(request, "limit", "cursor")
        with unit_of_work(identity):
            return Response(listing(request, endpoints(), lambda endpoint: EndpointSerializer(endpoint).data))


class EndpointDetail(APIView):
    @extend_schema(
        operation_id="show_webhook_endpoint",
        summary="Show a webhook endpoint",
        responses={200: EndpointSerializer, **REFUSALS},
    )
    def get(self, request: Request, endpoint_id: str) -> Response:
        identity = caller(request, "webhooks:read")
        with unit_of_work(identity):
            return Response(EndpointSerializer(get_endpoint(endpoint_id)).data)

    @extend_schema(
        operation_id="change_webhook_endpoint",
        summary="Update, disable or enable a webhook endpoint",
        request=EndpointChangeSerializer,
        responses={200: EndpointSerializer, **REFUSALS},
    )
    def patch(self, request: Request, endpoint_id: str) -> Response:
        identity = caller(request, "webhooks:write")
        with unit_of_work(identity):
            # The endpoint is looked up before the body is checked. Errors in the body must not reveal that an endpoint
            # of another tenant exists.
            get_endpoint(endpoint_id)
        values = _asked(EndpointChangeSerializer(data=request.data))
        changed = services.change_endpoint(identity=identity, endpoint_id=endpoint_id, **values)
        return Response(EndpointSerializer(changed).data)

    @extend_schema(
        operation_id="delete_webhook_endpoint",
        summary="Delete a webhook endpoint",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, endpoint_id: str) -> Response:
        services.delete_endpoint(identity=caller(request, "webhooks:write"), endpoint_id=endpoint_id)
        return Response(status=204)


class EndpointRotation(APIView):
    @extend_schema(
        operation_id="rotate_webhook_secret",
        summary="Rotate the secret of a webhook endpoint",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: EndpointWithSecretSerializer, **REFUSALS},
    )
    def post(self, request: Request, endpoint_id: str) -> Response:
        identity, key = caller(request, "webhooks:write"), key_of(request)
        answered = rotate_once(identity=identity, endpoint_id=endpoint_id, key=key)
        body = endpoint_body(services.told_with(answered.made))
        return Response(body, answered.status, headers=replay_headers(answered))


class EndpointTest(APIView):
    @extend_schema(
        operation_id="test_webhook_endpoint",
        summary="Send a test message to a webhook endpoint",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={202: DeliverySerializer, **REFUSALS},
    )
    def post(self, request: Request, endpoint_id: str) -> Response:
        identity, key = caller(request, "webhooks:write"), key_of(request)
        answered = send_test_once(identity=identity, endpoint_id=endpoint_id, key=key)
        headers = {"Location": f"/v1/webhooks/deliveries/{answered.made.id}", **replay_headers(answered)}
        return Response(delivery_body(answered.made), answered.status, headers=headers)


class EndpointReplay(APIView):
    @extend_schema(
        operation_id="replay_webhook_deliveries",
        summary="Replay the messages of a webhook endpoint",
        parameters=[IDEMPOTENCY_KEY],
        request=ReplaySerializer,
        responses={202: REPLAYED, **REFUSALS},
    )
    def post(self, request: Request, endpoint_id: str) -> Response:
        identity, key = caller(request, "webhooks:write"), key_of(request)
        with unit_of_work(identity):
            get_endpoint(endpoint_id)
        values = _asked(ReplaySerializer(data=request.data))
        answered = replay_range_once(identity=identity, endpoint_id=endpoint_id, key=key, **values)
        body = {"object": "webhook_replay", "replayed": answered.made}
        return Response(body, answered.status, headers=replay_headers(answered))


class OwnSecret(APIView):
    @extend_schema(
        operation_id="show_webhook_secret",
        summary="Show the secret for job webhook URLs",
        responses={200: SecretSerializer, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        secret = services.own_secret(identity=caller(request, "webhooks:write"))
        return Response({"object": "webhook_secret", "secret": secret}, headers={"Cache-Control": "private, no-store"})


class OwnSecretRotation(APIView):
    @extend_schema(
        operation_id="rotate_own_webhook_secret",
        summary="Rotate the secret for job webhook URLs",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: SecretSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity, key = caller(request, "webhooks:write"), key_of(request)
        answered = rotate_own_once(identity=identity, key=key)
        body = {"object": "webhook_secret", "secret": text_of(answered.made)}
        return Response(body, answered.status, headers=replay_headers(answered))


class DeliveryList(APIView):
    @extend_schema(
        operation_id="list_webhook_deliveries",
        summary="List webhook deliveries",
        parameters=[
            *PAGED,
            OpenApiParameter("endpoint", str, description="ID of the endpoint."),
            OpenApiParameter("state", str, enum=STATES),
        ],
        responses={200: paged_list_of("WebhookDeliveryList", DeliverySerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "webhooks:read")
        only(request, "endpoint", "state", "limit", "cursor")
        params = request.query_params
        with unit_of_work(identity):
            rows = deliveries()
            if "endpoint" in params:
                rows = rows.filter(endpoint=get_endpoint(params["endpoint"]))
            if "state" in params:
                rows = rows.filter(state=_state(params["state"]))
            return Response(listing(request, rows, delivery_body))


def _state(state: str) -> str:
    if state not in STATES:
        raise InvalidRequest(f"Unknown state {state[:40]!r}. Use {one_of(STATES)}.")
    return state


class DeliveryDetail(APIView):
    @extend_schema(
        operation_id="show_webhook_delivery",
        summary="Show a webhook delivery with its attempts",
        responses={200: DeliveryWithAttemptsSerializer, **REFUSALS},
    )
    def get(self, request: Request, delivery_id: str) -> Response:
        identity = caller(request, "webhooks:read")
        with unit_of_work(identity):
            delivery = get_delivery(delivery_id)
            attempts = [attempt_json(attempt) for attempt in delivery.attempts.order_by("-number")[:100]]
        body = {**delivery_body(delivery), "body": delivery.message.body, "attempts": attempts}
        return Response(body)


class DeliveryReplay(APIView):
    @extend_schema(
        operation_id="replay_webhook_delivery",
        summary="Replay a webhook delivery",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={202: DeliverySerializer, **REFUSALS},
    )
    def post(self, request: Request, delivery_id: str) -> Response:
        identity, key = caller(request, "webhooks:write"), key_of(request)
        answered = replay_once(identity=identity, delivery_id=delivery_id, key=key)
        return Response(delivery_body(answered.made), answered.status, headers=replay_headers(answered))
