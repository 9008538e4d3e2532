"""Test that only one caller asks a server that does not answer, and that all others leave it alone."""

import threading

import pytest
import redis

from inference.core.monitored_server import LeftAlone, MonitoredServer
from inference.core.prompt_redis import PromptRedis, RedisLeftAlone
from tests.inference.workers.brokers.servers import hanging_server, redis_server
from tests.waiting import eventually


class Server:
    def __init__(self) -> None:
        self.away = True
        self.asked = 0

    def answer(self) -> str:
        self.asked += 1
        if self.away:
            raise ConnectionError("away")
        return "here"


def test_after_one_failure_it_is_left_alone_and_then_tried_by_one() -> None:
    server, asking = Server(), MonitoredServer(ConnectionError)
    with pytest.raises(ConnectionError):
        asking.ask(server.answer)
    for _ in range(100):
        with pytest.raises(LeftAlone):
            asking.ask(server.answer)
    assert server.asked == 1
    server.away = False

    def answered() -> str | None:
        try:
            return asking.ask(server.answer)
        except LeftAlone:
            return None

    assert eventually(answered, "the next try") == "here"
    assert asking.ask(server.answer) == "here"


def test_an_answer_that_is_an_error_is_no_absence() -> None:
    asking = MonitoredServer(ConnectionError)
    for _ in range(3):
        with pytest.raises(ValueError, match="of its own"):
            asking.ask(lambda: int("of its own"))


def test_a_redis_that_hangs_holds_up_nobody() -> None:
    with hanging_server() as address:
        prompt = PromptRedis(f"redis://{address}/0")
        failures: list[redis.RedisError] = []

        def ask() -> None:
            for _ in range(50):
                try:
                    prompt.ask(lambda client: client.ping())
                except redis.RedisError as error:
                    failures.append(error)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(10)
        assert len(failures) == 50
        assert not isinstance(failures[0], RedisLeftAlone)
        assert isinstance(failures[1], RedisLeftAlone)


def test_a_redis_that_is_gone_is_said_to_be() -> None:
    with redis_server() as url:
        prompt = PromptRedis(url)
        assert prompt.ask(lambda client: client.ping())
    with pytest.raises(redis.ConnectionError):
        prompt.ask(lambda client: client.ping())
