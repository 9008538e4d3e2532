"""Structured logs: JSON for machines, aligned text for people, and the same fields in both."""

import logging
import logging.config
import sys
from collections.abc import Mapping

import structlog
from django.core.exceptions import ImproperlyConfigured
from structlog.types import EventDict, Processor

FORMATS = ("console", "json")


def _disarm(logger: object, method: str, event: EventDict) -> EventDict:
    """Escape unprintable characters, so that text from callers cannot control the terminal of a reader."""
    for name, value in event.items():
        if isinstance(value, str) and not value.isprintable() and name != "exception":
            event[name] = "".join(char if char.isprintable() else repr(char)[1:-1] for char in value)
    return event


def _without_request(logger: object, method: str, event: EventDict) -> EventDict:
    """Drop the request object that Django adds to its events: it would write the whole address and search terms."""
    event.pop("request", None)
    return event


SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.ExtraAdder(),
    _without_request,
    _disarm,
]


def configure(options: Mapping[str, str]) -> None:
    if options["format"] not in FORMATS:
        raise ImproperlyConfigured(f"MAAS_LOG_FORMAT={options['format']!r} must be one of {', '.join(FORMATS)}")
    as_json = options["format"] == "json"
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        # The plain format is used, because a rich traceback would print local variables, and with them keys and texts.
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), pad_event_to=30, exception_formatter=structlog.dev.plain_traceback
        )
    )
    final: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if as_json:
        final.append(structlog.processors.format_exc_info)
    formatter = structlog.stdlib.ProcessorFormatter(foreign_pre_chain=SHARED, processors=[*final, renderer])
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(options["level"])
    # The pika library logs each lost connection three times as an error. The broker logs it once by itself.
    logging.getLogger("pika").setLevel(logging.CRITICAL)
    # The product's own request log records these, with the request's ID and without a traceback.
    logging.getLogger("django.security.DisallowedHost").setLevel(logging.CRITICAL)
    logging.getLogger("django.request").setLevel(logging.ERROR)
    for noisy in ("botocore", "urllib3", "asyncio", "pikepdf", "fontTools", "stripe"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *(processor for processor in SHARED if not isinstance(processor, structlog.stdlib.ExtraAdder)),
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
