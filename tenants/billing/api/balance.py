"""`/v1/balance`: what the caller's account may still spend, and what is held for work in progress."""

from dataclasses import asdict
from typing import Any, cast

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, list_of
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.selectors import BudgetNow, balances, standing_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity

Fields = dict[str, serializers.Field[Any, Any, Any, Any]]
BUDGET: Fields = {
    "scope": serializers.ChoiceField(["tenant", "key"]),
    "set_by": serializers.ChoiceField(
        ["operator", "tenant"], help_text="Who set the budget. If both did, both budgets apply."
    ),
    "monthly_micros": serializers.IntegerField(),
    "used_micros": serializers.IntegerField(help_text="Amount used in this calendar month (UTC)."),
    "held_micros": serializers.IntegerField(),
    "remaining_micros": serializers.IntegerField(),
}
INCLUDED = inline_serializer(
    "IncludedUnits",
    {
        "model": serializers.CharField(allow_null=True, help_text="Null for all models."),
        "meter": serializers.CharField(),
        "quantity": serializers.IntegerField(help_text="Included units in this month, or in the rest of it."),
        "remaining": serializers.IntegerField(),
    },
    many=True,
)
WALLET: Fields = {
    "currency": serializers.CharField(),
    "kind": serializers.ChoiceField(["prepaid", "invoiced"]),
    "available_micros": serializers.IntegerField(help_text="Negative if money is owed."),
    "held_micros": serializers.IntegerField(help_text="Reserved for work in progress."),
    "credit_line_micros": serializers.IntegerField(),
    "spendable_micros": serializers.IntegerField(allow_null=True, help_text="Null if only budgets limit the spending."),
}
BUDGETS = inline_serializer("BudgetOfMonth", {**BUDGET}, many=True)
BALANCE = inline_serializer("Balance", {"object": serializers.CharField(), **WALLET, "budgets": BUDGETS}, many=True)


class BalanceList(APIView):
    @extend_schema(
        operation_id="get_balance",
        summary="Show balances and budgets",
        responses={200: list_of("BalanceList", BALANCE, included=INCLUDED), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        """Return the balances. Any key of the account may read them. Users need the permission to see billing."""
        only(request)
        identity = cast(Identity, request.user)
        identity.require_livemode()
        if identity.key_id is None:
            identity.require("billing:read")
        with unit_of_work(identity.tenant_id):
            data = [
                {
                    "object": "balance",
                    **_told(balance.wallet, WALLET),
                    "budgets": [_told(budget, BUDGET) for budget in balance.budgets],
                }
                for balance in balances(identity.key_id)
            ]
            rows = standing_of(identity.tenant_id).rows
        included = [{**asdict(row), "model": row.model or None} for row in rows]
        return Response({"object": "list", "data": data, "included": included})


def _told(row: Wallet | BudgetNow, fields: Fields) -> dict[str, object]:
    return {name: getattr(row, name) for name in fields}
