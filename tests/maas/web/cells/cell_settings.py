"""The settings of two cells for tests."""

from tenants.cells.reading import written
from tenants.cells.signatures import public_key_of

SECRETS = {"eu": b"e" * 32, "us": b"u" * 32}
KEYS = ",".join(f"{name}={written(public_key_of(secret))}" for name, secret in SECRETS.items())


def cell_variables(name: str, cells: str) -> dict[str, str]:
    return {
        "MAAS_CELL": name,
        "MAAS_CELLS": cells,
        "MAAS_CELL_KEYS": KEYS,
        "MAAS_CELL_SECRET": written(SECRETS[name]),
    }
