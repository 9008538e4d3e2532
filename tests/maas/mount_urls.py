"""Views that show what reaches Django, and that answer in every way it can."""

import hashlib
import json
import tempfile
import threading
from collections.abc import Iterator

from django.db import connection
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

THREADS = 4
IDLE_S = 2.0
"""How mount_app is set up."""

CLOSED = threading.Event()
FILE_BYTES = 32 * 2**20


@csrf_exempt
def echo(request: HttpRequest, rest: str = "") -> HttpResponse:
    body = request.body
    return JsonResponse(
        {
            "method": request.method,
            "rest": rest,
            "query": dict(request.GET.lists()),
            "cookies": request.COOKIES,
            "headers": dict(request.headers),
            "environ": {key: repr(value) for key, value in request.META.items() if key.startswith("maas.")},
            "body_bytes": len(body),
            "body_sha256": hashlib.sha256(body).hexdigest(),
            "thread": threading.current_thread().name,
        }
    )


@csrf_exempt
def read_as_stream(request: HttpRequest) -> HttpResponse:
    size = 0
    while piece := request.read(10_000):
        size += len(piece)
    return HttpResponse(str(size))


@csrf_exempt
def parsed(request: HttpRequest) -> HttpResponse:
    return JsonResponse(json.loads(request.body))


def two_cookies(request: HttpRequest) -> HttpResponse:
    response = HttpResponse("é", status=201)
    response.set_cookie("one", "1", httponly=True)
    response.set_cookie("two", "2")
    return response


def _endless() -> Iterator[bytes]:
    try:
        with connection.cursor() as cursor:
            while True:
                cursor.execute("SELECT repeat('x', 65536)")
                yield cursor.fetchone()[0].encode()
    finally:
        CLOSED.set()


def endless(request: HttpRequest) -> StreamingHttpResponse:
    CLOSED.clear()
    return StreamingHttpResponse(_endless())


def lines(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        (f"{threading.current_thread().name}\n" for _ in range(5)), content_type="text/plain"
    )


def is_closed(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"closed": CLOSED.is_set()})


def file(request: HttpRequest) -> FileResponse:
    content = tempfile.TemporaryFile()  # noqa: SIM115  The response closes it.
    content.truncate(FILE_BYTES)
    return FileResponse(content, content_type="application/octet-stream")


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a defect")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse("nothing here", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    return HttpResponse("our fault", status=500)


urlpatterns = [
    path("echo", echo),
    path("echo/<path:rest>", echo),
    path("v1/echo", echo),
    path("v1/documents", echo),
    path("v1/jobs", echo),
    path("read", read_as_stream),
    path("parsed", parsed),
    path("cookies", two_cookies),
    path("endless", endless),
    path("lines", lines),
    path("closed", is_closed),
    path("file", file),
    path("broken", broken),
]
handler404 = "tests.maas.mount_urls.not_found"
handler500 = "tests.maas.mount_urls.server_error"
