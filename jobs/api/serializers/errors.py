"""Serializes the reason why something failed."""

from typing import Any

from rest_framework import serializers


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()


def error_json(code: str, detail: str) -> dict[str, str] | None:
    return {"code": code, "detail": detail} if code else None
