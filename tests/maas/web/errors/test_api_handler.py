"""Tests of how each protocol words a refusal."""

import pytest

from maas.web.errors.api_errors import CONTENT_TYPE, problem
from maas.web.errors.api_handler import shaped, status_at

REFUSED = problem("model_not_found", "There is no model 'x'.", request_id="r1")


@pytest.mark.parametrize("path", ["/v2", "/v2/", "/v2/models/x/infer"])
def test_open_inference_clients_read_the_error_as_a_text(path: str) -> None:
    assert shaped(path, REFUSED) == (
        "application/json",
        {"error": "There is no model 'x'.", "code": "model_not_found", "request_id": "r1"},
    )


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("invalid_request", "invalid_request_error"),
        ("not_authenticated", "authentication_error"),
        ("insufficient_scope", "permission_error"),
        ("rate_limited", "rate_limit_error"),
        ("overloaded", "server_error"),
    ],
)
def test_openai_clients_read_the_error_as_an_object(code: str, kind: str) -> None:
    for path in ("/v1/files", "/v1/files/file-1/content", "/v1/batches", "/v1/batches/batch_1"):
        refused = problem(code, "No.", request_id="r1", param="input")
        assert shaped(path, refused) == shaped("/v1/embeddings", refused)
    content_type, body = shaped("/v1/embeddings", problem(code, "No.", request_id="r1", param="input"))
    assert content_type == "application/json"
    assert body == {"error": {"message": "No.", "type": kind, "param": "input", "code": code, "request_id": "r1"}}


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/jobs", "/v1/models/x", "/v1/chat/completions"])
def test_the_rest_of_v1_answers_a_problem_in_which_openai_clients_find_their_error(path: str) -> None:
    content_type, body = shaped(path, REFUSED)
    assert content_type == CONTENT_TYPE
    assert body == {**REFUSED, **shaped("/v1/embeddings", REFUSED)[1]}


@pytest.mark.parametrize("path", ["/v22", "/v11/jobs", "/somewhere", "/ws/v1/events"])
def test_everybody_else_reads_a_problem(path: str) -> None:
    assert shaped(path, REFUSED) == (CONTENT_TYPE, REFUSED)


@pytest.mark.parametrize(
    ("path", "status", "answered"),
    [
        ("/v2/models/x/infer", 422, 400),
        ("/v1/embeddings", 422, 400),
        ("/v1/embeddings", 404, 404),
        ("/v1/jobs", 422, 422),
    ],
)
def test_what_cannot_be_processed_is_a_bad_request_to_both_protocols(path: str, status: int, answered: int) -> None:
    assert status_at(path, status) == answered
