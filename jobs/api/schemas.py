"""`/v1/schemas/result-1.json`: the JSON Schema of results, for everyone."""

import hashlib
import json
from functools import cache
from pathlib import Path

from django.http import HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition
from rest_framework.request import Request
from rest_framework.views import APIView

from jobs import results
from jobs.results.schema_version import SCHEMA_VERSION
from tenants.api.files import AsStored

LIFETIME_S = 86_400
"""The seconds for which a copy may be used without asking. Fields may be added to a version."""


@cache
def result_schema() -> bytes:
    """Return the schema in one line, as all answers are."""
    folder = Path(results.__file__).parent / "schemas"
    return json.dumps(json.loads((folder / f"result-{SCHEMA_VERSION}.json").read_bytes())).encode()


@cache
def _etag() -> str:
    return f'"{hashlib.sha256(result_schema()).hexdigest()[:32]}"'


class ResultSchema(APIView):
    """The view of the schema. It responds with 304 to a caller that has this version."""

    http_method_names = ["get", "head"]
    authentication_classes = ()
    permission_classes = ()
    content_negotiation_class = AsStored
    schema = None

    @method_decorator(condition(etag_func=lambda request: _etag()))
    def get(self, request: Request) -> HttpResponse:
        headers = {"Cache-Control": f"public, max-age={LIFETIME_S}"}
        return HttpResponse(result_schema(), content_type="application/schema+json", headers=headers)
