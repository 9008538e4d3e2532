"""Test class sets with the client and with the command."""

import asyncio

import pytest

from maas_client import AsyncClient, Client, Conflict, InvalidRequest
from maas_client.class_sets import AsyncClassSets, ClassSets
from tests.client.cli.conftest import Shell, maas
from tests.flows.product import Account, Product
from tests.inference.class_sets.papers import result
from tests.samples.pdfs import text_pdf

__all__ = ["maas"]


def paper(kind: str, seed: int) -> bytes:
    return text_pdf(result(kind, seed)["text"])


def test_a_class_set_is_made_trained_tried_and_used(client: Client, maas: Shell) -> None:
    client.class_sets.create("of-client", "Papers")
    jobs = {kind: [client.run("parse", paper(kind, seed)).id for seed in range(5)] for kind in ("invoice", "offer")}
    with pytest.raises(InvalidRequest, match="at least 2 classes"):
        client.class_sets.train("of-client")
    for kind, each in jobs.items():
        found = client.class_sets.add("of-client", kind, each)
    assert found.classes == {"invoice": 5, "offer": 5}
    assert client.class_sets.train("of-client").key == "of-client@1"
    tried = client.class_sets.try_on("of-client", jobs["offer"][:1])
    assert (tried[0].job, tried[0].label) == (jobs["offer"][0], "offer")
    assert "of-client@1" in maas("classes").out
    assert client.class_sets.change("of-client", default=True).default
    by_default = client.run("parse", paper("offer", 51)).job.document_class
    assert by_default is not None
    assert set(by_default.probabilities) == {"invoice", "offer"}
    turned_off = client.run("parse", paper("offer", 51), class_set=None).job.document_class
    assert turned_off is not None
    assert "invoice" in turned_off.probabilities
    assert len(turned_off.probabilities) > 2
    client.class_sets.change("of-client", default=False)
    assert maas("classes", "train", "of-client").out.startswith("of-client@2: ")
    assert "offer" in maas("classes", "try", "of-client", jobs["offer"][0]).out
    job = client.run("parse", paper("offer", 50), class_set="of-client@1")
    assert job.job.document_class is not None
    assert job.job.document_class.label in ("offer", "unsure")
    client.class_sets.delete("of-client")
    assert "of-client" not in {one.name for one in client.class_sets.all()}


def test_coroutines_have_the_same_calls(product: Product, account: Account) -> None:
    async def calls() -> list[object]:
        async with AsyncClient(product.running.url, account.key) as client:
            sets = client.class_sets
            made = await sets.create("of-coroutines")
            changed = await sets.change("of-coroutines", title="Papers")
            with pytest.raises(InvalidRequest, match="at least 2 classes"):
                await sets.train("of-coroutines")
            with pytest.raises(Conflict, match="has not been trained"):
                await sets.change("of-coroutines", default=True)
            shown, listed = await sets.get("of-coroutines"), await sets.all()
            await sets.delete("of-coroutines")
            return [made.title, changed.title, shown.default, "of-coroutines" in {one.name for one in listed}]

    assert asyncio.run(calls()) == ["", "Papers", False, True]


def test_both_clients_have_the_same_methods() -> None:
    assert {name for name in vars(ClassSets) if name[0] != "_"} == {
        name for name in vars(AsyncClassSets) if name[0] != "_"
    }
