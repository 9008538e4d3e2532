"""Query parameters of endpoints. An unknown parameter is refused, since a misspelled filter would list everything."""

from rest_framework.exceptions import ParseError
from rest_framework.request import Request


def only(request: Request, *allowed: str) -> None:
    unknown = sorted(set(request.query_params) - set(allowed))
    if unknown:
        takes = f"Use {', '.join(allowed)}" if allowed else "This request has none"
        raise ParseError(f"Unknown query parameter {unknown[0][:40]!r}. {takes}.")
