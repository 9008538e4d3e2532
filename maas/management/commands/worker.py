"""Runs models: takes pages from the queues until told to stop."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from jobs.worker.process import WorkerProcess
from maas.side_port import serve_side_port
from maas.stopping import stop_event


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        worker = WorkerProcess(stopping=stop_event())
        with serve_side_port(settings.MAAS_METRICS_PORT, ready=lambda: worker.ready):
            worker.run()
