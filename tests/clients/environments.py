"""Install published packages in separate environments, so that their dependencies do not interfere with those of the
product.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.benchmarks.peers.environments import NotInstalled, made_environment
from tests.flows.product import Account, Product

CACHE = Path(os.environ.get("MAAS_TEST_CLIENTS_CACHE") or Path.home() / ".cache" / "maas-clients")
PROGRAMS = Path(__file__).parent / "programs"
TIMEOUT_S = 120


@dataclass(frozen=True)
class Stranger:
    """A program that gets an address and a key, and uses a published package as its documentation says."""

    python: Path
    program: Path

    def play(self, product: Product, account: Account) -> subprocess.CompletedProcess[str]:
        told = {
            "MAAS_URL": product.running.url,
            "MAAS_GRPC": f"127.0.0.1:{product.service('MAAS_GRPC_PORT')}",
            "MAAS_API_KEY": account.key,
        }
        return subprocess.run(
            [str(self.python), str(self.program)],
            env={"PATH": os.environ["PATH"], "HOME": str(CACHE), **told},
            capture_output=True,
            check=False,
            text=True,
            timeout=TIMEOUT_S,
        )


def stranger(name: str, *requirements: str) -> Stranger:
    """Return the program. The test is skipped if its environment has not been made, which MAAS_TEST_MAKE_CLIENTS=1
    (`make clients`) does.
    """
    try:
        python = made_environment(CACHE, name, requirements, make=os.environ.get("MAAS_TEST_MAKE_CLIENTS") == "1")
    except NotInstalled as missing:
        pytest.skip(f"no {', '.join(requirements)} (`make clients` installs them): {missing}")
    return Stranger(python, PROGRAMS / f"{name}.py")
