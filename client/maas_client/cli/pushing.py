"""The steps that push, import and export share: a file becomes a version of a model, and its check is followed."""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from maas_client.cli import pipelines, values
from maas_client.cli.codes import DONE, INTERRUPTED, REFUSED
from maas_client.cli.interruption import Left
from maas_client.cli.output import printable
from maas_client.cli.progress import Display, display, say
from maas_client.client import Client
from maas_client.errors import ConnectionFailed, Unavailable
from maas_client.pushes import About
from maas_client.resources import Json, ModelVersion


@dataclass(frozen=True)
class Found:
    """The description of a file as its source gives it. What the command line states comes first."""

    name: str | None = None
    license: str | None = None
    description: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    lineage: Mapping[str, Any] = field(default_factory=dict)


class LeftCheck(Left):
    """An interruption while the service checks a version, which continues."""

    def __init__(self, why: str, version: str, code: int) -> None:
        super().__init__(why, (), code)
        self.version = version

    def __str__(self) -> str:
        return f"{self.why}\nThe check of {self.version} goes on. To follow it:\n  maas models wait {self.version}"


def add_about(parser: argparse.ArgumentParser, *, stated: bool = True) -> None:
    """Add the options of a new version. Unless they must be stated, name and license may come with the file."""
    parser.add_argument("--name", required=stated, help="name of the model; a new one makes a new model")
    parser.add_argument("--license", required=stated, help="license of the model, such as Apache-2.0 or proprietary")
    parser.add_argument("--title", help="name for people")
    parser.add_argument("--description")
    parser.add_argument("--card", metavar="FILE", type=values.file, help="Markdown file about the model")
    parser.add_argument(
        "--label", metavar="NAME=VALUE", action="append", default=[], type=values.label, help="may be repeated"
    )
    parser.add_argument("--alias", help="alias to move to the version once it is ready, such as champion")
    parser.add_argument("--no-wait", action="store_true", help="do not wait until the version is checked")
    parser.add_argument(
        "--idempotency-key",
        metavar="KEY",
        type=values.key,
        help="the same key within 24 hours returns the same version",
    )


def push_version(client: Client, given: argparse.Namespace, source: Path | str, found: Found | None = None) -> int:
    """Push a file or a URL. Only the version's name is printed on stdout, for the next command."""
    found = found or Found()
    if given.alias and given.no_wait:
        given.parser.error("--alias waits until the version is ready, so it does not go with --no-wait")
    name, license = (_stated(given, found, what) for what in ("name", "license"))
    about = _about(given, found)
    with display() as shown:
        made = _sent(client, _add_content(given, source, about, shown), name, license, about)
        version = made if given.no_wait else followed(client, made.model, made.version, shown)
    say(f"{version.key} is {version.state}{_tensors(version)}")
    if given.alias:
        moved = client.models.move_alias(version.model, given.alias, version.version)
        say(f"{version.model}@{moved.alias} is version {moved.version}")
    print(version.key)
    return DONE


def _add_content(given: argparse.Namespace, source: Path | str, about: About, shown: Display) -> Path | None:
    """Add a URL or a pipeline to the options, or return the file to send."""
    members = dict(getattr(given, "member", ()))
    if isinstance(source, str):
        about["url"] = source
    elif source.suffix.lower() in pipelines.SUFFIXES:
        about["pipeline"], about["members"] = pipelines.read(given.parser, source, members)
    else:
        about["progress"] = shown.upload(source.name)
        return source
    return None


def followed(client: Client, name: str, version: int, shown: Display) -> ModelVersion:
    key = f"{name}@{version}"

    def tell(one: ModelVersion) -> None:
        shown.step(key, one.stage or one.state, one.done, one.total)

    with _not_lost(key):
        return client.models.wait_ready(name, version, told=tell)


def _about(given: argparse.Namespace, found: Found) -> About:
    about: About = {"labels": {**found.labels, **dict(given.label)}}
    description = given.description or found.description
    if given.title:
        about["title"] = given.title
    if description:
        about["description"] = description
    if given.card:
        about["card"] = given.card.read_text()
    if found.lineage:
        about["lineage"] = found.lineage
    about["idempotency_key"] = given.idempotency_key or uuid4().hex
    return about


def _stated(given: argparse.Namespace, found: Found, what: str) -> str:
    text: str | None = getattr(given, what) or getattr(found, what)
    if not text:
        given.parser.error(f"give --{what}, because the source does not say it")
    return text or ""


def _sent(client: Client, file: Path | None, name: str, license: str, about: About) -> ModelVersion:
    try:
        return client.models.push(file, name=name, license=license, wait=0, **about)
    except (ConnectionFailed, Unavailable, KeyboardInterrupt):
        key = about["idempotency_key"]
        say(f"maas: {name}: not known to have arrived; continue without a second version: --idempotency-key {key}")
        raise


def _tensors(version: ModelVersion) -> str:
    signature = version.data.get("signature") or {}
    sides = [f"{side} {_side(signature[side])}" for side in ("inputs", "outputs") if signature.get(side)]
    return f": {'; '.join(sides)}" if sides else ""


def _side(tensors: list[Json]) -> str:
    return ", ".join(f"{printable(one['name'])} {one['datatype']} {one['shape']}" for one in tensors)


@contextmanager
def _not_lost(version: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise LeftCheck("\nInterrupted.", version, INTERRUPTED) from None
    except (ConnectionFailed, Unavailable) as error:
        raise LeftCheck(f"maas: {error}", version, REFUSED) from error
