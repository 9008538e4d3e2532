"""The ASGI application of the web process: request guard, then health, live (uploads, waits, sockets), then Django."""

import os

import django

from maas.process.collector import hold_collector

hold_collector()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maas.settings")
django.setup(set_prefix=False)

from maas import urls  # noqa: E402, F401  This imports every view, so that the first request does not wait for it.
from maas.web.front import Front  # noqa: E402  Its models can be imported only once Django is set up.
from maas.web.statement_limit import limit_statements  # noqa: E402

limit_statements()
application = Front.from_settings()
