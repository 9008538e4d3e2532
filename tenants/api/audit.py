"""The endpoint `/v1/audit`, which lists the changes in the caller's account and their authors."""

from typing import cast

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.api.callers import caller
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, paged_list_of
from tenants.audit.actions import KINDS
from tenants.audit.entry_display import EntryDisplay
from tenants.audit.models import AuditEntry
from tenants.audit.selectors import NAMES, AuditFilter, audit_entries
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest

ENTRY = inline_serializer(
    "AuditEntry",
    {
        "id": serializers.UUIDField(),
        "object": serializers.CharField(),
        "at": serializers.DateTimeField(),
        "action": serializers.CharField(help_text="A stable code, such as `key.created`."),
        "actor": inline_serializer(
            "AuditActor",
            {
                "kind": serializers.CharField(help_text="`person`, `key`, `operator` or `system`."),
                "id": serializers.UUIDField(allow_null=True, help_text="Null for operators and the service."),
                "name": serializers.CharField(help_text="Name at that time."),
                "on_behalf_of": serializers.CharField(help_text="The member as whom an operator acted."),
            },
        ),
        "subject": inline_serializer(
            "AuditSubject",
            {
                "kind": serializers.CharField(),
                "id": serializers.CharField(),
                "name": serializers.CharField(help_text="Name at that time."),
            },
        ),
        "changes": serializers.DictField(
            help_text="Changed fields, each with `before` and `after`. Secrets are left out."
        ),
        "note": serializers.CharField(),
        "address": serializers.CharField(help_text="IP address of the request. Empty for operators."),
        "user_agent": serializers.CharField(),
        "request_id": serializers.CharField(),
    },
    many=True,
)


class AuditLog(APIView):
    @extend_schema(
        operation_id="list_audit_entries",
        summary="List audit entries, newest first",
        parameters=[
            OpenApiParameter("kind", str, enum=list(KINDS), description="Kind of the changed object."),
            OpenApiParameter(
                "actor",
                {"type": "string", "minLength": 1},
                description="ID of a user or a key; or `keys`, `operator`, `system`.",
            ),
            OpenApiParameter("since", {"type": "string", "format": "date"}, description="First day, in UTC."),
            OpenApiParameter("until", {"type": "string", "format": "date"}, description="Last day, included, in UTC."),
            *PAGED,
        ],
        responses={200: paged_list_of("AuditEntryList", ENTRY), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "audit:read")
        identity.require_livemode()
        only(request, *NAMES, "limit", "cursor")
        empty = next((name for name in NAMES if request.query_params.get(name) == ""), None)
        if empty is not None:
            raise InvalidRequest(f"`{empty}` is empty. Leave it out or give it a value.")
        try:
            wanted = AuditFilter.read(request.query_params.dict())
        except ValueError as fault:
            raise InvalidRequest(str(fault)) from fault
        with unit_of_work(identity):
            return Response(
                listing(request, audit_entries(wanted), lambda row: EntryDisplay(cast(AuditEntry, row)).as_json)
            )
