"""The scope of the data that a piece of work may access: the tenant context of code and database alike."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast
from uuid import UUID

import psycopg
from django.db import DatabaseError, connections, transaction

from tenants.core.db.roles import ACCOUNTS_ROLE, APP_ROLE, OPERATOR_ROLE, RoleSwitching
from tenants.core.errors import UnscopedQuery

APP = "default"
OPERATOR = "operator"


class Acting(Protocol):
    """A caller who works for a tenant, with the mode of the data that they may access."""

    @property
    def tenant_id(self) -> UUID: ...

    @property
    def mode(self) -> bool | None:
        """Return the `livemode` of everything that exists for the caller; None for both modes."""


@dataclass(frozen=True)
class Scope:
    """A scope of data. `tenant_id` is None for the operator, who sees every tenant."""

    tenant_id: UUID | None
    alias: str
    mode: bool | None = None
    """The mode. True hides test objects, False shows only test objects, and None shows both."""


_scope: ContextVar[Scope | None] = ContextVar("tenant_scope", default=None)
_role: ContextVar[str] = ContextVar("database_role", default=APP_ROLE)


def current_scope() -> Scope | None:
    return _scope.get()


def current_alias() -> str:
    """Return the database alias that queries use at this moment."""
    scope = _scope.get()
    return scope.alias if scope else APP


def current_role() -> str:
    """Return the role that connections of the alias APP act as at this moment."""
    return _role.get()


def current_tenant_id() -> UUID:
    scope = _scope.get()
    if scope is None or scope.tenant_id is None:
        raise UnscopedQuery("no tenant: wrap this in unit_of_work(tenant_id)")
    return scope.tenant_id


def current_mode() -> bool | None:
    """Return the `livemode` of everything that exists here; None for both modes, and for the operator."""
    scope = _scope.get()
    return scope.mode if scope else None


@contextmanager
def unit_of_work(whose: UUID | Acting) -> Iterator[None]:
    """Run one transaction in which database and managers see one tenant, and of it what the caller may access.

    With a tenant's id alone, live and test objects exist: for work without a caller, and for what was found before. The
    setting is local to the transaction, so that nothing of it remains on a pooled connection.
    """
    tenant_id, mode = (whose, None) if isinstance(whose, UUID) else (whose.tenant_id, whose.mode)
    outer = _scope.get()
    if outer is not None and outer.tenant_id not in (None, tenant_id):
        raise UnscopedQuery(f"work for tenant {tenant_id} inside work for tenant {outer.tenant_id}")
    if outer is not None and outer.mode is not None:
        if mode not in (None, outer.mode):
            raise UnscopedQuery(f"work of livemode={mode} inside work of livemode={outer.mode}")
        mode = outer.mode
    with transaction.atomic(using=APP):
        _tell_database(tenant_id)
        token = _scope.set(Scope(tenant_id, APP, mode))
        try:
            yield
        finally:
            _scope.reset(token)


@contextmanager
def every_mode() -> Iterator[None]:
    """Include objects that the caller may not access, to count or complete them, and never to show them."""
    scope = _scope.get()
    if scope is None:
        raise UnscopedQuery("no tenant: wrap this in unit_of_work(tenant_id)")
    token = _scope.set(replace(scope, mode=None))
    try:
        yield
    finally:
        _scope.reset(token)


def _tell_database(tenant_id: UUID) -> None:
    """Set the tenant in the database, in one round trip with the BEGIN, as every unit of work does this."""
    connections[APP].ensure_connection()
    connection: psycopg.Connection[Any] = connections[APP].connection
    with connections[APP].wrap_database_errors, connection.pipeline(), psycopg.Cursor(connection) as cursor:
        cursor.execute("SELECT set_config('app.tenant', %s, true)", [str(tenant_id)])


@contextmanager
def operator_work() -> Iterator[None]:
    """Send queries through the operator's role, which sees all tenants: for admin, scheduler and commands."""
    token = _scope.set(Scope(None, OPERATOR))
    try:
        yield
    finally:
        _scope.reset(token)


@contextmanager
def account_work() -> Iterator[None]:
    """Allow queries to write what people sign in with, but not who is an operator.

    They use the same connection and transaction. Within operator work, which may write all of it, this does nothing.
    """
    with _acting_as(ACCOUNTS_ROLE) if _role.get() == APP_ROLE else nullcontext():
        yield


@contextmanager
def operator_entry() -> Iterator[None]:
    """Let a tenant's work write to the operators' log as the operator, in the same transaction."""
    with _acting_as(OPERATOR_ROLE):
        yield


@contextmanager
def _acting_as(role: str) -> Iterator[None]:
    """Act as a role. Do nothing if queries use the operator's connection."""
    if current_alias() != APP:
        yield
        return
    token = _role.set(role)
    try:
        yield
    finally:
        _role.reset(token)
        _give_role_back()


def _give_role_back() -> None:
    """Restore the role now, so that the next request on this connection does not wait for it."""
    connection = cast(RoleSwitching, connections[APP])
    try:
        connection.act_as(current_role())
    except DatabaseError:
        connection.close()


class ScopeRouter:
    """A router that sends every query to the database alias of the current scope. Only the owner creates tables."""

    def db_for_read(self, model: type, **hints: object) -> str:
        return current_alias()

    def db_for_write(self, model: type, **hints: object) -> str:
        return current_alias()

    def allow_relation(self, one: object, other: object, **hints: object) -> bool:
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: object) -> bool:
        return db == "owner"
