"""Builds the requests for an order. It is pure."""

import json
from typing import Any
from uuid import UUID

from .orders import Order
from .picky import GOOD_ROWS, MODEL, SIGNATURE, tensor

INFER = f"/v2/models/{MODEL}/infer"
Request = dict[str, Any]


def job_request(order: Order, hook: str) -> Request:
    headers = {"Idempotency-Key": order.key}
    body: dict[str, object] = {"model": MODEL, "input": tensor(order.row)}
    if not order.may_reuse:
        headers["Cache-Control"] = "no-store"
    if order.hooked:
        body["webhook_url"] = hook
    if order.expires_after_s is not None:
        body["expires_after"] = order.expires_after_s
    if order.cancel_after_s is not None:
        headers["Cancel-After"] = f"{order.cancel_after_s}s"
    return {"json": body, "headers": headers}


def call_request(order: Order) -> Request:
    """Return a request that is always run, so that each has its own usage."""
    return {"json": _infer(order.row), "headers": {"Cache-Control": "no-store"}}


def file_request(order: Order) -> Request:
    lines = "".join(f"{json.dumps(_line(order, number))}\n" for number in range(order.lines))
    return {
        "files": {"file": ("lines.jsonl", lines.encode(), "application/jsonl")},
        "data": {"purpose": "batch"},
        "headers": {"Idempotency-Key": f"{order.key}-file"},
    }


def batch_request(order: Order, file_id: str) -> Request:
    body = {"input_file_id": file_id, "endpoint": INFER, "completion_window": "24h"}
    return {"json": body, "headers": {"Idempotency-Key": order.key}}


def plain_id(shown: str) -> str:
    """Return a batch's ID as its row has it."""
    return str(UUID(hex=shown.removeprefix("batch_")))


def _line(order: Order, number: int) -> dict[str, object]:
    """Return a request of a batch. Rows differ, because a cached result is returned, and charged, as a cache hit."""
    return {"custom_id": f"{number}", "method": "POST", "url": INFER, "body": _infer(number % GOOD_ROWS)}


def _infer(row: int) -> dict[str, object]:
    (given,) = SIGNATURE["inputs"]
    return {"inputs": [{**given, "shape": [1, 1], "data": [row]}]}
