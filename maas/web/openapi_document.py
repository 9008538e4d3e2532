"""Serves `/v1/openapi.json`, made once in a process (a quarter of a second) with the gateway's paths added."""

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2
from rest_framework.request import Request
from rest_framework.views import APIView

from inference.gateway.open_inference import openapi as open_inference
from inference.gateway.openai import openapi as openai


@dataclass(frozen=True)
class Written:
    content: bytes
    etag: str


@cache
def written() -> Written:
    """Return the document in the form in which it is sent. It is the same for every caller."""
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # the library is untyped
    content = bytes(OpenApiJsonRenderer().render(schema))
    return Written(content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def _etag(_request: HttpRequest) -> str:
    return written().etag


class OpenAPIDocument(APIView):
    """The view of the document, with its two media types. It responds with 304 to a caller that has this version."""

    http_method_names = ["get", "head"]
    authentication_classes = ()
    permission_classes = ()
    renderer_classes = (OpenApiJsonRenderer, OpenApiJsonRenderer2)
    schema = None

    @method_decorator(condition(etag_func=_etag))
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(
            written().content,
            content_type=request.accepted_renderer.media_type,
            headers={
                "Cache-Control": "no-cache",
                "Content-Disposition": 'inline; filename="Document AI (1).json"',
            },
        )


Document = dict[str, Any]


def with_gateway(result: Document, generator: Any, request: Any, public: bool) -> Document:
    """Add the gateway's paths. This is a hook of drf-spectacular, which fixes the names of the parameters."""
    for gateway in (openai, open_inference):
        result["paths"].update(gateway.paths())
        result["components"]["schemas"].update(gateway.SCHEMAS)
    result["paths"] = dict(sorted(result["paths"].items()))
    return result
