"""Tests the same product with RabbitMQ between its web and worker processes."""

from collections.abc import Iterator
from pathlib import Path

import pika
import pytest

from .conftest import own_product

pytestmark = pytest.mark.xdist_group("rabbitmq product")


@pytest.fixture
def queues_of_our_own(amqp_url: str) -> Iterator[str]:
    """Yield the URL, and delete the product's queues afterwards, which have the names of its models."""
    yield amqp_url
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        channel = connection.channel()
        for model in ("ocr@1", "embed@1", "parse@1"):
            channel.queue_delete(f"infer.{model}")
            channel.queue_delete(f"infer.{model}.XQ")


def test_the_sample_is_read_over_rabbitmq(queues_of_our_own: str, tmp_path: Path) -> None:
    with (
        own_product(tmp_path / "var", MAAS_BROKER_URL=queues_of_our_own) as (_, product),
        product.caller() as caller,
    ):
        assert caller.get("/readyz")["checks"]["broker"]["ok"]
        answer = caller.submit_file((product.home / "sample.pdf").read_bytes(), wait_s=60)
        assert answer.status_code == 200
        assert answer.json()["state"] == "succeeded"
        assert "INVOICE 2026-0417" in answer.json()["result"]["text"]
        with pika.BlockingConnection(pika.URLParameters(queues_of_our_own)) as connection:
            declared = connection.channel().queue_declare("infer.parse@1", passive=True)
        assert declared.method.consumer_count == 1
