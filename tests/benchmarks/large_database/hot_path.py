"""The requests whose cost must not grow with the database, as the product itself runs them. Django must be set up."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connections
from django.test import Client

from inference.core.contracts import Units, WorkOutput
from jobs.charges.reconciling import reconcile_tonight
from jobs.events.broker import publishing_broker
from jobs.queue.claims import Claim, claim_page, renew_leases
from jobs.queue.settlement import finish_page
from jobs.queue.sweeper import sweep_expired_leases
from jobs.queue.upkeep import count_queued
from jobs.submission.services import JobRequest, submit_job
from tenants.accounts.models import User
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import account_work, unit_of_work

MODEL = "embed"
OWNER = "busy@example.com"
_number = itertools.count()
_PAGE = "SELECT id FROM jobs_page WHERE job_id = %s"


class HotPath:
    """What a caller, a worker and the scheduler do, each as one act."""

    def __init__(self, key: str) -> None:
        self._identity = identify_key(key)
        self._client = Client(headers={"Host": "localhost"})
        with account_work():
            self._client.force_login(User.objects.get(email=OWNER))
        self._submitted: list[UUID] = []
        self._claimed: list[Claim] = []
        self._last_job: UUID | None = None

    def acts(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield the acts with their names, in an order in which each finds what the acts before it left."""
        today = datetime.now(UTC).date()
        month = {"from": (today - timedelta(days=30)).isoformat(), "to": today.isoformat()}
        # No worker takes the messages of earlier rounds, so that without this nothing would be released.
        publishing_broker().flush(f"infer.{MODEL}@1")
        yield "submit and release", self._submit
        yield "claim", self._claim
        yield "renew", lambda: renew_leases(self._claimed)
        yield "finish", self._finish
        yield "poll", lambda: self._get(f"/v1/jobs/{self._last_job}")
        yield "list", lambda: self._get("/v1/jobs", limit="20")
        yield "list, one state", lambda: self._get("/v1/jobs", limit="20", state="partially_succeeded")
        yield "documents", lambda: self._get("/v1/documents", limit="20")
        yield "search", lambda: self._get("/v1/search", q="apples delivery")
        yield "usage", lambda: self._get("/v1/usage", **month)
        yield "sweep", sweep_expired_leases
        yield "count of waiting pages", count_queued

    def nightly(self) -> int:
        return reconcile_tonight()

    def _submit(self) -> None:
        text = f"A short note number {next(_number)} about the delivery of apples."
        job = submit_job(identity=self._identity, request=JobRequest(model=MODEL, input={"text": text}))
        with unit_of_work(self._identity), connections["default"].cursor() as cursor:
            cursor.execute(_PAGE, [job.id])
            (page_id,) = cursor.fetchone()
        self._last_job = job.id
        self._submitted.append(page_id)

    def _claim(self) -> None:
        claim = claim_page(self._identity.tenant_id, self._submitted.pop(), "benchmark")
        assert claim is not None, "the page was not free"
        self._claimed.append(claim)

    def _finish(self) -> None:
        finish_page(self._claimed.pop(), WorkOutput({"text": "apples delivery"}, Units(calls=1)))

    def _get(self, path: str, **parameters: str) -> Any:
        response = self._client.get(path, parameters)
        assert response.status_code == 200, (path, response.status_code, response.content[:300])
        return response
