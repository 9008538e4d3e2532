"""Tests of the table of gates: it is complete, it says what the errors say, and operators and readers see it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from maas.ops.admin.gates_page import GATES
from maas.web.errors.api_errors import STATUS, body_for, problem, status_of
from maas.web.errors.api_handler import shaped
from maas.web.errors.reference.views import meanings
from tenants.core.errors import DomainError
from tests.kept_cluster import PROJECT

BY_NAME = {gate.name: gate for gate in GATES}
NO_GATES = {
    "model_artifact_missing",
    "model_exceeds_memory",
    "model_isolation_unavailable",
    "model_load_failed",
    "model_memory_busy",
    "model_paused_after_crashes",
    "model_unloaded",
}
"""Codes for a model that fails, which is not a decision to refuse."""
LIMITS_OF_ACCOUNTS = {
    "account_storage_full",
    "too_many_class_sets",
    "too_many_files",
    "too_many_invitations",
    "too_many_keys",
    "too_many_models",
    "too_many_webhook_endpoints",
}
"""Codes for an account that has the maximum of something. Waiting does not help, so their status is another one."""
OF_ONE_REQUEST = {"too_many_attachments", "too_many_chunks", "too_many_pages"}


def errors(base: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    for error in base.__subclasses__():
        yield error
        yield from errors(error)


def named_in_code() -> set[str]:
    """Return the gates that are named where an error is made or defined."""
    found = set()
    for app in ("tenants", "inference", "jobs", "maas"):
        for path in (PROJECT / app).rglob("*.py"):
            found |= _named_in(path)
    return found


def _named_in(path: Path) -> set[str]:
    text = path.read_text()
    if "gate" not in text:
        return set()
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        is_argument = isinstance(node, ast.keyword) and node.arg == "gate"
        is_attribute = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "gate"
        if is_argument or is_attribute:
            found |= _strings(node.value)  # type: ignore[attr-defined]  # one of the two
    return found


def _strings(node: ast.expr) -> set[str]:
    """Return the strings that an argument may be: one, or one of two."""
    if isinstance(node, ast.IfExp):
        return _strings(node.body) | _strings(node.orelse)
    return {str(node.value)} - {""} if isinstance(node, ast.Constant) else set()


def test_every_gate_is_named_once_and_every_named_gate_is_in_the_table() -> None:
    assert len(BY_NAME) == len(GATES)
    assert named_in_code() == BY_NAME.keys()


@pytest.mark.parametrize("error", sorted({*errors()}, key=str))
def test_an_error_has_the_code_of_its_gate(error: type[DomainError]) -> None:
    if error.gate:
        assert error.code == BY_NAME[error.gate].code


def test_every_refusal_because_of_load_has_a_gate() -> None:
    codes = {code for code, status in STATUS.items() if status in (402, 429, 503, 507)}
    assert (codes - NO_GATES) | LIMITS_OF_ACCOUNTS == {gate.code for gate in GATES}


def test_every_error_for_too_many_things_of_an_account_has_a_gate() -> None:
    codes = {code for code in meanings() if code.startswith("too_many_")}
    assert codes - OF_ONE_REQUEST <= {gate.code for gate in GATES}


def test_a_refusal_names_its_gate() -> None:
    body = body_for(DomainError("The model is busy.", code="overloaded", gate="model_queue"))
    assert body is not None
    assert (body["gate"], body["code"]) == ("model_queue", "overloaded")


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/embeddings", "/v1/batches", "/v2/models/m/infer", "/else"])
def test_every_format_of_a_refusal_names_its_gate(path: str) -> None:
    found = problem("overloaded", "The model is busy.", gate="model_queue", request_id="r")
    body = shaped(path, found)[1]
    inner = body.get("error")
    places = [body, *([inner] if isinstance(inner, dict) else [])]
    assert "model_queue" in {place.get("gate") for place in places}
    assert "gate" not in str(shaped(path, problem("not_found", "Nothing here.", request_id="r")))


def test_operators_and_readers_see_the_same_table(operator: Client) -> None:
    page = operator.get("/admin/gates/").content.decode()
    document = (PROJECT / "docs" / "gates.md").read_text()
    for gate in GATES:
        row = f"| `{gate.name}` | {gate.bounds} | {gate.each} | {status_of(gate.code)} `{gate.code}` |"
        assert f"{row} {gate.setting} |" in document
        assert f">{gate.name}</th>" in page
    assert document.count("| `") == len(GATES)
