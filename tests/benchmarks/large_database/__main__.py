"""Fills a database, prints its address and how large it is, and keeps it until Ctrl-C.

Run from the repository's root: python -m tests.benchmarks.large_database [pages] [calls a job].
"""

import signal
import sys

from tests.benchmarks.large_database.database import large_database
from tests.benchmarks.large_database.filling import Size, sizes

PAGES = 1_000_000


def main() -> None:
    pages, calls = (int(value) for value in (*sys.argv[1:], *(str(PAGES), "10")[len(sys.argv) - 1 :]))
    with large_database(Size(pages, calls)) as database:
        print(*sizes(database.superuser_url), sep="\n")
        print(database.superuser_url)
        print(
            *(f"{name}={value}" for name, value in database.environment.items() if name.startswith("MAAS_")), sep="\n"
        )
        print("tenant", database.tenant_id, "key", database.key, flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
