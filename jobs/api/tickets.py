"""`/v1/tickets`: a one-use ticket, for clients that cannot send headers when they open a websocket."""

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.streaming.credentials import Credential
from jobs.streaming.tickets import LIFETIME_S, issue_ticket
from tenants.api.callers import caller
from tenants.api.schema import REFUSALS

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
        summary="A one-use ticket for the websocket",
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
