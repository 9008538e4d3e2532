"""`/v1/models/{model}/tasks` and the variants of versions: work on models, its progress, and what comes of it."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from inference.api.model_json import task_json, variant_json
from inference.api.model_schemas import (
    OptimizationSerializer,
    TaskSerializer,
    VariantSerializer,
    VariantUseSerializer,
    VersionSerializer,
)
from inference.api.versions import body_of, described_version, owner_of
from inference.registry import variants
from inference.registry.orders import order_optimization
from inference.registry.owners import owned_model
from inference.registry.reading import shown_model, tasks_of
from inference.registry.tasks.services import cancel_task, found_task
from inference.registry.versions import change_model, found_version
from tenants.api.callers import caller
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, list_of, paged_list_of
from tenants.core.db.unit_of_work import unit_of_work

POLL_S = 1
TASKS = paged_list_of("ModelTaskList", TaskSerializer(many=True))


class TaskList(APIView):
    @extend_schema(
        operation_id="list_model_tasks",
        summary="List the tasks of a model",
        parameters=PAGED,
        responses={200: TASKS, **REFUSALS},
    )
    def get(self, request: Request, model: str) -> Response:
        identity = caller(request, "models:read")
        only(request, "limit", "cursor")
        with unit_of_work(identity):
            served = owned_model(identity.tenant_id, model)
            return Response(listing(request, tasks_of(served), task_json))


class TaskDetail(APIView):
    @extend_schema(
        operation_id="show_model_task", summary="Show a task of a model", responses={200: TaskSerializer, **REFUSALS}
    )
    def get(self, request: Request, model: str, task_id: str) -> Response:
        identity = caller(request, "models:read")
        only(request)
        with unit_of_work(identity):
            task = found_task(identity.tenant_id, model, task_id)
            return Response(task_json(task), headers={} if task.ended else {"Retry-After": str(POLL_S)})


class TaskCancel(APIView):
    @extend_schema(
        operation_id="cancel_model_task",
        summary="Cancel a task of a model",
        request=None,
        responses={200: TaskSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str, task_id: str) -> Response:
        identity = owner_of(request, model)
        cancel_task(owner=identity.tenant_id, model=model, task_id=task_id)
        with unit_of_work(identity):
            return Response(task_json(found_task(identity.tenant_id, model, task_id)))


class VariantList(APIView):
    @extend_schema(
        operation_id="list_model_variants",
        summary="List the variants of a version",
        responses={200: list_of("ModelVariantList", VariantSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, model: str, number: int) -> Response:
        identity = caller(request, "models:read")
        only(request)
        with unit_of_work(identity):
            version = found_version(shown_model(identity.tenant_id, model), number)
            found = version.variants.select_related("version__served_model", "used_as").order_by("-created_at")
            return Response({"object": "list", "data": [variant_json(variant) for variant in found]})


class VariantDetail(APIView):
    @extend_schema(
        operation_id="show_model_variant", summary="Show a variant", responses={200: VariantSerializer, **REFUSALS}
    )
    def get(self, request: Request, model: str, number: int, variant_id: str) -> Response:
        identity = caller(request, "models:read")
        only(request)
        with unit_of_work(identity):
            version = found_version(shown_model(identity.tenant_id, model), number)
            return Response(variant_json(variants.found_variant(version, variant_id)))


class VariantUse(APIView):
    @extend_schema(
        operation_id="use_model_variant",
        summary="Use a variant",
        description="Makes a version of the variant and moves an alias to it: `current`, unless you name another.",
        request=VariantUseSerializer,
        responses={200: VersionSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str, number: int, variant_id: str) -> Response:
        identity = owner_of(request, model)
        given = body_of(request, VariantUseSerializer)
        version = variants.use_variant(
            owner=identity.tenant_id, model=model, number=number, variant_id=variant_id, **given
        )
        return Response(described_version(identity, model, version.number))


class VariantRefusal(APIView):
    @extend_schema(
        operation_id="refuse_model_variant",
        summary="Refuse a variant",
        request=None,
        responses={200: VariantSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str, number: int, variant_id: str) -> Response:
        identity = owner_of(request, model)
        variants.refuse_variant(owner=identity.tenant_id, model=model, number=number, variant_id=variant_id)
        with unit_of_work(identity):
            version = found_version(shown_model(identity.tenant_id, model), number)
            return Response(variant_json(variants.found_variant(version, variant_id)))


class Optimization(APIView):
    @extend_schema(
        operation_id="optimize_model_version",
        summary="Make faster variants of a version",
        description="Makes variants and measures each against the version. Those within their bounds can be used.",
        request=OptimizationSerializer,
        responses={202: TaskSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str, number: int) -> Response:
        identity = owner_of(request, model)
        given = body_of(request, OptimizationSerializer)
        wanted = given.get("transformations", ())
        if "bounds" in given:
            change_model(owner=identity.tenant_id, model=model, bounds=given["bounds"])
        task = order_optimization(owner=identity.tenant_id, model=model, number=number, transformations=wanted)
        with unit_of_work(identity):
            body = task_json(found_task(identity.tenant_id, model, task.pk))
        return Response(body, status=202, headers={"Location": body["url"], "Retry-After": str(POLL_S)})
