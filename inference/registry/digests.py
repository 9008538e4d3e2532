"""What makes a version what it is, as one number: the same wherever it is served."""

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
    """`artifacts` are roles and the SHA-256 of their files; `steps`, roles and the digests of their members."""
    identity = {
        "runtime": runtime,
        "artifacts": dict(artifacts),
        "config": dict(config),
        "steps": dict(steps),
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
