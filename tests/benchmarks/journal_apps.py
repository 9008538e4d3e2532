"""The whole front with a key that needs no database, with and without its request log. bench_journal compares them."""

from uuid import uuid4

from tests.benchmarks.front_apps import front as with_journal  # sets up Django, before models

# isort: split
from maas.web.front import Front
from maas.web.guard.journal import Journal, Note
from tenants.authentication.selectors import effective_limits
from tenants.identity.identity import SCOPES, Identity

IDENTITY = Identity(uuid4(), effective_limits(), frozenset(SCOPES))


class FixedKeys:
    def known(self, text: str) -> Identity:
        return IDENTITY


class NoJournal(Journal):
    def close(self, note: Note) -> None:
        pass


without_journal = Front.from_settings()
for one in (with_journal, without_journal):
    one._guarded._keys = FixedKeys()  # type: ignore[assignment]
without_journal._guarded._journal.__class__ = NoJournal
