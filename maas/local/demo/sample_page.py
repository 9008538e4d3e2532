"""Serves the first page of the sample scan as a picture, to try a model on a page."""

from functools import cache
from io import BytesIO

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from maas.local.demo.sample import draw_page


@require_safe
def sample_page(request: HttpRequest) -> HttpResponse:
    """Serve the picture without authentication. Programs that are copied from the playground fetch it without a
    session.
    """
    return HttpResponse(_jpeg(), content_type="image/jpeg")


@cache
def _jpeg() -> bytes:
    """Draw the picture once in a process, because drawing takes a while."""
    file = BytesIO()
    draw_page(1).save(file, "JPEG", quality=80)
    return file.getvalue()
