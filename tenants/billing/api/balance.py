"""`/v1/balance`: the amount that the caller's account may still spend, and the amount that is held for work in
progress.
"""

from typing import cast

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, list_of
from tenants.billing.ledger.plan_standing import IncludedRow, standing_of
from tenants.billing.ledger.selectors import Balance, BudgetNow, balances
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity

BUDGET = inline_serializer(
    "BudgetOfMonth",
    {
        "of": serializers.ChoiceField(["tenant", "key"]),
        "set_by": serializers.ChoiceField(["operator", "tenant"], help_text="Both hold."),
        "monthly_micros": serializers.IntegerField(),
        "used_micros": serializers.IntegerField(help_text="In this month of the calendar, UTC."),
        "held_micros": serializers.IntegerField(),
        "left_micros": serializers.IntegerField(),
    },
    many=True,
)
INCLUDED = inline_serializer(
    "IncludedUnits",
    {
        "model": serializers.CharField(allow_null=True, help_text="None: of all models."),
        "meter": serializers.CharField(),
        "quantity": serializers.IntegerField(help_text="In this month, or for what is left of it."),
        "left": serializers.IntegerField(),
    },
    many=True,
)
BALANCE = inline_serializer(
    "Balance",
    {
        "object": serializers.CharField(),
        "currency": serializers.CharField(),
        "kind": serializers.ChoiceField(["prepaid", "invoiced"]),
        "available_micros": serializers.IntegerField(help_text="Below zero: owed."),
        "held_micros": serializers.IntegerField(help_text="Set aside for work under way."),
        "credit_line_micros": serializers.IntegerField(),
        "spendable_micros": serializers.IntegerField(
            allow_null=True, help_text="None where nothing but budgets bounds it."
        ),
        "budgets": BUDGET,
    },
    many=True,
)


class BalanceList(APIView):
    @extend_schema(
        operation_id="get_balance",
        summary="What your account may still spend",
        responses={200: list_of("BalanceList", BALANCE, included=INCLUDED), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        """Return the balances. Every key may read them, because they belong to its own account. People need the right
        to see bills.
        """
        only(request)
        identity = cast(Identity, request.user)
        identity.require_livemode()
        if identity.key_id is None:
            identity.require("billing:read")
        with unit_of_work(identity.tenant_id):
            data = [_told(one) for one in balances(identity.key_id)]
            included = standing_of(identity.tenant_id).rows
        return Response({"object": "list", "data": data, "included": [_included(row) for row in included]})


def _included(row: IncludedRow) -> dict[str, object]:
    return {"model": row.model or None, "meter": row.meter, "quantity": row.quantity, "left": row.left}


def _told(balance: Balance) -> dict[str, object]:
    wallet = balance.wallet
    return {
        "object": "balance",
        "currency": wallet.currency,
        "kind": wallet.kind,
        "available_micros": wallet.available_micros,
        "held_micros": wallet.held_micros,
        "credit_line_micros": wallet.credit_line_micros,
        "spendable_micros": wallet.spendable_micros,
        "budgets": [_budget(one) for one in balance.budgets],
    }


def _budget(budget: BudgetNow) -> dict[str, object]:
    return {
        "of": budget.of,
        "set_by": budget.set_by,
        "monthly_micros": budget.monthly_micros,
        "used_micros": budget.used_micros,
        "held_micros": budget.held_micros,
        "left_micros": budget.left_micros,
    }
