"""What it costs that each thing stored is counted: rows written with the triggers that count, and without, in turns.

On one product's database, with nothing else asked of it. Run from the repository's root:
python -m tests.benchmarks.bench_storage.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.circumstances import circumstances
from tests.live_stack import LiveStack
from tests.services import PROJECT

QUIET = {"MAAS_LOG_LEVEL": "WARNING"}
MEASURE = """
import statistics, time
from django.db import connections
from jobs.models import Document
from tenants.context import unit_of_work
from tenants.ids import uuid7
from tenants.services import create_tenant
tenant = create_tenant(name="Bench", email="bench@example.com", password="").tenant.id
TURNS, ROWS = 7, 60
def document():
    fields = {"name": "a.pdf", "size_bytes": 1000, "content_type": "application/pdf", "kind": "pdf", "file": "none"}
    return Document(tenant_id=tenant, sha256=uuid7().hex, pages_total=1, **fields)
def store():
    for _ in range(ROWS):
        with unit_of_work(tenant):
            document().save(force_insert=True)
def together():
    with unit_of_work(tenant):
        Document.objects.bulk_create([document() for _ in range(ROWS)])
def counting(on):
    with connections["owner"].cursor() as cursor:
        for trigger in ("count_bytes_in", "count_bytes_out", "count_bytes"):
            cursor.execute(f"ALTER TABLE jobs_document {'ENABLE' if on else 'DISABLE'} TRIGGER {trigger}")
for name, deed in (("a document in a transaction of its own", store), ("one of 60 documents in a statement", together)):
    took = {True: [], False: []}
    for turn in range(TURNS + 1):
        for on in (True, False) if turn % 2 else (False, True):
            counting(on)
            begun_s = time.perf_counter()
            deed()
            if turn:
                took[on].append((time.perf_counter() - begun_s) / ROWS * 1e6)
    counting(True)
    ratio = statistics.median(a / b for a, b in zip(took[True], took[False]))
    middle = [statistics.median(took[on]) for on in (False, True)]
    print(f"ROW | {name} | {middle[0]:.0f} | {middle[1]:.0f} | x{ratio:.2f} |")
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
        said = subprocess.run(
            command, cwd=PROJECT, env=env, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    print("\n| microseconds each | without counting | with | ratio, median of 7 turns |\n|---|--|--|--|")
    print("\n".join(line.removeprefix("ROW ") for line in said.splitlines() if line.startswith("ROW ")))


if __name__ == "__main__":
    main()
