"""Tests that docs/api.md names every endpoint, state, event and error code, with its status."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from django.urls import URLPattern, URLResolver, get_resolver

from jobs.core import states
from jobs.documents.reader.contents import REJECTION_CODES
from maas.web.errors.api_errors import STATUS, status_of
from tenants.identity.identity import SCOPES
from tests.docs.product import read, sources, table_rows, trees

DOCUMENT = "docs/api.md"
FAILURES = {
    "WorkRefused",
    "ModelRefused",
    "ModelFailed",
    "Failure",
    "DocumentRejected",
    "Rejected",
    "EgressRefused",
    "EgressFailed",
    "ArchiveRejected",
}
OF_A_STEP = "StepFailed"
NEVER_SEEN_BY_CALLERS = (
    "maas/local/supervisor/",
    "maas/local/launch/",
    "maas/process/",
    "maas/ops/backup/",
    "inference/workers/brokers/",
    "inference/registry/builtin/",
)
UNTOLD = {"error"}
"""The base class's own code, which is never raised."""


def routes(patterns: list[URLPattern | URLResolver], before: str = "/") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif route.startswith("/v1/") and "^" not in route:
            yield re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)


def codes_in(tree: ast.AST) -> Iterator[str]:
    """Yield the codes that a file can put into an error: by the class, by its first argument, or by the keyword."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(body=body):
                for statement in body:
                    match statement:
                        case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))):
                            yield code
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(code)), *_]) if name in FAILURES:
                yield code
            case ast.Call(func=ast.Name(id=name), args=[_, ast.Constant(value=str(code)), *_]) if name == OF_A_STEP:
                yield code
            case ast.keyword(arg="code", value=ast.Constant(value=str(code))):
                yield code


@cache
def codes_of_the_product() -> set[str]:
    files = trees("code", OF_A_STEP, *FAILURES, less=NEVER_SEEN_BY_CALLERS)
    found = {code for tree in files for code in codes_in(tree)}
    return (found | set(STATUS) | REJECTION_CODES) - UNTOLD - {""}


def test_every_endpoint_is_described_and_no_other() -> None:
    described = set(re.findall(r"^\| `[A-Z]+ (/v1/\S+)` \|", read(DOCUMENT), re.MULTILINE))
    assert described == set(routes(get_resolver().url_patterns))


def test_every_code_is_described() -> None:
    assert codes_of_the_product() - table_rows(DOCUMENT).keys() == set()


def test_every_status_is_as_described() -> None:
    rows = table_rows(DOCUMENT)
    codes = STATUS.keys() | REJECTION_CODES
    assert {code: rows[code][0] for code in codes} == {code: str(status_of(code)) for code in codes}


def test_no_code_is_described_that_does_not_exist() -> None:
    text = read(DOCUMENT).partition("## Errors")[2]
    described = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    made_in_children = {"model_invalid"}
    assert described == codes_of_the_product() | made_in_children


def test_every_state_is_described() -> None:
    assert set(states.JOB_STATES) <= set(table_rows(DOCUMENT))


def test_every_scope_is_described() -> None:
    assert all(f"`{scope}`" in read(DOCUMENT) for scope in SCOPES)


def test_every_event_is_described() -> None:
    written = {name for path in sources() for name in re.findall(r'"((?:job|page)\.[a-z_]+)"', path.read_text())}
    endings = {f"job.{state}" for state in states.TERMINAL}
    assert all(f"`{name}`" in read(DOCUMENT) for name in written | endings)
