"""`/v1/events`: all that happens to a tenant, as an event stream."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotAcceptable
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.schema import LAST_EVENT_ID, STREAM
from tenants.api.callers import caller
from tenants.api.schema import REFUSALS


class TenantEvents(APIView):
    # Streams are given ahead of Django (`jobs/live/streams.py`): here come those who take none.
    @extend_schema(
        operation_id="follow_events",
        summary="All that happens, as it happens",
        parameters=[
            OpenApiParameter(
                "after", str, description="The id of the last event seen; from now on unless told."
            ),
            LAST_EVENT_ID,
        ],
        responses={**STREAM, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        caller(request, "events:read")
        raise NotAcceptable("Events come as a stream: ask with Accept: text/event-stream.")
