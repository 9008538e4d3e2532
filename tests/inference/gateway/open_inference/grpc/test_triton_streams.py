"""Test streams of the published client, with threads and with coroutines."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from queue import Queue
from typing import Any

import numpy as np
import pytest
import tritonclient.grpc as triton
import tritonclient.grpc.aio as triton_aio
from tritonclient.utils import InferenceServerException

from tests.flows.product import Account, Product
from tests.inference.gateway.open_inference.asking import rows, texts
from tests.inference.gateway.open_inference.grpc.asking import given
from tests.inference.gateway.open_inference.grpc.conftest import WithKey
from tests.waiting import eventually

Work = Callable[[triton_aio.InferenceServerClient], Awaitable[None]]
Run = Callable[[Work], None]
TIMEOUT_S = 60


@pytest.fixture
def run(grpc_address: str, account: Account) -> Run:
    async def with_client(work: Work) -> None:
        async with triton_aio.InferenceServerClient(grpc_address) as client:
            client.register_plugin(WithKey(account.key))
            await work(client)

    return lambda work: asyncio.run(with_client(work))


def test_answers_come_in_the_order_of_the_messages_and_a_refusal_ends_nothing(
    over_grpc: triton.InferenceServerClient, adder: str
) -> None:
    got: Queue[tuple[Any, Any]] = Queue()
    over_grpc.start_stream(lambda result, error: got.put((result, error)))
    for number in range(30):
        model = "nothing" if number == 7 else adder
        sent = rows(1 + 2000 * (number % 3 == 0)) * number
        over_grpc.async_stream_infer(model, [given("x", sent)], request_id=str(number))
    for number in range(30):
        result, error = got.get(timeout=TIMEOUT_S)
        if number == 7:
            assert "There is no model 'nothing'" in str(error)
            continue
        assert (error, result.get_response().id) == (None, str(number))
        np.testing.assert_array_equal(result.as_numpy("y")[0], rows(1)[0] * number + 1)
    over_grpc.stop_stream()


def test_a_stream_without_a_key_is_refused(nobody: triton.InferenceServerClient) -> None:
    got: Queue[tuple[Any, Any]] = Queue()
    nobody.start_stream(lambda result, error: got.put((result, error)))
    with suppress(InferenceServerException):  # where the refusal is there before the message
        nobody.async_stream_infer("embed", [given("text", texts("a"))])
    _, error = got.get(timeout=TIMEOUT_S)
    assert "Send your key" in str(error)
    nobody.stop_stream()


def test_a_key_that_is_revoked_ends_a_stream_of_work(grpc_address: str, product: Product, adder: str) -> None:
    own = product.create_account("Revoked")
    got: Queue[tuple[Any, Any]] = Queue()
    with triton.InferenceServerClient(grpc_address) as client:
        client.register_plugin(WithKey(own.key))
        client.start_stream(lambda result, error: got.put((result, error)))

        def refused() -> str:
            # The whole stream ends with the key. It may have ended by now, and then that is the result.
            with suppress(InferenceServerException):
                client.async_stream_infer(adder, [given("x", rows())])
            return str(got.get(timeout=TIMEOUT_S)[1] or "")

        assert not refused()
        with product.start_revoking_keys(own):
            pass
        assert "revoked" in eventually(refused, "the refusal of a revoked key")
        client.stop_stream()


def test_two_hundred_callers_each_get_their_own_answer(run: Run, adder: str) -> None:
    async def work(client: triton_aio.InferenceServerClient) -> None:
        async def ask(number: int) -> None:
            sent = rows(number % 5 + 1) * number
            answer = await client.infer(adder, [given("x", sent)], request_id=str(number))
            np.testing.assert_array_equal(answer.as_numpy("y"), sent + 1)
            assert answer.get_response().id == str(number)

        await asyncio.gather(*map(ask, range(200)))

    run(work)


def test_coroutines_are_told_of_server_and_models(run: Run, adder: str) -> None:
    async def work(client: triton_aio.InferenceServerClient) -> None:
        assert await client.is_server_live()
        assert await client.is_server_ready()
        assert await client.is_model_ready(adder)
        assert (await client.get_model_metadata(adder)).versions == ["1", "2"]
        with pytest.raises(InferenceServerException, match="expected the tensors") as refused:
            await client.infer(adder, [given("z", rows())])
        assert refused.value.status() == "StatusCode.INVALID_ARGUMENT"

    run(work)


def test_coroutines_stream(run: Run, adder: str) -> None:
    async def work(client: triton_aio.InferenceServerClient) -> None:
        async def asked() -> AsyncIterator[dict[str, Any]]:
            for number in range(20):
                yield {
                    "model_name": adder,
                    "inputs": [given("x", rows() * number)],
                    "request_id": str(number),
                }

        numbers = []
        async for result, error in client.stream_infer(asked()):
            assert error is None
            number = int(result.get_response().id)
            np.testing.assert_array_equal(result.as_numpy("y"), rows() * number + 1)
            numbers.append(number)
        assert numbers == list(range(20))

    run(work)
