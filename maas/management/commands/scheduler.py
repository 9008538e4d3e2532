"""Wakes workers for queued pages and takes pages back from workers that died."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from jobs.dispatch.scheduler import Scheduler
from maas.collector import settle_collector
from maas.side_port import serve_side_port
from maas.stopping import stop_event


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        scheduler = Scheduler(stop_event())
        settle_collector()
        with serve_side_port(settings.MAAS_METRICS_PORT, ready=lambda: scheduler.alive):
            scheduler.run()
