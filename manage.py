#!/usr/bin/env python
"""Django's command line for this product."""

import os
import sys

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError

from maas.process.collector import hold_collector, settle_collector


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maas.settings")
    hold_collector()
    try:
        # The command would do it as well; what it brings stays, and the collector need not go through it.
        django.setup()
        settle_collector()
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"cannot run: {error}")
    except OperationalError as error:
        home = os.environ.get("MAAS_HOME", "./var")
        sys.exit(
            f"cannot reach the database: {str(error).strip()}\n"
            f"Is `make up` running with MAAS_HOME={home}? Start it, or set MAAS_DATABASE_URL."
        )


if __name__ == "__main__":
    main()
