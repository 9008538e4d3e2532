"""Tests what docs/openai.md says of fields, limits and errors. test_examples.py runs its examples."""

import openai
import pytest

from inference.gateway.gateway import EMBEDDINGS
from inference.gateway.openai.embedding_request import FIELDS
from inference.registry.builtin.catalog import EMBED
from inference.runtime.texts import MAX_TEXTS, WINDOW_TOKENS
from maas.web.guard.refusals import refusal
from tenants.core.asgi.protocol import REQUEST_ID
from tenants.core.errors import DomainError
from tests.docs.product import read, table_rows

DOCUMENT = "docs/openai.md"
RAISED = {
    400: openai.BadRequestError,
    401: openai.AuthenticationError,
    403: openai.PermissionDeniedError,
    404: openai.NotFoundError,
    409: openai.ConflictError,
    410: openai.APIStatusError,
    413: openai.APIStatusError,
    415: openai.APIStatusError,
    422: openai.UnprocessableEntityError,
    429: openai.RateLimitError,
    503: openai.InternalServerError,
    504: openai.InternalServerError,
}
CODES = {code: cells[0].strip("`") for code, cells in table_rows(DOCUMENT).items() if "Error" in cells[0]}


def test_every_field_is_described_and_no_other() -> None:
    assert [name for name in table_rows(DOCUMENT) if name in FIELDS] == list(FIELDS)


def test_limits_are_as_described() -> None:
    described = table_rows(DOCUMENT)["input"][0]
    assert f"at most {MAX_TEXTS} of them" in described
    assert f"at most {WINDOW_TOKENS} tokens" in described
    assert f"all {EMBED.config['dimensions']} numbers" in read(DOCUMENT)


@pytest.mark.parametrize(("code", "name"), sorted(CODES.items()))
def test_code_is_raised_as_described(code: str, name: str) -> None:
    scope = {"type": "http", "method": "POST", "path": EMBEDDINGS, "http_version": "1.1", REQUEST_ID: "x"}
    refused = refusal({**scope, "headers": [], "query_string": b""}, DomainError("", code=code), hang_up=False)
    assert RAISED[refused.status].__name__ == name
