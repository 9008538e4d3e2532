"""`/v1/fields`: a tenant's own fields, their examples, and what they find."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.requests import body_values
from jobs.api.serializers.own_fields import (
    ApplicationRequestSerializer,
    ApplicationSerializer,
    ExampleSerializer,
    OwnFieldChangeSerializer,
    OwnFieldRequestSerializer,
    OwnFieldSerializer,
    PointedSerializer,
    SpotSerializer,
    TrialRequestSerializer,
    TrialSerializer,
)
from jobs.own_fields import services
from jobs.own_fields.applying import apply_fields
from jobs.own_fields.drafts import Draft, draft, saved
from jobs.own_fields.field_json import applied_json, example_json, field_json, seen_json, trial_json
from jobs.own_fields.selectors import get_own_field, own_fields
from jobs.own_fields.settings import checked_settings
from jobs.own_fields.spots import Spot, box_of, seen_at
from jobs.own_fields.trials import tried
from tenants.api.callers import caller
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, paged_list_of
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity


def _spot(values: Mapping[str, Any]) -> Spot:
    return Spot(values["job"], values["page"], box_of(values["box"]))


def _spots(values: dict[str, Any]) -> list[Spot]:
    return [_spot(spot) for spot in values.pop("examples", ())]


class OwnFieldList(APIView):
    @extend_schema(
        operation_id="create_field",
        summary="Create a field",
        request=OwnFieldRequestSerializer,
        responses={201: OwnFieldSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "jobs:write")
        values = body_values(request, OwnFieldRequestSerializer)
        spots = _spots(values)
        field = services.create_field(identity=identity, settings=checked_settings(**values), spots=spots)
        return Response(field_json(field), 201, headers={"Location": f"/v1/fields/{field.name}"})

    @extend_schema(
        operation_id="list_fields",
        summary="List fields",
        parameters=PAGED,
        responses={200: paged_list_of("FieldList", OwnFieldSerializer(many=True)), **REFUSALS},
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "jobs:read")
        only(request, "limit", "cursor")
        with unit_of_work(identity):
            return Response(listing(request, own_fields(), field_json))


class OwnFieldDetail(APIView):
    @extend_schema(operation_id="show_field", summary="Show a field", responses={200: OwnFieldSerializer, **REFUSALS})
    def get(self, request: Request, field_name: str) -> Response:
        identity = caller(request, "jobs:read")
        with unit_of_work(identity):
            return Response(field_json(get_own_field(field_name)))

    @extend_schema(
        operation_id="change_field",
        summary="Change a field",
        request=OwnFieldChangeSerializer,
        responses={200: OwnFieldSerializer, **REFUSALS},
    )
    def patch(self, request: Request, field_name: str) -> Response:
        identity = _owner(request, field_name)
        values = body_values(request, OwnFieldChangeSerializer)
        return Response(field_json(services.change_field(identity=identity, name=field_name, **values)))

    @extend_schema(operation_id="delete_field", summary="Delete a field", responses={204: None, **REFUSALS})
    def delete(self, request: Request, field_name: str) -> Response:
        services.delete_field(identity=caller(request, "jobs:write"), name=field_name)
        return Response(status=204)


class OwnFieldExamples(APIView):
    @extend_schema(
        operation_id="add_field_example",
        summary="Add an example to a field",
        request=SpotSerializer,
        responses={201: ExampleSerializer, **REFUSALS},
    )
    def post(self, request: Request, field_name: str) -> Response:
        identity = _owner(request, field_name)
        spot = _spot(body_values(request, SpotSerializer))
        return Response(example_json(services.add_example(identity=identity, name=field_name, spot=spot)), 201)


class OwnFieldExample(APIView):
    @extend_schema(
        operation_id="delete_field_example",
        summary="Delete an example of a field",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, field_name: str, example_id: str) -> Response:
        identity = caller(request, "jobs:write")
        services.delete_example(identity=identity, name=field_name, example_id=example_id)
        return Response(status=204)


class Pointing(APIView):
    @extend_schema(
        operation_id="point_at_field",
        summary="Show what is read at a place of a page",
        request=SpotSerializer,
        responses={200: PointedSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Show the text at a place, the label that was found beside it, and the guessed type. Nothing is written."""
        identity = caller(request, "jobs:read")
        spot = _spot(body_values(request, SpotSerializer))
        with unit_of_work(identity):
            return Response(seen_json(seen_at(spot)))


class Trial(APIView):
    @extend_schema(
        operation_id="try_field",
        summary="Try a field on the last documents",
        request=TrialRequestSerializer,
        responses={200: TrialSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        identity = caller(request, "jobs:read")
        values = body_values(request, TrialRequestSerializer)
        with unit_of_work(identity):
            wanted = _draft(identity, values)
            found = tried([wanted.field], livemode=wanted.livemode, documents=values["documents"])
        return Response(trial_json(wanted.field, found))


class Application(APIView):
    @extend_schema(
        operation_id="apply_fields",
        summary="Look for the fields in documents that were read before",
        request=ApplicationRequestSerializer,
        responses={200: ApplicationSerializer, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Write the own fields of a piece of the documents that were read, the newest first. It may be repeated."""
        identity = caller(request, "jobs:write")
        values = body_values(request, ApplicationRequestSerializer)
        applied = apply_fields(identity=identity, after=values.get("cursor"), jobs=values["limit"])
        return Response(applied_json(applied))


def _owner(request: Request, field_name: str) -> Identity:
    """Return the caller. The field is looked up before the body is checked, as errors must not reveal that another
    tenant has one of this name.
    """
    identity = caller(request, "jobs:write")
    with unit_of_work(identity):
        get_own_field(field_name)
    return identity


def _draft(identity: Identity, values: dict[str, Any]) -> Draft:
    name, changes = values.get("name"), values.get("field")
    if name is None and changes is None:
        raise InvalidRequest("Give `name` for a field that is saved, `field` for one that is not, or both.")
    base = saved(name) if name is not None else None
    changes = dict(changes or {})
    spots = _spots(changes)
    return draft(changes, spots, base, livemode=identity.livemode)
