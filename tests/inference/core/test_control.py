import asyncio
import threading
from collections.abc import Iterator, Mapping

import pytest
import redis
from django.conf import settings

from inference.core import control
from inference.core.control import CHANNEL, ControlChannel, ControlListener
from tests.chaos.line import Line
from tests.chaos.wires import through, way_to
from tests.fixtures import unique
from tests.waiting import eventually


class Ear:
    def __init__(self) -> None:
        self.heard: list[Mapping[str, str]] = []
        self.heard_last = threading.Event()

    def hear(self, about: Mapping[str, str]) -> None:
        self.heard.append(about)
        if about.get("last"):
            self.heard_last.set()

    def fail(self, about: Mapping[str, str]) -> None:
        raise ZeroDivisionError


@pytest.fixture
def ear() -> Iterator[Ear]:
    ear = Ear()
    listener = ControlListener(settings.MAAS_REDIS_URL, {"cancel": ear.hear, "bad": ear.fail})
    listener.start()
    assert listener.listening.wait(10)
    yield ear
    listener.stop()


def test_a_word_reaches_its_hearer_with_what_it_is_about(ear: Ear) -> None:
    ControlChannel(settings.MAAS_REDIS_URL).tell("cancel", job="7", last="yes")
    assert ear.heard_last.wait(10)
    assert ear.heard == [{"job": "7", "last": "yes"}]


def test_words_that_nobody_understands_make_nobody_deaf(ear: Ear) -> None:
    channel = ControlChannel(settings.MAAS_REDIS_URL)
    redis.Redis.from_url(settings.MAAS_REDIS_URL).publish(CHANNEL, b"{not json")
    # Words of other tests arrive as well: they use the same channel.
    unknown, bad, good = (unique("job") for _ in range(3))
    channel.tell("unknown", job=unknown)
    channel.tell("bad", job=bad)
    channel.tell("cancel", job=good)
    own = eventually(lambda: [word["job"] for word in ear.heard if word["job"] in {unknown, bad, good}], "a word", 10)
    assert own == [good]


def test_a_word_that_cannot_be_sent_stops_nobody() -> None:
    ControlChannel("redis://127.0.0.1:1/0").tell("cancel", job="4")


def test_who_listens_over_a_connection_that_swallows_everything_takes_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(control, "PING_S", 0.5)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    line, ear = Line(way_to(settings.MAAS_REDIS_URL)), Ear()
    asyncio.run_coroutine_threadsafe(line.open(), loop).result()
    listener = ControlListener(through(settings.MAAS_REDIS_URL, line.port), {"cancel": ear.hear})
    listener.start()
    assert listener.listening.wait(10)
    loop.call_soon_threadsafe(line.stall)
    eventually(lambda: not listener.listening.is_set(), "that nothing comes is noticed", 20)
    asyncio.run_coroutine_threadsafe(line.mend(), loop).result()

    def heard() -> bool:
        ControlChannel(settings.MAAS_REDIS_URL).tell("cancel", job="5", last="yes")
        return ear.heard_last.is_set()

    eventually(heard, "a word is heard again", 20)
    listener.stop()
    loop.call_soon_threadsafe(line.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
