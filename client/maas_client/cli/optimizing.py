"""The commands of `maas models` about variants: makes and measures them, uses and refuses them."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from maas_client.cli import values
from maas_client.cli.codes import DONE, INTERRUPTED, JOB_FAILED
from maas_client.cli.interruption import Left
from maas_client.cli.output import printable
from maas_client.cli.progress import Display, display, say
from maas_client.cli.tables import print_table
from maas_client.client import Client
from maas_client.models import CURRENT
from maas_client.resources import ModelTask, Variant


class LeftTask(Left):
    """An interruption while a task runs, which continues."""

    def __init__(self, why: str, version: str, code: int) -> None:
        super().__init__(why, (), code)
        self.version = version

    def __str__(self) -> str:
        return f"{self.why}\nThe task goes on. To see what it made:\n  maas models variants {self.version}"


def add_to(acts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    optimized = acts.add_parser("optimize", help="make variants of a version, measure them, and list them")
    _add_version(optimized)
    optimized.add_argument(
        "--transformation", metavar="NAME", action="append", help="only this one, such as dynamic-int8; may be repeated"
    )
    optimized.add_argument(
        "--bound",
        metavar="MEASURE=NUMBER",
        action="append",
        default=[],
        type=values.parameter,
        help="bound of an error measure, such as cosine_mean=0.99, kept for the model; may be repeated",
    )
    optimized.add_argument("--no-wait", action="store_true", help="print the id of the task and do not wait")
    optimized.set_defaults(do=optimize)
    listed = acts.add_parser("variants", help="list the variants of a version with their measurements")
    _add_version(listed)
    listed.set_defaults(do=variants)
    added = acts.add_parser("add-variant", help="send a file of the version in another precision, and measure it")
    _add_version(added)
    added.add_argument("file", metavar="FILE", type=values.file)
    added.add_argument("--precision", required=True, help="such as int8, fp16 or bf16")
    added.set_defaults(do=add)
    used = acts.add_parser("use", help="make a variant a version, and let an alias name it")
    _add_variant(used)
    used.add_argument("--alias", metavar="ALIAS", default=CURRENT, help="alias that is moved (default: current)")
    used.add_argument("--if-version", metavar="VERSION", type=values.count, help="only if it names this version now")
    used.set_defaults(do=use)
    refused = acts.add_parser("refuse", help="refuse a variant")
    _add_variant(refused)
    refused.set_defaults(do=refuse)


def _add_version(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL@VERSION", type=values.version_of_model)


def _add_variant(parser: argparse.ArgumentParser) -> None:
    _add_version(parser)
    parser.add_argument("variant", metavar="VARIANT")


def optimize(client: Client, given: argparse.Namespace) -> int:
    name, number = given.model
    options: dict[str, Any] = {}
    if given.transformation:
        options["transformations"] = given.transformation
    if given.bound:
        options["bounds"] = dict(given.bound)
    task = client.models.optimize(name, number, **options)
    if given.no_wait:
        print(task.id)
        return DONE
    with display() as shown:
        ended = _follow(client, name, number, task, shown)
    for outcome in ended.data.get("result", {}).get("transformations", ()):
        if "reason" in outcome:
            say(f"{outcome['transformation']}: {outcome['state']}: {outcome['reason']}")
    return variants(client, given)


def add(client: Client, given: argparse.Namespace) -> int:
    name, number = given.model
    file: Path = given.file
    with display() as shown:
        task = client.models.add_variant(
            name, number, file, precision=given.precision, progress=shown.upload(file.name)
        )
        _follow(client, name, number, task, shown)
    found = [one for one in client.models.variants(name, number) if one.id == task.data["variant"]]
    _print_variants(found)
    return DONE if all(one.state == "admitted" for one in found) else JOB_FAILED


def _follow(client: Client, name: str, number: int, task: ModelTask, shown: Display) -> ModelTask:
    """Return the task when it has succeeded, and show how far it is meanwhile."""
    key = f"{name}@{number}"
    try:
        return client.models.wait_task(
            name, task.id, told=lambda one: shown.step(key, one.stage or one.state, one.done, one.total)
        )
    except KeyboardInterrupt:
        raise LeftTask("\nInterrupted.", key, INTERRUPTED) from None


def variants(client: Client, given: argparse.Namespace) -> int:
    _print_variants(client.models.variants(*given.model))
    return DONE


def _print_variants(found: Sequence[Variant]) -> None:
    rows = (
        (
            one.id,
            one.precision,
            one.transformation or "uploaded",
            one.state,
            "-" if one.speedup is None else f"{one.speedup:.2f}x",
            one.size_bytes,
            " ".join(f"{name}={value:.4g}" for name, value in one.errors.items()) or "-",
            printable(str(one.refusal) if one.refusal else None),
        )
        for one in found
    )
    print_table(("VARIANT", "PRECISION", "MADE BY", "STATE", "SPEED", "BYTES", "ERRORS", "REFUSED"), rows)


def use(client: Client, given: argparse.Namespace) -> int:
    name, number = given.model
    made = client.models.use_variant(name, number, given.variant, alias=given.alias, if_version=given.if_version)
    say(f"Variant {given.variant} of {name}@{number} is used: {name}@{given.alias} is version {made['version']}.")
    print(f"{name}@{made['version']}")
    return DONE


def refuse(client: Client, given: argparse.Namespace) -> int:
    name, number = given.model
    client.models.refuse_variant(name, number, given.variant)
    print(f"Variant {given.variant} of {name}@{number} is refused.")
    return DONE
