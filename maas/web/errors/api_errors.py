"""The table from domain errors to HTTP statuses, and the shape of the product's errors: RFC 9457 problem details."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.db import DatabaseError, InterfaceError
from django.http import Http404
from rest_framework import exceptions

from inference.core.contracts import WorkRefused
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.intake.spool import is_full, refusal_of
from tenants.core.db.failures import erased_meanwhile, trouble_of
from tenants.core.errors import DomainError

CONTENT_TYPE = "application/problem+json"

STATUS: Mapping[str, int] = {
    "invalid_request": 400,
    "invalid_cursor": 400,
    "key_in_query": 400,
    "not_supported": 400,
    "file_in_use": 400,
    "too_many_files": 400,
    "too_many_webhook_endpoints": 400,
    "batch_finished": 400,
    "signature_invalid": 400,
    "not_authenticated": 401,
    "invalid_api_key": 401,
    "api_key_revoked": 401,
    "api_key_expired": 401,
    "unknown_cell": 401,
    "budget_exhausted": 402,
    "insufficient_funds": 402,
    "insufficient_scope": 403,
    "model_not_allowed": 403,
    "live_key_needed": 403,
    "ip_not_allowed": 403,
    "tenant_suspended": 403,
    "tenant_closing": 403,
    "not_a_member": 403,
    "invitation_for_other_user": 403,
    "csrf_failed": 403,
    "origin_not_allowed": 403,
    "not_found": 404,
    "model_not_found": 404,
    "class_set_not_found": 404,
    "model_version_not_found": 404,
    "model_task_not_found": 404,
    "model_variant_not_found": 404,
    "alias_not_found": 404,
    "samples_invalid": 422,
    "samples_not_found": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "request_timeout": 408,
    "changed_in_control_cell": 409,
    "job_finished": 409,
    "archive_finished": 409,
    "job_not_finished": 409,
    "page_not_read": 409,
    "erasure_incomplete": 409,
    "nothing_to_retry": 409,
    "model_paused": 409,
    "model_exists": 409,
    "model_in_use": 409,
    "model_version_not_ready": 409,
    "model_uploads_off": 403,
    "alias_changed": 409,
    "nothing_to_roll_back": 409,
    "too_many_models": 409,
    "request_in_progress": 409,
    "account_switched": 409,
    "last_owner": 409,
    "already_member": 409,
    "sign_on_connected_elsewhere": 409,
    "last_sign_in_method": 409,
    "operator_not_deletable": 409,
    "owner_inactive": 409,
    "tenant_not_closing": 409,
    "invoice_not_open": 409,
    "webhook_disabled": 409,
    "class_set_exists": 409,
    "class_set_not_trained": 409,
    "too_many_class_sets": 409,
    "offset_mismatch": 409,
    "upload_incomplete": 409,
    "upload_used": 409,
    "document_deleted": 410,
    "idempotent_result_gone": 410,
    "upload_gone": 410,
    "invitation_gone": 410,
    "tus_version_not_supported": 412,
    "events_erased": 410,
    "job_erased": 410,
    "account_storage_full": 413,
    "document_too_large": 413,
    "archive_too_large_unpacked": 413,
    "request_too_large": 413,
    "upload_too_long": 413,
    "unsupported_type": 415,
    "unsupported_media_type": 415,
    "range_not_satisfiable": 416,
    "wrong_cell": 421,
    "upload_locked": 423,
    "rate_limited": 429,
    "test_allowance_spent": 429,
    "mail_unavailable": 503,
    "backlog_too_long": 429,
    "too_many_archives": 429,
    "too_many_batches": 429,
    "too_many_unfinished_jobs": 429,
    "too_many_unfinished_pages": 429,
    "too_many_uploads": 429,
    "checksum_mismatch": 460,
    "internal_error": 500,
    "file_missing": 500,
    "model_crashed": 500,
    "model_not_servable": 500,
    "model_out_of_memory": 500,
    "model_output_invalid": 500,
    "model_output_not_finite": 500,
    "model_output_too_large": 500,
    "model_precision_unknown": 500,
    "model_run_failed": 500,
    "pipeline_incomplete": 500,
    "runtime_unknown": 500,
    "step_crashed": 500,
    "cell_connection_lost": 502,
    "cell_unreachable": 503,
    "inference_unavailable": 503,
    "metering_unavailable": 503,
    "model_artifact_missing": 503,
    "model_exceeds_memory": 503,
    "model_isolation_unavailable": 503,
    "model_load_failed": 503,
    "model_memory_busy": 503,
    "model_paused_after_crashes": 503,
    "model_unloaded": 503,
    "overloaded": 503,
    "queue_too_long": 503,
    "restarting": 503,
    "url_paused": 503,
    "meaning_paused": 503,
    "reader_unavailable": 503,
    "payment_provider_unavailable": 503,
    "scaling_unavailable": 503,
    "database_unavailable": 503,
    "storage_unavailable": 503,
    "deadline_exceeded": 504,
    "model_timeout": 504,
    "url_too_slow": 504,
    "storage_full": 507,
}
"""Maps codes to HTTP statuses. Codes that are not listed are about the content of a well-formed request: 422."""

TITLES: Mapping[int, str] = {
    400: "Bad request",
    401: "Not authenticated",
    402: "Payment required",
    403: "Not permitted",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    408: "Request timed out",
    409: "Conflict",
    410: "Gone",
    411: "Length required",
    412: "Precondition failed",
    413: "Too large",
    415: "Unsupported media type",
    416: "Range not satisfiable",
    421: "Misdirected",
    422: "Not processable",
    423: "Locked",
    429: "Too many requests",
    460: "Checksum mismatch",
    500: "Internal error",
    502: "Connection lost",
    503: "Unavailable",
    504: "Timed out",
    507: "Storage is full",
}


GRPC_STATUS: Mapping[int, str] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    402: "RESOURCE_EXHAUSTED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    406: "INVALID_ARGUMENT",
    408: "DEADLINE_EXCEEDED",
    409: "FAILED_PRECONDITION",
    410: "NOT_FOUND",
    412: "FAILED_PRECONDITION",
    413: "RESOURCE_EXHAUSTED",
    415: "INVALID_ARGUMENT",
    416: "OUT_OF_RANGE",
    421: "FAILED_PRECONDITION",
    422: "INVALID_ARGUMENT",
    423: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    460: "INVALID_ARGUMENT",
    500: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
    507: "RESOURCE_EXHAUSTED",
}

_GRPC_STATUS_OF_CODES: Mapping[str, str] = {"not_supported": "UNIMPLEMENTED"}
"""Codes for which gRPC has a status of its own, and HTTP has none."""


def status_of(code: str) -> int:
    return STATUS.get(code, 422)


def grpc_status_of(code: str) -> str:
    return _GRPC_STATUS_OF_CODES.get(code) or GRPC_STATUS[status_of(code)]


def problem(code: str, detail: str, **extra: object) -> dict[str, object]:
    """Return the body of every error on the product's own paths."""
    status = status_of(code)
    return {
        "type": f"/errors/{code}",
        "title": TITLES[status],
        "status": status,
        "code": code,
        "detail": detail,
        **extra,
    }


