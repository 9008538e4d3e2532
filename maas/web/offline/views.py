"""The offline page, the service worker that stores it, and the icon for programs that read no page."""

import hashlib
import json
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

PARTS = (
    "maas/css/tokens.css",
    "maas/css/controls.css",
    "maas/css/shell.css",
    "maas/css/errors.css",
    "maas/js/theme.js",
    "maas/js/offline-page.js",
    "maas/icon.svg",
)
MARK = "?offline"
"""A part of the addresses of the offline page's files. The service worker handles no other file."""


@require_safe
def offline_page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_page(), headers={"Cache-Control": "no-cache"})


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the worker at the root, because it serves only addresses below its own. Browsers look for a new version."""
    return HttpResponse(_worker(), content_type="text/javascript", headers={"Cache-Control": "no-cache"})


@cache
def _page() -> str:
    return render_to_string("offline.html", {"mark": MARK})


@cache
def _worker() -> str:
    parts = [static(part) + MARK for part in PARTS]
    program = _file("maas/js/offline-worker.js").read_text()
    constants = f"const VERSION = {json.dumps(_version(program))};\nconst PARTS = {json.dumps(parts)};\n"
    return constants + program


def _version(program: str) -> str:
    """Return a version that changes with anything that the worker stores. Browsers then fetch all of it again."""
    digest = hashlib.sha256((program + _page()).encode())
    for part in PARTS:
        digest.update(_file(part).read_bytes())
    return digest.hexdigest()[:16]


def _file(name: str) -> Path:
    found = finders.find(name)
    if found is None:
        raise FileNotFoundError(f"static file {name} is missing")
    return Path(str(found))


@require_safe
@cache_control(public=True, max_age=86400)
def favicon(request: HttpRequest) -> HttpResponseRedirect:
    return HttpResponseRedirect(static("maas/icon.svg"))
