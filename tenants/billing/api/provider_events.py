"""`/v1/payments/stripe/events`: what Stripe tells by itself. Not for callers, and so in no description of the API."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.billing.payments.events import receive_event


class StripeEvents(APIView):
    """Known by its signature alone: neither a key nor a person."""

    authentication_classes = ()
    permission_classes = ()

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        outcome = receive_event(request._request.body, request.headers.get("Stripe-Signature"))
        return Response({"object": "provider_event", "outcome": outcome})
