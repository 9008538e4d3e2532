"""A TLS server of our own, and a client that finds it where a name says it is."""

import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tenants.core.http_client.receiver import OK, Receiver
from tests.tenants.core.http_client.world import HOST, World


def certificate(folder: Path, name: str) -> Path:
    """Create a key and a self-signed certificate in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl (apt-get install openssl)")
    path = folder / f"{name}.pem"
    made = subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
            "-keyout", "-", "-out", "-",
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    path.write_bytes(made.stdout)
    return path


@pytest.fixture(scope="session")
def own_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("certificate"), HOST)


@pytest.fixture
def receiver(own_certificate: Path) -> Iterator[Callable[..., Receiver]]:
    """Yield a function that starts receivers. They send what a test gives them, each with the certificate of HOST."""
    started: list[Receiver] = []

    def start(*pieces: bytes, plain: bool = False, **options: Any) -> Receiver:
        tls = None if plain else ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if tls is not None:
            tls.load_cert_chain(own_certificate)
        started.append(Receiver(pieces or (OK,), tls, **options))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def world(receiver: Callable[..., Receiver], own_certificate: Path) -> Callable[..., World]:
    return lambda *pieces, **options: World(receiver(*pieces, **options), own_certificate)
