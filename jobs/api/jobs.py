"""`/v1/jobs`: submit, read, cancel and retry jobs, and read results while they grow."""

from dataclasses import asdict
from functools import partial
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.creations import retry_once
from jobs.api.documents import uploaded
from jobs.api.job_filters import FILTERS, field_parameters, filtered_jobs, wants
from jobs.api.requests import (
    attachments_wanted,
    checked_address,
    class_set_wanted,
    fetch_first,
    fetched,
    json_object,
    key_of,
    priority_of,
    replay_headers,
    span_of,
)
from jobs.api.schema import (
    CACHE_CONTROL,
    CANCEL_AFTER,
    IDEMPOTENCY_KEY,
    JOB_FILTERS,
    JOB_UPLOAD,
    LAST_EVENT_ID,
    PREFER,
    STREAM,
)
from jobs.api.serializers.events import EventSerializer, event_json
from jobs.api.serializers.job_requests import JobRequestSerializer
from jobs.api.serializers.jobs import JobSerializer, JobWithResultSerializer
from jobs.api.serializers.pages import PageSerializer
from jobs.api.serializers.results import ResultSerializer
from jobs.attachments.services import OUTERMOST
from jobs.core import states
from jobs.core.deadlines import Deadlines
from jobs.core.models import Job
from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.documents.job_selectors import get_job, get_job_page, job_events_after
from jobs.documents.uploads import Upload
from jobs.idempotency.idempotent_requests import Answered
from jobs.queue.queue_positions import standing_of
from jobs.results.result_json import pages_json, result_json
from jobs.results.reuse.cache_directives import COALESCED, HIT, Wish, wish_of, x_cache
from jobs.retention.due import job_retained_until
from jobs.retention.erasing import erase_job
from jobs.submission.cancellations import cancel_job
from jobs.submission.idempotent_submission import hold_submission, submit_once, submitted_before
from jobs.submission.services import JobRequest
from tenants.api.callers import caller
from tenants.api.pagination import limit_of, listing, number_of
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, limit_parameter, list_of, number_parameter, paged_list_of
from tenants.core.asgi.protocol import UPLOAD
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.messages import names_in_words
from tenants.identity.identity import Identity
from tenants.plans.retention import retention_for

PAGE_LIST = list_of(
    "PageList",
    PageSerializer(many=True),
    has_more=serializers.BooleanField(),
    next_after=serializers.IntegerField(allow_null=True),
)
EVENT_LIST = list_of("EventList", EventSerializer(many=True), has_more=serializers.BooleanField())
JOB_LIST = paged_list_of("JobList", JobSerializer(many=True))
_JOB = JobSerializer()
"""The serializer for every job, because finding out its fields takes longer than filling them."""


def job_body(job: Job, *, with_result: bool = False) -> dict[str, Any]:
    body = dict(_JOB.to_representation(job))
    if with_result:
        body["result"] = result_json(job)
    return body


def polling_headers(job: Job) -> dict[str, str]:
    if job.terminal:
        return {}
    age_s = (timezone.now() - job.created_at).total_seconds()
    return {"Retry-After": str(states.poll_again_after_s(age_s))}


def reuse_headers(job: Job) -> dict[str, str]:
    """Return headers that say whether the pages were run, and, if none was, how old the oldest result is."""
    verdict = x_cache(
        wish=job.cache_control,
        pages_total=job.pages_total,
        pages_cached=job.pages_cached,
        pages_coalesced=job.pages_coalesced,
    )
    if verdict not in (HIT, COALESCED) or job.oldest_result_at is None:
        return {"X-Cache": verdict}
    age_s = (timezone.now() - job.oldest_result_at).total_seconds()
    return {"X-Cache": verdict, "Age": str(max(0, int(age_s)))}


