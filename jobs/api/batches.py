"""`/v1/batches`: many calls of one model in one file, processed within a day, in the form that OpenAI's clients use."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.creations import create_batch_once
from jobs.api.openai_requests import batch_request
from jobs.api.openai_serializers import BatchObject, batch_object, openai_listing
from jobs.api.requests import key_of, replay_headers
from jobs.api.schema import IDEMPOTENCY_KEY, NEW_BATCH, OPENAI_REFUSALS, openai_list_of
from jobs.batches.ids import BATCH
from jobs.batches.models import Batch
from jobs.batches.selectors import get_batch, with_models
from jobs.batches.services import cancel_batch
from tenants.api.callers import caller
from tenants.api.pagination import DEFAULT, MOST
from tenants.api.parameters import only
from tenants.api.schema import limit_parameter
from tenants.core.db.unit_of_work import unit_of_work


class BatchList(APIView):
    @extend_schema(
        operation_id="create_batch",
        summary="Have a file of calls done within a day",
        parameters=[IDEMPOTENCY_KEY],
        request=NEW_BATCH,
        responses={200: BatchObject, **OPENAI_REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "jobs:write")
        wanted = batch_request(request.data, request.META.get("maas.request_id", ""))
        answered = create_batch_once(identity=identity, request=wanted, key=key_of(request))
        return Response(batch_object(answered.made), status=answered.status, headers=replay_headers(answered))

    @extend_schema(
        operation_id="list_batches",
        summary="List batches",
        parameters=[
            limit_parameter(most=100, default=20),
            OpenApiParameter("after", str, description="`last_id` of the page before."),
        ],
        responses={200: openai_list_of("BatchList", BatchObject(many=True)), **OPENAI_REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "jobs:read")
        only(request, "limit", "after")
        with unit_of_work(identity):
            batches = with_models(Batch.objects.all())
            return Response(
                openai_listing(request, batches, batch_object, prefix=BATCH, default=DEFAULT, most=MOST)
            )


class BatchDetail(APIView):
    @extend_schema(
        operation_id="show_batch",
        summary="Show a batch",
        responses={200: BatchObject, **OPENAI_REFUSALS},
    )
    def get(self, request: Request, batch_id: str) -> Response:
        identity = caller(request, "jobs:read")
        with unit_of_work(identity):
            return Response(batch_object(get_batch(batch_id)))


class BatchCancel(APIView):
    @extend_schema(
        operation_id="cancel_batch",
        summary="Cancel a batch",
        request=None,
        responses={200: BatchObject, **OPENAI_REFUSALS},
    )
    def post(self, request: Request, batch_id: str) -> Response:
        identity = caller(request, "jobs:write")
        return Response(batch_object(cancel_batch(identity=identity, batch_id=batch_id)))
