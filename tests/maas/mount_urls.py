"""Views that show what reaches Django, and that answer in every way it can."""

import hashlib
import json
import tempfile
import threading
from collections.abc import Iterator
from contextvars import ContextVar

from django.db import connection, transaction
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

THREADS = 4
IDLE_S = 3.0
"""The settings of mount_app: its threads, and the seconds after which it closes an idle connection."""

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
        while True:
            with connection.cursor() as cursor:
                cursor.execute("SELECT repeat('x', 65536)")
                block = cursor.fetchone()[0].encode()
            yield block
    finally:
        CLOSED.set()


def endless(request: HttpRequest) -> StreamingHttpResponse:
    CLOSED.clear()
    return StreamingHttpResponse(_endless())


def lines(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse((f"{threading.current_thread().name}\n" for _ in range(5)), content_type="text/plain")


def flood(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(b"x" * 65_536 for _ in range(FILE_BYTES // 65_536))


BOUND: ContextVar[str] = ContextVar("bound", default="")


def _bound_once() -> Iterator[str]:
    token = BOUND.set("bound ")
    for _ in range(3):
        yield BOUND.get()
    BOUND.reset(token)


def bound(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(_bound_once())


def _in_a_transaction() -> Iterator[bytes]:
    with transaction.atomic():
        yield b"first"
        yield b"second"


def in_a_transaction(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(_in_a_transaction())


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
    path("flood", flood),
    path("bound", bound),
    path("in-a-transaction", in_a_transaction),
    path("closed", is_closed),
    path("file", file),
    path("broken", broken),
]
handler404 = "tests.maas.mount_urls.not_found"
handler500 = "tests.maas.mount_urls.server_error"
