"""JSON bodies that can be stored: no NUL and no half characters, which Postgres refuses, and no endless nesting."""

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class StorableJSONParser(JSONParser):
    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            value = super().parse(stream, media_type, dict(parser_context or {}))
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        for text in _texts(value):
            if not _storable(text):
                raise ParseError(
                    f"The text {ascii(text)[:60]} holds a NUL or half a surrogate pair; remove it."
                )
        return value


def _storable(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _texts(value: Any) -> Iterator[str]:
    """Every string in it, keys too; without recursion."""
    stack = [value]
    while stack:
        match stack.pop():
            case str() as text:
                yield text
            case list() as items:
                # Tensor data is numbers by the million: look into a list only for what can hold text.
                stack.extend(item for item in items if isinstance(item, str | list | dict))
            case dict() as items:
                yield from items
                stack.extend(items.values())
