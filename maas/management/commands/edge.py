"""Serves chosen models over HTTP from this one process, without database, Redis or worker."""

import logging
import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from inference.engine.engine import local_engine
from inference.runtime.profiles import FolderProfiles
from inference.runtime.tesseract import language_data
from inference.sandbox import SandboxUnavailable
from jobs.documents.reading import reader, require_sandbox, sandbox_state
from maas.edge_mode.app import EdgeLimits
from maas.edge_mode.errors import CannotServe
from maas.edge_mode.options import EdgeOptions, check_options, named_files, named_members, names_in
from maas.edge_mode.serve import serve
from maas.edge_mode.served_models import fill_shelf
from maas.process.errors import LaunchError

BUILTIN = "ocr,embed,parse"


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--models", default=BUILTIN, help=f"built-in models, separated by commas (default: {BUILTIN})"
        )
        parser.add_argument(
            "--onnx",
            action="append",
            default=[],
            metavar="NAME=FILE",
            help="ONNX file to serve under this name",
        )
        parser.add_argument(
            "--graph",
            action="append",
            default=[],
            metavar="NAME=FILE",
            help="declared pipeline to serve under this name",
        )
        parser.add_argument(
            "--member",
            action="append",
            default=[],
            metavar="PIPELINE.ROLE=MODEL",
            help="model for a role in a declared pipeline; repeat for each role",
        )
        parser.add_argument("--host", default=settings.MAAS_HOST)
        parser.add_argument("--port", type=int, default=settings.MAAS_PORT)
        parser.add_argument("--deadline", type=float, default=60.0, help="seconds that a call may take (default: 60)")
        parser.add_argument(
            "--at-once",
            type=int,
            default=4,
            help="number of pages and calls in progress at a time (default: 4)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        os.umask(0o077)
        good = False
        try:
            good = self._serve(_options(options))
        except LaunchError as error:
            self.stderr.write(f"cannot run: {error}")
        finally:
            reader().close()
            logging.shutdown()
            sys.stdout.flush()
            # Threads may still be in a model. The interpreter's own shutdown would abort on them.
            os._exit(0 if good else 1)

    def _serve(self, options: EdgeOptions) -> bool:
        check_options(options)
        _require_sandbox()
        models = fill_shelf(
            options,
            settings.MAAS_HOME,
            languages=language_data(settings.MAAS_TESSDATA, settings.MAAS_OCR_LANGUAGES),
            sandbox_needs=settings.MAAS_SANDBOX_NEEDS,
        )
        self.stdout.write(f"{', '.join(models)} at {options.url}; Ctrl-C stops")
        self.stdout.flush()
        engine = local_engine(
            memory_bytes=settings.MAAS_MODEL_MEMORY or None,
            gpu_share=settings.MAAS_GPU_SHARE,
            profiles=FolderProfiles(settings.MAAS_HOME / "edge" / "profiles"),
            packed=settings.MAAS_PACKED,
        )
        limits = EdgeLimits(
            deadline_s=options.deadline_s,
            document_bytes=settings.MAAS_MAX_UPLOAD_BYTES,
            json_bytes=settings.MAAS_MAX_INLINE_BYTES,
        )
        try:
            return serve(
                options,
                models,
                engine=engine,
                reader=reader(),
                limits=limits,
                home=settings.MAAS_HOME,
                sandbox=sandbox_state,
            )
        finally:
            engine.host.stop()


def _require_sandbox() -> None:
    try:
        require_sandbox()
    except SandboxUnavailable as error:
        raise CannotServe(str(error)) from error


def _options(given: dict[str, Any]) -> EdgeOptions:
    return EdgeOptions(
        models=names_in(given["models"]),
        onnx=named_files(given["onnx"], "--onnx"),
        graphs=named_files(given["graph"], "--graph"),
        members=named_members(given["member"]),
        host="127.0.0.1" if given["host"] == "localhost" else given["host"],
        port=given["port"],
        key=settings.MAAS_EDGE_KEY,
        deadline_s=given["deadline"],
        at_once=given["at_once"],
    )