class JobList(APIView):
    @extend_schema(
        operation_id="submit_job",
        summary="Submit a job",
        parameters=[PREFER, IDEMPOTENCY_KEY, LAST_EVENT_ID, CACHE_CONTROL, CANCEL_AFTER],
        request={"application/json": JobRequestSerializer, "multipart/form-data": JOB_UPLOAD},
        responses={202: JobSerializer, 200: JobWithResultSerializer, **STREAM, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "jobs:write")
        key = key_of(request)
        if UPLOAD in request.META and fetched(request) is None:
            upload = uploaded(request)
            wanted = request_of_form(request, upload)
            identity.require("documents:write")
            return _accepted(submit_once(identity=identity, request=wanted, key=key, upload=upload))
        wanted, url = request_of_json(request, request.data)
        if url:
            return _from_address(request, identity, wanted, url)
        return _accepted(submit_once(identity=identity, request=wanted, key=key))

    @extend_schema(
        operation_id="list_jobs",
        summary="List jobs",
        parameters=[*PAGED, *JOB_FILTERS],
        responses={200: JOB_LIST, **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "jobs:read")
        params = request.query_params
        only(request, *FILTERS, *field_parameters(params), "include", "limit", "cursor")
        with unit_of_work(identity):
            return Response(listing(request, filtered_jobs(params), job_body))


def _accepted(answered: Answered[Job]) -> Response:
    """Return the response with the current state of the job, whichever request made it."""
    job = answered.made
    headers = {"Location": f"/v1/jobs/{job.id}", **polling_headers(job), **reuse_headers(job)}
    return Response(job_body(job), status=answered.status, headers={**headers, **replay_headers(answered)})


def _from_address(request: Request, identity: Identity, wanted: JobRequest, url: str) -> Response:
    """Submit a job whose document has a URL. Nothing is fetched for a request that would be refused anyway."""
    identity.require("documents:write")
    password = request.data.get("password", "")  # type: ignore[union-attr]  # the body was checked
    key, address, upload = key_of(request), checked_address(url, password=password), fetched(request)
    if upload is not None:
        return _accepted(submit_once(identity=identity, request=wanted, key=key, upload=upload, document_url=url))
    earlier = submitted_before(identity=identity, request=wanted, key=key, document_url=url)
    if earlier is not None:
        return _accepted(earlier)
    hold = partial(hold_submission, identity=identity, request=wanted, key=key, document_url=url)
    return fetch_first(request, address, hold)


def request_of_json(request: Request, body: object) -> tuple[JobRequest, str]:
    """Return the job request and the URL of its document, if it names one."""
    if not isinstance(body, dict):
        raise InvalidRequest("The body must be a JSON object.")
    form = JobRequestSerializer(data=body)
    form.is_valid(raise_exception=True)
    values = form.validated_data
    url = values.get("document_url", "")
    if values["password"] and not url:
        raise InvalidRequest("`password` goes with `document_url` or with a file: a stored document needs none.")
    if url and (values.get("document") is not None or values.get("input") is not None):
        raise InvalidRequest("Send exactly one of `document`, `document_url` and `input`.")
    wanted = JobRequest(
        model=values["model"],
        document_id=values.get("document"),
        input=values.get("input"),
        parameters=values["parameters"],
        priority=NUMBERS[values["priority"]],
        deadlines=Deadlines(values.get("expires_after"), _cancel_after(request)),
        request_id=request.META.get("maas.request_id", ""),
        cache_control=_wish(request),
        webhook_url=values.get("webhook_url", ""),
        attachments=OUTERMOST if values["attachments"] else None,
        class_set=class_set_wanted(values),
    )
    return wanted, url


def _wish(request: Request) -> Wish:
    return wish_of(request.headers.get("Cache-Control"))


_FORM_FIELDS = ("model", "parameters", "priority", "expires_after", "webhook_url", "attachments", "class_set")


def request_of_form(request: Request, upload: Upload) -> JobRequest:
    unknown = sorted(set(upload.fields) - set(_FORM_FIELDS))
    if unknown:
        field_names = ", ".join(f"`{name}`" for name in _FORM_FIELDS)
        raise InvalidRequest(f"Unknown form fields: {names_in_words(unknown)}. Use `file` and {field_names}.")
    model = upload.fields.get("model", "")
    if not model:
        raise InvalidRequest("The form field `model` is missing. Example: model=parse.")
    parameters = json_object(upload.fields.get("parameters", "{}"))
    priority = priority_of(upload.fields.get("priority", DEFAULT))
    return JobRequest(
        model=model,
        parameters=parameters,
        priority=priority,
        deadlines=Deadlines(span_of(upload.fields.get("expires_after"), "expires_after"), _cancel_after(request)),
        request_id=request.META.get("maas.request_id", ""),
        cache_control=_wish(request),
        webhook_url=upload.fields.get("webhook_url", ""),
        attachments=attachments_wanted(upload.fields.get("attachments")),
        class_set=class_set_wanted(upload.fields),
    )


def _cancel_after(request: Request) -> int | None:
    return span_of(request.headers.get("Cancel-After"), "Cancel-After")


class JobDetail(APIView):
    @extend_schema(
        operation_id="show_job",
        summary="Show a job",
        parameters=[
            PREFER,
            LAST_EVENT_ID,
            OpenApiParameter("include", str, enum=["result"], description="Include the result."),
        ],
        responses={200: JobWithResultSerializer, **STREAM, **REFUSALS},
    )
    def get(self, request: Request, job_id: str) -> Response:
        identity = caller(request, "jobs:read")
        only(request, "include")
        with_result = wants(request.query_params.get("include"), "result")
        with unit_of_work(identity):
            job = get_job(job_id)
            body = job_body(job, with_result=with_result)
            body["retained_until"] = job_retained_until(job, retention_for(identity.tenant_id))
        body |= asdict(standing_of(job))
        return Response(body, headers={**polling_headers(job), **reuse_headers(job)})

    @extend_schema(
        operation_id="erase_job",
        summary="Erase a finished job with its results and events",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, job_id: str) -> Response:
        erase_job(identity=caller(request, "jobs:write"), job_id=job_id)
        return Response(status=204)


class JobResult(APIView):
    @extend_schema(
        operation_id="show_result",
        summary="Show the result of a job",
        description="While the job runs, the result is partial.",
        responses={200: ResultSerializer, **REFUSALS},
    )
    def get(self, request: Request, job_id: str) -> Response:
        identity = caller(request, "jobs:read")
        with unit_of_work(identity):
            job = get_job(job_id)
            return Response(result_json(job), headers=polling_headers(job))


class JobPages(APIView):
    @extend_schema(
        operation_id="list_pages",
        summary="List the pages of a job",
        parameters=[
            limit_parameter(most=200, default=100),
            number_parameter("after", least=0, description="Number of the last page in the previous response."),
        ],
        responses={200: PAGE_LIST, **REFUSALS},
    )
    def get(self, request: Request, job_id: str) -> Response:
        identity = caller(request, "jobs:read")
        only(request, "limit", "after")
        limit, after = limit_of(request, default=100, most=200), number_of(request, "after")
        with unit_of_work(identity):
            job = get_job(job_id)
            found = list(job.pages.filter(number__gt=after).order_by("number")[: limit + 1])
            shown = pages_json(found[:limit], job)
        more = len(found) > limit
        body = {
            "object": "list",
            "data": shown,
            "has_more": more,
            "next_after": found[limit - 1].number if more else None,
        }
        return Response(body, headers=polling_headers(job))


class JobPage(APIView):
    @extend_schema(
        operation_id="show_page", summary="Show a page of a job", responses={200: PageSerializer, **REFUSALS}
    )
    def get(self, request: Request, job_id: str, number: int) -> Response:
        identity = caller(request, "jobs:read")
        with unit_of_work(identity):
            job = get_job(job_id)
            page = get_job_page(job, number)
            (body,) = pages_json([page], job)
            return Response(body, headers=polling_headers(job))


class JobEvents(APIView):
    @extend_schema(
        operation_id="list_events",
        summary="List or stream the events of a job",
        parameters=[
            limit_parameter(most=200, default=100),
            number_parameter("after", least=0, description="Sequence number of the last event received."),
            LAST_EVENT_ID,
        ],
        responses={200: EVENT_LIST, **STREAM, **REFUSALS},
    )
    def get(self, request: Request, job_id: str) -> Response:
        identity = caller(request, "jobs:read")
        only(request, "limit", "after")
        limit = limit_of(request, default=100, most=200)
        rows = job_events_after(identity, job_id, number_of(request, "after"), limit + 1)
        data = [event_json(row) for row in rows[:limit]]
        return Response({"object": "list", "data": data, "has_more": len(rows) > limit})


class JobCancel(APIView):
    @extend_schema(
        operation_id="cancel_job",
        summary="Cancel a job",
        request=None,
        responses={200: JobSerializer, **REFUSALS},
    )
    def post(self, request: Request, job_id: str) -> Response:
        return Response(job_body(cancel_job(identity=caller(request, "jobs:write"), job_id=job_id)))


class JobRetry(APIView):
    @extend_schema(
        operation_id="retry_job",
        summary="Retry the pages of a job that did not succeed",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={202: JobSerializer, **STREAM, **REFUSALS},
    )
    def post(self, request: Request, job_id: str) -> Response:
        identity = caller(request, "jobs:write")
        request_id = request.META.get("maas.request_id", "")
        key = key_of(request)
        return _accepted(retry_once(identity=identity, job_id=job_id, key=key, request_id=request_id))
