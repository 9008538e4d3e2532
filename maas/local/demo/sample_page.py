"""The first page of the sample scan as a picture, for whoever wants to try a model on a page."""

from functools import cache
from io import BytesIO

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from maas.local.demo.sample import draw_page


@require_safe
def sample_page(request: HttpRequest) -> HttpResponse:
    """For everybody: programs that are copied from the playground fetch it without signing in."""
    return HttpResponse(_jpeg(), content_type="image/jpeg")


@cache
def _jpeg() -> bytes:
    """Drawn once in a process: it takes a while."""
    file = BytesIO()
    draw_page(1).save(file, "JPEG", quality=80)
    return file.getvalue()
