"""Test that the examples of docs/client.md do what it says when they are pasted one after the other."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import maas_client
from maas_client import MaasError
from tests.docs.product import read, table_rows
from tests.flows.product import Account, Product
from tests.kept_cluster import PROJECT
from tests.samples.emails import email_with
from tests.samples.images import drawn_page, encoded
from tests.samples.pdfs import locked_pdf, text_pdf
from tests.services import without_product

GUIDE = "docs/client.md"
PROGRAM = """#!/bin/sh
exec {python} -m maas_client "$@"
"""


def examples(language: str) -> str:
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", read(GUIDE), re.MULTILINE | re.DOTALL))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scan.pdf").write_bytes(text_pdf("Invoice 17 for forty boxes", "Terms of payment"))
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "locked.pdf").write_bytes(locked_pdf())
    (tmp_path / "mail.eml").write_bytes(email_with(("note.txt", b"two pears")))
    (tmp_path / "photo.jpg").write_bytes(encoded(drawn_page("Dear Sir", (900, 400)), "JPEG"))
    with zipfile.ZipFile(tmp_path / "post.zip", "w") as packed:
        packed.writestr("a letter.pdf", text_pdf("Dear Sir or Madam"))
    program = tmp_path / "bin" / "maas"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    return tmp_path


def done(argv: list[str], folder: Path, product: Product, account: Account) -> str:
    env = without_product(os.environ) | {
        "MAAS_URL": product.running.url,
        "MAAS_API_KEY": account.key,
        "PYTHONPATH": str(PROJECT / "client"),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
    }
    ran = subprocess.run(
        argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_python_examples_run(folder: Path, product: Product, account: Account) -> None:
    out = done([sys.executable, "-W", "error", "-c", examples("python")], folder, product, account)
    assert out.startswith("Invoice 17 for forty boxes")
    assert "job.succeeded" in out
    assert "unsupported_type 415" in out
    assert "Terms of payment" in (folder / "scan.md").read_text()


def test_shell_examples_run(folder: Path, product: Product, account: Account) -> None:
    out = done(["bash", "-euo", "pipefail", "-c", examples("sh")], folder, product, account)
    assert out.startswith("Invoice 17 for forty boxes")
    assert "Dear Sir" in out
    assert "## Page 2" in (folder / "all.md").read_text()
    assert "job.succeeded" in out


def test_every_error_is_described() -> None:
    kinds = {
        name
        for name in maas_client.__all__
        if isinstance(kind := getattr(maas_client, name), type) and issubclass(kind, MaasError)
    }
    assert kinds - {"MaasError"} <= set(table_rows(GUIDE))
