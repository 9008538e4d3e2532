"""Test what the published `openai` package raises for a refusal, and what the error says."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tenants.api_keys.format import new_key
from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer


def body_of(error: openai.APIStatusError) -> dict[str, Any]:
    """Return the error object, which has OpenAI's shape."""
    assert isinstance(error.body, dict)
    assert error.body.keys() >= {"message", "type", "param", "code"}
    assert error.body["message"] in str(error)
    return error.body


@pytest.mark.parametrize(
    ("asked", "param", "code", "words"),
    [
        ({"input": ""}, "input", "input_empty", "the text is empty"),
        ({"input": []}, "input", "input_empty", "the list of texts is empty"),
        ({"input": ["a", " "]}, "input", "input_empty", "text 1 is empty"),
        ({"input": ["a"] * 2049}, "input", "input_too_large", "2049 texts were sent"),
        ({"input": "word " * 300}, "input", "context_length_exceeded", "longer than 256 tokens"),
        ({"input": ["a", "x" * 40_000]}, "input", "context_length_exceeded", "text 1 (40000 characters)"),
        ({"input": [7, 99_999]}, "input", "token_unknown", "the token 99999"),
        ({"input": [[7] * 300]}, "input", "context_length_exceeded", "text 0 (300 tokens)"),
        ({"input": 3}, "input", "invalid_request", "it is 3"),
        ({"dimensions": 385}, "dimensions", "invalid_request", "'dimensions' is 385"),
        ({"dimensions": 0}, "dimensions", "invalid_request", "from 1; it is 0"),
        ({"encoding_format": "hex"}, "encoding_format", "invalid_request", "'float' or 'base64'"),
        ({"extra_body": {"truncate": True}}, "truncate", "invalid_request", "Unknown parameter: 'truncate'"),
        ({"model": "ocr"}, "model", "model_type_mismatch", "gives no embeddings of text"),
    ],
)
def test_bad_request_names_the_field_and_what_is_wrong(
    client: openai.OpenAI, asked: dict[str, Any], param: str, code: str, words: str
) -> None:
    with pytest.raises(openai.BadRequestError) as refusal:
        client.embeddings.create(**{"model": "embed", "input": "a", **asked})
    error = body_of(refusal.value)
    assert (error["param"], error["code"], error["type"]) == (param, code, "invalid_request_error")
    assert words in error["message"]
    assert refusal.value.request_id


@pytest.mark.parametrize("model", ["gpt-4", "embed@99", "embed@x", "", "e" * 300, "\0"])
def test_unknown_model_is_not_found(client: openai.OpenAI, model: str) -> None:
    with pytest.raises(openai.NotFoundError) as refusal:
        client.embeddings.create(model=model, input="a")
    error = body_of(refusal.value)
    assert (error["param"], error["code"]) == ("model", "model_not_found")
    assert "Available models: " in error["message"]


@pytest.fixture(scope="module")
def server() -> Iterator[GranianServer]:
    with GranianServer("maas.asgi:application") as server:
        yield server


def refused_for(server: GranianServer, key: str) -> openai.APIStatusError:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=key, max_retries=0) as client:
        with pytest.raises(openai.APIStatusError) as refusal:
            client.embeddings.create(model="embed", input="a")
        return refusal.value


def test_unknown_key_is_an_authentication_error(server: GranianServer) -> None:
    error = refused_for(server, new_key(livemode=True).text)
    assert isinstance(error, openai.AuthenticationError)
    assert body_of(error)["code"] == "invalid_api_key"


def test_key_without_the_scope_is_a_permission_error(server: GranianServer, tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        reading = create_key(tenant_id=tenant.tenant.id, name="reads", scopes=["jobs:read"])
    error = refused_for(server, reading.text)
    assert isinstance(error, openai.PermissionDeniedError)
    assert body_of(error)["code"] == "insufficient_scope"
    assert "'jobs:write'" in str(error)
