import grpc
import pytest

from maas.web.errors.api_errors import GRPC_STATUS, STATUS, TITLES, grpc_status_of


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
