"""Parts of the OpenAPI document about callers, refusals and lists, which the endpoints of every app share."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers


class EdgeAuthenticationScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "tenants.api.authentication.EdgeAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API key."}


def number_parameter(name: str, *, least: int, description: str, most: int | None = None) -> OpenApiParameter:
    bounds = {"minimum": least} if most is None else {"minimum": least, "maximum": most}
    return OpenApiParameter(name, {"type": "integer", **bounds}, description=description)


def limit_parameter(*, most: int, default: int) -> OpenApiParameter:
    return number_parameter("limit", least=1, most=most, description=f"Maximum number of results. Default: {default}.")


OPENAI_ERROR_BODY = inline_serializer(
    "OpenAIErrorBody",
    {
        "message": serializers.CharField(),
        "type": serializers.CharField(),
        "param": serializers.CharField(allow_null=True),
        "code": serializers.CharField(help_text="Stable error code for programs."),
        "request_id": serializers.CharField(),
    },
)
PROBLEM = OpenApiResponse(
    inline_serializer(
        "Problem",
        {
            "type": serializers.CharField(),
            "title": serializers.CharField(),
            "status": serializers.IntegerField(),
            "code": serializers.CharField(help_text="Stable error code for programs."),
            "detail": serializers.CharField(help_text="Message for people."),
            "request_id": serializers.CharField(),
            "error": OPENAI_ERROR_BODY,
        },
    ),
    description="Error in the format of RFC 9457. `error` repeats it in OpenAI's format.",
)
REFUSALS = {("4XX", "application/problem+json"): PROBLEM}
PAGED = [
    limit_parameter(most=100, default=20),
    OpenApiParameter("cursor", str, description="`next_cursor` of the previous page."),
]


def list_of(name: str, item: Any, **more: serializers.Field[Any, Any, Any, Any]) -> Any:
    """Describe a list: `{"object": "list", "data": [...]}` and its further fields."""
    fields = {"object": serializers.CharField(), "data": item, **more}
    return inline_serializer(name, fields)


def paged_list_of(name: str, item: Any) -> Any:
    return list_of(name, item, has_more=serializers.BooleanField(), next_cursor=serializers.CharField(allow_null=True))
