"""Test that a cancel and a time limit free the thread that works on the page, at whatever step it is."""

import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import connections

from inference.core.calls import Call
from inference.core.contracts import Json, VersionSpec, WorkInput, WorkOutput
from inference.core.control import ControlListener
from inference.core.errors import ModelOverloaded
from inference.engine.engine import Engine
from inference.registry.models import ModelVersion
from inference.registry.onnx_files import OnnxUpload, add_onnx_file
from jobs.core import states
from jobs.core.models import Job
from jobs.documents.reading import reader
from jobs.events.changes import CANCEL
from jobs.submission.cancellations import cancel_job
from jobs.submission.services import JobRequest, submit_job
from jobs.worker.leases import Leases
from jobs.worker.page_runner import PageRunner
from jobs.worker.versions import VersionCatalog
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tenants.plans.prices import Price
from tests.fixtures import unique
from tests.samples.counting_model import FOR_EVER, counting_input, save_counting_model
from tests.samples.pdfs import laughing_pdf
from tests.waiting import eventually

from .conftest import Hooked
from .test_page_runner import embed, ended, pages_of, submit_document

AT_ONCE_S = 3.0
"""Seconds that are far fewer than anything here would take by itself. An idle machine needs half a second."""


class Busy(Engine):
    """An engine that works until its caller ends the call."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.host)
        self.started = threading.Event()

    def run(
        self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call | None = None
    ) -> WorkOutput:
        self.started.set()
        assert call is not None
        return call.result_of(Future())


def runner_of(engine: Engine, leases: Leases | None = None) -> PageRunner:
    return PageRunner(engine, leases or Leases(30), VersionCatalog(), "test")


@contextmanager
def at_work(runner: PageRunner, identity: Identity, job: Job) -> Iterator["Future[None]"]:
    """Run the job's first page in a thread of its own, as in a worker."""

    def work() -> None:
        try:
            runner.run(tenant_id=identity.tenant_id, page_id=pages_of(identity, job)[0].id)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        yield threads.submit(work)


@contextmanager
def hearing(runner: PageRunner) -> Iterator[None]:
    listener = ControlListener(
        settings.MAAS_REDIS_URL, {CANCEL: lambda about: runner.leases.cancel_job(UUID(about["job"]))}
    )
    listener.start()
    try:
        assert listener.listening.wait(10)
        yield
    finally:
        listener.stop()


def page_of(identity: Identity, job: Job) -> tuple[str, int, str]:
    page = pages_of(identity, job)[0]
    return page.state, page.attempt, page.error_code


