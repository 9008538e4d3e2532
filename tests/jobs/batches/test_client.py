"""Tests of the published `openai` package, unmodified, against the product with its worker."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import openai
import pytest
from openai.types import Batch

from tests.flows.product import Product
from tests.waiting import eventually

from .batching import begin, custom_ids, embedding, ended, jsonl, line, results, send


def test_every_line_is_answered_as_the_call_itself_is_in_the_order_of_lines(client: openai.OpenAI) -> None:
    lines = [embedding(f"n{number}", f"text number {number}") for number in range(60)]
    batch = begin(client, jsonl(lines), metadata={"for": "the test"})
    assert (batch.object, batch.endpoint, batch.status) == ("batch", "/v1/embeddings", "validating")
    assert batch.metadata == {"for": "the test"}
    batch = ended(client, batch)
    assert batch.status == "completed"
    assert batch.request_counts is not None
    assert batch.request_counts.model_dump() == {"total": 60, "completed": 60, "failed": 0}
    assert batch.error_file_id is None
    assert batch.model == "embed@1"
    answers = results(client, batch.output_file_id)
    assert custom_ids(answers) == [f"n{number}" for number in range(60)]
    assert len({answer["id"] for answer in answers}) == 60
    body = answers[7]["response"]["body"]
    call = client.embeddings.create(model="embed", input="text number 7", encoding_format="float")
    assert body["usage"] == call.usage.model_dump(exclude_none=True)
    assert np.allclose(body["data"][0]["embedding"], call.data[0].embedding, atol=1e-5)
    assert {*body} == {"object", "data", "model", "usage"}
    assert batch.usage is not None
    assert batch.usage.total_tokens == sum(answer["response"]["body"]["usage"]["total_tokens"] for answer in answers)


def test_a_line_that_fails_fails_alone_with_what_the_call_says(client: openai.OpenAI) -> None:
    lines = [
        embedding("good", "a"),
        embedding("bad", 17),
        embedding("dims", "b", dimensions=100_000),
        embedding("odd", "c", user=3),
        embedding("fine", ["d", "e"]),
    ]
    batch = ended(client, begin(client, jsonl(lines)))
    assert batch.status == "completed"
    assert batch.request_counts is not None
    assert (batch.request_counts.completed, batch.request_counts.failed) == (2, 3)
    assert custom_ids(results(client, batch.output_file_id)) == ["good", "fine"]
    failed = results(client, batch.error_file_id)
    assert custom_ids(failed) == ["bad", "dims", "odd"]
    with pytest.raises(openai.BadRequestError) as refusal:
        client.embeddings.create(model="embed", input=17)  # type: ignore[arg-type]  # the point of it
    said: Any = refusal.value.response.json()["error"]
    told = failed[0]["response"]["body"]["error"]
    assert failed[0]["response"]["status_code"] == 400
    assert failed[0]["error"] is None
    assert {**told, "request_id": ""} == {**said, "request_id": ""}


def test_any_model_is_asked_through_the_open_inference_protocol(client: openai.OpenAI) -> None:
    url = "/v2/models/embed/infer"
    tensor = {"name": "text", "shape": [1], "datatype": "BYTES", "data": ["hello"]}
    answer = client.post("/../v2/models/embed/infer", body={"inputs": [tensor]}, cast_to=object)
    lines = [
        line("one", {"inputs": [tensor], "id": "mine"}, url),
        line("bytes", {"inputs": [tensor], "parameters": {"binary_data_output": True}}, url),
        line("none", {"inputs": []}, url),
    ]
    batch = ended(client, begin(client, jsonl(lines), url))
    assert batch.status == "completed", batch.errors
    (got,) = results(client, batch.output_file_id)
    expected: Any = answer
    assert got["response"]["body"]["id"] == "mine"
    assert np.allclose(got["response"]["body"]["outputs"][0]["data"], expected["outputs"][0]["data"], atol=1e-5)
    failed = results(client, batch.error_file_id)
    assert custom_ids(failed) == ["bytes", "none"]
    assert {type(one["response"]["body"]["error"]) for one in failed} == {str}


def test_each_line_is_charged_once_for_what_it_used(product: Product) -> None:
    tenant = product.create_account("Charged")
    with openai.OpenAI(base_url=f"{product.running.url}/v1", api_key=tenant.key) as client:
        batch = ended(client, begin(client, jsonl(embedding(f"{number}", "some words") for number in range(30))))
        answers = results(client, batch.output_file_id)
    uses = product.rows(
        "SELECT quantity, amount_micros, source_kind FROM tenants_usagerecord WHERE tenant_id = %s",
        tenant.tenant_id,
    )
    assert [used for used, _, _ in uses] == [answer["response"]["body"]["usage"]["total_tokens"] for answer in answers]
    assert {kind for _, _, kind in uses} == {"batch_line"}
    (row,) = product.rows("SELECT cost_micros FROM jobs_batch WHERE tenant_id = %s", tenant.tenant_id)
    assert row == (sum(charge for _, charge, _ in uses),)


def test_a_line_that_was_answered_before_runs_no_model_and_costs_what_hits_cost(product: Product) -> None:
    tenant = product.create_account("Known")
    lines = jsonl(embedding(f"{number}", f"some words {number}") for number in range(5))
    with openai.OpenAI(base_url=f"{product.running.url}/v1", api_key=tenant.key) as client:
        first, second = (ended(client, begin(client, lines)) for _ in range(2))
        assert results_of(client, first) == results_of(client, second)
    assert first.usage == second.usage
    costs = product.rows(
        "SELECT batch.id, count(*), sum((used.price->>'amount_micros')::bigint) FROM tenants_usagerecord used"
        " JOIN jobs_batch batch ON batch.tenant_id = used.tenant_id AND used.created_at >= batch.created_at"
        " AND (batch.finished_at IS NULL OR used.created_at <= batch.finished_at)"
        " WHERE used.tenant_id = %s GROUP BY batch.id ORDER BY batch.id",
        tenant.tenant_id,
    )
    ((price, price_of_hits),) = product.rows(
        "SELECT price_micros, coalesce(cached_price_micros, price_micros) FROM inference_servedmodel"
        " WHERE name = 'embed'"
    )
    assert price_of_hits < price
    assert [(lines, paid) for _, lines, paid in costs] == [(5, 5 * price), (5, 5 * price_of_hits)]


def results_of(client: openai.OpenAI, batch: Batch) -> list[object]:
    return [answer["response"]["body"] for answer in results(client, batch.output_file_id)]


def test_a_file_with_faults_fails_with_each_ones_line(client: openai.OpenAI) -> None:
    content = b"\n".join(
        [
            b"\xef\xbb\xbf" + json.dumps(embedding("a", "a")).encode() + b"\r",
            b"",
            b"{not json",
            json.dumps(embedding("a", "twice")).encode(),
            json.dumps(line("c", {"model": "embed", "input": "c"}, "/v1/jobs")).encode(),
            json.dumps({**embedding("d", "d"), "method": "GET"}).encode(),
            json.dumps(line("e", {"model": "parse", "input": "e"})).encode(),
            b'{"custom_id": "f\xff"}',
            json.dumps({"custom_id": "g"}).encode(),
            b"[1]",
            json.dumps(line("h", [])).encode(),
        ]
    )
    batch = ended(client, begin(client, content))
    assert batch.status == "failed"
    assert batch.failed_at
    assert batch.errors is not None
    assert batch.errors.data is not None
    assert [(fault.line, fault.code, fault.param) for fault in batch.errors.data] == [
        (3, "invalid_json_line", None),
        (4, "duplicate_custom_id", "custom_id"),
        (5, "invalid_url", "url"),
        (6, "invalid_method", "method"),
        (7, "mismatched_model", "body.model"),
        (8, "invalid_json_line", None),
        (9, "missing_required_parameter", "method"),
        (10, "invalid_json_line", None),
        (11, "invalid_type", "body"),
    ]
    assert (batch.output_file_id, batch.error_file_id) == (None, None)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"\n\r\n \n", "empty_file"),
        (jsonl([line("a", {"model": "nowhere", "input": "a"})]), "model_not_found"),
        (jsonl([line("a", {"model": "ocr", "input": "a"})]), "model_type_mismatch"),
    ],
)
def test_a_file_that_no_line_of_can_be_run_fails(client: openai.OpenAI, content: bytes, code: str) -> None:
    batch = ended(client, begin(client, content))
    assert batch.status == "failed"
    assert batch.errors is not None
    assert batch.errors.data is not None
    assert [fault.code for fault in batch.errors.data] == [code]


def stored_as(product: Product, file_id: str) -> list[Path]:
    named = UUID(hex=file_id.removeprefix("file-"))
    return [path for path in product.files_under("files") if str(named) in path.parts]


def test_files_are_kept_listed_and_erased(client: openai.OpenAI, product: Product) -> None:
    content = jsonl([embedding("a", "a")])
    kept = client.files.create(
        file=("mine.jsonl", content), purpose="batch", expires_after={"anchor": "created_at", "seconds": 3600}
    )
    assert (kept.bytes, kept.filename, kept.purpose) == (len(content), "mine.jsonl", "batch")
    assert kept.status == "processed"
    assert kept.expires_at == kept.created_at + 3600
    again = send(client, content)
    assert again.id != kept.id
    assert client.files.retrieve(kept.id) == kept
    assert client.files.content(kept.id).read() == content
    assert [one.id for one in client.files.list(limit=1).data] == [again.id]
    assert [one.id for one in client.files.list(limit=1)][:2] == [again.id, kept.id]
    assert [one.id for one in client.files.list(order="asc", after=kept.id, limit=1).data] == [again.id]
    assert client.files.list(purpose="nothing").data == []
    assert stored_as(product, kept.id)
    gone = client.files.delete(kept.id)
    assert (gone.id, gone.deleted) == (kept.id, True)
    eventually(lambda: not stored_as(product, kept.id), "the end of its bytes")
    for ask in (client.files.retrieve, client.files.content, client.files.delete):
        with pytest.raises(openai.NotFoundError):
            ask(kept.id)


def test_batches_are_listed_newest_first(client: openai.OpenAI) -> None:
    content = jsonl([embedding("a", "a")])
    first, second = begin(client, content), begin(client, content)
    listed = client.batches.list(limit=1)
    assert [one.id for one in listed.data] == [second.id]
    assert [one.id for one in listed][:2] == [second.id, first.id]
    assert ended(client, first).status == ended(client, second).status == "completed"


def test_a_file_that_a_batch_reads_cannot_be_deleted_until_it_ends(client: openai.OpenAI) -> None:
    batch = begin(client, jsonl(embedding(f"{number}", "words " * 50) for number in range(150)))
    with pytest.raises(openai.BadRequestError) as refusal:
        client.files.delete(batch.input_file_id)
    assert refusal.value.code == "file_in_use"
    assert ended(client, batch).status == "completed"
    assert client.files.delete(batch.input_file_id).deleted


def test_a_cancelled_batch_keeps_what_was_done_and_says_of_the_rest_that_it_was_not_run(
    client: openai.OpenAI,
) -> None:
    count = 600
    lines = [embedding(f"{number}", f"{number} " + "words " * 40) for number in range(count)]
    batch = begin(client, jsonl(lines))

    def some_done() -> bool:
        counts = client.batches.retrieve(batch.id).request_counts
        return counts is not None and counts.completed > 0

    eventually(some_done, "some lines", 120)
    cancelled = client.batches.cancel(batch.id)
    assert cancelled.status == "cancelling"
    assert cancelled.cancelling_at
    over = ended(client, batch)
    assert over.status == "cancelled"
    assert over.cancelled_at
    counts = over.request_counts
    assert counts is not None
    done, rest = results(client, over.output_file_id), results(client, over.error_file_id)
    assert 0 < len(done) == counts.completed < count
    assert counts.failed == 0
    assert len(done) + len(rest) == count
    assert {one["error"]["code"] for one in rest} == {"batch_cancelled"}
    assert sorted(custom_ids(done) + custom_ids(rest), key=int) == [f"{number}" for number in range(count)]
    assert custom_ids(done) == sorted(custom_ids(done), key=int)
    assert client.batches.cancel(batch.id).status == "cancelled"


def test_a_batch_that_has_ended_cannot_be_cancelled(client: openai.OpenAI) -> None:
    batch = ended(client, begin(client, jsonl([embedding("a", "a")])))
    with pytest.raises(openai.BadRequestError) as refusal:
        client.batches.cancel(batch.id)
    assert refusal.value.code == "batch_finished"


def test_refusals_are_openais(client: openai.OpenAI) -> None:
    content = jsonl([embedding("a", "a")])
    with pytest.raises(openai.BadRequestError, match="is not one of") as refusal:
        client.files.create(file=("a.jsonl", content), purpose="fine-tune")
    assert (refusal.value.param, refusal.value.type) == ("purpose", "invalid_request_error")
    with pytest.raises(openai.BadRequestError) as refusal:
        client.batches.create(input_file_id="file-1", endpoint="/v1/responses", completion_window="24h")
    assert refusal.value.param == "endpoint"
    given = send(client, content)
    later: Any = "48h"
    for more, param in (
        ({"completion_window": later}, "completion_window"),
        ({"metadata": {str(number): "" for number in range(17)}}, "metadata"),
        ({"metadata": {"a": "b" * 513}}, "metadata.a"),
        ({"extra_body": {"best": 1}}, "best"),
        ({"output_expires_after": {"anchor": "created_at", "seconds": 1}}, "output_expires_after.seconds"),
    ):
        asked: Any = {
            "input_file_id": given.id,
            "endpoint": "/v1/embeddings",
            "completion_window": "24h",
            **more,
        }
        with pytest.raises(openai.BadRequestError) as refusal:
            client.batches.create(**asked)
        assert refusal.value.param == param
    for missing in ("file-0", f"file-{'0' * 32}", "nothing"):
        with pytest.raises(openai.NotFoundError) as unknown:
            client.batches.create(input_file_id=missing, endpoint="/v1/embeddings", completion_window="24h")
        assert unknown.value.code == "not_found"
    with pytest.raises(openai.NotFoundError):
        client.batches.retrieve("batch_1")
    with pytest.raises(openai.BadRequestError):
        client.files.list(after="nothing")
    other: Any = client.with_options(api_key="none")
    with pytest.raises(openai.AuthenticationError) as stranger:
        other.files.list()
    assert stranger.value.type == "authentication_error"


def test_what_a_batch_has_made_cannot_be_the_input_of_another(client: openai.OpenAI) -> None:
    batch = ended(client, begin(client, jsonl([embedding("a", "a")])))
    assert batch.output_file_id is not None
    assert client.files.retrieve(batch.output_file_id).purpose == "batch_output"
    with pytest.raises(openai.BadRequestError, match="purpose"):
        client.batches.create(input_file_id=batch.output_file_id, endpoint="/v1/embeddings", completion_window="24h")
