"""Passes the caller of a request from the code that identifies it out to the request log."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tenants.identity.identity import Identity

CALLER = "maas.caller"
"""The name under which a request's scope and its environment both hold its Caller."""


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """The owner of a key that no longer works. Their request log shows its use; it gives no permission."""

    tenant_id: UUID
    key_id: UUID
    user_id: None = None


@dataclass(slots=True)
class Caller:
    identity: Identity | KeyOwner | None = None


def expect_caller(scope: MutableMapping[str, Any]) -> Caller:
    scope[CALLER] = caller = Caller()
    return caller


def describe_to_caller(scope: Mapping[str, Any], identity: Identity | KeyOwner) -> None:
    """Report the caller. Do nothing if no caller is expected."""
    caller = scope.get(CALLER)
    if isinstance(caller, Caller):
        caller.identity = identity
