"""Two whole cells, 80 ms apart, and cuts between them: nothing of a tenant is anywhere but in its home cell."""

import base64
import hashlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.flows.caller import Caller
from tests.maas.web.cells.whole_cells import WholeCell, whole_cells
from tests.waiting import eventually

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("whole_cells")]
ONE_WAY_S = 0.04
TUS = {"Tus-Resumable": "1.0.0"}


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WholeCell, WholeCell]]:
    with whole_cells(tmp_path_factory.mktemp("cells"), one_way_s=ONE_WAY_S) as both:
        yield both


def read_a_text(caller: Caller, text: str) -> str:
    """Upload a text, have it read, and return what was read."""
    document = caller.upload(text.encode(), name=f"{text.partition(' ')[0]}.txt")
    job = caller.ended(caller.submit("parse", document=document["id"])["id"])
    assert job["state"] == "succeeded", job
    return str(caller.get(f"/v1/jobs/{job['id']}", include="result"))


def test_a_tenant_is_served_through_the_other_cell(cells: tuple[WholeCell, WholeCell]) -> None:
    eu, us = cells
    with Caller(eu.url, us.key) as caller:
        assert "marker-one" in read_a_text(caller, "marker-one stays at home")
        refused = caller.http.post("/v1/jobs", json={"model": "marker-two", "text": "marker-three"})
        assert refused.status_code in (400, 404, 422)
        assert caller.http.get("/v1/jobs?state=marker-four").status_code == 400
    eventually(lambda: us.places_of("marker-one"), "the text at home")
    for marker in ("marker-one", "marker-two", "marker-three", "marker-four", us.tenant_id, us.key):
        assert eu.places_of(marker) == []


def test_a_cell_that_is_cut_off_serves_its_own_tenants(cells: tuple[WholeCell, WholeCell]) -> None:
    eu, us = cells
    for cell in cells:
        cell.link.cut()
    try:
        with Caller(eu.url, us.key) as away:
            answer = away.http.post("/v1/documents", files={"file": ("a.txt", b"marker-five")})
            assert (answer.status_code, answer.json()["code"], answer.json()["cell"]) == (503, "cell_unreachable", "us")
        for cell, marker in ((eu, "own-eu"), (us, "own-us")):
            with Caller(cell.url, cell.key) as caller:
                assert marker in read_a_text(caller, f"{marker} works")
    finally:
        for cell in cells:
            cell.link.heal()
    with Caller(eu.url, us.key) as caller:
        eventually(lambda: caller.http.get("/v1/models").status_code == 200, "the way to the other cell")
    assert eu.places_of("marker-five") == us.places_of("marker-five") == []


def test_an_upload_that_is_cut_in_the_middle_is_continued(cells: tuple[WholeCell, WholeCell]) -> None:
    eu, us = cells
    content = b"".join(b"marker-six %09d\n" % number for number in range(60_000))
    with Caller(eu.url, us.key) as caller:
        name = base64.b64encode(b"marker-six.txt").decode()
        begun = caller.http.post(
            "/v1/uploads",
            headers={**TUS, "Upload-Length": str(len(content)), "Upload-Metadata": f"filename {name}"},
        )
        assert begun.status_code == 201, begun.text
        path = httpx.URL(begun.headers["location"]).path

        def parts() -> Iterator[bytes]:
            for at in range(0, len(content), 20_000):
                yield content[at : at + 20_000]
                time.sleep(0.02)

        cut = threading.Timer(0.4, us.link.cut)
        cut.start()
        patch = {**TUS, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
        broken = caller.http.patch(path, headers=patch, content=parts())
        cut.join()
        assert (broken.status_code, broken.json()["code"]) == (502, "cell_connection_lost")
        us.link.heal()
        eventually(lambda: caller.http.head(path, headers=TUS).status_code == 200, "the way to the other cell")

        def finished() -> bool:
            offset = int(caller.http.head(path, headers=TUS).headers["upload-offset"])
            again = {**patch, "Upload-Offset": str(offset)}
            return caller.http.patch(path, headers=again, content=content[offset:]).status_code == 204

        eventually(finished, "the rest of the upload")
        ready = eventually(lambda: found if (found := caller.get(path))["state"] != "processing" else None, "the end")
        assert ready["state"] == "ready", ready
        document = caller.get(f"/v1/documents/{ready['document']}")
        assert document["sha256"] == hashlib.sha256(content).hexdigest()
    assert us.places_of("marker-six")
    assert eu.places_of("marker-six") == []


def test_both_cells_serve_each_others_tenants_at_once(cells: tuple[WholeCell, WholeCell]) -> None:
    eu, us = cells

    def read(at: WholeCell, of: WholeCell, number: int) -> str:
        with Caller(at.url, of.key) as caller:
            return read_a_text(caller, f"marker-{of.name}-{number} is read")

    with ThreadPoolExecutor(4) as threads:
        futures = [
            (of, number, threads.submit(read, at, of, number)) for number in range(4) for at, of in ((eu, us), (us, eu))
        ]
        for of, number, future in futures:
            assert f"marker-{of.name}-{number}" in future.result()
    assert eu.places_of("marker-us-") == us.places_of("marker-eu-") == []


def test_logs_of_the_products_name_no_defect(cells: tuple[WholeCell, WholeCell], tmp_path: Path) -> None:
    for cell in cells:
        text = (cell.home.parent / f"{cell.name}.log").read_text()
        assert "Traceback" not in text
