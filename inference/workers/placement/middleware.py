"""The Dramatiq middleware of the affinity: it starts and stops with the worker, and counts the messages."""

from collections.abc import Callable
from typing import Any

import dramatiq
import structlog
from dramatiq import Broker, MessageProxy, Worker

from inference.workers.placement.affinity import Affinity
from inference.workers.placement.page_counts import QueueTally

log = structlog.get_logger(__name__)
QUEUE_PREFIX = "infer."


class AffinityMiddleware(dramatiq.Middleware):
    """A middleware that starts and stops the affinity. `failed` keeps an error that Dramatiq swallows."""

    def __init__(self, affinity: Affinity, tally: QueueTally) -> None:
        self._affinity = affinity
        self._tally = tally
        self.failed: BaseException | None = None

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        self._or_fail(self._affinity.start)

    def before_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        self._or_fail(self._affinity.stop)

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        self._tally.begin(message.queue_name.removeprefix(QUEUE_PREFIX))

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        self._tally.end(counts=exception is None)

    def after_skip_message(self, broker: Broker, message: MessageProxy) -> None:
        self._tally.end(counts=False)

    def _or_fail(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            log.exception("placement_failed")
            self.failed = error
