"""Orders variants of a version, waits for the workers that make and measure them, and tells what came of each."""

import time
from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError, CommandParser

from inference.registry.models import ModelTask, ModelVariant
from inference.registry.orders import NAMES, order_optimization
from inference.registry.selectors import find_version
from tenants.core.db.unit_of_work import operator_work
from tenants.core.progress import Progress

POLL_S = 1.0
Write = Callable[[str], object]


def describe_optimization(parser: CommandParser) -> None:
    parser.add_argument("model", help="name, name@version or name@alias")
    parser.add_argument(
        "--transformation",
        action="append",
        default=[],
        choices=NAMES,
        help="transformation to try; repeat for several (default: all that suit the model)",
    )
    parser.add_argument("--no-wait", action="store_true", help="order the work and return")


def optimize(options: dict[str, Any], progress: Progress, write: Write) -> None:
    """Order the work and follow it. A worker must be running."""
    with operator_work():
        version = find_version(options["model"], tenant_id=None)
        name, number, key = version.served_model.name, version.number, version.key
    task = order_optimization(owner=None, model=name, number=number, transformations=options["transformation"])
    write(f"task {task.pk} makes variants of {key}")
    if options["no_wait"]:
        return
    ended = _ended(task, progress)
    for outcome in ended.result.get("transformations", ()):
        write(_line(outcome))
    if ended.state != ModelTask.State.SUCCEEDED:
        raise CommandError(f"{ended.error_code or ended.state}: {ended.error_detail or 'the task was canceled'}")
    write(f"Use one: manage.py models use {key} --variant ID")


def _ended(task: ModelTask, progress: Progress) -> ModelTask:
    told = ""
    while True:
        with operator_work():
            task.refresh_from_db()
        if task.ended:
            return task
        stage = task.stage or "waiting for a worker"
        if stage != told:
            progress.stage(stage)
            told = stage
        time.sleep(POLL_S)


def _line(outcome: dict[str, Any]) -> str:
    """Return what came of a transformation: the figures of its variant, or why there is none."""
    if outcome["state"] == "measured":
        chosen = outcome["chosen"]
        best = f"threads {chosen['threads']}, rows in a batch {chosen['batch']}"
        return f"settings\tbest with {best}: {chosen['rows_per_s']} rows per second"
    variant_id = outcome.get("variant")
    if variant_id is None:
        return f"{outcome['transformation']}\t{outcome['state']}: {outcome['reason']}"
    with operator_work():
        variant = ModelVariant.objects.get(pk=variant_id)
    return f"{outcome['transformation']}\t{variant.state}\t{variant.pk}\t{_figures(variant)}"


def _figures(variant: ModelVariant) -> str:
    report = variant.report
    if variant.state != ModelVariant.State.ADMITTED:
        return "; ".join(reason["detail"] for reason in report["verdict"]["reasons"])
    before, after = report["source"], report["variant"]
    return (
        f"{before['alone_p50_ms'] / after['alone_p50_ms']:.2f} times as fast alone, "
        f"{after['rows_per_s'] / before['rows_per_s']:.2f} times in company, "
        f"{after['file_bytes'] / before['file_bytes']:.2f} of the size"
    )
