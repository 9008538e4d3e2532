"""Completes the OpenAPI document: Django's views describe themselves, and the gateway's paths are added."""

from typing import Any

from inference.gateway.open_inference import openapi as open_inference
from inference.gateway.openai import openapi as openai

Document = dict[str, Any]


def with_gateway(result: Document, generator: Any, request: Any, public: bool) -> Document:
    """Add the gateway's paths. This is a hook of drf-spectacular, which fixes the names of the parameters."""
    for gateway in (openai, open_inference):
        result["paths"].update(gateway.paths())
        result["components"]["schemas"].update(gateway.SCHEMAS)
    result["paths"] = dict(sorted(result["paths"].items()))
    return result
