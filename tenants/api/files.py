"""Responses that have a single format, such as a picture or a file."""

from collections.abc import Iterable

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class AsStored(BaseContentNegotiation):
    """A content negotiation that ignores what the caller accepts, because there is only one format."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str | None]:
        for_problems = next(iter(renderers))
        return for_problems, for_problems.media_type
