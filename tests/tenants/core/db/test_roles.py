"""Tests that each statement acts as the role of its moment, whatever is begun, fails or is rolled back around it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import psycopg
import pytest
from django.db import DatabaseError, DataError, connections, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from tenants.accounts.models import User
from tenants.core.db.roles import ACCOUNTS_ROLE, APP_ROLE, OPERATOR_ROLE
from tenants.core.db.unit_of_work import APP, account_work, operator_entry, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant


def acting() -> str:
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


def left_on_the_connection() -> str:
    """Return the role of the connection. The query bypasses Django, which would change the role first."""
    row = psycopg.Cursor(connections[APP].connection).execute("SELECT current_user").fetchone()
    assert row is not None
    return str(row[0])


def test_account_work_has_a_role_of_its_own_and_gives_it_back() -> None:
    assert acting() == APP_ROLE
    with account_work():
        assert acting() == ACCOUNTS_ROLE
        with account_work():
            assert acting() == ACCOUNTS_ROLE
        assert acting() == ACCOUNTS_ROLE
    assert left_on_the_connection() == APP_ROLE, "the next request does not wait for it"


def test_account_work_that_asks_nothing_costs_nothing() -> None:
    connections[APP].close()
    with account_work():
        pass
    assert connections[APP].connection is None


def test_it_goes_through_the_same_connection_and_transaction(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id), account_work():
        User.objects.filter(pk=tenant.owner.pk).update(name="Ada")
        transaction.set_rollback(True, using=APP)
    assert User.objects.get(pk=tenant.owner.pk).name != "Ada"
    assert acting() == APP_ROLE


def test_a_tenants_work_inside_of_it_sees_that_tenant_alone(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    with account_work(), unit_of_work(tenant.tenant.id), connections[APP].cursor() as cursor:
        cursor.execute("SELECT current_user, array_agg(id) FROM tenants_tenant")
        assert cursor.fetchone() == (ACCOUNTS_ROLE, [tenant.tenant.id])


def test_account_work_without_a_tenant_sees_none(tenant: CreatedTenant) -> None:
    with account_work(), connections[APP].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM tenants_membership")
        assert cursor.fetchone() == (0,)


def test_an_operator_stays_one() -> None:
    with operator_work(), account_work(), connections["operator"].cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("maas_operator",)


def test_a_connection_that_is_lost_comes_back_in_the_role_of_the_moment() -> None:
    with account_work():
        assert acting() == ACCOUNTS_ROLE
        connections[APP].close()
        assert acting() == ACCOUNTS_ROLE
        connections[APP].connection.close()
    connections[APP].close()
    assert acting() == APP_ROLE


def test_a_connection_that_ends_before_it_is_given_back_is_closed() -> None:
    with account_work():
        acting()
        with connections["owner"].cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [connections[APP].connection.info.backend_pid])
    assert connections[APP].connection is None
    assert acting() == APP_ROLE


def test_a_statement_that_fails_takes_its_own_savepoint_back_and_no_more() -> None:
    with transaction.atomic(using=APP):
        connection = connections[APP].connection
        with pytest.raises(DataError), transaction.atomic(using=APP), account_work():
            _fail()
        assert acting() == APP_ROLE
        assert connections[APP].connection is connection


def test_a_commit_of_what_failed_takes_the_role_back_too() -> None:
    with account_work():
        with transaction.atomic(using=APP), suppress(DataError):
            _fail()
        assert acting() == ACCOUNTS_ROLE


@dataclass(frozen=True)
class Block:
    """A scope or a transaction around others, and how it ends."""

    kind: Literal["account", "operator", "atomic", "joined"]
    end: Literal["well", "raises", "database error"]
    asks: bool
    """A statement follows the block, within what is around it, if this is set."""
    inside: tuple["Block", ...]


class _Raised(Exception):
    pass


BLOCKS = st.recursive(
    st.just(()),
    lambda inside: st.lists(
        st.builds(
            Block,
            st.sampled_from(["account", "operator", "atomic", "joined"]),
            st.sampled_from(["well", "raises", "database error"]),
            st.booleans(),
            inside,
        ),
        max_size=3,
    ).map(tuple),
    max_leaves=12,
)


def _run(blocks: tuple[Block, ...], expected: str) -> None:
    for block in blocks:
        around: dict[str, Callable[[], object]] = {
            "account": account_work,
            "operator": operator_entry,
            "atomic": lambda: transaction.atomic(using=APP),
            "joined": lambda: transaction.atomic(using=APP, savepoint=False),
        }
        with suppress(_Raised, DatabaseError), around[block.kind]():  # type: ignore[attr-defined]
            _run(block.inside, _within(block, expected))
            _end(block.end)
        if block.asks:
            _check(expected)


def _within(block: Block, around: str) -> str:
    if block.kind == "operator":
        return OPERATOR_ROLE
    return ACCOUNTS_ROLE if block.kind == "account" and around == APP_ROLE else around


def _end(how: str) -> None:
    if how == "raises":
        raise _Raised
    if how == "database error" and not connections[APP].needs_rollback:
        _fail()


def _fail() -> None:
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def _check(expected: str) -> None:
    """Check the role, except in a failed transaction, in which no query is possible until it is rolled back."""
    info = connections[APP].connection.info if connections[APP].connection is not None else None
    failed = info is not None and info.transaction_status == psycopg.pq.TransactionStatus.INERROR
    if not failed and not connections[APP].needs_rollback:
        assert acting() == expected


@pytest.mark.usefixtures("_whole")
@settings(max_examples=200)
@given(BLOCKS)
def test_whatever_is_taken_back_each_statement_acts_as_the_role_of_its_moment(
    blocks: tuple[Block, ...],
) -> None:
    _run(blocks, APP_ROLE)
    assert acting() == APP_ROLE


@pytest.fixture
def _whole() -> None:
    connections[APP].close()
