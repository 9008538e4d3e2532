"""Works on one waiting task of the model factory and ends. Workers start it, at low priority, when a task waits."""

import os
import signal
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from inference.core.calls import Call
from inference.sandbox.inside.kernel import die_with_parent
from inference.sandbox.low_priority import leave_processor_to_others
from jobs.worker.model_tasks import LONG, work_on_task
from tenants.core.own_folder import keep_temporary_files_in_own_folder

NICE = 10
"""The nice value of long work. Calls and pages of the worker come first."""


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--worker", default="factory", help="name under which the task is leased")
        parser.add_argument("--parent", type=int, default=os.getppid(), help="process with whose end this one ends")

    def handle(self, *args: Any, **options: Any) -> None:
        leave_processor_to_others(NICE)
        keep_temporary_files_in_own_folder()
        call = Call()
        # A worker that stops asks for the end. The task is handed back, and another worker begins it again.
        signal.signal(signal.SIGTERM, lambda *_: call.cancel())
        die_with_parent(signal.SIGTERM)
        if os.getppid() == options["parent"]:
            work_on_task(options["worker"], LONG, call)
