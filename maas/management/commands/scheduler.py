"""Notifies workers of queued pages, and takes pages back from workers that died."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from jobs.webhooks.deliverer import Deliveries, start_deliverer
from maas.process.collector import settle_collector
from maas.process.errors import LaunchError
from maas.process.keeping_redis import refuse_evicting_servers
from maas.process.migrated import wait_until_migrated
from maas.process.side_port import serve_side_port, stop_event
from maas.scheduler.scheduler import Scheduler
from tenants.core.db.statement_limit import UPKEEP_S, limit_statements


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            refuse_evicting_servers()
        except LaunchError as error:
            raise CommandError(str(error)) from error
        limit_statements(UPKEEP_S)
        stopping = stop_event()
        scheduler = Scheduler(stopping)
        settle_collector()
        deliverer: Deliveries | None = None
        with serve_side_port(
            settings.MAAS_METRICS_PORT, ready=lambda: scheduler.alive and deliverer is not None and deliverer.well
        ):
            wait_until_migrated(stopping)
            deliverer = start_deliverer(stopping)
            scheduler.run()
            deliverer.join()
