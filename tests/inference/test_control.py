import threading
from collections.abc import Iterator, Mapping

import pytest
import redis
from django.conf import settings

from inference.control import CHANNEL, ControlChannel, ControlListener


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
    channel.tell("unknown", job="1")
    channel.tell("bad", job="2")
    channel.tell("cancel", job="3", last="yes")
    assert ear.heard_last.wait(10)
    assert ear.heard == [{"job": "3", "last": "yes"}]


def test_a_word_that_cannot_be_sent_stops_nobody() -> None:
    ControlChannel("redis://127.0.0.1:1/0").tell("cancel", job="4")
