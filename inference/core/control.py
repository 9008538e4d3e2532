"""Messages between processes that must arrive at once and may be lost, such as demand for a model. Each repeats a fact
of the database, and is sent with Redis PUBLISH to all current subscribers.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping

import redis
import structlog

from inference.core.prompt_redis import RedisLeftAlone, prompt_redis

log = structlog.get_logger(__name__)
CHANNEL = "maas:control"
DEMAND = "demand"
"""The message that a caller waits for a model that no worker serves."""
TIMEOUT_S = 1.0
PING_S = 10.0
ANSWER_S = 5.0
RECONNECT_S = 1.0

Hear = Callable[[Mapping[str, str]], None]


class ControlChannel:
    """A sender of messages. It never raises, because no work may depend on their delivery."""

    def __init__(self, url: str) -> None:
        self._redis = prompt_redis(url)

    def tell(self, word: str, **about: str) -> None:
        try:
            message = json.dumps({"word": word, **about})
            self._redis.ask(lambda client: client.publish(CHANNEL, message))
        except RedisLeftAlone:
            pass
        except redis.RedisError as error:
            log.warning("control_message_not_sent", message=word, error=str(error))


class ControlListener:
    """A listener with one thread and one connection. Each message has one handler, which must not wait."""

    def __init__(self, url: str, hearers: Mapping[str, Hear]) -> None:
        self._url = url
        self._hearers = dict(hearers)
        self._stopping = threading.Event()
        self.listening = threading.Event()
        """Set while messages arrive here. Messages sent before that are not repeated."""
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(timeout=2 * TIMEOUT_S)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            except (redis.RedisError, OSError) as error:
                log.warning("control_listener_disconnected", error=str(error))
            except Exception:
                log.exception("control_listener_failed")
            finally:
                self.listening.clear()
            self._stopping.wait(RECONNECT_S)

    def _listen(self) -> None:
        client = redis.Redis.from_url(self._url, socket_connect_timeout=TIMEOUT_S, socket_timeout=ANSWER_S)
        with client, client.pubsub(ignore_subscribe_messages=True) as channel:  # type: ignore[no-untyped-call]
            channel.subscribe(CHANNEL)
            self.listening.set()
            heard_s = asked_s = time.monotonic()
            while not self._stopping.is_set():
                message = channel.get_message(timeout=TIMEOUT_S / 2)
                now_s = time.monotonic()
                if message is not None:
                    heard_s = now_s
                    if message["type"] == "message":
                        self._hear(message["data"])
                elif now_s - heard_s > 2 * PING_S:
                    # Something on the network path drops everything and reports nothing.
                    raise redis.TimeoutError("the connection does not answer any more")
                elif now_s - max(heard_s, asked_s) > PING_S:
                    channel.ping()
                    asked_s = now_s

    def _hear(self, data: bytes) -> None:
        try:
            about = json.loads(data)
            hear = self._hearers.get(about.pop("word"))
            if hear is not None:
                hear(about)
        except Exception:
            # A malformed message must not stop this process from listening.
            log.exception("control_message_invalid", data=data[:200])
