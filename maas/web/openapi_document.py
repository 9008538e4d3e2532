"""Serves `/v1/openapi.json`, with the gateway's paths, and the Python client; each is made once in a process."""

import hashlib
import io
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition, require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2
from rest_framework.request import Request
from rest_framework.views import APIView

from inference.gateway.open_inference import openapi as open_inference
from inference.gateway.openai import openapi as openai


@dataclass(frozen=True)
class Written:
    content: bytes

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


@cache
def written() -> Written:
    """Return the document in the form in which it is sent. It is the same for every caller."""
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # the library is untyped
    return Written(bytes(OpenApiJsonRenderer().render(schema)))


class OpenAPIDocument(APIView):
    """The view of the document, with its two media types. It responds with 304 to a caller that has this version."""

    http_method_names = ["get", "head"]
    authentication_classes = ()
    permission_classes = ()
    renderer_classes = (OpenApiJsonRenderer, OpenApiJsonRenderer2)
    schema = None

    @method_decorator(condition(etag_func=lambda request: written().etag))
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


FOLDER = "maas-client"
"""The folder that contains all files. The first file in it is the one that pip looks for."""
LAID_OUT = ("pyproject.toml", "README.md")
PACKAGE = "maas_client"


@cache
def _built() -> Written:
    source = settings.BASE_DIR / "client"
    if not (source / LAID_OUT[0]).is_file():
        raise Http404("The Python client is not part of this installation.")
    names = [*LAID_OUT, *sorted(str(path.relative_to(source)) for path in (source / PACKAGE).rglob("*.py"))]
    names.append(f"{PACKAGE}/py.typed")
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name in names:
            # The date is ZipInfo's default, so that every process builds the same bytes.
            entry = ZipInfo(f"{FOLDER}/{name}")
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, (source / name).read_bytes(), ZIP_DEFLATED)
    return Written(file.getvalue())


@require_safe
@condition(etag_func=lambda request: _built().etag)
def client_archive(request: HttpRequest) -> HttpResponse:
    """Serve the archive without authentication: it has no secret, and is installed before a person signs in."""
    return HttpResponse(
        _built().content,
        content_type="application/zip",
        headers={
            "Content-Disposition": 'attachment; filename="maas-client.zip"',
            "Cache-Control": "no-cache",
        },
    )
