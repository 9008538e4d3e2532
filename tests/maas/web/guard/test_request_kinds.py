"""Tests of which requests are measured together."""

import pytest

from inference.gateway.gateway import GRPC_PREFIX
from maas.web.guard.request_kinds import kind_of, outcome_of
from tenants.core.asgi.protocol import Scope


def _scope(path: str, method: str = "GET", **headers: str) -> Scope:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "path": path, "method": method, "headers": named}


@pytest.mark.parametrize(
    ("scope", "kind"),
    [
        (_scope("/v1/embeddings", "POST"), "openai"),
        (_scope("/v2/models/embed/infer", "POST"), "open_inference"),
        (_scope(f"{GRPC_PREFIX}ModelInfer", "POST"), "grpc"),
        (_scope(f"{GRPC_PREFIX}ModelMetadata", "POST"), "api"),
        (_scope("/v2/models/embed"), "api"),
        (_scope("/v1/jobs"), "api"),
        (_scope("/v1/jobs/1", prefer="wait=30"), "wait"),
        (_scope("/v1/jobs", "POST", content_type="multipart/form-data; boundary=b"), "upload"),
        (_scope("/v1/uploads/1", "PATCH"), "upload"),
        (_scope("/"), "dashboard"),
        (_scope("/admin/jobs/job/"), "admin"),
        (_scope("/static/maas/admin.css"), None),
        (_scope("/readyz"), None),
        (_scope("/metrics"), None),
    ],
)
def test_a_request_is_measured_with_others_of_its_kind(scope: Scope, kind: str | None) -> None:
    assert kind_of(scope) == kind


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "answered"),
        (302, "answered"),
        (401, "refused"),
        (429, "refused"),
        (503, "failed"),
        (None, "disconnected"),
    ],
)
def test_an_outcome_says_whose_fault_it_was(status: int | None, outcome: str) -> None:
    assert outcome_of(status) == outcome
