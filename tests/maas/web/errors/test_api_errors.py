import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from rest_framework import exceptions

from inference.core.contracts import WorkRefused
from jobs.documents.reader import DocumentRejected
from maas.web.errors.api_errors import STATUS, TITLES, body_for, problem, status_of
from tenants.core.errors import DomainError


@pytest.mark.parametrize("code", sorted(STATUS))
def test_every_status_has_a_title(code: str) -> None:
    assert problem(code, "x")["title"] == TITLES[STATUS[code]]


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("closed")])
def test_a_database_that_is_away_is_no_fault_of_the_request(error: Exception) -> None:
    body = body_for(error)
    assert body is not None
    assert (body["status"], body["code"], body["retry_after_s"]) == (503, "database_unavailable", 2)
    assert "gone" not in str(body), "what the database said is for the log alone"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (DomainError("no", code="not_found"), 404),
        (WorkRefused("invalid_tensor", "no"), 422),
        (DocumentRejected("unsupported_type", "no"), 415),
        (DocumentRejected("document_encrypted", "no"), 422),
        (exceptions.MethodNotAllowed("PUT"), 405),
        (exceptions.NotAcceptable(), 406),
        (exceptions.ParseError("no"), 400),
    ],
)
def test_errors_of_every_kind_become_problems(error: Exception, status: int) -> None:
    body = body_for(error)
    assert body is not None
    assert body["status"] == status


def test_a_defect_of_ours_stays_loud() -> None:
    assert body_for(ZeroDivisionError()) is None


def test_a_validation_error_says_in_its_sentence_which_field_is_wrong() -> None:
    body = body_for(exceptions.ValidationError({"model": ["This field is required."]}))
    assert body is not None
    assert body["detail"] == "`model`: This field is required."


def test_a_body_of_another_type_is_told_what_to_send() -> None:
    body = body_for(exceptions.UnsupportedMediaType("application/x-www-form-urlencoded"))
    assert body is not None
    assert (body["status"], body["code"]) == (415, "unsupported_media_type")
    assert '"application/x-www-form-urlencoded"' in str(body["detail"])
    assert "Send JSON with the header Content-Type: application/json" in str(body["detail"])


def test_a_code_about_the_content_is_422() -> None:
    assert status_of("some_new_refusal") == 422


@pytest.mark.parametrize("method", ["options", "post", "delete"])
def test_a_problem_is_json_wherever_it_comes_from(method: str) -> None:
    answer = getattr(Client(), method)("/v1/docs")
    assert answer.status_code == 405
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "method_not_allowed"


@pytest.mark.parametrize("path", ["/v1/docs", "/v1/events", "/v1/openapi.json"])
def test_an_address_with_very_many_parameters_is_refused_in_words(path: str) -> None:
    answer = Client().get(path + "?" + "&".join(f"a{number}=1" for number in range(1001)))
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert "1000 parameters" in answer.json()["detail"]
