"""Reads requests about files and batches in OpenAI's format. Each error names its field."""

from collections.abc import Mapping
from typing import Any

from jobs.batches.services import BatchRequest
from tenants.core.errors import InvalidRequest
from tenants.core.messages import names_in_words

PURPOSES = ("batch",)
ANCHOR = "created_at"
SHORTEST_S, LONGEST_S = 3600, 2_592_000
WINDOWS = ("24h",)
MAX_METADATA = 16
LONGEST_KEY, LONGEST_VALUE = 64, 512
_FILE_FIELDS = ("purpose", "expires_after[anchor]", "expires_after[seconds]")
_BATCH_FIELDS = ("input_file_id", "endpoint", "completion_window", "metadata", "output_expires_after")


def file_lives_s(fields: Mapping[str, str]) -> int | None:
    """Check the form fields beside the file. Return for how many seconds it is kept, or None if they do not say."""
    unknown = next((name for name in fields if name not in _FILE_FIELDS), None)
    if unknown is not None:
        raise refused(f"Unknown parameter: {unknown[:80]!r}.", unknown[:80])
    purpose = fields.get("purpose")
    if purpose is None:
        raise refused("Missing required parameter: 'purpose'.", "purpose")
    if purpose not in PURPOSES:
        raise refused(f"{purpose[:80]!r} is not one of {names_in_words(PURPOSES)} - 'purpose'", "purpose")
    anchor, seconds = fields.get("expires_after[anchor]"), fields.get("expires_after[seconds]")
    if anchor is None and seconds is None:
        return None
    number = int(seconds) if seconds is not None and seconds.isdecimal() and len(seconds) < 10 else seconds
    return _lives_s({"anchor": anchor, "seconds": number}, "expires_after")


def batch_request(body: Any, request_id: str) -> BatchRequest:
    if not isinstance(body, Mapping):
        raise refused("The body must be a JSON object.", None)
    unknown = next((name for name in body if name not in _BATCH_FIELDS), None)
    if unknown is not None:
        raise refused(f"Unknown parameter: {str(unknown)[:80]!r}.", str(unknown)[:80])
    for name in ("input_file_id", "endpoint", "completion_window"):
        if body.get(name) is None:
            raise refused(f"Missing required parameter: '{name}'.", name)
        if not isinstance(body[name], str):
            raise refused(f"'{name}' must be a string.", name)
    if body["completion_window"] not in WINDOWS:
        raise refused(
            f"{body['completion_window'][:80]!r} is not one of {names_in_words(WINDOWS)} - 'completion_window'",
            "completion_window",
        )
    expires = body.get("output_expires_after")
    return BatchRequest(
        input_file_id=body["input_file_id"],
        endpoint=body["endpoint"],
        metadata=_metadata(body.get("metadata")),
        output_lives_s=None if expires is None else _lives_s(expires, "output_expires_after"),
        request_id=request_id,
    )


def refused(detail: str, param: str | None) -> InvalidRequest:
    return InvalidRequest(detail, extra={} if param is None else {"param": param})


def _lives_s(value: Any, name: str) -> int:
    if not isinstance(value, Mapping) or set(value) - {"anchor", "seconds"}:
        raise refused(f"'{name}' must be an object with 'anchor' and 'seconds'.", name)
    if value.get("anchor") != ANCHOR:
        raise refused(f"'{name}.anchor' must be '{ANCHOR}'.", f"{name}.anchor")
    seconds = value.get("seconds")
    if type(seconds) is not int or not SHORTEST_S <= seconds <= LONGEST_S:
        raise refused(f"'{name}.seconds' must be a whole number from {SHORTEST_S} to {LONGEST_S}.", f"{name}.seconds")
    return seconds


def _metadata(metadata: Any) -> Mapping[str, str] | None:
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping) or len(metadata) > MAX_METADATA:
        raise refused(f"'metadata' must be an object of at most {MAX_METADATA} strings.", "metadata")
    for key, value in metadata.items():
        if len(key) > LONGEST_KEY or not isinstance(value, str) or len(value) > LONGEST_VALUE:
            raise refused(
                f"'metadata' may have names of at most {LONGEST_KEY} characters and values of at most {LONGEST_VALUE}.",
                f"metadata.{key[:LONGEST_KEY]}",
            )
    return metadata
