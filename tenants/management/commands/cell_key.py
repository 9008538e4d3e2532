"""Prints the public key of this cell, or makes a pair of keys for a new cell."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from tenants.cells.reading import written
from tenants.cells.signatures import new_secret, public_key_of


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        secret = settings.MAAS_CELLS.secret
        if secret:
            self.stdout.write(f"{settings.MAAS_CELL}={written(public_key_of(secret))}")
            return
        secret = new_secret()
        self.stdout.write(f"MAAS_CELL_SECRET={written(secret)}")
        self.stdout.write(f"# Add this to MAAS_CELL_KEYS in every cell: <name>={written(public_key_of(secret))}")
