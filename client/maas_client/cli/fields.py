"""The command `maas fields`: lists an account's own fields, adds one, and tries one on the last documents."""

import argparse

from maas_client.cli.codes import DONE
from maas_client.cli.output import printable
from maas_client.cli.tables import print_table
from maas_client.client import Client
from maas_client.fields import FieldSettings, FieldTrial

LISTED = 20


def add_to(names: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    fields = names.add_parser("fields", help="list, add and try fields of your own")
    what = fields.add_subparsers(title="commands", metavar="COMMAND", required=True)
    what.add_parser("list", help="list the fields").set_defaults(do=_list)
    add = what.add_parser("add", help="define a field by labels, or by a value on a page")
    add.add_argument("name", metavar="NAME", help="such as contract_number")
    _add_settings(add)
    add.set_defaults(do=_add)
    attempt = what.add_parser("try", help="show what a field finds in the last documents; nothing is written")
    attempt.add_argument(
        "name", metavar="NAME", nargs="?", help="a field that is saved; options change it for the trial"
    )
    attempt.add_argument("--documents", type=int, default=LISTED, help="number of documents (default: 20, at most 50)")
    _add_settings(attempt)
    attempt.set_defaults(do=_try)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--label", metavar="TEXT", action="append", help="text beside the value; may be repeated")
    parser.add_argument("--type", help="such as text, number, amount, date or identifier")
    parser.add_argument("--place", help="label, right, below, column or position")
    parser.add_argument(
        "--class", dest="document_class", metavar="CLASS", action="append", help="only documents of this class"
    )
    parser.add_argument("--title", help="name for people")
    parser.add_argument("--job", help="job with an example; needs --box")
    parser.add_argument("--page", type=int, default=1, help="page of the example (default: 1)")
    parser.add_argument("--box", metavar="LEFT,TOP,RIGHT,BOTTOM", type=_box, help="place of the example in pixels")


def _box(text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 4:
        raise argparse.ArgumentTypeError(f"{text!r} is no box: give four numbers, LEFT,TOP,RIGHT,BOTTOM")
    return numbers


def _settings(given: argparse.Namespace) -> FieldSettings:
    settings: FieldSettings = {}
    if given.label:
        settings["labels"] = given.label
    if given.document_class:
        settings["classes"] = given.document_class
    if given.type:
        settings["type"] = given.type
    if given.place:
        settings["place"] = given.place
    if given.job and given.box:
        settings["examples"] = [{"job": given.job, "page": given.page, "box": given.box}]
    return settings


def _list(client: Client, given: argparse.Namespace) -> int:
    rows = (
        (field.name, field.type, field.place, len(field.examples), printable(", ".join(field.labels)))
        for field in client.fields.list()
    )
    print_table(("NAME", "TYPE", "PLACE", "EXAMPLES", "LABELS"), rows)
    return DONE


def _add(client: Client, given: argparse.Namespace) -> int:
    settings = _settings(given)
    if given.title:
        settings["title"] = given.title
    field = client.fields.create(given.name, **settings)
    print(f"Field {field.name} is saved: {field.type}, {field.place} of {printable(', '.join(field.labels))}")
    return DONE


def _try(client: Client, given: argparse.Namespace) -> int:
    _print(client.fields.attempt(given.name, documents=given.documents, **_settings(given)))
    return DONE


def _shown(confidence: float | None) -> str:
    return "-" if confidence is None else f"{confidence:.2f}"


def _print(trial: FieldTrial) -> None:
    rows = [
        (one.job, value["page"], _shown(value["confidence"]), printable(one.name), printable(value["value"]))
        for one in trial.documents
        for value in one.values or [{"page": "-", "confidence": None, "value": "-"}]
    ]
    print_table(("JOB", "PAGE", "CONFIDENCE", "NAME", "VALUE"), rows)
    print(f"Found in {trial.found} of {trial.tried} documents.")
