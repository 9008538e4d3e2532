"""Structured logs: JSON for machines, aligned text for people, the same fields in both."""

import logging
import logging.config
import sys
from collections.abc import Mapping

import structlog
from structlog.types import Processor

SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.ExtraAdder(),
]


def configure(options: Mapping[str, str]) -> None:
    as_json = options["format"] == "json"
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        # The plain form: a rich one would print local variables, and with them keys and texts.
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
    # pika reports each lost connection three times as an error; the broker reports it once, by itself.
    logging.getLogger("pika").setLevel(logging.CRITICAL)
    for noisy in ("botocore", "urllib3", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED[:-1],
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
