"""`/v1/models/{model}/aliases`: the names of versions, their moves and what they stood for at a moment."""

from datetime import datetime

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from inference.api.model_json import alias_json, move_json
from inference.api.model_schemas import (
    AliasMoveRequestSerializer,
    AliasMoveSerializer,
    AliasSerializer,
    RollbackSerializer,
)
from inference.api.versions import body_of, owner_of
from inference.registry import aliases
from inference.registry.errors import AliasNotFound
from inference.registry.reading import shown_model
from tenants.api.callers import caller
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS, list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest

MAX_MOVES = 200
AT = OpenApiParameter("at", str, description="Time in ISO 8601, such as 2026-03-03T14:03:00Z: what answered then.")


class AliasList(APIView):
    @extend_schema(
        operation_id="list_model_aliases",
        summary="List the aliases of a model",
        responses={200: list_of("ModelAliasList", AliasSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, model: str) -> Response:
        identity = caller(request, "models:read")
        only(request)
        with unit_of_work(identity):
            found = shown_model(identity.tenant_id, model).aliases.select_related("version", "served_model")
            return Response({"object": "list", "data": [alias_json(alias) for alias in found]})


class AliasDetail(APIView):
    @extend_schema(
        operation_id="show_model_alias",
        summary="Show an alias of a model",
        responses={200: AliasSerializer, **REFUSALS},
    )
    def get(self, request: Request, model: str, alias: str) -> Response:
        identity = caller(request, "models:read")
        only(request)
        with unit_of_work(identity):
            served = shown_model(identity.tenant_id, model)
            found = served.aliases.select_related("version", "served_model").filter(name=alias).first()
            if found is None:
                raise AliasNotFound(f"The model {model!r} has no alias {alias[:50]!r}.")
            return Response(alias_json(found))

    @extend_schema(
        operation_id="move_model_alias",
        summary="Move an alias of a model",
        request=AliasMoveRequestSerializer,
        responses={200: AliasMoveSerializer, **REFUSALS},
    )
    def put(self, request: Request, model: str, alias: str) -> Response:
        identity = owner_of(request, model)
        values = body_of(request, AliasMoveRequestSerializer)
        move = aliases.move_alias(
            owner=identity.tenant_id,
            model=model,
            alias=alias,
            number=values["version"],
            if_version=values.get("if_version", aliases.ANY),
            reason=values.get("reason", ""),
        )
        return Response(move_json(move))

    @extend_schema(
        operation_id="delete_model_alias", summary="Delete an alias of a model", responses={204: None, **REFUSALS}
    )
    def delete(self, request: Request, model: str, alias: str) -> Response:
        identity = owner_of(request, model)
        aliases.delete_alias(owner=identity.tenant_id, model=model, alias=alias)
        return Response(status=204)


class AliasHistory(APIView):
    @extend_schema(
        operation_id="list_model_alias_moves",
        summary="List the moves of an alias",
        parameters=[AT],
        responses={200: list_of("ModelAliasMoveList", AliasMoveSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, model: str, alias: str) -> Response:
        identity = caller(request, "models:read")
        only(request, "at")
        moment = _moment(request.query_params.get("at"))
        with unit_of_work(identity):
            moves = aliases.history(shown_model(identity.tenant_id, model), alias)
            if moment is not None:
                moves = moves.filter(moved_at__lte=moment)
            shown = moves[: 1 if moment is not None else MAX_MOVES]
            return Response({"object": "list", "data": [move_json(move) for move in shown]})


class AliasRollback(APIView):
    @extend_schema(
        operation_id="roll_back_model_alias",
        summary="Move an alias back to the version before",
        request=RollbackSerializer,
        responses={200: AliasMoveSerializer, **REFUSALS},
    )
    def post(self, request: Request, model: str, alias: str) -> Response:
        identity = owner_of(request, model)
        if_version = body_of(request, RollbackSerializer).get("if_version", aliases.ANY)
        move = aliases.roll_back(owner=identity.tenant_id, model=model, alias=alias, if_version=if_version)
        return Response(move_json(move))


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidRequest(f"at={text[:40]!r} is no time with a zone. Use a time such as 2026-03-03T14:03:00Z.")
    return moment
