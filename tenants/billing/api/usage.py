"""`/v1/usage`: usage and its cost, grouped as the caller asks, and the same as a file."""

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.pagination import limit_of
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, limit_parameter, list_of
from tenants.api_keys.models import ApiKey
from tenants.billing.usage.csv_rows import record_lines, sum_lines
from tenants.billing.usage.sums import Row, Sum, end_of, sums_and_totals
from tenants.billing.usage.usage_query import BUCKETS, GROUPS, PARAMETERS, UsageQuery, parse_usage_query
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity
from tenants.plans.prices import display

Fields = dict[str, serializers.Field[Any, Any, Any, Any]]
DEFAULT, MOST = 100, 1000
LONGEST_CURSOR = 2_000
ROWS = ("sums", "records")

_TIME = {"type": "string"}
QUESTION = [
    OpenApiParameter("from", _TIME, description="First day or time, in UTC. Default: the first day of this month."),
    OpenApiParameter("to", _TIME, description="End, not included, in UTC. Default: the end of today."),
    OpenApiParameter(
        "bucket",
        {"type": "string", "enum": list(BUCKETS), "default": "day"},
        description="Period that a row covers.",
    ),
    OpenApiParameter("group_by", _TIME, description=f"Any of {', '.join(GROUPS)}, separated by commas."),
    OpenApiParameter("model", _TIME, description="Only these models, separated by commas."),
    OpenApiParameter("key", _TIME, description="Only these keys: IDs, separated by commas. `none`: usage by users."),
    OpenApiParameter(
        "livemode",
        {"type": "string", "enum": ["true", "false"]},
        description="`true`: only live usage. `false`: only test usage.",
    ),
]
AMOUNT: Fields = {
    "currency": serializers.CharField(),
    "amount_micros": serializers.IntegerField(),
    "amount": serializers.CharField(help_text="The amount as a decimal number."),
    "saved_micros": serializers.IntegerField(help_text="Amount saved by cache hits, compared with runs."),
    "saved": serializers.CharField(),
}
SUM: Fields = {
    "quantities": serializers.DictField(child=serializers.IntegerField(), help_text="Quantity per meter."),
    "amounts": inline_serializer("UsageAmount", AMOUNT, many=True),
    "records": serializers.IntegerField(),
    "records_cached": serializers.IntegerField(),
}
ROW: Fields = {
    "object": serializers.CharField(),
    "from": serializers.DateTimeField(),
    "to": serializers.DateTimeField(),
    "model": serializers.CharField(required=False),
    "key": serializers.DictField(required=False, allow_null=True, child=serializers.CharField()),
    "meter": serializers.CharField(required=False),
    "livemode": serializers.BooleanField(required=False),
    "cached": serializers.BooleanField(required=False),
    **SUM,
}
TOTAL: Fields = {"livemode": serializers.BooleanField(), **SUM}
LIST = list_of(
    "UsageList",
    inline_serializer("Usage", ROW, many=True),
    has_more=serializers.BooleanField(),
    next_cursor=serializers.CharField(allow_null=True),
    totals=inline_serializer("UsageTotal", TOTAL, many=True),
)


