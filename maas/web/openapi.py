"""The OpenAPI document whole: what Django's views say of themselves, and what answers ahead of Django."""

from typing import Any

from inference.gateway.open_inference import openapi as open_inference
from inference.gateway.openai import openapi as openai

Document = dict[str, Any]


def with_gateway(result: Document, generator: Any, request: Any, public: bool) -> Document:
    """A hook of drf-spectacular's; the names of its parameters are given."""
    for gateway in (openai, open_inference):
        result["paths"].update(gateway.paths())
        result["components"]["schemas"].update(gateway.SCHEMAS)
    result["paths"] = dict(sorted(result["paths"].items()))
    return result
