"""Handle `POST …/infer`: read the tensors, run the model, and write its answer in the form that the caller wants."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from django.conf import settings

from inference.core.contracts import TensorInput, TextInput, WorkRefused
from inference.core.errors import ModelFailed
from inference.gateway.cache_wishes import Word
from inference.gateway.exchange import LONGEST_S, SMALL_BYTES, Exchange
from inference.gateway.failures import refusal_of
from inference.gateway.inference import Answered, Inference
from inference.gateway.kept_replies import KeptReplies, at_once
from inference.gateway.open_inference.answer_sizes import listed_bytes, said_bytes, written_bytes
from inference.gateway.open_inference.answers import (
    HEADER_LENGTH,
    GivenOutput,
    WrittenAnswer,
    write_answer,
)
from inference.gateway.open_inference.encodings import IDENTITY, encoding_for, let_out, made_smaller
from inference.gateway.open_inference.faces import Face, face_of
from inference.gateway.open_inference.requests import InferRequest, WantedOutput, json_length, read_request
from inference.gateway.open_inference.statistics import CallCounts
from inference.gateway.open_inference.statistics_book import StatisticsBook
from inference.gateway.open_inference.works import check_wanted, tensors_of, work_of
from inference.gateway.replies import Header, Reply
from inference.gateway.server_timing import Timings
from inference.gateway.targets import Target
from inference.runtime.tensors import Array
from tenants.core.errors import DomainError

Written = TypeVar("Written")

JSON_READ_TIMES = 12
"""The approximate factor by which parsed values take more memory than their JSON. This was measured with short
texts.
"""
BYTES_READ_TIMES = 2
"""The factor for tensors in bytes. Numbers take the same memory again if they must be aligned, and the number of texts
is bounded.
"""


async def infer(
    inference: Inference,
    replies: KeptReplies | None,
    statistics: StatisticsBook,
    exchange: Exchange,
    reference: str,
) -> Reply:
    exchange.identity.require("jobs:write")
    sent = await exchange.body()
    target = await inference.targets.to_run(exchange.identity.tenant_id, reference)
    raw = await replies.raw(exchange, sent) if replies is not None and target.cache_ttl_s else None
    if raw is not None and (kept := await raw.find()) is not None:
        reply = await raw.answer(exchange, kept, target)
        if reply is not None:
            with counted(statistics, exchange, target) as count:
                count(at_once(exchange), "HIT")
            return reply
    body = await _content(exchange, sent)
    length = json_length(exchange.header(HEADER_LENGTH), len(body), settings.MAAS_MAX_INLINE_BYTES)
    exchange.hold(JSON_READ_TIMES * length + BYTES_READ_TIMES * (len(body) - length))
    face = face_of(target.runtime, target.accepts, target.signature)
    request, work = await exchange.think(len(body), _asked, face, body, length)
    with counted(statistics, exchange, target) as count:
        answered = await inference.run(
            exchange,
            target,
            work,
            request.parameters or {},
            kind=face.asked,
            deadline_s=request.timeout_s or LONGEST_S,
        )
        count(answered.timings, answered.note.word)
    reply = await _reply(exchange, request, answered)
    if raw is not None:
        raw.keep(exchange, reference, answered, reply)
    return replace(reply, headers=(*answered.headers, *reply.headers))


@contextmanager
def counted(
    statistics: StatisticsBook, exchange: Exchange, target: Target
) -> Iterator[Callable[[Timings, Word], None]]:
    """Count the call as answered or failed. A call that its client has given up is counted as neither."""
    add = partial(statistics.add, str(exchange.identity.tenant_id), target.key)
    now_ms = time.time_ns() // 1_000_000
    try:
        yield lambda timings, word: add(counts_of_answered(timings, word, now_ms))
    except DomainError:
        lasted_ms = (time.monotonic() - exchange.whole_s) * 1000
        add(counts_of_failed(lasted_ms, now_ms))
        raise


def counts_of_failed(lasted_ms: float, now_ms: int) -> CallCounts:
    return CallCounts(failed=1, failed_ns=_ns(lasted_ms), last_ms=now_ms)


def counts_of_answered(timings: Timings, word: Word, now_ms: int) -> CallCounts:
    total_ns = _ns(timings.total)
    hit = word == "HIT"
    return CallCounts(
        success=1,
        success_ns=total_ns,
        queue_ns=_ns(timings.queue + timings.spent.load + timings.spent.batch),
        infer_ns=_ns(timings.spent.infer),
        hits=int(hit),
        hits_ns=total_ns if hit else 0,
        last_ms=now_ms,
    )


def _ns(ms: float) -> int:
    return round(ms * 1_000_000)


def _asked(face: Face, body: bytes, length: int) -> tuple[InferRequest, TextInput | TensorInput]:
    request = read_request(body, length)
    return request, checked_work(face, request)


def checked_work(face: Face, request: InferRequest) -> TextInput | TensorInput:
    check_wanted(face, request.wanted)
    try:
        return work_of(face, request.tensors)
    except WorkRefused as refused:
        raise refusal_of(refused) from refused


async def _content(exchange: Exchange, body: bytes) -> bytes:
    encoding = exchange.header(b"content-encoding")
    if encoding is None:
        return body
    max_bytes: int = settings.MAAS_MAX_INLINE_BYTES
    content = await exchange.think(max_bytes, let_out, body, encoding, max_bytes)
    exchange.hold(len(content))
    return content


async def _reply(exchange: Exchange, request: InferRequest, answered: Answered) -> Reply:
    written = await written_as(write_answer, exchange, request, answered)
    has_tensors = written.header_length is not None
    encoding = encoding_for(exchange.header(b"accept-encoding"), len(written.body), has_tensors=has_tensors)
    body = await exchange.think(0 if encoding == IDENTITY else len(written.body), made_smaller, written.body, encoding)
    return Reply(body, written.content_type, headers=_headers(written, encoding))


async def written_as(
    write: Callable[[str, int, str | None, tuple[GivenOutput, ...]], Written],
    exchange: Exchange,
    request: InferRequest,
    answered: Answered,
) -> Written:
    """Write the answer with `write`, which gets the model, its version, the request's id and the outputs that are
    wanted.
    """
    output = answered.output
    try:
        tensors = await exchange.think(said_bytes(output, SMALL_BYTES + 1), tensors_of, output)
        given = given_outputs(request, tensors)
        size = await exchange.think(listed_bytes(given), written_bytes, given)
        exchange.hold(size)
        target = answered.target
        return await exchange.think(size, write, target.model, target.number, request.id, given)
    except ModelFailed as error:
        raise refusal_of(error) from error


class Wishes(Protocol):
    """A request, as far as it says which outputs are wanted, and how."""

    @property
    def wanted(self) -> tuple[WantedOutput, ...]: ...

    @property
    def all_binary(self) -> bool: ...


def given_outputs(request: Wishes, tensors: Mapping[str, Array]) -> tuple[GivenOutput, ...]:
    if request.wanted:
        return tuple(GivenOutput(one.name, tensors[one.name], one.binary) for one in request.wanted)
    return tuple(GivenOutput(name, tensor, request.all_binary) for name, tensor in tensors.items())


def _headers(written: WrittenAnswer, encoding: str) -> tuple[Header, ...]:
    headers: list[Header] = [(b"vary", b"accept-encoding")]
    if encoding != IDENTITY:
        headers.append((b"content-encoding", encoding.encode()))
    if written.header_length is not None:
        headers.append((HEADER_LENGTH, b"%d" % written.header_length))
    return tuple(headers)
