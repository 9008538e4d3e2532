"""Writes the lines of a batch's output file and of its error file."""

import json
from uuid import UUID

from jobs.batches.ids import REQUEST, shown


def answer_line(result_id: UUID, custom_id: str, status: int, body: bytes) -> bytes:
    """Return a line of a response. `body` is JSON already, and stays as the call itself returns it."""
    if b"\n" in body or b"\r" in body:
        body = json.dumps(json.loads(body), separators=(",", ":")).encode()
    response = b'{"status_code":%d,"request_id":"%b","body":%b}' % (status, result_id.hex.encode(), body)
    return _line(result_id, custom_id, response, b"null")


def error_line(result_id: UUID, custom_id: str, code: str, message: str) -> bytes:
    """Return a line for a request that received no response at all."""
    error = json.dumps({"code": code, "message": message}, separators=(",", ":")).encode()
    return _line(result_id, custom_id, b"null", error)


def _line(result_id: UUID, custom_id: str, response: bytes, error: bytes) -> bytes:
    named = shown(REQUEST, result_id).encode(), json.dumps(custom_id).encode()
    return b'{"id":"%b","custom_id":%b,"response":%b,"error":%b}\n' % (*named, response, error)
