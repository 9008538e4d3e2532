"""Tests of whom a caller can take the forwarding from."""

import asyncio
from contextlib import ExitStack

from maas.web.cells.front import MAX_OF_CELL, MAX_OF_KEY, MAX_UNBEGUN
from maas.web.cells.routing import foreign_home
from tests.maas.web.cells.scripted_home import OK, ScriptedHome, ask, front_to, parts, scope_of, until

LENGTH = (b"content-length", b"4")


def test_bodies_that_do_not_begin_take_nothing_of_others() -> None:
    async def run() -> None:
        async with ScriptedHome(OK, OK) as home:
            front = front_to(us=home.url)
            silent = [asyncio.ensure_future(ask(front, scope_of("POST", LENGTH), parts())) for _ in range(MAX_UNBEGUN)]
            await until(lambda: len(front._unbegun) == MAX_UNBEGUN)
            assert len(front._of_cell) == len(front._of_key) == 0
            refused = await ask(front, scope_of("POST", LENGTH), parts(b"body"))
            assert (refused.status, b"forwarded_requests" in refused.body) == (503, True)
            assert (await ask(front, scope_of())).status == 200
            other = scope_of("POST", LENGTH, client=("198.51.100.1", 1))
            assert (await ask(front, other, parts(b"body"))).status == 200
            for task in silent:
                task.cancel()
            await asyncio.gather(*silent, return_exceptions=True)
            assert len(front._unbegun) == 0
            await front.close()

    asyncio.run(run())


def test_one_key_cannot_take_all_of_the_forwarding() -> None:
    front = front_to(us="http://127.0.0.1:1")
    home = foreign_home(scope_of(), "eu")
    assert home is not None
    with ExitStack() as taken:
        for _ in range(MAX_OF_KEY):
            taken.enter_context(front._of_key.take(home.share))
        answer = asyncio.run(ask(front, scope_of()))
    assert (answer.status, b"forwarded_requests" in answer.body) == (503, True)
    assert (b"retry-after", b"1") in answer.messages[0]["headers"]


def test_a_cell_that_hangs_takes_nothing_of_other_cells() -> None:
    async def run() -> None:
        async with ScriptedHome(OK) as home:
            front = front_to(us="http://127.0.0.1:1", ap=home.url)
            with ExitStack() as taken:
                for _ in range(MAX_OF_CELL):
                    taken.enter_context(front._of_cell.take("us"))
                assert (await ask(front, scope_of())).status == 503
                assert (await ask(front, scope_of(cell="ap"))).status == 200
            await front.close()

    asyncio.run(run())
