import grpc
import pytest

from inference.gateway.gateway import OVER_GRPC
from maas.web.errors.api_errors import GRPC_STATUS, STATUS, TITLES, grpc_status_of
from maas.web.grpc.calls import client_of, scope_of
from tenants.core.asgi.protocol import bearer, has_body, header


def test_a_call_is_the_request_that_it_is_on_the_wire() -> None:
    metadata: list[tuple[str, str | bytes]] = [("authorization", "Bearer k"), ("x-trace-bin", b"\xff")]
    scope = scope_of("/inference.GRPCInferenceService/ModelInfer", metadata, "ipv4:127.0.0.1:5", has_message=True)
    assert (scope["method"], scope["client"], scope[OVER_GRPC]) == ("POST", ("127.0.0.1", 5), True)
    assert (bearer(scope), header(scope, b"x-trace-bin")) == ("k", "\xff")
    assert has_body(scope)


def test_what_has_no_message_is_open_to_everyone() -> None:
    assert not has_body(scope_of("/a/ServerLive", [], "", has_message=False))


@pytest.mark.parametrize(
    ("peer", "client"),
    [
        ("ipv4:192.0.2.7:4711", ("192.0.2.7", 4711)),
        ("ipv6:%5B::1%5D:4711", ("::1", 4711)),
        ("ipv6:[fe80::1]:1", ("fe80::1", 1)),
        ("unix:/tmp/socket", None),
        ("", None),
    ],
)
def test_the_callers_address_is_read(peer: str, client: tuple[str, int] | None) -> None:
    assert client_of(peer) == client


@pytest.mark.parametrize("code", sorted(STATUS))
def test_every_refusal_has_a_status_in_grpc(code: str) -> None:
    assert hasattr(grpc.StatusCode, grpc_status_of(code))


def test_every_status_that_codes_have_is_known() -> None:
    assert {*STATUS.values(), 422} <= set(GRPC_STATUS) <= set(TITLES)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("invalid_tensor", "INVALID_ARGUMENT"),
        ("not_authenticated", "UNAUTHENTICATED"),
        ("insufficient_scope", "PERMISSION_DENIED"),
        ("model_not_found", "NOT_FOUND"),
        ("rate_limited", "RESOURCE_EXHAUSTED"),
        ("overloaded", "UNAVAILABLE"),
        ("inference_unavailable", "UNAVAILABLE"),
        ("deadline_exceeded", "DEADLINE_EXCEEDED"),
        ("not_supported", "UNIMPLEMENTED"),
        ("internal_error", "INTERNAL"),
    ],
)
def test_refusals_are_said_as_clients_expect_them(code: str, status: str) -> None:
    assert grpc_status_of(code) == status