class UsageList(APIView):
    @extend_schema(
        operation_id="list_usage",
        summary="List usage and its cost",
        parameters=[
            *QUESTION,
            limit_parameter(most=MOST, default=DEFAULT),
            OpenApiParameter("cursor", str, description="`next_cursor` of the previous page."),
        ],
        responses={200: LIST, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        """Return the sums. Rows with zero usage are left out. `totals` cover the whole query, whichever page
        this is.
        """
        identity = caller(request, "usage:read")
        only(request, *PARAMETERS, "limit", "cursor")
        question = _of_caller(identity, parse_usage_query(request.query_params, timezone.now()))
        limit, cursor = limit_of(request, DEFAULT, MOST), request.query_params.get("cursor")
        after = None if cursor is None else read_cursor(question, cursor)
        with unit_of_work(identity.tenant_id):
            rows, of_all = sums_and_totals(question, limit=limit + 1, after=after)
            keys = keys_of(rows)
        return Response(
            {
                "object": "list",
                "from": moment(question.start),
                "to": moment(question.end),
                "bucket": question.bucket,
                "group_by": question.group_by,
                "data": [row_json(row, question, keys) for row in rows[:limit]],
                "has_more": len(rows) > limit,
                "next_cursor": write_cursor(question, rows[limit - 1]) if len(rows) > limit else None,
                "totals": [{"livemode": mode, **sum_json(of_all[mode])} for mode in (True, False) if mode in of_all],
            }
        )


class UsageExport(APIView):
    """The export of usage. The file has one format, whatever the `Accept` header says."""

    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="export_usage",
        summary="Export usage as CSV",
        parameters=[
            *QUESTION,
            OpenApiParameter(
                "rows",
                {"type": "string", "enum": list(ROWS), "default": "sums"},
                description="Content of the rows.",
            ),
        ],
        responses={(200, "text/csv"): str, **REFUSALS},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Return a file. `rows=sums` gives the rows of the list. `rows=records` gives one row for each page, call and
        batch line.
        """
        identity = caller(request, "usage:read")
        only(request, *PARAMETERS, "rows")
        rows = request.query_params.get("rows", "sums")
        if rows not in ROWS:
            raise InvalidRequest(f"rows={rows[:20]!r} must be one of {', '.join(ROWS)}.")
        question = _of_caller(identity, parse_usage_query(request.query_params, timezone.now()))
        return usage_file(identity, question, records=rows == "records")


def _of_caller(identity: Identity, question: UsageQuery) -> UsageQuery:
    """Limit the query of a test key to test usage, because live usage belongs to the account's books."""
    return question if identity.livemode else replace(question, only=replace(question.only, livemode=False))


def usage_file(identity: Identity, question: UsageQuery, *, records: bool) -> StreamingHttpResponse:
    lines: Iterator[bytes] = (record_lines if records else sum_lines)(identity.tenant_id, question)
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    what = "usage-records" if records else "usage"
    name = f"{what}-{question.start:%Y-%m-%d}-to-{question.end:%Y-%m-%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response


def row_json(row: Row, question: UsageQuery, keys: dict[str, dict[str, str]]) -> dict[str, object]:
    fields: dict[str, object] = {
        "object": "usage",
        "from": moment(row.at),
        "to": moment(end_of(row.at, question)),
    }
    for group, text in row.of.items():
        if group == "key":
            fields["key"] = keys.get(text, {"id": text}) if text else None
        else:
            fields[group] = text == "true" if group in ("livemode", "cached") else text
    return {**fields, **sum_json(row.sum)}


def sum_json(total: Sum) -> dict[str, object]:
    return {
        "quantities": total.quantities,
        "amounts": [
            {**asdict(amount), "amount": display(amount.amount_micros), "saved": display(amount.saved_micros)}
            for amount in total.amounts
        ],
        "records": total.records,
        "records_cached": total.records_cached,
    }


def keys_of(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Return the public data of the keys in these rows, by id. Call it inside a unit of work."""
    ids = {UUID(row.of["key"]) for row in rows if row.of.get("key")}
    if not ids:
        return {}
    found = ApiKey.objects.filter(id__in=ids).only("id", "name", "public_id", "livemode", "cell")
    return {str(key.id): {"id": str(key.id), "name": key.name, "prefix": key.prefix} for key in found}


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def write_cursor(question: UsageQuery, last: Row) -> str:
    """Return the position of a row as an opaque text."""
    position = [_kind(question), last.at.isoformat(), *last.of.values()]
    written = json.dumps(position, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def read_cursor(question: UsageQuery, text: str) -> tuple[datetime, list[str]]:
    """Decode a cursor. Raise InvalidRequest if it is invalid or belongs to another query."""
    try:
        if len(text) > LONGEST_CURSOR:
            raise ValueError
        kind, at, *groups = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        moment = datetime.fromisoformat(at)
        whole = moment.tzinfo is not None and all(isinstance(group, str) and "\0" not in group for group in groups)
    except (ValueError, TypeError):
        whole = False
    if (
        not whole
        or kind != _kind(question)
        or not question.start <= moment < question.end
        or len(groups) != len(question.group_by)
    ):
        raise InvalidRequest(
            f"{text[:60]!r} is not a cursor of this list. Use next_cursor of the previous page with the same "
            "from, to, bucket and group_by.",
            code="invalid_cursor",
        )
    return moment, groups


def _kind(question: UsageQuery) -> str:
    return f"{question.bucket}:{','.join(question.group_by)}"
