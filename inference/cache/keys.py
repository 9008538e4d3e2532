"""Under which key a result is kept: none can be made, or guessed, without the installation's secret."""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from inference.core.contracts import Json

LABEL = b"maas:results:1"
"""Another number, and no entry of before is found any more."""
MOST_FAMILIES = 2_000
"""Remembered, as the same are asked for again and again. All are forgotten where there are more."""


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
        self._families: dict[tuple[Holder, str, str, str], Family] = {}

    @property
    def seal(self) -> bytes:
        """What entries are sealed with."""
        return hmac.digest(self._secret, b"seal", "sha256")

    def family(self, holder: Holder, digest: str, parameters: Mapping[str, Json], kind: str) -> Family:
        """`digest`: of the model version. `parameters`: with defaults filled in."""
        # As Python writes them: 1, 1.0 and True are equal to it, and are not the same to a model.
        asked = (holder, digest, repr(parameters), kind)
        found = self._families.get(asked)
        if found is None:
            if len(self._families) >= MOST_FAMILIES:
                self._families.clear()
            found = self._families[asked] = self._family(holder, digest, parameters, kind)
        return found

    def _family(self, holder: Holder, digest: str, parameters: Mapping[str, Json], kind: str) -> Family:
        said = json.dumps(
            [str(holder.tenant_id), holder.generation, holder.livemode, digest, parameters, kind],
            sort_keys=True,
            separators=(",", ":"),
        )
        return Family(hmac.digest(self._secret, said.encode(), "sha256"))
