"""Runs the whole product on this machine until stopped."""

from typing import Any

from django.core.management.base import BaseCommand

from maas.local.launch.__main__ import main


class Command(BaseCommand):
    help = "Start PostgreSQL, Valkey, web, worker and scheduler; Ctrl-C stops them."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        main()
