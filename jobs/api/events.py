"""`/v1/events`, all events of a tenant in pages of JSON, and `/v1/tickets` for websockets without headers."""

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.schema import LAST_EVENT_ID, STREAM
from jobs.api.serializers.events import EventSerializer, event_json
from jobs.documents.job_selectors import tenant_events_after
from jobs.streaming.credentials import Credential
from jobs.streaming.tickets import LIFETIME_S, issue_ticket
from tenants.api.callers import caller
from tenants.api.pagination import limit_of
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, limit_parameter


class StreamEventSerializer(EventSerializer):
    cursor = serializers.CharField(
        help_text="Position among all events of the account. Send it as `after` to continue."
    )


EVENT_PAGE = inline_serializer(
    "EventPage",
    {
        "events": StreamEventSerializer(many=True),
        "next": serializers.CharField(help_text="Send it as `after` to continue, even if `events` is empty."),
        "has_more": serializers.BooleanField(help_text="Whether more events are available now."),
    },
)


class TenantEvents(APIView):
    @extend_schema(
        operation_id="follow_events",
        summary="List or stream events",
        parameters=[
            OpenApiParameter(
                "after",
                str,
                description="`next` or `cursor` of a response, or ID of a streamed event. Default: only new events.",
            ),
            limit_parameter(most=200, default=100),
            OpenApiParameter(
                "Prefer",
                str,
                OpenApiParameter.HEADER,
                description="`wait=30`: respond when an event occurs, or after 30 seconds.",
            ),
            LAST_EVENT_ID,
        ],
        responses={200: EVENT_PAGE, **STREAM, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "events:read")
        only(request, "after", "limit")
        limit = limit_of(request, default=100, most=200)
        page = tenant_events_after(identity, request.query_params.get("after"), limit)
        events = [{**event_json(row), "cursor": row.cursor} for row in page.events]
        return Response({"events": events, "next": page.cursor, "has_more": page.more})


TICKET = inline_serializer(
    "Ticket",
    {
        "ticket": serializers.CharField(),
        "expires_in_s": serializers.IntegerField(),
        "url": serializers.CharField(),
    },
)


class TicketList(APIView):
    @extend_schema(
        operation_id="issue_ticket",
        summary="Create a one-use websocket ticket",
        request=None,
        responses={201: TICKET, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "events:read")
        session_key = None if identity.key_id else request.session.session_key
        ticket = issue_ticket(Credential(identity, session_key))
        return Response(
            {"ticket": ticket, "expires_in_s": LIFETIME_S, "url": f"/ws/v1/events?ticket={ticket}"},
            status=201,
        )
