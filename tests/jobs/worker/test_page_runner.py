"""Tests of how a worker processes a page, with the real models, the real reader and a database that really goes
away.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connections
from django.db.models.functions import Now
from structlog.testing import capture_logs

from inference.core.calls import Call
from inference.core.device_time import charged_ms
from inference.core.errors import ModelFailed
from inference.engine.engine import Engine, local_engine
from inference.registry.models import ServedModel
from inference.workers.placement.relative_costs import RelativeCosts
from jobs.core import states
from jobs.core.models import DocumentPage, Event, Job, Page
from jobs.core.priorities import STANDARD, WEIGHTS
from jobs.documents.reader import ReaderUnavailable
from jobs.documents.reading import reader
from jobs.documents.services import store_document
from jobs.queue.claims import claim_page
from jobs.submission.cancellations import cancel_job
from jobs.submission.services import JobRequest, submit_job
from jobs.worker import page_runner
from jobs.worker.leases import Leases
from jobs.worker.page_ends import end_of
from jobs.worker.page_runner import PageRunner
from jobs.worker.versions import VersionCatalog
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import APP, operator_work, unit_of_work
from tenants.identity.identity import Identity
from tests.samples.pdfs import laughing_pdf, picture_of, scanned_pdf, text_pdf, text_with_picture
from tests.samples.uploads import arrived
from tests.tenants.billing.ledger.conftest import Purse
from tests.waiting import eventually

from .conftest import Hooked


@pytest.fixture
def runner(engine: Engine) -> PageRunner:
    return PageRunner(engine, Leases(30), VersionCatalog(), "test")


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit a page to one second of processor time."""
    monkeypatch.setattr(reader(), "limits", replace(reader().limits, max_cpu_s=1))


def pages_of(identity: Identity, job: Job) -> list[Page]:
    with unit_of_work(identity.tenant_id):
        return list(Page.objects.filter(job=job).order_by("number"))


def ended(identity: Identity, job: Job) -> Job:
    with unit_of_work(identity.tenant_id):
        return Job.objects.get(id=job.id)


def run_all(runner: PageRunner, identity: Identity, job: Job) -> Job:
    for page in pages_of(identity, job):
        runner.run(tenant_id=identity.tenant_id, page_id=page.id)
    return ended(identity, job)


def submit_document(identity: Identity, folder: Path, content: bytes, model: str = "ocr") -> Job:
    upload = arrived(content, folder / "sent.pdf")
    document = store_document(identity=identity, upload=upload).document
    return submit_job(identity=identity, request=JobRequest(model=model, document_id=document.id))


def embed(identity: Identity) -> Job:
    return submit_job(identity=identity, request=JobRequest(model="embed", input={"text": "hello world"}))


def test_a_text_is_embedded_and_charged_by_its_tokens(runner: PageRunner, identity: Identity) -> None:
    job = run_all(runner, identity, embed(identity))
    assert (job.state, job.cost_micros) == (states.SUCCEEDED, 4)
    result = pages_of(identity, job)[0].result
    assert result is not None
    assert len(result["embedding"]) == 384


def test_a_scan_is_read(runner: PageRunner, identity: Identity, tmp_path: Path) -> None:
    job = run_all(runner, identity, submit_document(identity, tmp_path, scanned_pdf("Hello from the scanner", dpi=400)))
    assert job.state == states.SUCCEEDED
    result = pages_of(identity, job)[0].result
    assert result is not None
    assert "Hello from the scanner" in result["text"]


def pictures_of(identity: Identity) -> list[str]:
    with unit_of_work(identity.tenant_id):
        return list(DocumentPage.objects.order_by("id").values_list("picture", flat=True))


def test_a_page_with_text_of_its_own_is_parsed_undrawn_and_known_in_another_file(
    runner: PageRunner, identity: Identity, tmp_path: Path
) -> None:
    texts = "The first page of this document.", "Another page with text."
    job = run_all(runner, identity, submit_document(identity, tmp_path, text_pdf(*texts), "parse"))
    assert (job.state, pictures_of(identity)) == (states.SUCCEEDED, ["", ""])
    other = run_all(runner, identity, submit_document(identity, tmp_path, text_pdf(texts[0]), "parse"))
    assert (other.state, other.pages_cached) == (states.SUCCEEDED, 1)


