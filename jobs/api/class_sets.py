"""`/v1/class-sets`: a tenant's own classes, their examples, training and versions."""

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.requests import body_values
from jobs.api.serializers.class_sets import (
    ClassExampleSerializer,
    ClassExamplesRequestSerializer,
    ClassSetChangeSerializer,
    ClassSetRequestSerializer,
    ClassSetSerializer,
    ClassSetTrialRequestSerializer,
    ClassSetVersionSerializer,
    TriedSerializer,
)
from jobs.class_sets import services
from jobs.class_sets.classifying import try_version
from jobs.class_sets.selectors import class_sets, examples_of, get_class_set, get_version
from jobs.class_sets.serialized import class_set_json, example_json, tried_json, version_json
from jobs.class_sets.training import train_class_set
from jobs.documents.job_selectors import get_job
from tenants.api.callers import caller
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, list_of, paged_list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity

EXAMPLES = list_of("ClassExampleList", ClassExampleSerializer(many=True))
TRIED = list_of("TriedClassList", TriedSerializer(many=True))


def _body(identity: Identity, name: str) -> dict[str, Any]:
    with unit_of_work(identity):
        return class_set_json(get_class_set(identity, name))


def _known(request: Request, name: str, scope: Any) -> Identity:
    """Return the caller. A set of somebody else is not found, whatever the body is."""
    identity = caller(request, scope)
    with unit_of_work(identity):
        get_class_set(identity, name)
    return identity


class ClassSetList(APIView):
    @extend_schema(
        operation_id="list_class_sets",
        summary="List your class sets",
        parameters=PAGED,
        responses={200: paged_list_of("ClassSetList", ClassSetSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "jobs:read")
        only(request, "limit", "cursor")
        with unit_of_work(identity):
            return Response(listing(request, class_sets().filter(livemode=identity.livemode), class_set_json))

    @extend_schema(
        operation_id="create_class_set",
        summary="Create a class set",
        request=ClassSetRequestSerializer,
        responses={201: ClassSetSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "jobs:write")
        values = body_values(request, ClassSetRequestSerializer)
        made = services.create_class_set(identity=identity, **values)
        return Response(_body(identity, made.name), 201, headers={"Location": f"/v1/class-sets/{made.name}"})


class ClassSetDetail(APIView):
    @extend_schema(
        operation_id="show_class_set",
        summary="Show a class set",
        responses={200: ClassSetSerializer, **REFUSALS},
    )
    def get(self, request: Request, class_set: str) -> Response:
        return Response(_body(caller(request, "jobs:read"), class_set))

    @extend_schema(
        operation_id="change_class_set",
        summary="Change the title of a class set, its version that serves, or the default set",
        request=ClassSetChangeSerializer,
        responses={200: ClassSetSerializer, **REFUSALS},
    )
    def patch(self, request: Request, class_set: str) -> Response:
        identity = _known(request, class_set, "jobs:write")
        values = body_values(request, ClassSetChangeSerializer)
        services.change_class_set(identity=identity, name=class_set, **values)
        return Response(_body(identity, class_set))

    @extend_schema(
        operation_id="delete_class_set",
        summary="Delete a class set with its versions",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, class_set: str) -> Response:
        services.delete_class_set(identity=caller(request, "jobs:write"), name=class_set)
        return Response(status=204)


class ClassExamples(APIView):
    @extend_schema(
        operation_id="list_class_examples",
        summary="List the examples of a class set",
        responses={200: EXAMPLES, **REFUSALS},
    )
    def get(self, request: Request, class_set: str) -> Response:
        """List all examples, of which there are 400 at most."""
        identity = caller(request, "jobs:read")
        with unit_of_work(identity):
            rows = examples_of(get_class_set(identity, class_set))
            return Response({"object": "list", "data": [example_json(row) for row in rows]})

    @extend_schema(
        operation_id="add_class_examples",
        summary="Make documents examples of a class",
        request=ClassExamplesRequestSerializer,
        responses={200: ClassSetSerializer, **REFUSALS},
    )
    def post(self, request: Request, class_set: str) -> Response:
        """Add the documents of these jobs, all or none. A document that was an example of another class moves."""
        identity = _known(request, class_set, "jobs:write")
        values = body_values(request, ClassExamplesRequestSerializer)
        services.add_examples(identity=identity, name=class_set, label=values["label"], job_ids=values["jobs"])
        return Response(_body(identity, class_set))


class ClassExampleDetail(APIView):
    @extend_schema(
        operation_id="remove_class_example",
        summary="Remove an example from a class set",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, class_set: str, job_id: str) -> Response:
        services.remove_example(identity=caller(request, "jobs:write"), name=class_set, job_id=job_id)
        return Response(status=204)


class ClassSetTraining(APIView):
    @extend_schema(
        operation_id="train_class_set",
        summary="Train a class set on its examples",
        request=None,
        responses={200: ClassSetVersionSerializer, **REFUSALS},
    )
    def post(self, request: Request, class_set: str) -> Response:
        """Train on 2 to 20 classes with 5 to 20 examples each. The new version is measured, and serves at once."""
        identity = caller(request, "jobs:write")
        made = train_class_set(identity=identity, name=class_set)
        with unit_of_work(identity):
            return Response(version_json(get_class_set(identity, class_set), made))


class ClassSetTrial(APIView):
    @extend_schema(
        operation_id="try_class_set",
        summary="Class the documents of jobs without changing them",
        request=ClassSetTrialRequestSerializer,
        responses={200: TRIED, **REFUSALS},
    )
    def post(self, request: Request, class_set: str) -> Response:
        identity = _known(request, class_set, "jobs:read")
        values = body_values(request, ClassSetTrialRequestSerializer)
        with unit_of_work(identity):
            found = get_class_set(identity, class_set)
            jobs = [get_job(job_id).id for job_id in services.checked_ids(values["jobs"])]
            tried = try_version(get_version(found, values.get("version")), jobs)
        return Response({"object": "list", "data": [tried_json(job_id, *one) for job_id, one in tried.items()]})


class ClassSetVersions(APIView):
    @extend_schema(
        operation_id="list_class_set_versions",
        summary="List the versions of a class set",
        parameters=PAGED,
        responses={200: paged_list_of("ClassSetVersionList", ClassSetVersionSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, class_set: str) -> Response:
        identity = caller(request, "jobs:read")
        only(request, "limit", "cursor")
        with unit_of_work(identity):
            found = get_class_set(identity, class_set)
            rows = found.versions.defer("trained").order_by("-id")
            return Response(listing(request, rows, partial(version_json, found)))
