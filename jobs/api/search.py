"""`/v1/search`: find pages by words or by meaning."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from inference.core.contracts import Embedding
from inference.registry.selectors import versions_named
from jobs.api.job_filters import field_filters_of, field_parameters
from jobs.api.requests import label_of
from jobs.api.schema import FIELD_FILTER
from jobs.api.serializers.classes import DocumentClassSerializer
from jobs.core.models import Job
from jobs.core.reading_flags import LONGEST_LABEL
from jobs.fields.filtering import with_fields
from jobs.fields.filters import FieldFilter
from jobs.results.shown_hits import ShownHit, shown_hits
from jobs.search import meaning, queries
from jobs.search.meaning import meaning_of
from jobs.search.page_hits import PageFilters, PageHit, Position, pages_about, pages_with
from jobs.search.queries import MAX_TERMS, Query, parsed
from jobs.search.words import words_of
from tenants.api.callers import caller
from tenants.api.pagination import limit_of
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, paged_list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.ids import first_id_at

WORDS, MEANING = "words", "meaning"
MAX_CHARACTERS: Mapping[str, int] = {WORDS: queries.MAX_CHARACTERS, MEANING: meaning.MAX_CHARACTERS}
"""The ways to search, with the most characters of the text."""
MAX_JOBS_WITH_FIELDS = 10_000
_CURSOR = re.compile(r"(words|meaning)-([0-9a-f]{32})-([0-9]{1,9})")
_MOMENT = {"type": "string", "description": "A day (`2026-11-01`) or time (RFC 3339)."}

PARAMETERS = [
    OpenApiParameter(
        "q",
        {"type": "string", "minLength": 1, "maxLength": queries.MAX_CHARACTERS},
        required=True,
        description='By words: all of them are on the page, such as `acme "total due" -draft`. By meaning: a text '
        f"of at most {meaning.MAX_CHARACTERS} characters.",
    ),
    OpenApiParameter(
        "by",
        {"type": "string", "enum": list(MAX_CHARACTERS), "default": WORDS},
        description="`words`: newest job first. `meaning`: nearest page first; the words need not be on it.",
    ),
    OpenApiParameter(
        "class",
        {"type": "string", "minLength": 1, "maxLength": LONGEST_LABEL},
        description="Class of the document, such as `invoice`, or `unsure`.",
    ),
    OpenApiParameter("model", str, description="Model that read the page: name, or `name@version`."),
    FIELD_FILTER,
    OpenApiParameter("from", _MOMENT, description="Jobs submitted from this day or time on, in UTC."),
    OpenApiParameter("to", _MOMENT, description="Jobs submitted before this day or time, in UTC."),
]


class FoundWordSerializer(serializers.Serializer[Any]):
    start = serializers.IntegerField(help_text="Position of the first character in the excerpt, from 0.")
    end = serializers.IntegerField(help_text="Position after the last character.")


class ExcerptSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="The text around the first found word, or the beginning of the page.")
    marks = FoundWordSerializer(many=True, help_text="The found words, in Unicode code points.")


class SearchHitSerializer(serializers.Serializer[Any]):
    object = serializers.CharField(default="search_hit")
    document = serializers.UUIDField(allow_null=True, help_text="Null for input that was sent without a document.")
    job = serializers.UUIDField()
    page = serializers.IntegerField(allow_null=True, help_text="Null if the name of the document has the words.")
    name = serializers.CharField(allow_null=True, help_text="Name of the document.")
    model = serializers.CharField(help_text="Name and version of the model that read the page.")
    score = serializers.FloatField(
        allow_null=True, help_text="Similarity in meaning, 0.25 to 1. Null for words, which are there or not."
    )
    excerpt = ExcerptSerializer()
    boxes = serializers.ListField(
        child=serializers.ListField(child=serializers.ListField(child=serializers.FloatField())),
        allow_null=True,
        help_text="The lines with the words: four corners each, in pixels of `picture`. Null if the lines of the page "
        "have no boxes, or are too many.",
    )
    picture = serializers.CharField(allow_null=True, help_text="Path of the page's picture.")
    created_at = serializers.DateTimeField(help_text="When the job was submitted.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field `class`, which Python does not allow as an attribute name."""
        return {**super().get_fields(), "class": DocumentClassSerializer(allow_null=True)}


HIT_LIST = paged_list_of("SearchHitList", SearchHitSerializer(many=True))


@dataclass(frozen=True)
class _Search:
    text: str
    by: str
    query: Query
    among: PageFilters
    after: Position | None
    limit: int

    def found(self, embedding: Embedding | None) -> list[PageHit]:
        """Return the hits, and one more if there are more. `embedding` is that of the text in a search by meaning."""
        if embedding is not None:
            return pages_about(embedding, self.among, self.after, self.limit + 1)
        return pages_with(self.query, self.among, self.after, self.limit + 1)


