"""Test the client for asyncio, and that it has the same interface."""

import asyncio
import inspect
import json
from pathlib import Path

import pytest

from maas_client import AsyncClient, Client, NotFound
from tests.flows.product import Account, Product

PUBLIC = sorted(name for name in vars(Client) if not name.startswith("_"))


@pytest.mark.parametrize("name", PUBLIC)
def test_both_clients_take_the_same(name: str) -> None:
    parameters = [inspect.signature(getattr(kind, name)).parameters for kind in (Client, AsyncClient)]
    assert parameters[0] == parameters[1]
    assert inspect.getdoc(getattr(Client, name)) == inspect.getdoc(getattr(AsyncClient, name))


def test_neither_client_has_more_than_the_other() -> None:
    assert sorted(name for name in vars(AsyncClient) if not name.startswith("_")) == PUBLIC


def test_a_document_is_read_heard_of_and_kept(product: Product, account: Account, report: Path, tmp_path: Path) -> None:
    size_bytes = report.stat().st_size

    async def use() -> None:
        async with AsyncClient(product.running.url, account.key) as client:
            told: list[int] = []
            both = asyncio.gather(
                client.run("parse", report, progress=lambda sent, total: told.append(sent)),
                client.run("embed", text="meanwhile"),
            )
            result, other = await both
            assert "apples" in result.text
            assert told[-1] == size_bytes
            assert other.state == "succeeded"
            found = [hit.job async for hit in client.search("apples")]
            assert result.id in found
            heard = [event.type async for event in client.events(result.id)]
            assert (heard[0], heard[-1]) == ("job.queued", "job.succeeded")
            assert result.id in [job.id async for job in client.jobs(state="succeeded")]
            path = await client.download(result.id, tmp_path / "result.json")
            assert json.loads(path.read_text())["job"] == result.id
            with pytest.raises(NotFound):
                await client.job("no-such-job")

    asyncio.run(use())
