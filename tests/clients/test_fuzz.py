"""Test the product with a client that reads the OpenAPI document and sends everything that it allows, and much that it
does not.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.caller import Caller
from tests.flows.product import Product
from tests.isolation.belongings import Belongings
from tests.kept_cluster import PROJECT

pytestmark = pytest.mark.long
SEED = 20261122
EXAMPLES = int(os.environ.get("MAAS_TEST_FUZZ_EXAMPLES", "3"))
"""The number of random requests to an operation. Requests at the limits of what is described are added, and are always
the same.
"""
LIMIT_S = 900
TELLING_S = 60
"""The time in which the fuzzer must report what it has found when it is stopped."""
CHECKS = (
    "fault_of_the_server",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "negative_data_rejection",
    "unsupported_method",
)
FUZZ_CHECKS = Path(__file__).with_name("fuzz_checks.py")
LAST = 20_000
"""The number of characters of the output that are shown."""
NOT_DONE = 124
_CONFIGURATION = """
hooks = "{checks}"

[checks.negative_data_rejection]
expected-statuses = ["4xx", "5xx"]

[[operations]]
include-method = "DELETE"

[operations.parameters]
"path.document_id" = "{nobody.document_id}"
"path.job_id" = "{nobody.job_id}"
"path.file_id" = "{nobody.file_id}"
"path.upload_id" = "{nobody.upload_id}"
"path.archive_id" = "{nobody.archive_id}"

# Without a wait to fuzz: each would last up to a minute.
[[operations]]
include-path = "/v1/events"

[operations.parameters]
"header.Prefer" = "wait=1"

[parameters]
"path.document_id" = "{mine.document_id}"
"path.job_id" = "{mine.job_id}"
"path.file_id" = "{mine.file_id}"
"path.batch_id" = "{mine.batch_id}"
"path.upload_id" = "{mine.upload_id}"
"path.archive_id" = "{mine.archive_id}"
"path.invoice_id" = "{mine.invoice_id}"
"path.payment_id" = "{mine.payment_id}"
"path.number" = {mine.number}
"path.name" = "embed"
"path.version" = "1"
"""


@pytest.fixture(scope="module")
def fuzzer() -> str:
    beside = Path(sys.executable).with_name("schemathesis")
    program = str(beside) if beside.exists() else shutil.which("schemathesis")
    if program is None:
        pytest.skip("no schemathesis (`uv tool install schemathesis` puts it on the PATH)")
    return program


@pytest.fixture(scope="module")
def fuzzing(product: Product) -> Iterator[Caller]:
    """Return a caller of a separate tenant, because the fuzzer leaves much data behind."""
    with product.caller(product.create_account("Fuzzer")) as caller:
        yield caller


def test_nothing_that_the_document_describes_ends_in_a_server_error_or_in_what_it_does_not_describe(
    fuzzer: str, product: Product, fuzzing: Caller, tmp_path: Path
) -> None:
    mine = Belongings.made_by(fuzzing, "a page for a stranger")
    settings = tmp_path / "schemathesis.toml"
    settings.write_text(_CONFIGURATION.format(mine=mine, nobody=Belongings.of_nobody(), checks=FUZZ_CHECKS))
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(fuzzing.get("/v1/openapi.json")))
    code, said = until_it_ends(
        [
            fuzzer,
            f"--config-file={settings}",
            "run",
            str(document),
            f"--url={product.running.url}",
            f"--header=Authorization: Bearer {fuzzing.key}",
            f"--checks={','.join(CHECKS)}",
            "--phases=examples,coverage,fuzzing",
            f"--max-examples={EXAMPLES}",
            f"--seed={SEED}",
            "--request-timeout=60",
            "--generation-database=none",
            "--continue-on-failure",
            "--max-failures=50",
            "--no-color",
        ],
        tmp_path,
    )
    assert code == 0, said


def until_it_ends(command: list[str], folder: Path, limit_s: float = LIMIT_S) -> tuple[int, str]:
    """Run the command, and return its exit code and the end of its output. A command that is not done in time is
    stopped and reports what it has found.
    """
    env = os.environ | {"PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as asking:
        try:
            said, _ = asking.communicate(timeout=limit_s)
            return asking.returncode, said[-LAST:]
        except subprocess.TimeoutExpired:
            asking.send_signal(signal.SIGINT)
        try:
            said, _ = asking.communicate(timeout=TELLING_S)
        except subprocess.TimeoutExpired:
            asking.kill()
            said, _ = asking.communicate()
        return NOT_DONE, f"not done in {limit_s:g} s, and stopped:\n{said[-LAST:]}"


def test_whoever_is_not_done_in_time_is_stopped_and_tells_what_it_had_found(tmp_path: Path) -> None:
    patient = 'trap "echo a fault; exit 1" INT; echo begun; while :; do sleep 0.1; done'
    code, said = until_it_ends(["sh", "-c", patient], tmp_path, limit_s=2)
    assert (code, said) == (NOT_DONE, "not done in 2 s, and stopped:\nbegun\na fault\n")