class Search(APIView):
    @extend_schema(
        operation_id="search",
        summary="Search pages by words or meaning",
        description="Finds pages of all jobs that succeeded, with the text around the words and their places on the "
        "page. A search costs nothing.",
        parameters=[*PARAMETERS, *PAGED],
        responses={200: HIT_LIST, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "jobs:read")
        identity.require("documents:read")
        fields = field_parameters(request.query_params)
        only(request, "q", "by", "class", "model", "from", "to", "limit", "cursor", *fields)
        with unit_of_work(identity):
            search = _search_of(request)
        # The text is embedded outside of any unit of work, because this may take seconds.
        embedding = meaning_of(search.text) if search.by == MEANING else None
        with unit_of_work(identity):
            found = search.found(embedding)
            shown = shown_hits(found[: search.limit], search.query)
        more = len(found) > search.limit
        return Response(
            {
                "object": "list",
                "data": [_hit_json(hit) for hit in shown],
                "has_more": more,
                "next_cursor": _cursor(search.by, found[search.limit - 1].position) if more else None,
            }
        )


def _search_of(request: Request) -> _Search:
    params = request.query_params
    by = params.get("by", WORDS)
    if by not in MAX_CHARACTERS:
        raise InvalidRequest(f"Unknown value by={by[:40]!r}. Use {WORDS} or {MEANING}.")
    text = params.get("q", "")
    query = _query(text, by)
    return _Search(text, by, query, _filters(params), _position(params.get("cursor"), by), limit_of(request))


def _query(text: str, by: str) -> Query:
    if len(text) > MAX_CHARACTERS[by]:
        raise InvalidRequest(
            f"q has {len(text):,} characters. With by={by}, at most {MAX_CHARACTERS[by]:,} are allowed."
        )
    query = parsed(text)
    if not (query.wanted if by == WORDS else any(words_of(text))):
        raise InvalidRequest(
            f"q={text[:60]!r} contains no word to search for." if text.strip() else "Say in `q` what to search for."
        )
    if by == WORDS and query.left_out:
        raise InvalidRequest(f"q has {MAX_TERMS + query.left_out} words and phrases. At most {MAX_TERMS} are allowed.")
    return query


def _filters(params: Mapping[str, str]) -> PageFilters:
    versions = list(versions_named(params["model"]).values_list("id", flat=True)) if "model" in params else None
    filters = field_filters_of(params)
    jobs = _jobs_with(filters) if filters else None
    return PageFilters(label_of(params), versions, _first_id(params, "from"), _first_id(params, "to"), jobs)


def _jobs_with(filters: Sequence[FieldFilter]) -> list[UUID]:
    """Return the jobs whose fields match. More than can be searched among are refused."""
    found = with_fields(Job.objects.filter(erased_at=None), filters).values_list("id", flat=True)
    ids = list(found[: MAX_JOBS_WITH_FIELDS + 1])
    if len(ids) > MAX_JOBS_WITH_FIELDS:
        raise InvalidRequest(
            f"More than {MAX_JOBS_WITH_FIELDS:,} documents have these fields. Narrow the filter, as to a month."
        )
    return ids


def _first_id(params: Mapping[str, str], name: str) -> UUID | None:
    if name not in params:
        return None
    try:
        moment = datetime.fromisoformat(params[name])
    except ValueError:
        raise InvalidRequest(
            f"{name}={params[name][:40]!r} must be a day (2026-11-01) or a time (2026-11-01T12:00:00Z)."
        ) from None
    return first_id_at(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _cursor(by: str, position: Position) -> str:
    return f"{by}-{position.id.hex}-{position.number}"


def _position(cursor: str | None, by: str) -> Position | None:
    if cursor is None:
        return None
    match = _CURSOR.fullmatch(cursor)
    if match is None or match[1] != by:
        raise InvalidRequest(f"{cursor[:60]!r} is not a cursor of this list.", code="invalid_cursor")
    return Position(UUID(match[2]), int(match[3]))


def _hit_json(shown: ShownHit) -> dict[str, object]:
    job, hit, found = shown.job, shown.hit, shown.job.document_class
    return {
        "object": "search_hit",
        "document": job.document_id,
        "job": job.id,
        "page": hit.number or None,
        "name": job.document.name if job.document else None,
        "model": job.model_version.key,
        "class": found.to_json() if found else None,
        "score": None if hit.score is None else round(hit.score, 6),
        "excerpt": {
            "text": shown.excerpt.text,
            "marks": [{"start": start, "end": end} for start, end in shown.excerpt.marks],
        },
        "boxes": shown.boxes,
        "picture": shown.picture,
        "created_at": job.created_at,
    }
