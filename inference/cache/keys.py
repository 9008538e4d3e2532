"""Compute the key under which a result is cached. A key cannot be computed or guessed without the installation's
secret.
"""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from inference.core.contracts import Json

LABEL = b"maas:results:1"
"""The label of the keys. If its number is changed, older entries are no longer found."""
MAX_FAMILIES = 2_000
"""The most families that are remembered, because the same ones are needed again and again. If there are more, all are
forgotten.
"""


@dataclass(frozen=True, slots=True)
class Holder:
    """The owner of results. No two owners ever have the same key."""

    tenant_id: UUID
    generation: int
    """The generation, which grows when the tenant's results are erased."""
    livemode: bool
    """True for live mode. A result that a test key has run for free does not answer calls that are paid for."""


@dataclass(frozen=True, slots=True)
class Family:
    """The secret that is common to all results that differ only in their input."""

    secret: bytes

    def key(self, input_digest: bytes) -> bytes:
        return hmac.digest(self.secret, input_digest, "sha256")


class EntryKeys:
    def __init__(self, secret: str) -> None:
        """Derive the keys from `secret`, which is a secret that the installation has anyway and does not change."""
        self._secret = hmac.digest(secret.encode(), LABEL, "sha256")
        self._families: dict[tuple[Holder, str, str, str], Family] = {}

    @property
    def seal(self) -> bytes:
        """Return the secret with which entries are sealed."""
        return hmac.digest(self._secret, b"seal", "sha256")

    def family(self, holder: Holder, digest: str, parameters: Mapping[str, Json], kind: str) -> Family:
        """Return the family of results. `digest` is that of the model version, and `parameters` has the defaults filled
        in.
        """
        # The parameters are compared by their text: 1, 1.0 and True are equal in Python, but not the same to a model.
        asked = (holder, digest, repr(parameters), kind)
        found = self._families.get(asked)
        if found is None:
            if len(self._families) >= MAX_FAMILIES:
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
