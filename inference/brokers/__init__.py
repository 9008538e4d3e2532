"""Carries messages from those who accept work to the workers that run models, over Redis or RabbitMQ."""

from inference.brokers.build import build_broker
from inference.brokers.contract import QueueBroker
from inference.brokers.errors import BrokerError, BrokerMisconfigured, BrokerUnavailable, DelayRefused
from inference.brokers.publish import PAGE_ACTOR, dead_letters, publish, queue_depth
from inference.brokers.worker import QueueWorker, start_worker

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