def test_a_model_that_looks_at_pictures_knows_a_page_with_text_by_its_picture(
    runner: PageRunner, identity: Identity, tmp_path: Path
) -> None:
    words = "Words that both files have as text."
    content = text_pdf(words)
    first = run_all(runner, identity, submit_document(identity, tmp_path, content))
    assert (first.pages_cached, all(pictures_of(identity))) == (0, True)
    again = submit_document(identity, tmp_path, content)
    assert (again.state, again.pages_cached) == (states.SUCCEEDED, 1)
    other = run_all(runner, identity, submit_document(identity, tmp_path, content + b"% other bytes"))
    assert (other.state, other.pages_cached) == (states.SUCCEEDED, 0)


def test_a_page_with_text_and_a_scanned_part_is_read_by_both(
    runner: PageRunner, identity: Identity, tmp_path: Path
) -> None:
    content = text_with_picture("The text of this page is a sentence.", picture_of("Chairs 39.00", "Lamps 25.00"))
    job = run_all(runner, identity, submit_document(identity, tmp_path, content, "parse"))
    result = pages_of(identity, job)[0].result
    assert result is not None
    assert result["source"] == "mixed"
    assert [line["text"] for line in result["lines"]] == [
        "The text of this page is a sentence.",
        "Chairs 39.00",
        "Lamps 25.00",
    ]
    again = submit_document(identity, tmp_path, content, "parse")
    assert (again.state, again.pages_cached, all(pictures_of(identity))) == (states.SUCCEEDED, 1, True)


@pytest.mark.usefixtures("hasty")
def test_a_page_that_only_rendering_shows_to_be_bad_fails_with_the_documents_code(
    runner: PageRunner, identity: Identity, tmp_path: Path
) -> None:
    job = run_all(runner, identity, submit_document(identity, tmp_path, laughing_pdf()))
    assert (job.state, job.error_code, job.cost_micros) == (states.FAILED, "document_too_complex", 0)


