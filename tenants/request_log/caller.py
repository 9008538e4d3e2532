"""Lets whoever finds out who a request is from say so to the journal, which stands outside of them."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tenants.identity.identity import Identity

CALLER = "maas.caller"
"""Where a request's scope and environment both hold its Caller."""


@dataclass(frozen=True, slots=True)
class KeyOwner:
    """Whose a key was that works no more: who is to be told of its use, and nobody who may do anything."""

    tenant_id: UUID
    key_id: UUID
    user_id: None = None


@dataclass(slots=True)
class Caller:
    identity: Identity | KeyOwner | None = None


def expect_caller(scope: MutableMapping[str, Any]) -> Caller:
    scope[CALLER] = caller = Caller()
    return caller


def tell_caller(scope: Mapping[str, Any], identity: Identity | KeyOwner) -> None:
    """Nothing happens where nobody expects it."""
    caller = scope.get(CALLER)
    if isinstance(caller, Caller):
        caller.identity = identity
