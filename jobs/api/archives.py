"""`/v1/archives`: many documents in one ZIP file, and the result of each."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.creations import create_archive_once
from jobs.api.documents import uploaded
from jobs.api.requests import class_set_wanted, json_object, key_of, priority_of, replay_headers
from jobs.api.schema import ARCHIVE_UPLOAD, IDEMPOTENCY_KEY
from jobs.api.serializers.archives import ArchiveEntrySerializer, entry_json
from jobs.api.serializers.errors import ErrorSerializer, error_json
from jobs.archives.selectors import Tally, archives_newest_first, get_archive, tallies_of
from jobs.archives.services import ArchiveRequest, cancel_archive, delete_archive
from jobs.core import archive_states as states
from jobs.core.models.archives import Archive
from jobs.core.priorities import DEFAULT, NAMES, NUMBERS
from tenants.api.callers import caller
from tenants.api.pagination import limit_of, listing, number_of
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, limit_parameter, list_of, number_parameter, paged_list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.messages import names_in_words

_FIELDS = ("model", "parameters", "priority", "webhook_url", "class_set")
POLL_S = 2


class ArchiveSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    object = serializers.CharField()
    name = serializers.CharField()
    state = serializers.ChoiceField(states.STATES)
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    model = serializers.CharField(
        allow_null=True, help_text="Model name and version of the jobs. Null if no jobs are created."
    )
    parameters = serializers.DictField()
    priority = serializers.ChoiceField(list(NUMBERS))
    class_set = serializers.CharField(allow_null=True, help_text="Version of the class set of the jobs, if any.")
    error = ErrorSerializer(allow_null=True, help_text="Error of the whole archive.")
    reason_waiting = serializers.CharField(
        allow_null=True, help_text="Error code, if unpacking is paused and will be tried again."
    )
    entries_total = serializers.IntegerField()
    entries_waiting = serializers.IntegerField()
    entries_done = serializers.IntegerField()
    entries_failed = serializers.IntegerField()
    entries_skipped = serializers.IntegerField()
    entries_canceled = serializers.IntegerField()
    livemode = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    urls = serializers.DictField(child=serializers.CharField())


ARCHIVE_LIST = paged_list_of("ArchiveList", ArchiveSerializer(many=True))
ENTRY_LIST = list_of(
    "ArchiveEntryList",
    ArchiveEntrySerializer(many=True),
    has_more=serializers.BooleanField(),
    next_after=serializers.IntegerField(allow_null=True),
)


def archive_json(archive: Archive, tally: Tally) -> dict[str, object]:
    here = f"/v1/archives/{archive.id}"
    return {
        "id": str(archive.id),
        "object": "archive",
        "name": archive.name,
        "state": archive.state,
        "size_bytes": archive.size_bytes,
        "sha256": archive.sha256,
        "model": archive.model or None,
        "parameters": archive.parameters,
        "priority": NAMES[archive.priority],
        "class_set": archive.class_set or None,
        "error": error_json(archive.error_code, archive.error_detail),
        "reason_waiting": archive.waiting_code or None,
        "entries_total": tally.total,
        "entries_waiting": tally.waiting,
        "entries_done": tally.done,
        "entries_failed": tally.failed,
        "entries_skipped": tally.skipped,
        "entries_canceled": tally.canceled,
        "livemode": archive.livemode,
        "created_at": archive.created_at,
        "finished_at": archive.finished_at,
        "urls": {"self": here, "entries": f"{here}/entries", "cancel": f"{here}/cancel"},
    }


def _shown(archive: Archive) -> dict[str, object]:
    """Describe the archive. Call this in a unit of work."""
    return archive_json(archive, tallies_of([archive])[archive.id])


def _polling(archive: Archive) -> dict[str, str]:
    return {"Retry-After": str(POLL_S)} if archive.state == states.UNPACKING else {}


class ArchiveList(APIView):
    @extend_schema(
        operation_id="create_archive",
        summary="Upload a ZIP archive of documents",
        parameters=[IDEMPOTENCY_KEY],
        request=ARCHIVE_UPLOAD,
        responses={202: ArchiveSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "documents:write")
        wanted = _wanted(request)
        if wanted.model:
            identity.require("jobs:write")
        answered = create_archive_once(identity=identity, upload=uploaded(request), request=wanted, key=key_of(request))
        archive = answered.made
        with unit_of_work(identity):
            body = _shown(archive)
        headers = {"Location": f"/v1/archives/{archive.id}", **_polling(archive), **replay_headers(answered)}
        return Response(body, status=answered.status, headers=headers)

    @extend_schema(
        operation_id="list_archives",
        summary="List archives",
        parameters=PAGED,
        responses={200: ARCHIVE_LIST, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "documents:read")
        only(request, "limit", "cursor")
        with unit_of_work(identity):
            found = listing(request, archives_newest_first(), lambda row: row)
            rows: list[Archive] = found["data"]  # type: ignore[assignment]
            tallies = tallies_of(rows)
            return Response({**found, "data": [archive_json(row, tallies[row.id]) for row in rows]})


def _wanted(request: Request) -> ArchiveRequest:
    fields = uploaded(request).fields
    unknown = sorted(set(fields) - set(_FIELDS))
    if unknown:
        field_names = ", ".join(f"`{name}`" for name in _FIELDS)
        raise InvalidRequest(f"Unknown form fields: {names_in_words(unknown)}. Use `file` and {field_names}.")
    beside = sorted(set(fields) - {"model"})
    if beside and not fields.get("model"):
        raise InvalidRequest(f"{names_in_words(beside)} need the field `model`. Add `model` or remove them.")
    return ArchiveRequest(
        model=fields.get("model", ""),
        parameters=json_object(fields.get("parameters", "{}")),
        priority=priority_of(fields.get("priority", DEFAULT)),
        webhook_url=fields.get("webhook_url", ""),
        class_set=class_set_wanted(fields),
        request_id=request.META.get("maas.request_id", ""),
    )


class ArchiveDetail(APIView):
    @extend_schema(
        operation_id="show_archive",
        summary="Show an archive",
        responses={200: ArchiveSerializer, **REFUSALS},
    )
    def get(self, request: Request, archive_id: str) -> Response:
        identity = caller(request, "documents:read")
        with unit_of_work(identity):
            archive = get_archive(archive_id)
            return Response(_shown(archive), headers=_polling(archive))

    @extend_schema(
        operation_id="delete_archive",
        summary="Delete an archive",
        description="The documents and jobs of the archive are not deleted.",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, archive_id: str) -> Response:
        delete_archive(identity=caller(request, "documents:write"), archive_id=archive_id)
        return Response(status=204)


class ArchiveEntries(APIView):
    @extend_schema(
        operation_id="list_archive_entries",
        summary="List the entries of an archive",
        parameters=[
            limit_parameter(most=200, default=100),
            number_parameter("after", least=0, description="Number of the last entry of the previous page."),
        ],
        responses={200: ENTRY_LIST, **REFUSALS},
    )
    def get(self, request: Request, archive_id: str) -> Response:
        identity = caller(request, "documents:read")
        only(request, "limit", "after")
        limit, after = limit_of(request, default=100, most=200), number_of(request, "after")
        with unit_of_work(identity):
            archive = get_archive(archive_id)
            found = list(archive.entries.filter(number__gt=after).order_by("number")[: limit + 1])
        more = len(found) > limit
        body = {
            "object": "list",
            "data": [entry_json(entry) for entry in found[:limit]],
            "has_more": more,
            "next_after": found[limit - 1].number if more else None,
        }
        return Response(body, headers=_polling(archive))


class ArchiveCancel(APIView):
    @extend_schema(
        operation_id="cancel_archive",
        summary="Cancel an archive",
        description="The remaining entries are not unpacked.",
        request=None,
        responses={200: ArchiveSerializer, **REFUSALS},
    )
    def post(self, request: Request, archive_id: str) -> Response:
        identity = caller(request, "documents:write")
        archive = cancel_archive(identity=identity, archive_id=archive_id)
        with unit_of_work(identity):
            return Response(_shown(archive))
