"""Checks that Schemathesis loads in its process. No test imports this file, as the library takes a second."""

from typing import Any

import schemathesis

from tests.clients.server_faults import fault


@schemathesis.serializer("application/offset+octet-stream")
def bytes_of_an_upload(_context: object, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.check
def fault_of_the_server(_context: object, response: Any, _case: object) -> None:
    """Replace `not_a_server_error`, which counts a refusal under load as a fault."""
    said = fault(response.status_code, response.headers.get("retry-after") or (), response.content)
    if said is not None:
        raise AssertionError(said)
