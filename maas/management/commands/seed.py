"""Registers the built-in models, and creates the demo tenant, the operator and the sample document once."""

import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from inference.registry.services import seed_builtin
from maas.local.demo.accounts import ensure_accounts
from maas.local.demo.sample import write_sample


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--models-only", action="store_true", help="create no demo tenant, operator or sample document"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.perf_counter()
        versions = seed_builtin()
        names = ", ".join(version.key for version in versions)
        if not versions:
            names = f"none, they come from the control cell {settings.MAAS_CELLS.control!r}"
        self.stdout.write(f"models: {names} ({time.perf_counter() - started:.1f} s)")
        if not options["models_only"]:
            self._demo()

    def _demo(self) -> None:
        made = ensure_accounts(settings.MAAS_HOME / "demo.env", settings.MAAS_PUBLIC_URL)
        self.stdout.write("demo tenant and operator made" if made else "demo tenant and operator are there")
        sample = settings.MAAS_HOME / "sample.pdf"
        if not sample.exists():
            write_sample(sample)
            self.stdout.write(f"sample document written: {sample}")
