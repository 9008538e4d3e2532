"""Wakes workers for queued pages and takes pages back from workers that died."""

import signal
import threading
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from jobs.dispatch.scheduler import Scheduler
from maas.side_port import serve_side_port


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        stopping = threading.Event()

        def stop(number: int, frame: FrameType | None) -> None:
            stopping.set()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        scheduler = Scheduler(stopping)
        with serve_side_port(settings.MAAS_METRICS_PORT, ready=lambda: scheduler.alive):
            scheduler.run()
