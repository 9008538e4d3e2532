"""Test class sets with the client and with the command."""

import pytest

from maas_client import Client, InvalidRequest
from tests.client.cli.conftest import Shell, maas
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
    assert maas("classes", "train", "of-client").out.startswith("of-client@2: ")
    assert "offer" in maas("classes", "try", "of-client", jobs["offer"][0]).out
    job = client.run("parse", paper("offer", 50), class_set="of-client@1")
    assert job.job.document_class is not None
    assert job.job.document_class.label in ("offer", "unsure")
    client.class_sets.delete("of-client")
    assert "of-client" not in {one.name for one in client.class_sets.all()}
