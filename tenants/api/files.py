"""Answers that have one form: a picture, a file."""

from collections.abc import Iterable

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class AsStored(BaseContentNegotiation):
    """Whatever a caller says to accept, there is nothing to choose from."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str | None]:
        for_problems = next(iter(renderers))
        return for_problems, for_problems.media_type
