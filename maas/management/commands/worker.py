"""Runs models: takes pages from the queues until told to stop."""

import signal
import threading
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from jobs.worker.process import WorkerProcess
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
        worker = WorkerProcess(stopping=stopping)
        with serve_side_port(settings.MAAS_METRICS_PORT, ready=lambda: worker.ready):
            worker.run()
