"""A receiver on this machine, and the sender, which sends when the test says so."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import pytest
from django.db import connections
from pytest_django import Settings

from jobs.core.models import Job
from jobs.submission.services import JobRequest, submit_job
from jobs.webhooks.claims import Held, take_due
from jobs.webhooks.models import WebhookAttempt, WebhookDelivery, WebhookEndpoint
from jobs.webhooks.sending import attempt, signed
from jobs.webhooks.services import WithSecret, create_endpoint
from jobs.webhooks.settlement import settle
from jobs.webhooks.signing import is_genuine
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tests.jobs.conftest import Desk


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> dict[str, Any]:
        return dict(json.loads(self.body))

    def is_signed_with(self, secret: str) -> bool:
        now_s = float(self.headers["webhook-timestamp"])
        return is_genuine(self.headers, self.body, secret=secret, now_s=now_s)


class Receiver:
    """A receiver that responds as the test says, and keeps what came."""

    def __init__(self) -> None:
        self.status, self.headers, self.answer = 200, dict[str, str](), b"thanks"
        self.hang = threading.Event()
        self.hang.set()
        self.got: list[Received] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    def close(self) -> None:
        self.hang.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(receiver) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.got.append(Received(self.path, headers, body))
                receiver.hang.wait(30)
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(receiver.answer)))
                self.end_headers()
                self.wfile.write(receiver.answer)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


@pytest.fixture
def loopback(settings: Settings) -> None:
    settings.MAAS_EGRESS_LOOPBACK = True


@pytest.fixture
def only_ours() -> None:
    """Mark the pending deliveries as failed, so that nothing of an earlier test is sent in this one."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE jobs_webhookdelivery SET state = 'failed', next_attempt_at = NULL WHERE state = 'pending'"
        )


@pytest.fixture
def make_receiver() -> Iterator[Callable[[], Receiver]]:
    made: list[Receiver] = []

    def make() -> Receiver:
        made.append(Receiver())
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def receiver(make_receiver: Callable[[], Receiver]) -> Receiver:
    return make_receiver()


@dataclass(frozen=True)
class Post:
    """The webhooks of a tenant, and shorthand for what happens to them."""

    desk: Desk

    def endpoint(self, receiver: Receiver, *events: str) -> WithSecret:
        return create_endpoint(identity=self.desk.identity, url=receiver.url, events=events or ("*",))

    def ended_job(self, webhook_url: str = "") -> Job:
        model = self.desk.version.served_model.name
        request = JobRequest(model=model, input={"text": "hello"}, webhook_url=webhook_url)
        job = submit_job(identity=self.desk.identity, request=request)
        self.desk.finish(*self.desk.pages(job))
        return job

    def deliveries(self) -> list[WebhookDelivery]:
        with unit_of_work(self.desk.identity.tenant_id):
            return list(WebhookDelivery.objects.select_related("message", "endpoint").order_by("id"))

    def delivery(self) -> WebhookDelivery:
        (one,) = self.deliveries()
        return one

    def attempts(self) -> list[WebhookAttempt]:
        with unit_of_work(self.desk.identity.tenant_id):
            return list(WebhookAttempt.objects.order_by("number"))

    def again(self, endpoint: WebhookEndpoint) -> WebhookEndpoint:
        with unit_of_work(self.desk.identity.tenant_id):
            return WebhookEndpoint.objects.get(id=endpoint.id)

    def make_due(self) -> None:
        self.sql("UPDATE jobs_webhookdelivery SET next_attempt_at = clock_timestamp() WHERE state = 'pending'")

    def end_leases(self) -> None:
        self.sql("UPDATE jobs_webhookdelivery SET lease_until = clock_timestamp() WHERE lease_until IS NOT NULL")

    def seconds_to_next(self) -> float:
        with operator_work(), connections[OPERATOR].cursor() as cursor:
            cursor.execute(
                "SELECT extract(epoch FROM next_attempt_at - clock_timestamp())::float8"
                " FROM jobs_webhookdelivery WHERE tenant_id = %s",
                [self.desk.identity.tenant_id],
            )
            (seconds,) = cursor.fetchone()
        return float(seconds)

    def sql(self, statement: str, *values: UUID) -> None:
        self.desk.sql(f"{statement} AND tenant_id = %s", *values, self.desk.identity.tenant_id)

    def end_rest(self) -> None:
        """Make all messages due, and end the rest of all endpoints that are left alone."""
        self.make_due()
        self.sql("UPDATE jobs_webhookendpoint SET paused_until = clock_timestamp() WHERE paused_until IS NOT NULL")

    def taken(self) -> list[Held]:
        return take_due(room=32, doubtful_room=16)

    def send_due(self) -> int:
        """Send everything that is due now, one after another, and return its number."""
        taken = self.taken()
        for held in taken:
            settle(held, attempt(signed(held)))
        return len(taken)


@pytest.fixture
def post(desk: Desk, loopback: None, only_ours: None) -> Post:
    return Post(desk)
