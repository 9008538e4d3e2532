"""The server that bench_founding compares with: each request is one run of its file, without cache, batches or
metering.

All models are in memory, and requests are run in the order of arrival, as many at once as the benchmark says.
"""

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor

from tenants.core.asgi.protocol import Receive, Scope, Send, body_chunks
from tests.benchmarks.peers.servers.served import RowModel, TextModel, written

AT_ONCE = int(os.environ.get("FOUNDING_AT_ONCE", "1"))
FILES = json.loads(os.environ.get("FOUNDING_FILES", "{}"))
"""The weights and the tokenizer of each model. The tokenizer is empty if the model takes rows."""

models = {
    f"/{name}": TextModel(weights, tokenizer) if tokenizer else RowModel(weights)
    for name, (weights, tokenizer) in FILES.items()
}
runs = ThreadPoolExecutor(AT_ONCE)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    body = b"".join([chunk async for chunk in body_chunks(receive)])
    model = models.get(scope["path"])
    if model is None:
        # This responds to a check whether the server is up.
        answer = b"%d" % len(body)
    else:
        answer = await asyncio.get_running_loop().run_in_executor(runs, _run, model, body)
    headers = [(b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


def _run(model: TextModel | RowModel, body: bytes) -> bytes:
    given = json.loads(body)["x"]
    vectors = model.answers([given]) if isinstance(model, TextModel) else model.answers([RowModel.read(given)])
    return json.dumps({"y": written(vectors[0])}).encode()


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
