"""`/v1/payments`: list payments and begin a payment."""

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.creations import begin_payment_once
from jobs.api.requests import key_of, replay_headers
from jobs.api.schema import IDEMPOTENCY_KEY
from jobs.api.serializers.strict_fields import StrictFields
from tenants.api.callers import caller
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, paged_list_of
from tenants.billing.payments.models import Payment
from tenants.billing.payments.selectors import bank_details, get_payment, instructions_for, payments
from tenants.billing.payments.services import start
from tenants.core.db.unit_of_work import unit_of_work

PROVIDERS = ["stripe", "offline"]
INSTRUCTIONS = inline_serializer(
    "TransferInstructions",
    {
        "bank_details": serializers.CharField(help_text="Bank account for the transfer, as entered by the operator."),
        "reference": serializers.CharField(help_text="Payment reference to enter in the transfer."),
        "amount": serializers.CharField(),
    },
    allow_null=True,
)
PAYMENT: dict[str, Any] = {
    "id": serializers.UUIDField(),
    "object": serializers.CharField(),
    "provider": serializers.ChoiceField(PROVIDERS),
    "purpose": serializers.ChoiceField(Payment.Purpose.values),
    "invoice": serializers.UUIDField(allow_null=True),
    "currency": serializers.CharField(),
    "amount_micros": serializers.IntegerField(),
    "refunded_micros": serializers.IntegerField(help_text="Refunded amount, including refunds in progress."),
    "status": serializers.ChoiceField(Payment.Status.values),
    "failure": serializers.CharField(allow_null=True),
    "reference": serializers.CharField(),
    "automatic": serializers.BooleanField(help_text="Whether the saved card was charged automatically."),
    "checkout_url": serializers.CharField(
        allow_null=True, help_text="Payment page to open in a browser. Null if there is none."
    ),
    "instructions": INSTRUCTIONS,
    "created_at": serializers.DateTimeField(),
    "succeeded_at": serializers.DateTimeField(allow_null=True),
}


SHOWN = inline_serializer("Payment", PAYMENT)


class PaymentRequestSerializer(StrictFields):
    """A payment of the full open amount of an invoice, or a purchase of credit."""

    provider = serializers.ChoiceField(PROVIDERS, required=False)
    invoice = serializers.UUIDField(required=False)
    amount_micros = serializers.IntegerField(required=False, min_value=1)
    currency = serializers.RegexField("^[A-Z]{3}$", required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if "invoice" in attrs and {"amount_micros", "currency"} & set(attrs):
            raise serializers.ValidationError({"invoice": ["An invoice is always paid in full. Leave out the amount."]})
        if "invoice" not in attrs and not {"amount_micros", "currency"} <= set(attrs):
            raise serializers.ValidationError({"amount_micros": ["Send invoice, or amount_micros and currency."]})
        return attrs


def payment_body(payment: Payment, details: str | None = None) -> dict[str, Any]:
    """Describe the payment. Call this in a unit of work, because a transfer needs the operator's bank details."""
    pending = payment.status == Payment.Status.PENDING
    instructions = instructions_for(payment, details)
    return {
        "id": str(payment.id),
        "object": "payment",
        "provider": payment.provider,
        "purpose": payment.purpose,
        "invoice": payment.invoice_id and str(payment.invoice_id),
        "currency": payment.currency,
        "amount_micros": payment.amount_micros,
        "refunded_micros": payment.refunded_micros,
        "status": payment.status,
        "failure": payment.failure or None,
        "reference": payment.reference,
        "automatic": payment.automatic,
        "checkout_url": (payment.checkout_url or None) if pending else None,
        "instructions": instructions
        and {
            "bank_details": instructions.bank_details,
            "reference": instructions.reference,
            "amount": instructions.amount,
        },
        "created_at": payment.created_at,
        "succeeded_at": payment.succeeded_at,
    }


class PaymentList(APIView):
    @extend_schema(
        operation_id="create_payment",
        summary="Pay an invoice or buy credit",
        parameters=[IDEMPOTENCY_KEY],
        request=PaymentRequestSerializer,
        responses={201: SHOWN, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity, key = caller(request, "billing:write"), key_of(request)
        identity.require_livemode()
        form = PaymentRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        answered = begin_payment_once(identity=identity, values=dict(form.validated_data), key=key)
        payment = start(answered.made)
        headers = {"Location": f"/v1/payments/{payment.id}", **replay_headers(answered)}
        with unit_of_work(identity):
            return Response(payment_body(payment), answered.status, headers=headers)

    @extend_schema(
        operation_id="list_payments",
        summary="List payments",
        parameters=PAGED,
        responses={
            200: paged_list_of("PaymentList", type(SHOWN)(many=True)),
            **REFUSALS,
        },
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "billing:read")
        only(request, "limit", "cursor")
        with unit_of_work(identity):
            return Response(listing(request, payments(), partial(payment_body, details=bank_details())))


class PaymentDetail(APIView):
    @extend_schema(
        operation_id="show_payment",
        summary="Show a payment",
        responses={200: SHOWN, **REFUSALS},
    )
    def get(self, request: Request, payment_id: str) -> Response:
        identity = caller(request, "billing:read")
        only(request)
        with unit_of_work(identity):
            return Response(payment_body(get_payment(payment_id)))
