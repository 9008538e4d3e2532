"""Test the published `openai` package, unmodified, with the product and its worker."""

import asyncio
import base64
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import openai
import pytest

from inference.runtime.native import read_tokenizer
from inference.runtime.precision import artifact
from tests.fixtures import unique
from tests.flows.caller import Caller
from tests.flows.product import Account, Product
from tests.inference.registry.builtin.served import builtin_specs
from tests.waiting import eventually

TEXTS = ["Please pay the invoice by the end of May.", "A cat.", "Ünïcödé 漢字 🙂 \0", "word " * 200]


def by_job(caller: Caller, texts: str | Sequence[str]) -> dict[str, Any]:
    """Return what the same model gives for the same texts as a job."""
    job = caller.submit("embed", input=texts)
    caller.ended(job["id"])
    page: dict[str, Any] = caller.get(f"/v1/jobs/{job['id']}/result")["pages"][0]
    return page


def ids_of(*texts: str) -> list[list[int]]:
    tokenizer = read_tokenizer(artifact(builtin_specs()["embed"], "tokenizer"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]


def vectors(answer: openai.types.CreateEmbeddingResponse) -> list[list[float]]:
    return [one.embedding for one in answer.data]


def same(one: Any, other: Any) -> bool:
    """Return whether the values are equal within the precision of float32 and the influence of other rows in a
    batch.
    """
    return np.allclose(one, other, rtol=0, atol=1e-6)


def test_one_text_gives_the_vector_that_a_job_gives(client: openai.OpenAI, caller: Caller) -> None:
    answer = client.embeddings.create(model="embed", input=TEXTS[0])
    expected = by_job(caller, TEXTS[0])
    assert same(vectors(answer), [expected["embedding"]])
    assert answer.usage.prompt_tokens == answer.usage.total_tokens == expected["tokens"]
    assert (answer.object, answer.model, answer.data[0].index) == ("list", "embed@1", 0)


def test_texts_give_the_vectors_that_a_job_gives_in_their_order(client: openai.OpenAI, caller: Caller) -> None:
    texts = [text for text in TEXTS if "\0" not in text] * 3
    answer = client.embeddings.create(model="embed@1", input=texts)
    expected = by_job(caller, texts)
    assert same(vectors(answer), expected["embeddings"])
    assert [one.index for one in answer.data] == list(range(len(texts)))
    assert answer.usage.prompt_tokens == expected["tokens"]


def test_numbers_are_the_same_in_base64_and_as_floats(client: openai.OpenAI) -> None:
    floats = client.embeddings.create(model="embed", input=TEXTS, encoding_format="float")
    asked = client.embeddings.create(model="embed", input=TEXTS, encoding_format="base64")
    raw: list[Any] = vectors(asked)
    assert same([np.frombuffer(base64.b64decode(one), "<f4") for one in raw], vectors(floats))
    assert same(vectors(client.embeddings.create(model="embed", input=TEXTS)), vectors(floats))


@pytest.mark.long
def test_tokens_give_the_vectors_of_their_texts(client: openai.OpenAI) -> None:
    of_texts = client.embeddings.create(model="embed", input=TEXTS)
    of_tokens = client.embeddings.create(model="embed", input=ids_of(*TEXTS))
    assert same(vectors(of_tokens), vectors(of_texts))
    assert of_tokens.usage == of_texts.usage
    one = client.embeddings.create(model="embed", input=ids_of(TEXTS[0])[0])
    assert same(vectors(one), vectors(of_texts)[:1])


@pytest.mark.parametrize("encoding_format", ["float", "base64"])
def test_fewer_dimensions_are_the_first_ones_at_length_one(client: openai.OpenAI, encoding_format: Any) -> None:
    whole = np.array(vectors(client.embeddings.create(model="embed", input=TEXTS)))
    cut = client.embeddings.create(model="embed", input=TEXTS, dimensions=64, encoding_format=encoding_format)
    found: Any = vectors(cut)
    if encoding_format == "base64":
        found = [np.frombuffer(base64.b64decode(one), "<f4") for one in found]
    expected = whole[:, :64] / np.linalg.norm(whole[:, :64], axis=1, keepdims=True)
    assert same(found, expected)


@pytest.mark.long
def test_as_many_texts_as_openai_takes_are_taken(client: openai.OpenAI) -> None:
    texts = [f"text number {number}" for number in range(2048)]
    answer = client.embeddings.create(model="embed", input=texts, timeout=120)
    assert len(answer.data) == 2048
    lengths = np.linalg.norm(vectors(answer), axis=1)
    assert np.allclose(lengths, 1.0, atol=1e-5)
    some = client.embeddings.create(model="embed", input=[texts[0], texts[2047]])
    assert np.allclose([answer.data[0].embedding, answer.data[2047].embedding], vectors(some), atol=1e-5)


def test_asynchronous_callers_at_once_each_get_their_own(product: Product, account: Account) -> None:
    async def ask() -> list[openai.types.CreateEmbeddingResponse]:
        base_url = f"{product.running.url}/v1"
        async with openai.AsyncOpenAI(base_url=base_url, api_key=account.key, max_retries=0) as client:
            texts = [f"caller {number} says so" for number in range(40)]
            calls = [client.embeddings.create(model="embed", input=text) for text in [*texts, *texts]]
            return list(await asyncio.gather(*calls))

    found = np.array([vectors(answer)[0] for answer in asyncio.run(ask())])
    nearest = (found[:40] @ found[40:].T).argmax(axis=1)
    assert nearest.tolist() == list(range(40))
    assert np.allclose(found[:40], found[40:], atol=1e-5)


def test_answer_says_where_its_time_went(client: openai.OpenAI) -> None:
    answer = client.embeddings.with_raw_response.create(model="embed", input="a")
    said = answer.headers["server-timing"]
    took_ms = {name: float(ms) for name, ms in re.findall(r"(\w+);dur=([\d.]+)", said)}
    assert list(took_ms) == ["queue", "load", "batch", "infer", "post", "total"]
    assert took_ms["infer"] > 0
    assert sum(took_ms.values()) - took_ms["total"] == pytest.approx(took_ms["total"], abs=0.1)
    assert answer.headers["x-request-id"]


def test_usage_is_what_is_metered(client: openai.OpenAI, product: Product, account: Account) -> None:
    tenant = product.create_account(unique("Metered"))
    with client.with_options(api_key=tenant.key) as own:
        said = [own.embeddings.create(model="embed", input=one).usage.total_tokens for one in ("a", TEXTS)]

    def metered() -> list[tuple[int]]:
        rows = product.rows(
            "SELECT quantity FROM tenants_usagerecord WHERE tenant_id = %s ORDER BY quantity",
            tenant.tenant_id,
        )
        return rows if len(rows) == len(said) else []

    assert [quantity for (quantity,) in eventually(metered, "two uses", 30)] == sorted(said)


def test_models_are_listed_and_found(client: openai.OpenAI) -> None:
    listed = client.models.list()
    assert {"embed", "ocr", "parse"} <= {model.id for model in listed.data}
    found = client.models.retrieve("embed")
    assert (found.id, found.object, found.owned_by) == ("embed", "model", "maas")
    assert found.created > 1_700_000_000
