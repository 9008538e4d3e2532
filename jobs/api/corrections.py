"""`/v1/jobs/{id}/…/lines/{index}`, `/tables/{table}/cells/{index}`, `/class` and `/fields/{name}`: corrections."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.api.requests import body_values, index_of
from jobs.api.serializers.corrections import CorrectionSerializer
from jobs.api.serializers.strict_fields import StrictFields, StrictText
from jobs.class_sets.training import learn_class, unlearn_class
from jobs.core.document_class import DOCUMENT
from jobs.corrected_results.selectors import correction_json
from jobs.documents.job_selectors import get_job
from jobs.results.corrections.fields import FieldPlace, correct_field, undo_field
from jobs.results.corrections.services import (
    LONGEST_LABEL,
    LONGEST_LINE,
    correct_cell,
    correct_class,
    correct_line,
    undo_cell,
    undo_class,
    undo_line,
)
from tenants.api.callers import caller
from tenants.api.schema import REFUSALS
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity


class LineCorrectionSerializer(StrictFields):
    text = StrictText(max_length=LONGEST_LINE, help_text="The text of the line. The same text confirms it.")


class CellCorrectionSerializer(StrictFields):
    text = StrictText(
        max_length=LONGEST_LINE, allow_blank=True, help_text="The text of the cell. The same text confirms it."
    )


class ClassCorrectionSerializer(StrictFields):
    label = StrictText(max_length=LONGEST_LABEL, help_text="A class of `probabilities`, or one of the usual six.")  # type: ignore[assignment]  # the request calls it so


class FieldCorrectionSerializer(StrictFields):
    value = StrictText(
        max_length=LONGEST_LINE,
        allow_null=True,
        help_text="The value as it is on the page. The same value confirms it; null says that it is not there.",
    )
    page = serializers.IntegerField(
        required=False, min_value=1, help_text="The page where it is. Default: where it was read, else the first page."
    )
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2),
        required=False,
        min_length=4,
        max_length=4,
        help_text="Four corners on the picture of `page`.",
    )
    index = serializers.IntegerField(
        required=False, min_value=0, help_text="Position of the value, from 0, if the field has several."
    )


def _checked(request: Request, job_id: str, form_of: type[StrictFields]) -> tuple[Identity, dict[str, Any]]:
    """Return the caller and the values of the body. A job of somebody else is not found, whatever the body is."""
    identity = caller(request, "jobs:write")
    with unit_of_work(identity):
        get_job(job_id)
    return identity, body_values(request, form_of)


class LineCorrection(APIView):
    @extend_schema(
        operation_id="correct_line",
        summary="Correct a line of a page",
        request=LineCorrectionSerializer,
        responses={200: CorrectionSerializer, **REFUSALS},
    )
    def put(self, request: Request, job_id: str, number: int, index: int) -> Response:
        """Correct a line, counted from 0 as in the result. The result stays as the model gave it; the correction is
        shown beside it, and used by the exports as text, Markdown and PDF, and by the search.
        """
        identity, values = _checked(request, job_id, LineCorrectionSerializer)
        made = correct_line(identity=identity, job_id=job_id, number=number, index=index, text=values["text"])
        return Response(correction_json(made))

    @extend_schema(
        operation_id="undo_line_correction",
        summary="Undo the correction of a line",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, job_id: str, number: int, index: int) -> Response:
        undo_line(identity=caller(request, "jobs:write"), job_id=job_id, number=number, index=index)
        return Response(status=204)


class CellCorrection(APIView):
    @extend_schema(
        operation_id="correct_cell",
        summary="Correct a cell of a table",
        request=CellCorrectionSerializer,
        responses={200: CorrectionSerializer, **REFUSALS},
    )
    def put(self, request: Request, job_id: str, number: int, table: int, index: int) -> Response:
        """Correct a cell by its position in the `cells` of a table of `tables`, from 0. The result stays as the model
        gave it; the correction is shown beside it, and used by the exports with tables.
        """
        identity, values = _checked(request, job_id, CellCorrectionSerializer)
        made = correct_cell(
            identity=identity, job_id=job_id, number=number, table=table, index=index, text=values["text"]
        )
        return Response(correction_json(made))

    @extend_schema(
        operation_id="undo_cell_correction",
        summary="Undo the correction of a cell",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, job_id: str, number: int, table: int, index: int) -> Response:
        identity = caller(request, "jobs:write")
        undo_cell(identity=identity, job_id=job_id, number=number, table=table, index=index)
        return Response(status=204)


class ClassCorrection(APIView):
    """The class of a page."""

    @extend_schema(
        operation_id="correct_page_class",
        summary="Correct the class of a page",
        request=ClassCorrectionSerializer,
        responses={200: CorrectionSerializer, **REFUSALS},
    )
    def put(self, request: Request, job_id: str, number: int) -> Response:
        return _class_corrected(request, job_id, number)

    @extend_schema(
        operation_id="undo_page_class_correction",
        summary="Undo the correction of the class of a page",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, job_id: str, number: int) -> Response:
        _undo_class(request, job_id, number)
        return Response(status=204)


class DocumentClassCorrection(APIView):
    """The class of the whole document."""

    @extend_schema(
        operation_id="correct_class",
        summary="Correct the class of a document",
        request=ClassCorrectionSerializer,
        responses={200: CorrectionSerializer, **REFUSALS},
    )
    def put(self, request: Request, job_id: str) -> Response:
        return _class_corrected(request, job_id, DOCUMENT)

    @extend_schema(
        operation_id="undo_class_correction",
        summary="Undo the correction of the class of a document",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, job_id: str) -> Response:
        _undo_class(request, job_id, DOCUMENT)
        return Response(status=204)


def _class_corrected(request: Request, job_id: str, number: int) -> Response:
    identity, values = _checked(request, job_id, ClassCorrectionSerializer)
    made = correct_class(identity=identity, job_id=job_id, number=number, label=values["label"])
    learned = learn_class(identity=identity, job_id=job_id, number=number, label=made.corrected)
    return Response({**correction_json(made), **({"learned": learned.to_json()} if learned else {})})


def _undo_class(request: Request, job_id: str, number: int) -> None:
    identity = caller(request, "jobs:write")
    undo_class(identity=identity, job_id=job_id, number=number)
    unlearn_class(identity=identity, job_id=job_id, number=number)


class FieldCorrection(APIView):
    @extend_schema(
        operation_id="correct_field",
        summary="Correct a field of a document",
        request=FieldCorrectionSerializer,
        responses={200: CorrectionSerializer, **REFUSALS},
    )
    def put(self, request: Request, job_id: str, name: str) -> Response:
        """Correct a field by its name, add one that was missed, or say with null that there is none. The corrected
        value is in `fields` of the result, beside what was read; filters, tables of fields and webhooks use it.
        """
        identity, values = _checked(request, job_id, FieldCorrectionSerializer)
        place = FieldPlace(values.get("page"), values.get("box"))
        made = correct_field(
            identity=identity,
            job_id=job_id,
            name=name,
            value=values["value"],
            place=place,
            index=values.get("index"),
        )
        return Response(correction_json(made))

    @extend_schema(
        operation_id="undo_field_correction",
        summary="Undo the correction of a field",
        parameters=[OpenApiParameter("index", int, description="Position of the value, if the field has several.")],
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request, job_id: str, name: str) -> Response:
        identity = caller(request, "jobs:write")
        undo_field(identity=identity, job_id=job_id, name=name, index=index_of(request.query_params))
        return Response(status=204)
