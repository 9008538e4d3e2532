"""A product that was restored from a backup. test_backup.py checks it, and the documents' examples are run on it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.docs.product import PROJECT
from tests.flows.caller import Caller
from tests.flows.conftest import own_product
from tests.flows.product import Product
from tests.samples.pdfs import scanned_pdf
from tests.services import without_product

CUT_SHORT = "20260101T000000Z"
"""A folder beside the backups that lacks what the last step of a backup writes."""


@dataclass(frozen=True)
class Restored:
    backup: Path
    beside: list[str]
    """The names of the folders where the backup was made."""
    product: Product
    before: dict[str, Any]
    """The responses that callers had received before the backup was made."""

    @property
    def caller(self) -> Caller:
        return self.product.caller()


def script(name: str, *arguments: Path | str, **variables: Path | str) -> subprocess.CompletedProcess[str]:
    env = without_product(os.environ) | {"MAAS_PYTHON": sys.executable}
    env |= {name: str(value) for name, value in variables.items()}
    argv = [PROJECT / "deploy/backup" / name, *arguments]
    return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=120, check=False)


def picture(caller: Caller, document_id: object) -> bytes:
    answer = caller.http.get(f"/v1/documents/{document_id}/pages/1/picture")
    assert answer.status_code == 200, answer.text
    return answer.content


def _work(product: Product) -> dict[str, Any]:
    with product.caller() as caller:
        job = caller.submit_file(scanned_pdf("Kept for ever"), model="ocr", wait_s=60).json()
        gone = caller.upload(scanned_pdf("Deleted while the backup ran"), "gone.pdf")
        return {
            "job": caller.get(f"/v1/jobs/{job['id']}", include="result"),
            "picture": picture(caller, job["document"]),
            "gone": gone["id"],
            "demo": product.running.demo,
        }


def _delete_while_it_runs(backup: Path, document_id: str) -> None:
    """Change the backup to the state it has if the document is deleted after the dump and before its file is copied."""
    manifest = json.loads((backup / "manifest.json").read_text())
    (backup / "manifest.json").write_text(json.dumps(manifest | {"erased_documents": [document_id]}))
    lines = (backup / "files.jsonl").read_text().splitlines(keepends=True)
    (backup / "files.jsonl").write_text("".join(line for line in lines if document_id not in line))
    shutil.rmtree(next((backup / "files").rglob(document_id)))


@pytest.fixture(scope="session")
def restored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restored]:
    folder = tmp_path_factory.mktemp("backup")
    with own_product(folder / "first") as (_, product):
        before = _work(product)
        (folder / "backups" / CUT_SHORT).mkdir(parents=True)
        for _ in range(2):
            made = script("backup", folder / "backups", "1", MAAS_HOME=product.home)
            assert made.returncode == 0, made.stderr
    shutil.rmtree(folder / "first")
    newest = max((folder / "backups").iterdir())
    beside = sorted(path.name for path in newest.parent.iterdir())
    _delete_while_it_runs(newest, before["gone"])
    done = script("restore", newest, MAAS_HOME=folder / "second")
    assert done.returncode == 0, done.stderr + done.stdout
    with own_product(folder / "second") as (_, product):
        yield Restored(newest, beside, product, before)
