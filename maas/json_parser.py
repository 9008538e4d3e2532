"""JSON bodies that can be stored, and that are not nested without end."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from jobs.storable import unstorable_text


class StorableJSONParser(JSONParser):
    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            value = super().parse(stream, media_type, dict(parser_context or {}))
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        text = unstorable_text(value)
        if text is not None:
            raise ParseError(f"The text {ascii(text)[:60]} holds a NUL or half a surrogate pair; remove it.")
        return value
