"""Test the asyncio version of the published client, whose HTTP library asks for compression and decompresses
by itself.
"""

import asyncio
from collections.abc import Awaitable, Callable

import numpy as np
import pytest
from tritonclient.http.aio import InferenceServerClient
from tritonclient.utils import InferenceServerException

from tests.flows.product import Account
from tests.inference.gateway.open_inference.asking import WithKey, given, rows, texts

Work = Callable[[InferenceServerClient], Awaitable[None]]
Run = Callable[[Work], None]


@pytest.fixture
def run(address: str, account: Account) -> Run:
    async def with_client(work: Work) -> None:
        async with InferenceServerClient(address) as client:
            client.register_plugin(WithKey(account.key))
            await work(client)

    return lambda work: asyncio.run(with_client(work))


def test_the_server_and_its_models_describe_themselves(run: Run, adder: str) -> None:
    async def work(client: InferenceServerClient) -> None:
        assert await client.is_server_live()
        assert await client.is_server_ready()
        assert (await client.get_server_metadata())["name"] == "maas"
        assert await client.is_model_ready(adder)
        assert (await client.get_model_metadata(adder))["versions"] == ["1", "2"]
        assert (await client.get_model_config(adder))["max_batch_size"] == 0
        index = await client.get_model_repository_index()
        assert {"embed", "ocr", "parse", adder} <= {one["name"] for one in index}

    run(work)


def test_many_callers_each_get_their_own_answer(run: Run, adder: str) -> None:
    async def work(client: InferenceServerClient) -> None:
        async def ask(number: int) -> None:
            sent = rows(number + 1) * number
            answer = await client.infer(
                adder,
                [given("x", sent, binary=number % 2 == 0)],
                request_id=str(number),
            )
            np.testing.assert_array_equal(answer.as_numpy("y"), sent + 1)
            assert answer.get_response()["id"] == str(number)

        await asyncio.gather(*map(ask, range(20)))

    run(work)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_bodies_travel_compressed_where_the_client_wants_it(run: Run, adder: str, encoding: str) -> None:
    async def work(client: InferenceServerClient) -> None:
        answer = await client.infer(
            adder,
            [given("x", rows(500))],
            request_compression_algorithm=encoding,
            response_compression_algorithm=encoding,
        )
        np.testing.assert_array_equal(answer.as_numpy("y"), rows(500) + 1)

    run(work)


def test_texts_become_embeddings_and_refusals_are_said(run: Run) -> None:
    async def work(client: InferenceServerClient) -> None:
        answer = await client.infer("embed", [given("text", texts("one", "two"))])
        assert answer.as_numpy("embedding").shape == (2, 384)
        with pytest.raises(InferenceServerException, match="'texts'") as refused:
            await client.infer("embed", [given("texts", texts("one"))])
        assert refused.value.status() == "400"

    run(work)
