"""A stranger who reads the OpenAPI document and then sends all that it allows, and much that it does not."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.caller import Caller
from tests.flows.product import Product
from tests.isolation.belongings import Belongings

SEED = 20261122
EXAMPLES = int(os.environ.get("MAAS_TEST_FUZZ_EXAMPLES", "3"))
"""Random requests to an operation; those at the edges of what is described come on top, and are always the same."""
LIMIT_S = 900
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "negative_data_rejection",
    "unsupported_method",
)
ENDLESS = "/v1/events"
"""A stream that lasts as long as its reader."""
_CONFIGURATION = """
[[operations]]
include-method = "DELETE"
parameters = {{ "path.document_id" = "{nobody.document_id}", "path.file_id" = "{nobody.file_id}" }}

[parameters]
"path.document_id" = "{mine.document_id}"
"path.job_id" = "{mine.job_id}"
"path.file_id" = "{mine.file_id}"
"path.batch_id" = "{mine.batch_id}"
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
    """Of a tenant of its own, as it leaves much behind."""
    with product.caller(product.create_account("Fuzzer")) as caller:
        yield caller


def test_nothing_that_the_document_describes_ends_in_a_server_error_or_in_what_it_does_not_describe(
    fuzzer: str, product: Product, fuzzing: Caller, tmp_path: Path
) -> None:
    mine = Belongings.made_by(fuzzing, "a page for a stranger")
    settings = tmp_path / "schemathesis.toml"
    settings.write_text(_CONFIGURATION.format(mine=mine, nobody=Belongings.of_nobody()))
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(fuzzing.get("/v1/openapi.json")))
    asked = subprocess.run(
        [
            fuzzer,
            f"--config-file={settings}",
            "run",
            str(document),
            f"--url={product.running.url}",
            f"--header=Authorization: Bearer {fuzzing.key}",
            f"--exclude-path={ENDLESS}",
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
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert asked.returncode == 0, asked.stdout[-20_000:] + asked.stderr[-2000:]
