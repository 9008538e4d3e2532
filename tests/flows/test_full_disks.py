"""Tests that a full disk leads to clear refusals, loses nothing and costs no page, and that free space alone resumes
work.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.fixtures import unique
from tests.kept_cluster import SEEDED, VARIABLE
from tests.live_stack import LiveStack
from tests.samples.pdfs import scanned_pdf
from tests.tmpfs import filled, small_disk
from tests.waiting import eventually

from .caller import Caller
from .conftest import LEASE_S, own_product
from .product import Product

pytestmark = pytest.mark.xdist_group("full-disks")
RUN_S = 120.0
FILES, SPOOL, POSTGRES = "files", "spool", "postgres"


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveStack, Product]]:
    home = tmp_path_factory.mktemp("full-disks") / "var"
    home.mkdir(mode=0o700)
    with ExitStack() as disks:
        # The disks have space for the models, which are files too, and for a database without work.
        for folder, megabytes in ((FILES, 200), (SPOOL, 8), (POSTGRES, 240)):
            disks.enter_context(small_disk(home / folder, megabytes))
        give_kept(home)
        with own_product(home, MAAS_LEASE_S=str(LEASE_S)) as running:
            yield running


def give_kept(home: Path) -> None:
    """Copy what a first start would create onto the disks."""
    if VARIABLE in os.environ:
        kept = (str(Path(os.environ[VARIABLE], part)) for part in SEEDED)
        subprocess.run(["cp", "-a", *kept, str(home)], check=True)


@pytest.fixture(scope="module")
def product(victim: tuple[LiveStack, Product]) -> Product:
    return victim[1]


@pytest.fixture(scope="module")
def caller(product: Product) -> Iterator[Caller]:
    with product.caller() as caller:
        yield caller


def disk(product: Product, folder: str) -> Path:
    return product.home / folder


def send_job(product: Product, document: bytes) -> httpx.Response:
    return send(product, data={"model": "ocr"}, files={"file": ("sheet.pdf", document)})


def send(product: Product, **what: object) -> httpx.Response:
    headers = {"Authorization": f"Bearer {product.running.demo['MAAS_API_KEY']}"}
    url = f"{product.running.url}/v1/jobs"
    return httpx.post(url, headers=headers, timeout=30.0, trust_env=False, **what)  # type: ignore[arg-type]


def assert_refused_in_words(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["code"] == code
    assert int(answer.headers["retry-after"]) >= 1
    assert "Traceback" not in answer.text


def jobs_count(product: Product) -> int:
    return int(product.rows("SELECT count(*) FROM jobs_job")[0][0])


@pytest.mark.parametrize("folder", [SPOOL, FILES])
def test_an_upload_without_room_is_507_and_leaves_no_job(caller: Caller, product: Product, folder: str) -> None:
    document = scanned_pdf(unique("no room"), dpi=400)
    before = jobs_count(product)
    with filled(disk(product, folder)):
        assert_refused_in_words(send_job(product, document), 507, "storage_full")
        assert jobs_count(product) == before
        text = send(product, json={"model": "embed", "input": {"text": unique("text")}})
        assert text.status_code == 202, "what needs no room for files is served"
    accepted = send_job(product, document)
    assert accepted.status_code == 202
    assert caller.ended(accepted.json()["id"], RUN_S)["state"] == "succeeded"


def test_pages_wait_for_room_in_the_storage_and_lose_no_attempt(caller: Caller, product: Product) -> None:
    document = caller.upload(scanned_pdf(*(unique("sheet") for _ in range(2)), dpi=400))["id"]
    with filled(disk(product, FILES)):
        job = caller.submit("ocr", document=document)["id"]
        eventually(lambda: "documents_paused" in log_of(product), "a worker that leaves documents alone", RUN_S)
        text = caller.submit("embed", input={"text": unique("text")})["id"]
        assert caller.ended(text, RUN_S)["state"] == "succeeded", "texts need no storage"
    assert caller.ended(job, RUN_S)["state"] == "succeeded"
    assert attempts(product, job) == {1}


def test_a_database_without_room_is_503_and_nothing_accepted_is_lost(caller: Caller, product: Product) -> None:
    document = caller.upload(scanned_pdf(*(unique("sheet") for _ in range(2)), dpi=400))["id"]
    accepted = [caller.submit("ocr", document=document)["id"]]
    with filled(disk(product, POSTGRES)):
        refused = None
        # Blocks that are already allocated still have some space.
        while refused is None:
            answer = send(product, json={"model": "embed", "input": {"text": unique("text") * 300}})
            if answer.status_code == 202:
                accepted.append(answer.json()["id"])
            else:
                refused = answer
        assert_refused_in_words(refused, 503, "storage_unavailable")
    for job in accepted:
        assert caller.ended(job, RUN_S)["state"] == "succeeded"
        assert attempts(product, job) == {1}
    assert send(product, json={"model": "embed", "input": {"text": "again"}}).status_code == 202


def attempts(product: Product, job: str) -> set[int]:
    return {attempt for (attempt,) in product.rows("SELECT attempt FROM jobs_page WHERE job_id = %s", job)}


def log_of(product: Product) -> str:
    return product.home.with_name("up.log").read_text()
