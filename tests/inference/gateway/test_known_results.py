"""Test that what a tenant has sent before is answered without a run, and that other calls run once for all who send the
same.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
import redis

from inference.cache.reading import TIMEOUT_S
from inference.cache.scripts import entries_prefix, keys_of
from inference.cache.worth import ENOUGH
from inference.core.errors import ModelFailed
from inference.registry.models import ModelVersion, ServedModel
from inference.rpc.metrics import REQUESTS
from tenants.accounts.results import erase_results
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity
from tests.inference.gateway.house import REFUSED, Embedder, Given, House, houses, written_down
from tests.inference.rpc.mortal import MortalRedis
from tests.waiting import eventually


def run(scenario: Callable[[House], Awaitable[None]], cache_url: str, **options: Any) -> None:
    async def go() -> None:
        async with houses(cache_url, **options) as (house,):
            await scenario(house)

    asyncio.run(go())


def run_two(scenario: Callable[[House, House], Awaitable[None]], cache_url: str) -> None:
    async def go() -> None:
        async with houses(cache_url, 2) as (one, other):
            await scenario(one, other)

    asyncio.run(go())


async def change(model: str, **fields: Any) -> None:
    await asyncio.to_thread(_change, model, fields)


def _change(model: str, fields: dict[str, Any]) -> None:
    with operator_work():
        ServedModel.objects.filter(name=model).update(**fields)


def _erase(identity: Identity) -> None:
    with unit_of_work(identity.tenant_id):
        erase_results(tenant_id=identity.tenant_id)


def _add_version(model: str) -> None:
    """Replace the version by one with other files under the same name and number. Only the digest shows the
    difference.
    """
    with operator_work():
        ModelVersion.objects.filter(served_model__name=model).update(digest="f" * 64)


async def until(look: Callable[[], object], what: str) -> None:
    await asyncio.to_thread(eventually, look, what)


async def until_word(ask: Callable[[], Awaitable[Given]], word: str) -> Given:
    """Repeat the call until it is answered with this word. A change takes effect within a second."""
    for _ in range(200):
        if (given := await ask()).word == word:
            return given
        await asyncio.sleep(0.05)
    raise AssertionError(f"never {word}")


def test_the_same_again_runs_nothing_says_the_same_and_costs_the_price_of_hits(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        first = await house.embed(identity, model, "word")
        again = await house.embed(identity, model, "word")
        assert (first.word, again.word, again.headers["age"]) == ("MISS", "HIT", "0")
        assert again.reply.body == first.reply.body
        assert (first.bill, again.bill) == ([("call", 4, 10)], [("cache", 4, 1)])
        assert first.uses[0].id != again.uses[0].id
        assert {use.key_id for use in (*first.uses, *again.uses)} == {identity.key_id}
        (ran,), (known,) = first.uses, again.uses
        assert (ran.cached, ran.saved_micros, known.cached) == (False, 0, True)
        assert ran.amount_micros == known.amount_micros + known.saved_micros
        assert "server-timing" in again.headers
        assert embedder.runs == [("word",)]

    run(scenario, cache_url)


def test_what_means_the_same_is_known_however_it_is_written(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        await house.embed(identity, model, "word")
        for more in ({"encoding_format": "base64"}, {"user": "me"}, {"dimensions": 2}):
            given = await house.embed(identity, model, "word", **more)
            assert given.word == "HIT"
        assert (await house.embed(identity, model, ["word"])).word == "HIT"
        assert (await house.infer(identity, model, ["word"])).word == "MISS", "texts are cut there, not refused"
        one = await house.infer(identity, model, ["word"], id="1")
        other = await house.infer(identity, model, ["word"], id="2")
        assert [(given.word, given.json["id"]) for given in (one, other)] == [("HIT", "1"), ("HIT", "2")]
        assert len(embedder.runs) == 2

    run(scenario, cache_url)


def test_of_a_list_only_what_is_not_known_runs_and_the_answer_shows_it_nowhere(
    identity: Identity, other_identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    texts = [f"text number {number}" for number in range(100)]

    async def scenario(house: House) -> None:
        whole = await house.embed(other_identity, model, texts)
        known = [text for number, text in enumerate(texts) if number % 10]
        await house.embed(identity, model, known[::-1])
        embedder.runs.clear()
        partly = await house.embed(identity, model, texts)
        assert embedder.runs == [tuple(text for number, text in enumerate(texts) if not number % 10)]
        assert partly.json == whole.json
        assert (partly.word, partly.headers["x-cache-known"]) == ("MISS", "90/100")
        ran = sum(len(text) for text in embedder.runs[0])
        total = sum(map(len, texts))
        assert partly.bill == [("call", ran, 10), ("cache", total - ran, 1)]
        assert partly.json["usage"]["total_tokens"] == total
        again = await house.embed(identity, model, texts)
        assert (again.word, again.bill) == ("HIT", [("cache", total, 1)])

    run(scenario, cache_url)


def test_a_text_that_stands_in_a_list_twice_runs_once_and_counts_twice(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        given = await house.embed(identity, model, ["a", "bb", "a"])
        assert embedder.runs == [("a", "bb")]
        assert given.bill == [("call", 3, 10), ("cache", 1, 1)]
        assert given.json["usage"]["total_tokens"] == 4
        vectors = [one["embedding"] for one in given.json["data"]]
        assert vectors[0] == vectors[2] != vectors[1]

    run(scenario, cache_url)


def test_a_refused_text_is_named_by_its_place_in_the_whole_list(identity: Identity, model: str, cache_url: str) -> None:
    async def scenario(house: House) -> None:
        await house.embed(identity, model, ["a", "b"])
        with pytest.raises(DomainError, match="text 2 is longer"):
            await house.embed(identity, model, ["a", "b", REFUSED, "c"])

    run(scenario, cache_url)


def test_another_process_finds_it_in_redis_and_the_age_goes_on(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(one: House, other: House) -> None:
        first = await one.embed(identity, model, ["a", "b"])
        await one.cache.settle()
        again = await other.embed(identity, model, ["a", "b"])
        assert (again.word, again.reply.body) == ("HIT", first.reply.body)
        assert again.bill == [("cache", 2, 1)]
        assert len(embedder.runs) == 1

    run_two(scenario, cache_url)


def test_two_hundred_callers_of_one_request_run_the_model_once(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        embedder.gate.clear()
        calls = [asyncio.create_task(house.embed(identity, model, "word")) for _ in range(200)]
        await until(lambda: embedder.runs, "it runs")
        embedder.gate.set()
        given = await asyncio.gather(*calls)
        assert embedder.runs == [("word",)]
        assert sorted(one.word for one in given) == ["COALESCED"] * 199 + ["MISS"]
        assert sorted(one.bill for one in given) == [[("cache", 4, 1)]] * 199 + [[("call", 4, 10)]]
        assert len({use.id for one in given for use in one.uses}) == 200
        assert len({one.reply.body for one in given}) == 1

    run(scenario, cache_url)


def test_two_processes_that_ask_the_same_at_once_run_it_once(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(one: House, other: House) -> None:
        embedder.gate.clear()
        calls = [asyncio.create_task(house.embed(identity, model, "word")) for house in (one, other) * 20]
        await until(lambda: embedder.runs, "it runs")
        await until(lambda: _coalesced(model) >= 1, "the other process has joined it in the worker")
        embedder.gate.set()
        given = await asyncio.gather(*calls)
        assert embedder.runs == [("word",)]
        assert sorted(one.word for one in given) == ["COALESCED"] * 39 + ["MISS"]
        assert sorted(one.bill for one in given) == [[("cache", 4, 1)]] * 39 + [[("call", 4, 10)]]

    run_two(scenario, cache_url)


def test_what_could_not_be_written_down_is_kept_nowhere_and_costs_its_price_when_it_is_sent_again(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def away() -> bool:
        return False

    async def scenario(one: House, other: House) -> None:
        one.meter = away
        await one.embed(identity, model, "word")
        await one.infer(identity, model, ["word"])
        await one.cache.settle()
        one.meter = written_down
        for house, word in ((other, "MISS"), (one, "HIT")):
            for given in (
                await house.embed(identity, model, "word"),
                await house.infer(identity, model, ["word"]),
            ):
                assert (given.word, given.bill[0][0]) == (word, "call" if word == "MISS" else "cache")
            await house.cache.settle()
        assert len(embedder.runs) == 4

    run_two(scenario, cache_url)


def test_who_comes_while_a_run_is_being_written_down_shares_it(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        writing, written = asyncio.Event(), asyncio.Event()

        async def slow() -> bool:
            writing.set()
            await written.wait()
            return True

        house.meter = slow
        first = asyncio.create_task(house.embed(identity, model, "word"))
        await writing.wait()
        house.meter = written_down
        assert (await house.embed(identity, model, "word")).word == "COALESCED"
        written.set()
        assert (await first).word == "MISS"
        assert (await house.embed(identity, model, "word")).word == "HIT"
        assert embedder.runs == [("word",)]

    run(scenario, cache_url)


def test_a_run_under_way_while_results_are_erased_leaves_nothing_in_redis(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        embedder.gate.clear()
        call = asyncio.create_task(house.embed(identity, model, "word"))
        await until(lambda: embedder.runs, "it runs")
        await asyncio.to_thread(_erase, identity)
        embedder.gate.set()
        assert (await call).word == "MISS"
        await house.cache.settle()
        assert entries_of(identity, cache_url) == []
        await until_word(lambda: house.embed(identity, model, "word"), "MISS")
        await house.cache.settle()
        assert len(entries_of(identity, cache_url)) == 2, "the text's result, and the whole answer"

    run(scenario, cache_url)


def entries_of(identity: Identity, cache_url: str) -> list[bytes]:
    with redis.Redis.from_url(cache_url) as client:
        found: list[bytes] = client.keys(entries_prefix(identity.tenant_id) + b"*")
    return [key for key in found if key not in keys_of(identity.tenant_id)]


def _coalesced(model: str) -> float:
    return float(REQUESTS.labels(f"{model}@1", "coalesced")._value.get())


def test_who_leaves_ends_it_for_nobody_else_and_when_all_leave_the_run_ends(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        embedder.gate.clear()
        first, second = (asyncio.create_task(house.embed(identity, model, "word")) for _ in range(2))
        await until(lambda: embedder.runs, "it runs")
        first.cancel()
        await asyncio.wait([first])
        embedder.gate.set()
        given = await second
        assert (given.word, given.bill) == ("MISS", [("call", 4, 10)]), "somebody pays for the run"
        assert embedder.runs == [("word",)]

    run(scenario, cache_url)


def test_a_text_and_a_list_of_it_share_no_run_as_they_are_answered_in_different_shapes(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        embedder.gate.clear()
        tasks = [asyncio.create_task(house.embed(identity, model, asked)) for asked in ("word", ["word"])]
        await until(lambda: len(embedder.runs) == 2, "both run")
        embedder.gate.set()
        assert [given.word for given in await asyncio.gather(*tasks)] == ["MISS", "MISS"]

    run(scenario, cache_url)


def test_what_is_found_in_memory_shows_that_looking_pays(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        words = [f"word {number}" for number in range(ENOUGH + 40)]
        for word in words:
            for _ in range(2):
                last = await house.embed(identity, model, word)
        assert last.word == "HIT"

    run(scenario, cache_url)


def test_a_failure_is_told_to_all_and_kept_for_nobody(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        embedder.fails = ModelFailed("model_broken", "it broke")
        failures = await asyncio.gather(
            *[house.embed(identity, model, "word") for _ in range(5)], return_exceptions=True
        )
        assert {str(getattr(failure, "code", failure)) for failure in failures} == {"model_broken"}
        embedder.fails = None
        assert (await house.embed(identity, model, "word")).word == "MISS"

    run(scenario, cache_url)


def test_no_store_neither_reads_nor_keeps_and_no_cache_runs_afresh_and_keeps_that(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        for _ in range(2):
            given = await house.embed(identity, model, "word", {"cache-control": "no-store"})
            assert (given.word, given.bill) == ("BYPASS", [("call", 4, 10)])
        assert (await house.embed(identity, model, "word", {"cache-control": "no-cache"})).word == "MISS"
        assert (await house.embed(identity, model, "word")).word == "HIT"
        assert (await house.embed(identity, model, "word", {"cache-control": "no-cache"})).word == "MISS"
        assert (await house.embed(identity, model, "word", {"cache-control": "max-age=100"})).word == "HIT"
        assert (await house.embed(identity, model, "word", {"cache-control": "max-age=0"})).word == "MISS"
        assert len(embedder.runs) == 5

    run(scenario, cache_url)


def test_no_store_is_obeyed_in_whichever_header_it_stands(identity: Identity, model: str, cache_url: str) -> None:
    async def scenario(house: House) -> None:
        two = [("cache-control", "max-age=100"), ("cache-control", "private, no-store")]
        for _ in range(2):
            assert (await house.embed(identity, model, "word", two)).word == "BYPASS"

    run(scenario, cache_url)


def test_of_a_model_whose_time_is_nothing_every_call_runs_alone(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        await change(model, cache_ttl_s=0)
        embedder.gate.clear()
        calls = [asyncio.create_task(house.embed(identity, model, "word")) for _ in range(3)]
        await until(lambda: len(embedder.runs) == 3, "each runs")
        embedder.gate.set()
        assert [given.word for given in await asyncio.gather(*calls)] == ["BYPASS"] * 3

    run(scenario, cache_url)


def test_a_shorter_time_holds_for_what_is_kept_already(identity: Identity, model: str, cache_url: str) -> None:
    async def scenario(house: House) -> None:
        await house.embed(identity, model, "word")
        await change(model, cache_ttl_s=1)
        await until_word(lambda: house.embed(identity, model, "word"), "MISS")

    run(scenario, cache_url)


def test_tenants_know_nothing_of_each_other_and_test_keys_nothing_of_live_ones(
    identity: Identity, other_identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(one: House, other: House) -> None:
        for who in (identity, other_identity, replace(identity, livemode=False)):
            for house in (one, other):
                given = await house.embed(who, model, ["a", "b"])
                assert given.word == ("MISS" if house is one else "HIT")
                await house.cache.settle()
        assert embedder.runs == [("a", "b")] * 3

    run_two(scenario, cache_url)


def test_tenants_never_share_a_run_that_is_under_way(
    identity: Identity, other_identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        embedder.gate.clear()
        calls = [asyncio.create_task(house.embed(who, model, "word")) for who in (identity, other_identity)]
        await until(lambda: len(embedder.runs) == 2, "both run")
        embedder.gate.set()
        assert [given.word for given in await asyncio.gather(*calls)] == ["MISS", "MISS"]

    run(scenario, cache_url)


def test_what_is_erased_is_found_nowhere_within_a_second_and_is_gone_from_redis(
    identity: Identity, other_identity: Identity, model: str, cache_url: str
) -> None:
    async def scenario(one: House, other: House) -> None:
        for house in (one, other):
            await house.embed(identity, model, "word")
            await house.embed(other_identity, model, "word")
            await house.cache.settle()
        await asyncio.to_thread(_erase, identity)
        assert entries_of(identity, cache_url) == []
        await until_word(lambda: one.embed(identity, model, "word"), "MISS")
        await one.cache.settle()
        assert (await until_word(lambda: other.embed(identity, model, "word"), "HIT")).headers["age"] == "0"
        assert (await one.embed(other_identity, model, "word")).word == "HIT"

    run_two(scenario, cache_url)


def test_another_version_another_price_and_a_pause_hold_for_what_is_known(
    identity: Identity, model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        await house.embed(identity, model, "word")
        await change(model, cached_price_micros=7)
        for _ in range(200):
            given = await house.embed(identity, model, "word")
            if given.bill == [("cache", 4, 7)]:
                break
            await asyncio.sleep(0.05)
        assert (given.word, given.bill) == ("HIT", [("cache", 4, 7)])
        await asyncio.to_thread(_add_version, model)
        await until_word(lambda: house.embed(identity, model, "word"), "MISS")
        await change(model, state=ServedModel.State.PAUSED)
        with pytest.raises(DomainError, match="is paused"):
            await until_word(lambda: house.embed(identity, model, "word"), "never")

    run(scenario, cache_url)


def test_redis_that_dies_freezes_and_comes_back_is_only_ever_a_miss(
    identity: Identity, model: str, mortal: MortalRedis
) -> None:
    async def scenario(house: House) -> None:
        numbers = iter(range(1_000_000))

        async def asks(count: int) -> set[str]:
            asked = [house.embed(identity, model, f"text {next(numbers)}") for _ in range(count)]
            return {given.word for given in await asyncio.gather(*asked)}

        assert await asks(5) == {"MISS"}
        for harm, mend in ((mortal.kill, mortal.start), (mortal.freeze, mortal.thaw)):
            load = asyncio.create_task(asks(40))
            await asyncio.to_thread(harm)
            assert await load == {"MISS"}
            assert await asks(10) == {"MISS"}
            await house.embed(identity, model, "kept here meanwhile")
            assert (await house.embed(identity, model, "kept here meanwhile")).word == "HIT"
            await asyncio.to_thread(mend)

    run(scenario, mortal.url, timeout_s=TIMEOUT_S)


def test_a_redis_that_is_back_is_used_again(identity: Identity, model: str, mortal: MortalRedis) -> None:
    async def scenario(one: House, other: House) -> None:
        await asyncio.to_thread(mortal.kill)
        for number in range(10):
            await one.embed(identity, model, f"away {number}")
        await asyncio.to_thread(mortal.start)

        async def found() -> Given:
            await one.embed(identity, model, "back", {"cache-control": "no-cache"})
            await one.cache.settle()
            return await other.embed(identity, model, "back", {"cache-control": "max-age=1000"})

        await until_word(found, "HIT")

    run_two(scenario, mortal.url)


def test_garbage_in_redis_is_a_miss(identity: Identity, model: str, cache_url: str) -> None:
    async def scenario(one: House, other: House) -> None:
        await one.embed(identity, model, ["a", "b"])
        await one.cache.settle()
        of_entries = entries_of(identity, cache_url)
        assert len(of_entries) == 3, "two texts and the whole answer"
        with redis.Redis.from_url(cache_url) as client:
            first, second, third = (client.get(key) for key in of_entries)
            client.set(of_entries[0], second)
            client.set(of_entries[1], third)
            client.delete(of_entries[2])
            client.lpush(of_entries[2], b"a list")
        assert first != second != third
        assert (await other.embed(identity, model, ["a", "b"])).word == "MISS"

    run_two(scenario, cache_url)
