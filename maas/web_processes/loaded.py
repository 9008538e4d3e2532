"""Imports everything that a web process runs, and starts nothing: no thread, no connection. So it can be forked."""

import os

import django

from maas.process.collector import hold_collector

hold_collector()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maas.settings")
django.setup(set_prefix=False)

from maas import urls  # noqa: E402, F401  This imports every view, so that the first request does not wait for it.
from maas.web.front import Front  # noqa: E402  Its models can be imported only once Django is set up.
from tenants.core.db.statement_limit import limit_statements, statement_limit_s  # noqa: E402

__all__ = ["Front"]

limit_statements(statement_limit_s())