class Counted(RelativeCosts):
    """Relative costs that also record what was counted."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self.times: list[float] = []

    def add(self, key: str, tenant: str, seconds: float, times: float = 1.0) -> None:
        super().add(key, tenant, seconds, times)
        self.seconds.append(seconds)
        self.times.append(times)


@pytest.fixture
def counting(engine: Engine) -> PageRunner:
    return PageRunner(engine, Leases(30), VersionCatalog(), "test", hefts=Counted())


def seconds_of(runner: PageRunner) -> list[float]:
    assert isinstance(runner.hefts, Counted)
    return runner.hefts.seconds


@pytest.mark.usefixtures("hasty")
def test_a_document_of_pages_that_cannot_be_read_costs_two_readings_however_often_it_is_sent(
    counting: PageRunner, identity: Identity, tmp_path: Path
) -> None:
    bomb = laughing_pdf(count=60)
    jobs = [submit_document(identity, tmp_path, bomb) for _ in range(2)]
    first, second = (run_all(counting, identity, job) for job in jobs)
    for job in (first, second):
        assert (job.state, job.pages_failed, job.cost_micros) == (states.FAILED, 60, 0)
        assert {page.error_code for page in pages_of(identity, job)} == {"document_too_complex"}
    read, failed_at_once = seconds_of(counting)[:2], seconds_of(counting)[2:]
    assert min(read) >= 0.9, "what a page took counts, though it failed"
    assert len(failed_at_once) == 1, "the other pages were claimed by nobody"
    assert isinstance(counting.hefts, Counted)
    assert set(counting.hefts.times) == {WEIGHTS[STANDARD]}, "a better priority is no use to them"


def test_what_a_page_took_counts_though_its_result_was_known(
    counting: PageRunner, identity: Identity, tmp_path: Path
) -> None:
    scan = scanned_pdf("Twice", dpi=400)
    jobs = [submit_document(identity, tmp_path, scan) for _ in range(2)]
    _, known = (run_all(counting, identity, job) for job in jobs)
    assert known.pages_cached == 1
    assert len(seconds_of(counting)) == 2
    assert isinstance(counting.hefts, Counted)
    assert set(counting.hefts.times) == {1}


@pytest.mark.usefixtures("engine")
def test_a_page_that_waits_for_a_reader_loses_no_try_however_long(identity: Identity, tmp_path: Path) -> None:
    job = submit_document(identity, tmp_path, scanned_pdf("Patience", dpi=400))
    for _ in range(settings.MAAS_MAX_ATTEMPTS + 1):
        (page,) = pages_of(identity, job)
        claim = claim_page(identity.tenant_id, page.id, "test")
        assert claim is not None
        assert end_of(claim, Call(), ReaderUnavailable("all are busy"))() == "postponed"
        _let_it_run_now(identity, page)
        with operator_work():
            Page.objects.filter(id=page.id).update(started_at=Now() - timedelta(hours=2))
    (page,) = pages_of(identity, job)
    assert (page.state, page.attempt, page.error_code) == (states.QUEUED, 0, "reader_unavailable")


def test_a_text_that_is_known_is_not_opened(runner: PageRunner, identity: Identity, tmp_path: Path) -> None:
    jobs = [submit_document(identity, tmp_path, b"Known words", model="embed") for _ in range(2)]
    run_all(runner, identity, jobs[0])
    assert jobs[1].document is not None
    default_storage.delete(jobs[1].document.file)
    job = run_all(runner, identity, jobs[1])
    assert (job.state, job.pages_cached) == (states.SUCCEEDED, 1)


def test_a_page_canceled_while_it_runs_is_thrown_away(engine: Engine, identity: Identity) -> None:
    job = embed(identity)

    hooked = Hooked(engine, after=lambda: cancel_job(identity=identity, job_id=job.id))
    runner = PageRunner(hooked, Leases(30), VersionCatalog(), "test")
    assert run_all(runner, identity, job).state == states.CANCELED
    with unit_of_work(identity.tenant_id):
        assert not UsageRecord.objects.exists()


def test_a_result_outlives_the_loss_of_the_connection_it_was_to_be_written_over(
    engine: Engine, identity: Identity
) -> None:
    def lose() -> None:
        pid = connections[APP].connection.info.backend_pid
        with connections["owner"].cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])

    hooked = Hooked(engine, after=lose)
    runner = PageRunner(hooked, Leases(30), VersionCatalog(), "test")
    job = run_all(runner, identity, embed(identity))
    assert (job.state, job.pages_succeeded, hooked.runs) == (states.SUCCEEDED, 1, 1)
    assert pages_of(identity, job)[0].attempt == 1


def test_a_page_whose_end_cannot_be_written_fails_as_any_other_and_not_as_a_lost_worker(
    runner: PageRunner, identity: Identity
) -> None:
    """The end cannot be written here because no row can hold the price."""
    job = embed(identity)
    with operator_work():
        Job.objects.filter(id=job.id).update(price={**job.price, "amount_micros": 2**63, "per": 1})
    assert run_all(runner, identity, job).state == states.RUNNING
    (page,) = pages_of(identity, job)
    assert (page.state, page.attempt, page.error_code) == (states.QUEUED, 1, "internal_error")
    for _ in range(settings.MAAS_MAX_ATTEMPTS - 1):
        _let_it_run_now(identity, page)
        run_all(runner, identity, job)
    job = ended(identity, job)
    assert (job.state, job.error_code, job.cost_micros) == (states.FAILED, "internal_error", 0)


def test_the_log_has_the_code_of_a_failure_and_not_its_words(identity: Identity) -> None:
    """The text may contain what is on the page, and a log is not erased with the page."""
    job = embed(identity)
    (page,) = pages_of(identity, job)
    claim = claim_page(identity.tenant_id, page.id, "test")
    assert claim is not None
    with capture_logs() as lines:
        end_of(claim, Call(), ModelFailed("model_failed", "It broke at: Dear Anna"))()
    assert [line["code"] for line in lines if line["event"] == "page_failed"] == ["model_failed"]
    assert "Anna" not in str(lines)
    assert "Anna" in ended(identity, job).error_detail


def test_a_database_that_stays_away_makes_no_dead_letter(
    runner: PageRunner, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RabbitMQ sets a failed message aside, and a person would be called for nothing."""
    job = embed(identity)
    (page,) = pages_of(identity, job)
    monkeypatch.setattr(page_runner, "CLAIM_TIMEOUT_S", 0.0)
    with monkeypatch.context() as away:
        connections.close_all()
        away.setitem(connections[APP].settings_dict, "HOST", "/nowhere")
        runner.run(tenant_id=identity.tenant_id, page_id=page.id)
    (page,) = pages_of(identity, job)
    assert (page.state, page.attempt) == (states.QUEUED, 0)


