"""Test that a socket that subscribes again sends a message that it has begun before the next one."""

import asyncio
from typing import Any, cast

from jobs.streaming.consumers import EventsConsumer


class _Server:
    """A server that sends a message independently. The message is still sent if its sender is canceled."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.open = asyncio.Event()
        self.got = asyncio.Event()
        self.both = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        await asyncio.shield(asyncio.ensure_future(self._carry(message)))

    async def _carry(self, message: dict[str, Any]) -> None:
        """Send a message. The first message waits until the test opens the way."""
        is_first = not self.got.is_set()
        self.got.set()
        if is_first:
            await self.open.wait()
        self.sent.append(message["text"])
        if len(self.sent) == 2:
            self.both.set()


async def _told() -> list[str]:
    server, nothing = _Server(), cast("Any", None)
    consumer = EventsConsumer(nothing, nothing, nothing, nothing, nothing)
    consumer.base_send = server.send
    await consumer._start("follow", consumer._say({"old": 1}))
    await server.got.wait()
    anew = asyncio.ensure_future(consumer._start("follow", consumer._say({"new": 1})))
    # The old subscription has been canceled by now, if that is possible in the middle of a message.
    for _ in range(20):
        await asyncio.sleep(0)
    server.open.set()
    await anew
    await consumer._tasks["follow"]
    await server.both.wait()
    return server.sent


def test_a_message_that_was_begun_for_the_old_subscription_does_not_come_after_the_new_ones() -> None:
    assert asyncio.run(_told()) == ['{"old": 1}', '{"new": 1}']
