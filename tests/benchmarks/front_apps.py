"""The same trivial view behind each way to serve it. bench_front puts them under load."""

import os

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maas.settings")
settings.ROOT_URLCONF = __name__
django.setup(set_prefix=False)

from django.core.handlers.asgi import ASGIHandler  # noqa: E402  Only once Django is set up.

from maas.web.django_mount import DjangoMount  # noqa: E402
from maas.web.front import Front  # noqa: E402
from tenants.core.asgi.protocol import Receive, Scope, Send, body_chunks  # noqa: E402


@csrf_exempt
def view(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(len(request.body)))


ANSWER_BYTES = int(os.environ.get("MAAS_BENCH_ANSWER_BYTES", "0"))
"""The least size of the plain response, to compare it with a response of that size. The check whether the server is up
has none.
"""
urlpatterns = [path("view", view), path("v1/view", view)]


async def plain(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond without Django. This shows the capacity of the server itself."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    length = str(sum([len(chunk) async for chunk in body_chunks(receive)])).encode()
    answer = length if scope["path"] == "/view" else length.ljust(ANSWER_BYTES)
    headers = [(b"content-length", b"%d" % len(answer)), (b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


async def mounted(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with the product's mount alone, without guard, uploads and waits before it."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    else:
        await _mount(scope, receive, send)


async def djangos_own(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    else:
        await _handler(dict(scope), receive, send)  # type: ignore[arg-type]


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


front = Front.from_settings()
_mount: DjangoMount = front.django
_handler = ASGIHandler()
