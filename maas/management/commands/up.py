"""Runs the whole product on this machine until stopped."""

import asyncio
import os
import sys
from typing import Any

from django.core.management.base import BaseCommand

from maas.launch.launch import launch
from maas.launch.options import LaunchOptions
from maas.supervisor.console import Console
from maas.supervisor.errors import LaunchError


class Command(BaseCommand):
    help = "Start PostgreSQL, Valkey, web, worker and scheduler; Ctrl-C stops them."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(sys.stdout)
        try:
            asyncio.run(launch(LaunchOptions.read(os.environ), console))
        except LaunchError as error:
            console.say(f"cannot run: {error}")
            sys.exit(1)
