"""Use KServe's published clients, over HTTP and gRPC, with an API key as a header."""

import asyncio
import os
from collections.abc import Awaitable

import grpc
import httpx
import numpy as np
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig
from kserve.inference_client import InferenceGRPCClient
from kserve.protocol.infer_type import RequestedOutput

URL, GRPC = os.environ["MAAS_URL"], os.environ["MAAS_GRPC"]
TEXTS = ["an invoice", "a letter"]


def key() -> dict[str, str]:
    return {"authorization": f"Bearer {os.environ['MAAS_API_KEY']}"}


def request(model: str = "embed", *, as_bytes: bool = False, bytes_back: bool = False) -> InferRequest:
    text = InferInput("text", [len(TEXTS)], "BYTES")
    text.set_data_from_numpy(np.array(TEXTS, object), binary_data=as_bytes)
    wanted = [RequestedOutput("embedding", {"binary_data": True})] if bytes_back else None
    return InferRequest(model_name=model, request_id="7", infer_inputs=[text], request_outputs=wanted)


async def over_http() -> None:
    async with InferenceRESTClient(RESTConfig(protocol="v2", timeout=60)) as client:
        assert await client.is_server_live(URL)
        assert await client.is_server_ready(URL)
        assert await client.is_model_ready(URL, "embed", headers=key())
        assert not await client.is_model_ready(URL, "nothing", headers=key())
        vectors = []
        for asked in (request(), request(as_bytes=True), request(as_bytes=True, bytes_back=True)):
            answer = await client.infer(URL, asked, model_name="embed", headers=key())
            assert (answer.model_name, answer.id) == ("embed", "7")
            vectors.append(answer.outputs[0].as_numpy())
        assert all(one.shape == (2, 384) and np.allclose(one, vectors[0], atol=1e-6) for one in vectors)
        await refused(client.infer(URL, request(), model_name="embed"), 401, "Send your key as")
        await refused(client.infer(URL, request("nothing"), model_name="nothing", headers=key()), 404, "no model")


async def refused(asking: Awaitable[object], status: int, words: str) -> None:
    try:
        await asking
    except httpx.HTTPStatusError as error:
        assert error.response.status_code == status, error
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused with {status}")


async def over_grpc() -> None:
    async with InferenceGRPCClient(GRPC) as client:
        headers = tuple(key().items())
        assert await client.is_server_live()
        assert await client.is_server_ready()
        assert await client.is_model_ready("embed", headers=headers)
        answer = await client.infer(request(as_bytes=True), headers=headers)
        assert answer.outputs[0].as_numpy().shape == (2, 384)
        as_contents = await client.infer(request(), headers=headers)
        assert np.allclose(as_contents.outputs[0].as_numpy(), answer.outputs[0].as_numpy(), atol=1e-6)
        try:
            await client.infer(request())
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED, error
        else:
            raise AssertionError("not refused without a key")


asyncio.run(over_http())
asyncio.run(over_grpc())
