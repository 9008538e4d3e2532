"""Under which key a result is kept: none can be made, or guessed, without the installation's secret."""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from inference.contracts import Json

LABEL = b"maas:results:1"
"""Another number, and no entry of before is found any more."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose results: nobody else's key is ever the same."""

    tenant_id: UUID
    generation: int
    """Counted up when the tenant's results are erased."""
    livemode: bool
    """What a test key has run for nothing does not answer those who pay."""


@dataclass(frozen=True, slots=True)
class Family:
    """What results have in common that differ by their input alone."""

    secret: bytes

    def key(self, input_digest: bytes) -> bytes:
        return hmac.digest(self.secret, input_digest, "sha256")


class EntryKeys:
    def __init__(self, secret: str) -> None:
        """`secret`: one that the installation has anyway, and keeps."""
        self._secret = hmac.digest(secret.encode(), LABEL, "sha256")

    @property
    def seal(self) -> bytes:
        """What entries are sealed with."""
        return hmac.digest(self._secret, b"seal", "sha256")

    def family(self, holder: Holder, digest: str, parameters: Mapping[str, Json], kind: str) -> Family:
        """`digest`: of the model version. `parameters`: with defaults filled in."""
        said = json.dumps(
            [str(holder.tenant_id), holder.generation, holder.livemode, digest, parameters, kind],
            sort_keys=True,
            separators=(",", ":"),
        )
        return Family(hmac.digest(self._secret, said.encode(), "sha256"))