@pytest.fixture(scope="module")
def counting(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> ModelVersion:
    file = save_counting_model(tmp_path_factory.mktemp("model") / "counting.onnx")
    name, price = unique("counting"), Price("call", 1000, 1, "EUR")
    return add_onnx_file(OnnxUpload(file, name, title=name, description="", price=price))


def count(identity: Identity, version: ModelVersion, to: int) -> Job:
    request = JobRequest(model=version.served_model.name, input=counting_input(to))
    return submit_job(identity=identity, request=request)


def test_a_cancel_ends_the_run_of_the_model(engine: Engine, identity: Identity, counting: ModelVersion) -> None:
    runner = runner_of(engine)
    job = count(identity, counting, FOR_EVER)
    with hearing(runner), at_work(runner, identity, job) as work:
        eventually(lambda: running(engine), "a run of the model")
        cancel_job(identity=identity, job_id=job.id)
        assert work.exception(AT_ONCE_S) is None
    assert ended(identity, job).state == states.CANCELED
    after = count(identity, counting, 3)
    with at_work(runner, identity, after) as work:
        assert work.exception(AT_ONCE_S) is None
    assert ended(identity, after).state == states.SUCCEEDED


def running(engine: Engine) -> bool:
    return any(session.users for session in engine.host.resident())


def test_a_cancel_ends_the_reading_of_the_page(engine: Engine, identity: Identity, tmp_path: Path) -> None:
    runner = runner_of(engine)
    assert reader().wait_until_warm(20)
    job = submit_document(identity, tmp_path, laughing_pdf())
    children = reader().child_pids()
    with hearing(runner), at_work(runner, identity, job) as work:
        eventually(lambda: runner.leases.count, "work on the page")
        # The child needs many seconds for the page. It works on it whether the cancel comes a moment earlier or later.
        cancel_job(identity=identity, job_id=job.id)
        assert work.exception(AT_ONCE_S) is None
    assert ended(identity, job).state == states.CANCELED
    assert reader().wait_until_warm(20)
    assert len(reader().child_pids()) == len(children)


def test_a_cancel_between_reading_and_running_starts_no_run(engine: Engine, identity: Identity) -> None:
    job = embed(identity)

    def cancel() -> None:
        cancel_job(identity=identity, job_id=job.id)
        runner.leases.cancel_job(job.id)

    hooked = Hooked(engine, before=cancel)
    runner = runner_of(hooked)
    with at_work(runner, identity, job) as work:
        assert work.exception(AT_ONCE_S) is None
    assert (ended(identity, job).state, hooked.runs) == (states.CANCELED, 0)


def test_a_cancel_ends_the_wait_for_a_models_files(engine: Engine, identity: Identity) -> None:
    runner = runner_of(engine)
    job = embed(identity)
    with hearing(runner), connections["owner"].cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("LOCK TABLE inference_pipelinestep")
        with at_work(runner, identity, job) as work:
            eventually(lambda: runner.leases.count, "work on the page")
            cancel_job(identity=identity, job_id=job.id)
            assert work.exception(AT_ONCE_S) is None
        cursor.execute("ROLLBACK")
    assert runner.versions.get(job.model_version_id).model == "embed", "others find what was fetched meanwhile"


def test_a_cancel_that_no_worker_hears_frees_it_when_the_lease_is_renewed(engine: Engine, identity: Identity) -> None:
    lease_s = 1.5
    busy, leases = Busy(engine), Leases(lease_s)
    leases.start()
    job = embed(identity)
    with at_work(runner_of(busy, leases), identity, job) as work:
        assert busy.started.wait(10)
        cancel_job(identity=identity, job_id=job.id)
        assert work.exception(lease_s / 3 + 1) is None
    leases.stop()
    assert page_of(identity, job) == (states.CANCELED, 1, "")


def test_a_word_that_was_wrong_gives_the_page_back_at_no_cost(engine: Engine, identity: Identity) -> None:
    busy = Busy(engine)
    runner, job = runner_of(busy), embed(identity)
    with at_work(runner, identity, job) as work:
        assert busy.started.wait(10)
        runner.leases.cancel_job(uuid4())
        assert not work.done()
        runner.leases.cancel_job(job.id)
        assert work.exception(AT_ONCE_S) is None
    assert page_of(identity, job) == (states.QUEUED, 0, "")


def test_a_page_past_its_limit_is_tried_again_until_its_attempts_are_used_up(
    engine: Engine, identity: Identity
) -> None:
    runner, job = runner_of(Busy(engine), Leases(30, page_limit_s=0.2)), embed(identity)
    for attempt in range(1, settings.MAAS_MAX_ATTEMPTS + 1):
        let_it_run_now(identity, job)
        with at_work(runner, identity, job) as work:
            assert work.exception(AT_ONCE_S) is None
        state = states.QUEUED if attempt < settings.MAAS_MAX_ATTEMPTS else states.FAILED
        assert page_of(identity, job) == (state, attempt, "page_timeout")
    assert runner.leases.hung == 0
    assert ended(identity, job).state == states.FAILED


def let_it_run_now(identity: Identity, job: Job) -> None:
    with operator_work(), connections["operator"].cursor() as cursor:
        cursor.execute("UPDATE jobs_page SET run_after = clock_timestamp() WHERE job_id = %s", [job.id])


def test_a_model_version_may_have_a_limit_of_its_own(engine: Engine, identity: Identity, version: ModelVersion) -> None:
    with operator_work():
        ModelVersion.objects.filter(id=version.id).update(config={"time_limit_s": 0.2})
    request = JobRequest(model=version.served_model.name, input={"text": "hello"})
    job = submit_job(identity=identity, request=request)
    started_s = time.monotonic()
    with at_work(runner_of(Busy(engine)), identity, job) as work:
        assert work.exception(AT_ONCE_S) is None
    assert time.monotonic() - started_s >= 0.2
    assert page_of(identity, job) == (states.QUEUED, 1, "page_timeout")


def test_a_page_that_too_many_others_wait_before_loses_no_attempt(engine: Engine, identity: Identity) -> None:
    def refuse() -> None:
        raise ModelOverloaded("100 wait; no more than 100 may")

    job = embed(identity)
    with at_work(runner_of(Hooked(engine, before=refuse)), identity, job) as work:
        assert work.exception(AT_ONCE_S) is None
    assert page_of(identity, job) == (states.QUEUED, 0, "model_overloaded")
