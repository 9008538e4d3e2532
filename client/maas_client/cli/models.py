"""The command `maas models`: lists, pushes, shows and optimizes models, and moves their aliases."""

import argparse
import json

from maas_client.cli import exporting, optimizing, values
from maas_client.cli.codes import DONE
from maas_client.cli.output import printable
from maas_client.cli.progress import display
from maas_client.cli.pushing import add_about, followed, push_version
from maas_client.cli.tables import print_table, when
from maas_client.client import Client
from maas_client.models import CURRENT
from maas_client.resources import Alias, ModelVersion


def add_to(names: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    top = names.add_parser("models", help="list, push, show, optimize and delete models, and move their aliases")
    top.set_defaults(do=listed)
    acts = top.add_subparsers(title="commands", metavar="COMMAND")
    acts.add_parser("list", help="list models").set_defaults(do=listed)
    push = acts.add_parser("push", help="send an ONNX file as a version of a model, and wait until it is checked")
    push.add_argument(
        "file",
        metavar="FILE",
        type=values.file_or_url,
        help="path or URL (https://…), or .json or .yaml of a pipeline",
    )
    push.add_argument(
        "--member",
        metavar="ROLE=MODEL",
        action="append",
        default=[],
        type=values.label,
        help="member of a pipeline, such as scores=classifier@2; may be repeated, or stand in the file as `members`",
    )
    add_about(push)
    push.set_defaults(do=pushed, parser=push)
    exporting.add_to(acts)
    _add_looking(acts)
    _add_aliases(acts)
    optimizing.add_to(acts)
    _add_ending(acts)


def _add_looking(acts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    shown = acts.add_parser("show", help="show a model with its versions, or one version with its report")
    shown.add_argument("model", metavar="MODEL", help="name, name@version or name@alias")
    shown.add_argument("--format", choices=("text", "json"), default="text")
    shown.set_defaults(do=show)
    waited = acts.add_parser("wait", help="wait until a version is checked")
    waited.add_argument("model", metavar="MODEL@VERSION", type=values.version_of_model)
    waited.set_defaults(do=wait)


def _add_aliases(acts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    alias = acts.add_parser("alias", help="list the aliases of a model, or let one name another version")
    alias.add_argument("model", metavar="MODEL")
    alias.add_argument("alias", metavar="ALIAS", nargs="?")
    alias.add_argument("version", metavar="VERSION", nargs="?", type=values.count)
    alias.add_argument("--if-version", metavar="VERSION", type=values.count, help="only if it names this version now")
    alias.add_argument("--delete", action="store_true", help="delete the alias")
    alias.set_defaults(do=aliases, parser=alias)
    back = acts.add_parser("rollback", help="let an alias name the version that it named before its last move")
    back.add_argument("model", metavar="MODEL")
    back.add_argument("alias", metavar="ALIAS", nargs="?", default=CURRENT, help="(default: current)")
    back.set_defaults(do=rollback)
    past = acts.add_parser("history", help="list the moves of an alias, newest first")
    past.add_argument("model", metavar="MODEL")
    past.add_argument("alias", metavar="ALIAS", nargs="?", default=CURRENT, help="(default: current)")
    past.add_argument("--at", metavar="TIME", type=values.moment, help="the move that was in force at this time")
    past.set_defaults(do=history)


def _add_ending(acts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    retired = acts.add_parser("retire", help="retire a version: no alias can name it from then on")
    retired.add_argument("model", metavar="MODEL@VERSION", type=values.version_of_model)
    retired.set_defaults(do=retire)
    deleted = acts.add_parser("delete", help="delete a version, or a model with all its versions")
    deleted.add_argument("model", metavar="MODEL[@VERSION]", type=values.model_or_version)
    deleted.set_defaults(do=delete)


def listed(client: Client, given: argparse.Namespace) -> int:
    models = client.models.list()
    rows = ((one.name, one.version or "-", one.state, ", ".join(one.accepts), one.title) for one in models)
    print_table(("MODEL", "VERSION", "STATE", "ACCEPTS", "TITLE"), rows)
    return DONE


def pushed(client: Client, given: argparse.Namespace) -> int:
    return push_version(client, given, given.file)


def show(client: Client, given: argparse.Namespace) -> int:
    name, _, which = given.model.partition("@")
    if which:
        _show_version(client, name, _number(client, name, which), given.format)
        return DONE
    versions = client.models.versions(name)
    if given.format == "json":
        print(json.dumps([one.data for one in versions], ensure_ascii=False, indent=2))
        return DONE
    rows = [
        (
            one.version,
            one.state,
            ", ".join(one.aliases) or "-",
            printable(one.license),
            when(one.created_at) if one.created_at else "-",
            printable(one.description),
        )
        for one in versions
    ]
    print_table(("VERSION", "STATE", "ALIASES", "LICENSE", "CREATED", "DESCRIPTION"), rows)
    return DONE


def _number(client: Client, name: str, which: str) -> int:
    if which.isdecimal():
        return int(which)
    found = [one.version for one in client.models.aliases(name) if one.alias == which and one.version]
    return found[0] if found else client.models.get(f"{name}@{which}").version or 0


def _show_version(client: Client, name: str, number: int, form: str) -> None:
    version = client.models.version(name, number)
    if form == "json":
        print(json.dumps(version.data, ensure_ascii=False, indent=2))
        return
    print_table(("FIELD", "VALUE"), [(field, printable(text)) for field, text in _fields(version) if text])
    if version.card:
        print(f"\n{version.card}")


def _fields(version: ModelVersion) -> list[tuple[str, str]]:
    tensors = [
        (side.removesuffix("s"), f"{one['name']} {one['datatype']} {one['shape']}")
        for side in ("inputs", "outputs")
        for one in (version.data.get("signature") or {}).get(side, ())
    ]
    return [
        ("model", version.key),
        ("state", version.state),
        ("refused", str(version.refusal or "")),
        ("paused", version.paused_reason or ""),
        ("aliases", ", ".join(version.aliases)),
        ("license", version.license),
        ("digest", version.digest or ""),
        ("created", when(version.created_at) if version.created_at else ""),
        ("created by", version.created_by or ""),
        *tensors,
        *((f"label {name}", text) for name, text in version.labels.items()),
        ("description", version.description),
    ]


def wait(client: Client, given: argparse.Namespace) -> int:
    name, number = given.model
    with display() as shown:
        version = followed(client, name, number, shown)
    print(f"{version.key} is {version.state}.")
    return DONE


def aliases(client: Client, given: argparse.Namespace) -> int:
    if given.delete or given.version is not None:
        return _change_alias(client, given)
    found = [one for one in client.models.aliases(given.model) if given.alias in (None, one.alias)]
    print_table(("ALIAS", "VERSION", "MOVED"), ((one.alias, one.version or "-", _moved(one)) for one in found))
    return DONE


def _change_alias(client: Client, given: argparse.Namespace) -> int:
    if given.delete and (given.alias is None or given.version is not None or given.if_version):
        given.parser.error("--delete takes a model and an alias, and nothing else")
    if given.delete:
        client.models.delete_alias(given.model, given.alias)
        print(f"{given.model}@{given.alias} is deleted.")
        return DONE
    _print_move(
        given.model, client.models.move_alias(given.model, given.alias, given.version, if_version=given.if_version)
    )
    return DONE


def rollback(client: Client, given: argparse.Namespace) -> int:
    _print_move(given.model, client.models.rollback(given.model, given.alias))
    return DONE


def _print_move(model: str, moved: Alias) -> None:
    before = f", before it was version {moved.previous}" if moved.previous else ""
    print(f"{model}@{moved.alias} is version {moved.version}{before}.")


def history(client: Client, given: argparse.Namespace) -> int:
    rows = (
        (_moved(one), one.version or "-", one.previous or "-", printable(one.moved_by))
        for one in client.models.history(given.model, given.alias, at=given.at)
    )
    print_table(("MOVED", "VERSION", "BEFORE", "BY"), rows)
    return DONE


def _moved(one: Alias) -> str:
    return when(one.moved_at) if one.moved_at else "-"


def retire(client: Client, given: argparse.Namespace) -> int:
    version = client.models.retire(*given.model)
    print(f"{version.key} is {version.state}.")
    return DONE


def delete(client: Client, given: argparse.Namespace) -> int:
    name, number = given.model
    if number is None:
        client.models.delete(name)
    else:
        client.models.delete_version(name, number)
    print(f"{name if number is None else f'{name}@{number}'} is deleted.")
    return DONE
