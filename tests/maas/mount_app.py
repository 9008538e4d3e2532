"""The web process with the views of mount_urls instead of the product's, with few threads and short deadlines."""

import os

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maas.settings")
settings.ROOT_URLCONF = "tests.maas.mount_urls"
django.setup(set_prefix=False)

from maas.web.front import Front  # noqa: E402
from maas.web.guard.body import Deadlines  # noqa: E402  Only once Django is set up.
from tests.maas.mount_urls import IDLE_S, THREADS  # noqa: E402

application = Front(
    redis_url=settings.MAAS_REDIS_URL,
    web_threads=THREADS,
    deadlines=Deadlines(idle_s=IDLE_S, request_s=4.0, upload_s=30.0),
)
