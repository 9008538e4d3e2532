"""Tests that `/v1/openapi.json` is made once, and is not sent to clients that have it."""

import io
import json
import re
import tomllib
import zipfile
from collections.abc import Iterator
from io import StringIO
from typing import Any, get_args

import pytest
from django.core.management import call_command
from django.test import Client

from inference.gateway.open_inference.paths import PATHS, Action, route_of
from jobs.idempotency.keys import Operation
from maas.web.openapi_document import written


def test_the_document_is_made_once_and_sent_with_its_version() -> None:
    first, again = (Client().get("/v1/openapi.json") for _ in range(2))
    assert first.content == again.content == written().content
    assert written() is written()
    assert first.json()["openapi"].startswith("3.1")
    assert (first["ETag"], first["Cache-Control"]) == (written().etag, "no-cache")


@pytest.mark.parametrize("weak", ["", "W/"])
def test_who_has_this_version_is_sent_nothing(weak: str) -> None:
    known = f"{weak}{written().etag}"
    answer = Client().get("/v1/openapi.json", headers={"If-None-Match": known})
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer["ETag"] == written().etag


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("*/*", "application/vnd.oai.openapi+json"),
        ("application/json", "application/json"),
        ("text/html,*/*;q=0.8", "application/vnd.oai.openapi+json"),
    ],
)
def test_both_media_types_are_given(accept: str, kind: str) -> None:
    answer = Client().get("/v1/openapi.json", headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, kind)


Document = dict[str, Any]
METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def document() -> Document:
    """Return the OpenAPI document, which is valid and made without a single warning."""
    written = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", "--format=openapi-json", stdout=written)
    read: Document = json.loads(written.getvalue())
    return read


def operations(document: Document) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method in METHODS & methods.keys():
            yield method.upper(), path, methods[method]


def test_the_openapi_document_tells_of_every_operation_what_it_is_and_how_it_refuses(
    document: Document,
) -> None:
    assert document["openapi"].startswith("3.1")
    told = [operation for _, _, operation in operations(document)]
    assert all(operation["operationId"] and operation["summary"] for operation in told)
    assert all("4XX" in operation["responses"] for operation in told)
    assert len({operation["operationId"] for operation in told}) == len(told)


MAKE_NOTHING = {
    "add_class_examples",
    "add_field_example",
    "apply_fields",
    "cancel_job",
    "cancel_batch",
    "cancel_archive",
    "cancel_model_task",
    "create_class_set",
    "create_embeddings",
    "create_field",
    "estimate",
    "issue_ticket",
    "optimize_model_version",
    "refuse_model_variant",
    "retire_model_version",
    "roll_back_model_alias",
    "use_model_variant",
    "point_at_field",
    "train_class_set",
    "try_class_set",
    "try_field",
}
"""The operations that create nothing that could exist twice; docs/api.md says why."""


def test_everything_that_makes_something_takes_a_key_under_which_it_may_be_sent_again(
    document: Document,
) -> None:
    posts = [one for method, path, one in operations(document) if method == "POST" and path.startswith("/v1")]
    with_key = {
        one["operationId"]
        for one in posts
        if any(parameter["name"] == "Idempotency-Key" for parameter in one.get("parameters", []))
    }
    assert with_key == {one["operationId"] for one in posts} - MAKE_NOTHING
    assert with_key == set(get_args(Operation))


def test_no_description_sends_a_caller_into_the_source(document: Document) -> None:
    """A view's docstring would do so, and drf-spectacular uses it if there is no other description."""
    told = [operation.get("description", "") for _, _, operation in operations(document)]
    assert not [words for words in told if ".py" in words]


def test_what_the_gateway_answers_ahead_of_django_is_described_too(document: Document) -> None:
    described: set[tuple[str, Action, bool, bool]] = set()
    for method, path, _ in operations(document):
        if path.startswith("/v2"):
            route = route_of(path.replace("{name}", "embed").replace("{version}", "1"))
            assert route is not None, path
            assert route.method == method
            described.add((method, route.action, bool(route.model), bool(route.version)))
    there_are = {
        (method, action, "(?P<model>" in pattern, versioned)
        for method, action, pattern in PATHS
        for versioned in {False, "(?P<version>" in pattern}
    }
    assert described == there_are
    assert "post" in document["paths"]["/v1/embeddings"]


def test_every_reference_in_the_document_leads_somewhere(document: Document) -> None:
    referred = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    assert referred <= document["components"]["schemas"].keys()


def test_anybody_gets_the_client_as_pip_wants_it(client: Client) -> None:
    answer = client.get("/client.zip")
    assert answer.headers["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    project = tomllib.loads(archive.read("maas-client/pyproject.toml").decode())["project"]
    assert project["name"] == "maas-client"
    names = archive.namelist()
    assert {"maas-client/maas_client/client.py", "maas-client/maas_client/cli/main.py"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


def test_who_has_it_already_is_sent_nothing(client: Client) -> None:
    known = client.get("/client.zip").headers["ETag"]
    assert client.get("/client.zip", headers={"If-None-Match": known}).status_code == 304
