import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory

from maas.web.errors.error_pages import server_error


def answer(path: str, error: Exception) -> HttpResponse:
    """Return the answer to an error. Django calls the handler while the error is being handled."""
    try:
        raise error
    except type(error):
        return server_error(RequestFactory().get(path))


def test_a_page_says_that_the_database_is_away_and_when_to_come_back() -> None:
    page = answer("/jobs", OperationalError("server closed the connection"))
    assert (page.status_code, page["Retry-After"]) == (503, "2")
    assert b"server closed" not in page.content


def test_what_broke_otherwise_is_our_fault_and_tells_nothing() -> None:
    page = answer("/jobs", ZeroDivisionError("division by zero"))
    assert page.status_code == 500
    assert b"division" not in page.content


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("POST", "/v1/chat/completions", "not_found"),
        ("GET", "/v1", "not_found"),
        ("DELETE", "/v1/openapi.json", "method_not_allowed"),
    ],
)
def test_openai_clients_find_their_error_where_nothing_is_under_v1(method: str, path: str, code: str) -> None:
    answer = Client().generic(method, path)
    body = answer.json()
    assert (body["code"], body["error"]["code"]) == (code, code)
    assert body["error"]["message"] == body["detail"]