_FRAMEWORK: Mapping[type[exceptions.APIException], str] = {
    exceptions.ParseError: "invalid_request",
    exceptions.MethodNotAllowed: "method_not_allowed",
    exceptions.NotAcceptable: "not_acceptable",
    exceptions.Throttled: "rate_limited",
}


_SEND = (
    "Send JSON with the header Content-Type: application/json, or a multipart/form-data form where a file is accepted."
)


def _from_framework(error: exceptions.APIException) -> dict[str, object]:
    match error:
        case exceptions.ValidationError():
            reasons = _plain(error.detail)
            return problem("invalid_request", _first_words(reasons), errors=reasons)
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return problem("not_authenticated", "Send your key as: Authorization: Bearer <key>.")
        case exceptions.PermissionDenied():
            code = "csrf_failed" if "CSRF" in str(error.detail) else "insufficient_scope"
            return problem(code, str(error.detail))
        case exceptions.UnsupportedMediaType():
            return problem("unsupported_media_type", f"{error.detail} {_SEND}")
    return problem(_FRAMEWORK.get(type(error), "internal_error"), str(error.detail))


_PLAIN_REASONS: Mapping[str, str] = {
    "not_a_list": "This must be a list.",
    "not_a_dict": "This must be a JSON object.",
}
"""Texts that replace the framework's own reasons, which name types of Python."""
_NO_OBJECT = "Invalid data. Expected a dictionary"


def _plain(detail: Any) -> Any:
    if isinstance(detail, Mapping):
        return {field: _plain(reasons) for field, reasons in detail.items()}
    if isinstance(detail, list):
        return [_plain(reason) for reason in detail]
    if str(detail).startswith(_NO_OBJECT):
        return _PLAIN_REASONS["not_a_dict"]
    return _PLAIN_REASONS.get(getattr(detail, "code", ""), detail)


def _first_words(detail: Any) -> str:
    """Return the first field and reason of a validation error, so that the message alone is already helpful."""
    if isinstance(detail, Mapping) and detail:
        field, reasons = next(iter(detail.items()))
        return f"`{field}`: {_first_words(reasons)}"
    if isinstance(detail, list) and detail:
        return _first_words(detail[0])
    return str(detail)


def body_for(error: Exception) -> dict[str, object] | None:
    """Return the body that describes an error, or None for a defect of the product, which must not be hidden."""
    if isinstance(error, exceptions.APIException):
        return _from_framework(error)
    refusal = as_domain_error(error)
    return problem(refusal.code, refusal.detail, **refusal.extra) if refusal is not None else None


def _trouble_of(error: Exception) -> DomainError | None:
    if isinstance(error, OSError):
        return refusal_of(error) if is_full(error) else None
    return erased_meanwhile(error) or trouble_of(error)


def _of_django(error: Http404 | TooManyFieldsSent) -> DomainError:
    if isinstance(error, Http404):
        return DomainError("Nothing found at this address.", code="not_found")
    most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    return DomainError(f"A request can have at most {most} parameters.", code="invalid_request")


def as_domain_error(error: BaseException | None) -> DomainError | None:
    """Return the error as a domain error, or None for a defect."""
    match error:
        case DomainError():
            return error
        case DatabaseError() | InterfaceError() | OSError():
            return _trouble_of(error)
        case WorkRefused() | DocumentRejected():
            return DomainError(error.detail, code=error.code)
        case ReaderUnavailable():
            detail = "Too many documents are being checked. Try again."
            return DomainError(detail, code=error.code, gate="readers", extra={"retry_after_s": 2})
        case Http404() | TooManyFieldsSent():
            return _of_django(error)
    return None
