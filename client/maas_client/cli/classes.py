"""The command `maas classes`: makes, trains and tries class sets."""

import argparse

from maas_client.cli.codes import DONE
from maas_client.cli.tables import print_table
from maas_client.client import Client


def add_to(names: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    top = names.add_parser("classes", help="list, make, train and try class sets: classes learned from your examples")
    top.set_defaults(do=show)
    acts = top.add_subparsers(title="commands", metavar="COMMAND")
    made = acts.add_parser("create", help="create a class set")
    made.add_argument("name", metavar="NAME")
    made.add_argument("--title", default="")
    made.set_defaults(do=create)
    added = acts.add_parser("add", help="make the documents of jobs examples of a class")
    added.add_argument("name", metavar="NAME")
    added.add_argument("label", metavar="CLASS")
    added.add_argument("jobs", metavar="JOB", nargs="+")
    added.set_defaults(do=add)
    trained = acts.add_parser("train", help="train a class set, and print how well it knows its examples")
    trained.add_argument("name", metavar="NAME")
    trained.set_defaults(do=train)
    tried = acts.add_parser("try", help="print the classes of documents that were read before")
    tried.add_argument("name", metavar="NAME")
    tried.add_argument("jobs", metavar="JOB", nargs="+")
    tried.set_defaults(do=try_on)


def show(client: Client, given: argparse.Namespace) -> int:
    rows = (
        (one.name, one.version or "-", ", ".join(f"{label} {count}" for label, count in one.classes.items()), one.title)
        for one in client.class_sets.all()
    )
    print_table(("NAME", "VERSION", "EXAMPLES", "TITLE"), rows)
    return DONE


def create(client: Client, given: argparse.Namespace) -> int:
    print(client.class_sets.create(given.name, given.title).name)
    return DONE


def add(client: Client, given: argparse.Namespace) -> int:
    found = client.class_sets.add(given.name, given.label, given.jobs)
    print_table(("CLASS", "EXAMPLES"), found.classes.items())
    return DONE


def train(client: Client, given: argparse.Namespace) -> int:
    made = client.class_sets.train(given.name)
    print(f"{made.key}: {made.accuracy:.0%} of the examples are known from the others")
    outcomes = [*made.evaluation["mistakes"], *made.evaluation["unsure"]]
    rows = ((one["job"], one["label"], one["predicted"], f"{one['probability']:.0%}") for one in outcomes)
    if outcomes:
        print_table(("JOB", "CLASS", "TAKEN FOR", "PROBABILITY"), rows)
    return DONE


def try_on(client: Client, given: argparse.Namespace) -> int:
    found = client.class_sets.try_on(given.name, given.jobs)
    rows = ((one.job, one.label, f"{max(one.probabilities.values()):.0%}") for one in found)
    print_table(("JOB", "CLASS", "PROBABILITY"), rows)
    return DONE
