"""Creates what the product needs of PostgreSQL: one owner, three roles to act as, one database, and pgvector."""

from collections.abc import Callable

import psycopg
from psycopg import sql

OWNER = "maas"
DATABASE = "maas"
ACTING_ROLES = ("maas_app", "maas_accounts", "maas_operator")
"""Roles that the owner's connections switch to. They cannot log in, and the owner inherits none of their rights."""


def provision(superuser_url: Callable[[str], str], owner_password: str) -> None:
    with psycopg.connect(superuser_url("postgres"), autocommit=True) as connection:
        _make_roles(connection, owner_password)
    # The extension is created in template1, so that every database created from now on has it.
    with psycopg.connect(superuser_url("template1"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    with psycopg.connect(superuser_url("postgres"), autocommit=True) as connection:
        create_database(connection, DATABASE, template="template1")


def _make_roles(connection: psycopg.Connection, owner_password: str) -> None:
    for role in (OWNER, *ACTING_ROLES):
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone() is None:
            connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOINHERIT").format(sql.Identifier(role)))
    connection.execute(
        sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(OWNER), sql.Literal(owner_password))
    )
    for role in ACTING_ROLES:
        grant = sql.SQL("GRANT {} TO {} WITH INHERIT FALSE, SET TRUE")
        connection.execute(grant.format(sql.Identifier(role), sql.Identifier(OWNER)))
    # The role for signing in has the rights of the role for requests, and more.
    connection.execute("ALTER ROLE maas_accounts INHERIT; GRANT maas_app TO maas_accounts")


def create_database(connection: psycopg.Connection, name: str, *, template: str) -> None:
    """Create the database `name` unless it exists. No session may be connected to `template` meanwhile."""
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
        statement = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}")
        connection.execute(
            statement.format(sql.Identifier(name), sql.Identifier(OWNER), sql.Identifier(template))
        )
