"""`/v1/usage`: usage and its cost, grouped as the caller asks, and the same as a file."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, limit_parameter, list_of
from tenants.billing.usage.csv_rows import record_lines, sum_lines
from tenants.billing.usage.cursors import read_cursor, write_cursor
from tenants.billing.usage.sums import Row, sums_and_totals
from tenants.billing.usage.usage_json import keys_of, moment, row_json, sum_json
from tenants.billing.usage.usage_query import BUCKETS, GROUPS, PARAMETERS, BadQuestion, UsageQuery, asked
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity

Fields = dict[str, serializers.Field[Any, Any, Any, Any]]
DEFAULT, MOST = 100, 1000
OF = ("sums", "records")

_TIME = {"type": "string"}
QUESTION = [
    OpenApiParameter("from", _TIME, description="A day or time in UTC; the month's first unless told."),
    OpenApiParameter("to", _TIME, description="Not included; the end of today unless told."),
    OpenApiParameter("bucket", {"type": "string", "enum": list(BUCKETS), "default": "day"}),
    OpenApiParameter("group_by", _TIME, description=f"Any of {', '.join(GROUPS)}, with commas."),
    OpenApiParameter("model", _TIME, description="Of these models alone, with commas."),
    OpenApiParameter("key", _TIME, description="Of these keys alone, by id; `none` is what people did."),
    OpenApiParameter("livemode", {"type": "string", "enum": ["true", "false"]}),
]
AMOUNT: Fields = {
    "currency": serializers.CharField(),
    "amount_micros": serializers.IntegerField(),
    "amount": serializers.CharField(help_text="The same as a decimal number."),
    "saved_micros": serializers.IntegerField(help_text="What runs would have cost more than known answers."),
    "saved": serializers.CharField(),
}
SUM: Fields = {
    "quantities": serializers.DictField(child=serializers.IntegerField(), help_text="By meter."),
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
        summary="What was used, and what it cost",
        parameters=[
            *QUESTION,
            limit_parameter(most=MOST, default=DEFAULT),
            OpenApiParameter("cursor", str, description="`next_cursor` of the page before."),
        ],
        responses={200: LIST, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        """Return the sums. Rows with zero usage are left out. `totals` cover the whole query, whichever page
        this is.
        """
        identity = caller(request, "usage:read")
        only(request, *PARAMETERS, "limit", "cursor")
        question = _of_caller(identity, asked(request.query_params, timezone.now()))
        limit, cursor = _limit(request), request.query_params.get("cursor")
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
                "next_cursor": _next(question, rows[:limit]) if len(rows) > limit else None,
                "totals": [
                    {"livemode": mode, **sum_json(of_all[mode])} for mode in (True, False) if mode in of_all
                ],
            }
        )


class UsageExport(APIView):
    """The export of usage. The file has one format, whatever the `Accept` header says."""

    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="export_usage",
        summary="Usage as CSV",
        parameters=[
            *QUESTION,
            OpenApiParameter("of", {"type": "string", "enum": list(OF), "default": "sums"}),
        ],
        responses={(200, "text/csv"): str, **REFUSALS},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Return a file. `of=sums` gives the rows of the list. `of=records` gives one row for each page, call and batch
        line.
        """
        identity = caller(request, "usage:read")
        only(request, *PARAMETERS, "of")
        of = request.query_params.get("of", "sums")
        if of not in OF:
            raise BadQuestion(f"of={of[:20]!r} must be one of {', '.join(OF)}.")
        question = _of_caller(identity, asked(request.query_params, timezone.now()))
        return usage_file(identity, question, records=of == "records")


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


def _next(question: UsageQuery, rows: list[Row]) -> str:
    return write_cursor(question, rows[-1].at, list(rows[-1].of.values()))


def _limit(request: Request) -> int:
    raw = request.query_params.get("limit", str(DEFAULT))
    if not raw.isdecimal() or len(raw) > 9 or not 1 <= int(raw) <= MOST:
        raise BadQuestion(f"limit={raw[:20]!r} must be a whole number from 1 to {MOST}.")
    return int(raw)