def test_while_storage_is_away_a_page_waits_and_loses_no_attempt(
    runner: PageRunner, identity: Identity, tmp_path: Path
) -> None:
    job = submit_document(identity, tmp_path, scanned_pdf("Patience", dpi=400))
    with unit_of_work(identity.tenant_id):
        assert job.document is not None
        name = job.document.file
    assert isinstance(default_storage._wrapped, FileSystemStorage)  # type: ignore[attr-defined]
    folder = Path(default_storage.path(name)).parent
    away = folder.with_name("away")
    folder.rename(away)
    for _ in range(5):
        run_all(runner, identity, job)
        page = pages_of(identity, job)[0]
        assert (page.state, page.attempt) == (states.QUEUED, 0)
        run_all(runner, identity, job)
        assert pages_of(identity, job)[0].run_after == page.run_after, "it waits before the next try"
        _let_it_run_now(identity, page)
    away.rename(folder)
    assert run_all(runner, identity, job).state == states.SUCCEEDED


def _let_it_run_now(identity: Identity, page: Page) -> None:
    with unit_of_work(identity.tenant_id), connections[APP].cursor() as cursor:
        cursor.execute("UPDATE jobs_page SET run_after = clock_timestamp() WHERE id = %s", [page.id])


def test_a_message_for_nothing_does_nothing(runner: PageRunner, identity: Identity) -> None:
    job = run_all(runner, identity, embed(identity))
    before = pages_of(identity, job)[0].finished_at
    run_all(runner, identity, job)
    assert pages_of(identity, job)[0].finished_at == before


def events_of(identity: Identity, job: Job) -> list[Event]:
    with unit_of_work(identity.tenant_id):
        return list(Event.objects.filter(job=job).order_by("seq"))


def test_a_page_says_that_it_waits_for_its_model_and_where_its_time_went(identity: Identity) -> None:
    def all_events() -> list[str]:
        with unit_of_work(identity.tenant_id):
            return list(Event.objects.values_list("type", flat=True))

    slow = Hooked(local_engine(), after=lambda: eventually(lambda: "page.loading" in all_events(), "the news"))
    runner = PageRunner(slow, Leases(30), VersionCatalog(), "cold")
    cold, warm = (run_all(runner, identity, embed(identity)) for _ in range(2))
    loading, ended = events_of(identity, cold)[-3:-1]
    assert (loading.type, loading.data["model"]) == ("page.loading", "embed@1")
    assert set(ended.data["timings"]) == {"read_ms", "load_ms", "run_ms"}
    assert ended.data["timings"]["load_ms"] > 0
    assert "page.loading" not in [event.type for event in events_of(identity, warm)]


@pytest.fixture
def by_the_second(engine: Engine) -> Iterator[None]:
    """Charge `embed` at 0.07 for a second, and at 0.007 for a second of a cached result."""
    terms = {
        "price_meter": "gpu_second",
        "price_micros": 70_000,
        "price_per": 1_000,
        "cached_price_micros": 7_000,
    }
    with operator_work():
        embed = ServedModel.objects.filter(name="embed")
        before = embed.values(*terms).get()
        embed.update(**terms)
    yield
    with operator_work():
        embed.update(**before)


@pytest.mark.usefixtures("by_the_second")
def test_a_text_is_charged_by_the_time_that_its_run_took(runner: PageRunner, identity: Identity) -> None:
    purse = Purse(identity.tenant_id)
    purse.prepaid(70 * 10_000)
    job = embed(identity)
    assert purse.stands() == (0, 70 * 10_000)
    job = run_all(runner, identity, job)
    (page,) = pages_of(identity, job)
    assert page.units is not None
    quantity = charged_ms(page.units["device_us"])
    assert quantity >= 1
    assert job.cost_micros == page.cost_micros == 70 * quantity
    assert purse.stands() == (70 * 10_000 - 70 * quantity, 0)
    again = embed(identity)
    assert (again.state, again.cost_micros) == (states.SUCCEEDED, 7 * quantity)
    with unit_of_work(identity.tenant_id):
        uses = UsageRecord.objects.order_by("id").values_list("source_kind", "meter", "quantity", "amount_micros")
        assert list(uses) == [
            ("page", "gpu_second", quantity, 70 * quantity),
            ("cache", "gpu_second", quantity, 7 * quantity),
        ]
    assert purse.stands() == (70 * 10_000 - 77 * quantity, 0)
