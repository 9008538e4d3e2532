"""`/v1/limits`: the limits of the caller, what is left of each, and when it is fully available again."""

from dataclasses import asdict
from typing import cast

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.submission.allowance import max_unfinished_pages, unfinished_jobs, unfinished_pages
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tenants.limits.quota.capacity import storage_standing
from tenants.limits.quota.counted import counted_limits
from tenants.limits.rates.free_day import DAY_S, Left, free_day
from tenants.limits.rates.headers import Standing
from tenants.limits.rates.limits import WINDOW_S, Limit
from tenants.limits.rates.spending import spending
from tenants.plans.retention import retention_for
from tenants.tiers.selectors import tier_name_of

LIMIT = inline_serializer(
    "Limit",
    {
        "object": serializers.CharField(),
        "name": serializers.ChoiceField(
            [
                "requests",
                "tokens",
                "pages",
                "calls",
                "test_pages",
                "test_calls",
                "unfinished_jobs",
                "unfinished_pages",
                "storage",
                "own_models",
                "own_model_mb",
            ]
        ),
        "scope": serializers.ChoiceField(["tenant", "key", "model"], help_text="Scope of the limit."),
        "model": serializers.CharField(allow_null=True),
        "amount": serializers.IntegerField(),
        "window_s": serializers.IntegerField(
            allow_null=True,
            help_text="Null for limits without a period, such as calls in progress or storage.",
        ),
        "remaining": serializers.IntegerField(
            allow_null=True, help_text="Null if unknown, and for the largest size of a model, which nothing uses up."
        ),
        "resets_in_s": serializers.FloatField(
            allow_null=True,
            help_text="Seconds until the full amount is available again, if nothing more is used. Null if unknown "
            "or independent of time.",
        ),
    },
    many=True,
)


RETENTION = inline_serializer(
    "Retention",
    {
        "documents_days": serializers.IntegerField(
            help_text="Days until a document is erased, from its last use. 0: never."
        ),
        "results_days": serializers.IntegerField(
            help_text="Days until results are erased, from the end of the job. 0: never."
        ),
        "events_days": serializers.IntegerField(help_text="Days until an event is erased. 0: never."),
        "test_days": serializers.IntegerField(
            help_text="Days until documents and results of test keys are erased, if this is less. 0: no difference."
        ),
    },
)


TIER = serializers.CharField(allow_null=True, help_text="Tier of the account: which workers serve it. Null: no tier.")


class LimitList(APIView):
    @extend_schema(
        operation_id="list_limits",
        summary="List limits",
        responses={200: list_of("LimitList", LIMIT, retention=RETENTION, tier=TIER), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        """Return the limits of the caller. Any key may do so, because the limits are the caller's own."""
        only(request)
        identity = cast(Identity, request.user)
        limits = identity.rates.every
        standings = spending().standings(limits)
        data = [_told(limit, standings[position] if standings else None) for position, limit in enumerate(limits)]
        if not identity.livemode:
            data += [_of_day(free_day_limit) for free_day_limit in free_day().left(identity.tenant_id)]
        with unit_of_work(identity):
            retention = asdict(retention_for(identity.tenant_id))
            tier = tier_name_of(identity.tenant_id)
        rest = {"retention": retention, "tier": tier}
        return Response({"object": "list", "data": data + _under_way(identity), **rest})


def _told(limit: Limit, standing: Standing | None) -> dict[str, object]:
    in_a_time = limit.kind != "calls"
    return _limit(
        limit.kind,
        limit.amount,
        standing.left if standing else None,
        scope=limit.scope,
        model=limit.subject.partition(":")[2] if limit.scope == "model" else None,
        window_s=WINDOW_S if in_a_time else None,
        resets_in_s=round(standing.full_in_s, 3) if standing and in_a_time else None,
    )


def _of_day(day: Left) -> dict[str, object]:
    """Describe what all test keys of the account together may do until midnight UTC."""
    resets_in_s = float(day.resets_in_s)
    return _limit(f"test_{day.kind}", day.most, day.left, window_s=DAY_S, resets_in_s=resets_in_s)


def _under_way(identity: Identity) -> list[dict[str, object]]:
    """Describe the limits that are not counted per period, but for as long as something lasts."""
    limits = []
    most = identity.limits.unfinished_jobs
    with unit_of_work(identity):
        if most is not None:
            limits.append(_limit("unfinished_jobs", most, max(0, most - unfinished_jobs(most))))
        most = max_unfinished_pages(identity.tenant_id)
        if most is not None:
            limits.append(_limit("unfinished_pages", most, max(0, most - unfinished_pages())))
        storage = storage_standing(identity.tenant_id)
        if storage.max_bytes is not None:
            limits.append(_limit("storage", storage.max_bytes, max(0, storage.max_bytes - storage.used_bytes)))
        limits += [_limit(held.name, held.amount, held.left) for held in counted_limits(identity.tenant_id)]
    return limits


def _limit(
    name: str,
    amount: int,
    remaining: int | None,
    *,
    scope: str = "tenant",
    model: str | None = None,
    window_s: int | None = None,
    resets_in_s: float | None = None,
) -> dict[str, object]:
    return {
        "object": "limit",
        "name": name,
        "scope": scope,
        "model": model,
        "amount": amount,
        "window_s": window_s,
        "remaining": remaining,
        "resets_in_s": resets_in_s,
    }
