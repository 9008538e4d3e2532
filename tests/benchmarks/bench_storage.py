"""Measure the cost of counting everything that is stored: the triggers' share of the database's time for writing it.

The times are those that the database itself reports for statements that write 500 rows each. Run from the repository's
root: python -m tests.benchmarks.bench_storage.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.circumstances import circumstances
from tests.kept_cluster import PROJECT
from tests.live_stack import LiveStack

QUIET = {"MAAS_LOG_LEVEL": "WARNING"}
MEASURE = """
import json, statistics
from django.db import connections
from jobs.core.models import Document
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import create_tenant
tenant = create_tenant(name="Bench", email="bench@example.com", password="").tenant.id
TURNS, ROWS = 5, 500
with unit_of_work(tenant):
    first = Document.objects.create(tenant_id=tenant, name="a.pdf", sha256="a", size_bytes=1, content_type="text/plain",
                                    kind="text", pages_total=1, file="none")
STORE = '''EXPLAIN (ANALYZE, FORMAT JSON) INSERT INTO jobs_document
SELECT (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'sha256', gen_random_uuid()::text))).*
FROM jobs_document d, generate_series(1, %s) WHERE d.id = %s'''
whole, counting = [], []
for turn in range(TURNS + 1):
    with unit_of_work(tenant), connections[APP].cursor() as cursor:
        cursor.execute(STORE, [ROWS, first.id])
        found = cursor.fetchone()[0]
        (said,) = found if isinstance(found, list) else json.loads(found)
    if turn:
        mine = [one["Time"] for one in said["Triggers"] if one["Trigger Name"].startswith("count_bytes")]
        whole.append(said["Execution Time"] / ROWS * 1000)
        counting.append(sum(mine) / ROWS * 1000)
share = statistics.median(part / all for part, all in zip(counting, whole))
print(f"ROW | a document | {statistics.median(whole):.0f} | {statistics.median(counting):.0f} | {share:.0%} |")
"""


def main() -> None:
    print(circumstances(), flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="bench-storage-") as folder,
        LiveStack(Path(folder) / "var", variables=QUIET) as stack,
    ):
        home = stack.wait_until_ready().home
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", MEASURE]
        env = {**os.environ, **QUIET, "MAAS_HOME": str(home)}
        said = subprocess.run(command, cwd=PROJECT, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    print("\n| microseconds each | all of it | counting | its share, median of 5 |\n|---|--|--|--|")
    print("\n".join(line.removeprefix("ROW ") for line in said.splitlines() if line.startswith("ROW ")))


if __name__ == "__main__":
    main()
