"""The digest that identifies the content of a version. It is the same in every installation."""

import hashlib
import json
from collections.abc import Mapping


def version_digest(
    *,
    runtime: str,
    artifacts: Mapping[str, str],
    config: Mapping[str, object],
    steps: Mapping[str, str],
) -> str:
    """Return the digest of a version.

    `artifacts` maps roles to the SHA-256 of their files. `steps` maps roles to the digests of their members.
    """
    identity = {
        "runtime": runtime,
        "artifacts": dict(artifacts),
        "config": dict(config),
        "steps": dict(steps),
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
