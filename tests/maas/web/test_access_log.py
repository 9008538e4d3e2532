"""Tests of what the request log says about an address, and of what it leaves out."""

import subprocess
import sys

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from structlog.testing import capture_logs

from maas.web.access_log import AccessLogMiddleware
from tenants.api_keys.format import new_key

KEY = new_key(livemode=True).text


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/v1/jobs", "/v1/jobs"),
        ("/v1/jobs/{key}", "/v1/jobs/"),
        ("/{key}/v1/jobs", "/v1/jobs"),
        ("/confirm-email/secret", "/confirm-email/…"),
        ("/password/new/1-secret", "/password/new/…"),
        ("/invitations/accept/secret", "/invitations/accept/…"),
    ],
)
def test_nothing_that_opens_something_stands_in_it(path: str, told: str) -> None:
    with capture_logs() as said:
        AccessLogMiddleware(lambda request: HttpResponse())(RequestFactory().get(path.format(key=KEY)))
    (line,) = said
    assert told in line["path"]
    assert KEY.rpartition("_")[2] not in line["path"]
    assert "secret" not in line["path"]


SAYS = """
import logging
from maas.process.logging import configure
configure({"format": "%s", "level": "INFO"})
extra = {"request": "<WSGIRequest: GET '/v1/jobs?q=Ada'>", "status_code": 500}
logging.getLogger("django.request").error("Internal Server Error: %%s", "/v1/jobs", extra=extra)
"""


@pytest.mark.parametrize("form", ["console", "json"])
def test_what_django_says_of_a_request_leaves_out_what_was_searched_for(form: str) -> None:
    run = subprocess.run([sys.executable, "-c", SAYS % form], capture_output=True, text=True, check=True)
    assert "Internal Server Error: /v1/jobs" in run.stderr
    assert "Ada" not in run.stderr
