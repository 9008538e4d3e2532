"""Test an account's own fields, with the clients and with the command."""

import asyncio
import re

import pytest

from maas_client import AsyncClient, Client, InvalidRequest, NotFound
from maas_client.fields import Spot
from tests.client.cli.conftest import Shell, maas
from tests.flows.product import Account, Product
from tests.samples.pdfs import text_pdf

__all__ = ["maas"]
TEXT = "Lease agreement\nContract number: {}\nSigned by both parties"


def read(client: Client, number: str) -> str:
    return client.run("parse", text_pdf(TEXT.format(number)), name=f"{number}.pdf").id


def value_of(client: Client, job: str) -> dict[str, object]:
    found: list[dict[str, object]] = client.result(job).data["fields"]
    return next(field for field in found if field["name"] == "rent_contract")


def test_a_field_is_defined_tried_changed_and_found_in_earlier_documents(client: Client) -> None:
    job = read(client, "AB-1234")
    (line,) = [line for line in client.result(job).pages[0].lines if "AB-1234" in line.text]
    assert line.box is not None
    (left, top), _, (right, bottom), _ = line.box
    spot: Spot = {"job": job, "page": 1, "box": [left + 0.7 * (right - left), top, right, bottom]}
    assert client.fields.point(spot)["text"] == "AB-1234"
    field = client.fields.create("rent_contract", examples=[spot])
    assert (field.title, len(field.examples)) == ("Rent contract", 1)
    other = read(client, "XY-9876")
    found = value_of(client, other)
    assert (found["name"], found["value"], found["own"]) == ("rent_contract", "XY-9876", True)
    trial = client.fields.attempt("rent_contract", documents=2)
    assert [[value["value"] for value in one.values] for one in trial.documents] == [["XY-9876"], ["AB-1234"]]
    assert client.fields.change("rent_contract", title="Contract").title == "Contract"
    assert client.fields.apply() >= 1
    assert value_of(client, job)["value"] == "AB-1234"
    assert "rent_contract" in {one.name for one in client.fields.list()}
    client.fields.delete("rent_contract")
    with pytest.raises(NotFound):
        client.fields.get("rent_contract")


def test_coroutines_have_the_same_calls(product: Product, account: Account) -> None:
    async def calls() -> list[str]:
        async with AsyncClient(product.running.url, account.key) as client:
            await client.fields.create("by_label", labels=["Our reference"])
            await client.fields.change("by_label", type="identifier")
            with pytest.raises(InvalidRequest):
                await client.fields.attempt(labels=[])
            names = [field.name async for field in client.fields.list()]
            await client.fields.delete("by_label")
            return names

    assert "by_label" in asyncio.run(calls())


def test_the_command_adds_tries_and_lists_fields(maas: Shell, client: Client) -> None:
    read(client, "CD-5678")
    tried = maas("fields", "try", "--label", "Contract number", "--type", "identifier", "--documents", "1")
    assert re.search(r" 1     0\.\d\d +CD-5678\.pdf  CD-5678\nFound in 1 of 1 documents\.\n$", tried.out)
    nothing = maas("fields", "try", "--label", "Serial of the boat", "--documents", "1").out
    assert re.search(r" -     - +CD-5678\.pdf  -\nFound in 0 of 1 documents\.\n$", nothing)
    added = maas("fields", "add", "contract", "--label", "Contract number", "--type", "identifier")
    assert added.out == "Field contract is saved: identifier, label of Contract number\n"
    assert re.search(r"^contract +identifier +label +0 +Contract number$", maas("fields", "list").out, re.MULTILINE)
    assert "there is a field 'contract'" in maas("fields", "add", "contract", "--label", "x").err
    assert "is no box" in maas("fields", "add", "other", "--job", "x", "--box", "1,2").err
