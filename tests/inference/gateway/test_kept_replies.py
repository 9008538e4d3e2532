"""Test that whole answers outlast the process that made them."""

import asyncio
import dataclasses

import pytest
import redis

from inference.core.contracts import Units
from inference.gateway.replies import Reply
from inference.gateway.written_replies import KeptReply, read_reply, write_reply
from tenants.identity.identity import Identity
from tests.inference.gateway.house import Embedder, houses
from tests.inference.gateway.test_known_results import _add_version, entries_of, until_word

KEPT = KeptReply(
    Reply(b"\x00{}\xff", "application/octet-stream", 200, ((b"vary", b"accept-encoding"),)),
    "embed@3",
    "d" * 64,
    "embed",
    Units(0, 7, 1, 2_500),
    1_000.0,
    12.5,
)


def test_an_answer_is_read_as_it_was_written() -> None:
    assert read_reply(write_reply(KEPT), KEPT.written_s) == KEPT


@pytest.mark.parametrize("payload", [b"", b"{}", write_reply(KEPT)[:-1], b"\x01\x02\x00\x00\x00{}"])
def test_what_another_version_wrote_is_a_miss(payload: bytes) -> None:
    assert read_reply(payload, 1.0) is None


@pytest.mark.parametrize("left", [0, 1])
def test_a_result_or_the_whole_answer_is_enough_for_another_process(
    left: int, identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def go() -> None:
        async with houses(cache_url, 2) as (one, other):
            first = await one.embed(identity, model, "word")
            await one.cache.settle()
            entries = sorted(entries_of(identity, cache_url))
            with redis.Redis.from_url(cache_url) as client:
                client.delete(entries[1 - left])
            again = await other.embed(identity, model, "word")
            assert (again.word, again.reply.body) == ("HIT", first.reply.body)
            assert again.bill == [("cache", 4, 1)]
            assert embedder.runs == [("word",)]

    asyncio.run(go())


def test_an_answer_of_another_version_is_no_answer(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def go() -> None:
        async with houses(cache_url, 2) as (one, other):
            await one.embed(identity, model, "word")
            await one.cache.settle()
            await asyncio.to_thread(_add_version, model)
            await until_word(lambda: other.embed(identity, model, "word"), "MISS")
            assert len(embedder.runs) == 2

    asyncio.run(go())


def test_nothing_of_an_answer_is_lost_by_being_kept() -> None:
    assert {field.name for field in dataclasses.fields(Reply)} == {
        "body",
        "content_type",
        "status",
        "headers",
    }
