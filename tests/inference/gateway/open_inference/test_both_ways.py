"""Send generated requests down the fast way and down the general way, and compare what comes back and is charged."""

import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from inference.cache.worth import ENOUGH
from tests.fixtures import unique
from tests.flows.product import Account, Product
from tests.inference.runtime.graphs import save_patient
from tests.waiting import eventually

REQUESTS = 1500
EMBEDDINGS = 400
PATIENT_TURNS = 600_000
"""The length of a run that lasts longer than a client waits, on any machine."""
GENERAL = {"Prefer": "general"}
"""A header with which a request is served in the general way, and which means nothing to it."""
OF_ONE_CALL = {
    "age",
    "content-length",
    "date",
    "ratelimit",
    "server-timing",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-reset-requests",
    "x-request-id",
}
"""The headers whose values differ from call to call."""
Json = dict[str, Any]


@dataclass
class Sent:
    path: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


class Generator:
    """Makes requests from a seed: most of them right, and the others wrong in one place."""

    def __init__(self, seed: int, adder: str, mirror: str) -> None:
        self._chance = random.Random(seed)
        self._adder = adder
        self._mirror = mirror

    def one(self) -> Sent:
        chance = self._chance
        model, width = (self._adder, 4) if chance.random() < 0.8 else (self._adder, 2)
        path = f"/v2/models/{model}/infer"
        if width == 2:
            path = f"/v2/models/{model}/versions/2/infer"
        rows = chance.choice((1, 1, 1, 2, 5))
        values = [chance.choice((0, 1, -3, 0.5, 1e-7, 3.25, 1e30, 12345678901)) for _ in range(rows * width)]
        tensor: Json = {"name": "x", "shape": [rows, width], "datatype": "FP32"}
        said: Json = {"inputs": [tensor]}
        if chance.random() < 0.3:
            said["id"] = chance.choice(("mine", "ä", 'with "quotes"', ""))
        if chance.random() < 0.3:
            said["outputs"] = [{"name": "y"}]
            if chance.random() < 0.5:
                said["outputs"][0]["parameters"] = {"binary_data": chance.random() < 0.5}
        if chance.random() < 0.3:
            said["parameters"] = {"binary_data_output": chance.random() < 0.5}
        binary = b""
        if chance.random() < 0.5:
            binary = np.array(values, "<f4").tobytes()
            tensor["parameters"] = {"binary_data_size": len(binary)}
        else:
            tensor["data"] = values
        if chance.random() < 0.35:
            self._spoil(said, tensor, path)
        return self._written(path, said, binary)

    def _spoil(self, said: Json, tensor: Json, path: str) -> None:
        chance = self._chance
        spoilers: tuple[Callable[[], object], ...] = (
            lambda: tensor.update(name="z"),
            lambda: tensor.update(datatype=chance.choice(("FP64", "INT32", "BYTES", "BOOL", "X", 3))),
            lambda: tensor.update(shape=chance.choice(([4], [1, 3], [-1, 4], [1.0, 4], "4", [2, 2, 2], [True, 4], []))),
            lambda: tensor.update(
                data=chance.choice(([1, 2], [[1, 2, 3, 4]], ["a"] * 4, [None] * 4, [True] * 4, 5, []))
            ),
            lambda: tensor.update(parameters={"binary_data_size": chance.choice((0, 15, -1, "16", True, 10**20))}),
            lambda: tensor.update(parameters={"shared_memory_region": "here"}),
            lambda: tensor.update(more=1),
            lambda: said.update(id=chance.choice((7, None, "x" * 201))),
            lambda: said.update(outputs=chance.choice(([], [{"name": "w"}], [{"name": "y"}, {"name": "y"}], None, 3))),
            lambda: said.update(
                parameters=chance.choice(({"timeout": 10**7}, {"sequence_id": 4}, {"odd": 1}, None, []))
            ),
            lambda: said.update(inputs=[tensor, tensor]),
            lambda: said.pop("inputs"),
            lambda: said.update(surprise={"a": [1]}),
        )
        chance.choice(spoilers)()

    def _written(self, path: str, said: Json, binary: bytes) -> Sent:
        chance = self._chance
        text = json.dumps(said, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, None, 1))).encode()
        sent = Sent(path, text + binary)
        if binary or chance.random() < 0.1:
            sent.headers["Inference-Header-Content-Length"] = str(len(text))
        odd = chance.random()
        if odd < 0.02:
            sent.body = text.replace(b'"shape"', b'"name": "x", "shape"') + binary
            sent.headers.pop("Inference-Header-Content-Length", None)
        elif odd < 0.04:
            sent.body = b"\xef\xbb\xbf" + sent.body
        elif odd < 0.06:
            sent.body = sent.body[: chance.randrange(len(sent.body))]
        elif odd < 0.08:
            place = chance.randrange(len(sent.body))
            sent.body = sent.body[:place] + bytes([chance.randrange(256)]) + sent.body[place + 1 :]
        elif odd < 0.10:
            sent.headers["Inference-Header-Content-Length"] = chance.choice(("0", "x", "99999", "-1", "+5"))
        elif odd < 0.12:
            sent.path = chance.choice(
                ("/v2/models/nobody/infer", f"{path}/", path.replace("infer", "versions/9/infer"))
            )
        elif odd < 0.16:
            sent.headers["Accept-Encoding"] = chance.choice(("gzip", "deflate", "gzip, deflate", "br", "gzip;q=0"))
        elif odd < 0.17:
            sent.body += b"more"
        return sent


