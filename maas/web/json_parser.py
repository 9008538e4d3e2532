"""Parses JSON that can be stored: text for PostgreSQL, finite numbers, no duplicate name, and bounded nesting."""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from inference.gateway.repeated_names import RepeatedName, without_repeated
from jobs.core.storable import unstorable_text


class StorableJSONParser(BaseParser):
    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        try:
            value = json.loads(
                stream.read(),
                parse_float=_finite,
                parse_constant=_no_constant,
                object_pairs_hook=without_repeated,
            )
        except RepeatedName as error:
            raise ParseError(str(error)) from None
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        except UnicodeDecodeError as error:
            raise ParseError(f"The body is not UTF-8: {error.reason} at byte {error.start}.") from None
        except json.JSONDecodeError as error:
            raise ParseError(f"The body is not JSON: {error}.") from None
        except ValueError:
            raise ParseError("A number in the body has too many digits.") from None
        text = unstorable_text(value)
        if text is not None:
            raise ParseError(f"The text {ascii(text)[:60]} holds a NUL or half a surrogate pair; remove it.")
        return value


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ParseError(f"The number {written[:30]} is too large.")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ParseError(f"{name} is not a number that JSON knows.")
