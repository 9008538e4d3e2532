"""Name the kind of a request and the outcome of its answer: two labels with a dozen values between them."""

from inference.gateway.gateway import EMBEDDINGS, is_grpc, runs_model
from jobs.intake.uploads import is_upload
from jobs.uploads.resumable import is_resumable
from maas.web.guard.refusals import is_api
from tenants.core.asgi.protocol import Scope, header

ADMIN = "/admin/"
UNMEASURED = ("/static/", "/livez", "/readyz", "/metrics")


def kind_of(scope: Scope) -> str | None:
    """Return the kind of a request, or None if it is not measured: static files and probes."""
    path: str = scope["path"]
    if runs_model(path):
        return _protocol_of(path)
    if is_api(path):
        if header(scope, b"prefer") is not None:
            return "wait"
        return "upload" if is_upload(scope) or is_resumable(scope) else "api"
    if path.startswith(UNMEASURED):
        return None
    return "admin" if path.startswith(ADMIN) else "dashboard"


def _protocol_of(path: str) -> str:
    """Return the protocol of a synchronous call."""
    if path == EMBEDDINGS:
        return "openai"
    return "grpc" if is_grpc(path) else "open_inference"


def outcome_of(status: int | None) -> str:
    """Return the outcome. `status` is None if the client disconnected before anything was answered."""
    if status is None:
        return "disconnected"
    if status < 400:
        return "answered"
    return "refused" if status < 500 else "failed"
