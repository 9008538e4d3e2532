"""Runs models on pages from the queues until it is stopped."""

import logging
import os
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand

from inference.sandbox import SandboxUnavailable
from jobs.worker.process import WorkerProcess
from maas.process.collector import settle_collector
from maas.process.migrated import wait_until_migrated
from maas.process.side_port import serve_side_port, stop_event
from maas.web.guard.refusals import worded
from tenants.core.db.statement_limit import limit_statements, statement_limit_s

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        limit_statements(statement_limit_s())
        stopping = stop_event()
        worker = WorkerProcess(stopping=stopping, wording=worded)
        status = 1
        settle_collector()
        try:
            with serve_side_port(settings.MAAS_METRICS_PORT, ready=lambda: worker.ready):
                wait_until_migrated(stopping)
                worker.run()
            status = 0
        except SandboxUnavailable as error:
            log.error("worker_not_started", error=str(error))
        except Exception:
            log.exception("worker_crashed")
        finally:
            # Threads may still be in a model, on pages that were handed back. The interpreter's own shutdown would
            # abort on them.
            logging.shutdown()
            os._exit(status)
