"""What the log of requests says of an address, and what it leaves out."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from structlog.testing import capture_logs

from maas.request_log import RequestLogMiddleware
from tenants.keys import new_key

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
        RequestLogMiddleware(lambda request: HttpResponse())(RequestFactory().get(path.format(key=KEY)))
    (line,) = said
    assert told in line["path"]
    assert KEY.rpartition("_")[2] not in line["path"]
    assert "secret" not in line["path"]
