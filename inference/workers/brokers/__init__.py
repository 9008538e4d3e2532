"""Message queues over Redis or RabbitMQ, from the processes that accept work to the workers that run models."""

from inference.workers.brokers.build import build_broker
from inference.workers.brokers.contract import QueueBroker
from inference.workers.brokers.errors import BrokerError, BrokerMisconfigured, BrokerUnavailable, DelayRefused
from inference.workers.brokers.publish import PAGE_ACTOR, dead_letters, publish, queue_depth
from inference.workers.brokers.worker import QueueWorker, start_worker

__all__ = [
    "PAGE_ACTOR",
    "BrokerError",
    "BrokerMisconfigured",
    "BrokerUnavailable",
    "DelayRefused",
    "QueueBroker",
    "QueueWorker",
    "build_broker",
    "dead_letters",
    "publish",
    "queue_depth",
    "start_worker",
]