class EmbeddingGenerator:
    """Makes requests for embeddings from a seed: most of them right, and the others wrong in one place."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def one(self) -> Sent:
        chance = self._chance
        said: Json = {"model": "embed", "input": self._input()}
        if chance.random() < 0.3:
            said["encoding_format"] = chance.choice(("float", "base64", None))
        if chance.random() < 0.2:
            said["dimensions"] = chance.choice((1, 16, 384, None))
        if chance.random() < 0.2:
            said["user"] = chance.choice(("somebody", "", None))
        if chance.random() < 0.3:
            self._spoil(said)
        text = json.dumps(said, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, None, 1))).encode()
        sent, odd = Sent("/v1/embeddings", text), chance.random()
        if odd < 0.02:
            sent.body = text.replace(b'"input"', b'"model": "embed", "input"')
        elif odd < 0.04:
            sent.body = b"\xef\xbb\xbf" + text
        elif odd < 0.08:
            sent.body = text[: chance.randrange(len(text))]
        elif odd < 0.10:
            sent.headers["Accept-Encoding"] = chance.choice(("gzip", "deflate", "gzip, deflate", "br"))
        return sent

    def _input(self) -> object:
        chance = self._chance
        texts = ("an invoice", "ein Brief über Käse", 'a "quoted"\nline', "\u6f22\u5b57", " x ", "\U0001f600")
        rows = ([101, 2023, 102], [2023], [2023, 2003, 1037])
        kind = chance.random()
        if kind < 0.5:
            return chance.choice(texts)
        if kind < 0.8:
            return [chance.choice(texts) for _ in range(chance.randint(1, 5))]
        return chance.choice((rows[0], [chance.choice(rows) for _ in range(chance.randint(1, 3))]))

    def _spoil(self, said: Json) -> None:
        chance = self._chance
        odd_inputs: tuple[Any, ...] = (
            "",
            "  ",
            [],
            ["a", ""],
            ["a", 1],
            [1, "a"],
            [[]],
            [-1],
            [10**9],
            5,
            None,
            {},
            "long " * 600,
            [[1.5]],
        )
        spoilers: tuple[Callable[[], object], ...] = (
            lambda: said.update(input=chance.choice(odd_inputs)),
            lambda: said.update(model=chance.choice(("nobody", "ocr", "", None, 7, "embed@1", "embed@9"))),
            lambda: said.update(dimensions=chance.choice((0, -1, 385, 10**9, "16", 1.5, True))),
            lambda: said.update(encoding_format=chance.choice(("hex", 1, ""))),
            lambda: said.update(user=chance.choice((1, []))),
            lambda: said.update(more=1),
            lambda: said.pop(chance.choice(("model", "input"))),
        )
        chance.choice(spoilers)()


@pytest.fixture(scope="module")
def patient(add_model: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return add_model(save_patient(tmp_path_factory.mktemp("patient") / "patient.onnx", turns=PATIENT_TURNS))


@pytest.fixture(scope="module")
def accounts(product: Product) -> tuple[Account, Account]:
    return product.create_account("Fast"), product.create_account("General")


@pytest.fixture
def clients(product: Product, accounts: tuple[Account, Account]) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    fast, general = (
        httpx.Client(
            base_url=product.running.url,
            headers={"Authorization": f"Bearer {account.key}", "Cache-Control": "no-store", **more},
            timeout=60,
            trust_env=False,
        )
        for account, more in zip(accounts, ({}, GENERAL), strict=True)
    )
    with fast, general:
        yield fast, general


def test_both_ways_answer_alike_and_charge_alike(
    product: Product, clients: tuple[httpx.Client, httpx.Client], adder: str, mirror: str
) -> None:
    fast, general = clients
    before = _sample(product, "maas_fast_calls_total")
    generator, embeddings = Generator(20261127, adder, mirror), EmbeddingGenerator(20261128)
    requests = [generator.one() for _ in range(REQUESTS)] + [embeddings.one() for _ in range(EMBEDDINGS)]
    with ThreadPoolExecutor(8) as threads:
        given = list(threads.map(lambda sent: _sent(fast, sent), requests))
        expected = list(threads.map(lambda sent: _sent(general, sent), requests))
    pairs = zip(requests, given, expected, strict=True)
    differ = [(sent, _whole(got), _whole(wanted)) for sent, got, wanted in pairs if _whole(got) != _whole(wanted)]
    assert not differ, differ[:3]
    statuses = [answer.status_code for answer in given]
    assert statuses[:REQUESTS].count(200) > REQUESTS // 2
    assert statuses[REQUESTS:].count(200) > EMBEDDINGS // 2
    assert len(set(statuses)) > 2
    rows = statuses[:REQUESTS].count(200)
    for client in clients:
        eventually(partial(_charged, client, rows), "a charge for every call", 10)
    eventually(lambda: _totals(fast) == _totals(general), "the same charges", 10)
    assert _totals(fast)["token"] > EMBEDDINGS
    assert _sample(product, "maas_fast_calls_total") - before > (REQUESTS + EMBEDDINGS) // 3


def test_a_request_that_is_sent_again_is_a_hit_in_both_ways(
    clients: tuple[httpx.Client, httpx.Client], adder: str
) -> None:
    sent = _rows(adder, [[1, 2, 3, 4]], id="again")
    embed = Sent("/v1/embeddings", json.dumps({"model": "embed", "input": unique("a text")}).encode())
    fast, general = clients
    for request in (sent, embed):
        for client in (fast, general):
            del client.headers["Cache-Control"]
            assert _sent(client, request).headers["x-cache"] == "MISS"
        fast_hit, general_hit = _sent(fast, request), _sent(general, request)
        assert fast_hit.headers["x-cache"] == "HIT"
        assert _whole(fast_hit) == _whole(general_hit)
        for client in (fast, general):
            client.headers["Cache-Control"] = "no-store"


def test_a_client_that_disconnects_is_noticed_in_both_ways(
    product: Product, clients: tuple[httpx.Client, httpx.Client], patient: str
) -> None:
    sent = _rows(patient, [[1.0] * 8])
    for client in clients:
        assert _sent(client, sent).status_code == 200  # The model is loaded.
        before = _disconnected(product)
        with pytest.raises(httpx.ReadTimeout):
            client.post(sent.path, content=sent.body, timeout=0.2)
        eventually(partial(_is_disconnected, product, before + 1), "the end of the call", 10)


def test_a_body_that_is_too_large_is_refused_alike(
    product: Product, clients: tuple[httpx.Client, httpx.Client], adder: str
) -> None:
    fast, general = clients
    large = Sent(f"/v2/models/{adder}/infer", b" " * (33 << 20))
    assert _whole(_sent(fast, large)) == _whole(_sent(general, large))


def test_a_text_that_occurs_twice_runs_once_in_both_ways(clients: tuple[httpx.Client, httpx.Client]) -> None:
    word = unique("twice")
    for client in clients:
        del client.headers["Cache-Control"]
        # So many calls without a repeat that no text is looked for in the cache any more.
        for number in range(ENOUGH + 20):
            _sent(client, Sent("/v1/embeddings", json.dumps({"model": "embed", "input": f"{word} {number}"}).encode()))
    repeated = Sent("/v1/embeddings", json.dumps({"model": "embed", "input": [word, word, word]}).encode())
    answers = [_sent(client, repeated) for client in clients]
    assert [answer.headers["x-cache-known"] for answer in answers] == ["2/3", "2/3"]
    assert _whole(answers[0]) == _whole(answers[1])
    for client in clients:
        client.headers["Cache-Control"] = "no-store"


def _rows(model: str, rows: list[list[float]], **more: object) -> Sent:
    flat = [value for row in rows for value in row]
    tensor = {"name": "x", "shape": [len(rows), len(rows[0])], "datatype": "FP32", "data": flat}
    return Sent(f"/v2/models/{model}/infer", json.dumps({"inputs": [tensor], **more}).encode())


def _sent(client: httpx.Client, sent: Sent) -> httpx.Response:
    return client.post(sent.path, content=sent.body, headers={"Content-Type": "application/json", **sent.headers})


def _whole(answer: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    body = answer.content.replace(answer.headers["x-request-id"].encode(), b"its name")
    headers = {name: "" if name in OF_ONE_CALL else value for name, value in answer.headers.items()}
    return answer.status_code, body, headers


def _charged(client: httpx.Client, count: int) -> bool:
    """Return whether so many calls have been charged by the call."""
    return _totals(client).get("call") == count


def _totals(client: httpx.Client) -> Json:
    totals = client.get("/v1/usage").json()["totals"]
    return totals[0]["quantities"] if totals else {}


def _disconnected(product: Product) -> float:
    return _sample(product, "maas_request_seconds_count", "open_inference", "disconnected")


def _is_disconnected(product: Product, count: float) -> bool:
    return _disconnected(product) == count


def _sample(product: Product, name: str, *labels: str) -> float:
    families = text_string_to_metric_families(httpx.get(f"{product.running.url}/metrics").text)
    samples = [sample for family in families for sample in family.samples]
    return sum(one.value for one in samples if one.name == name and set(labels) <= set(one.labels.values()))
