"""Stores sessions in the database. A request finds only the session whose key it has, and cannot list or write them."""

from typing import Any

from django.contrib.sessions.backends import db

from tenants.core.db.unit_of_work import account_work

_FIND = "SELECT * FROM maas_session(%s)"


class SessionStore(db.SessionStore):
    def exists(self, session_key: str) -> bool:
        with account_work():
            return bool(super().exists(session_key))

    def save(self, must_create: bool = False) -> None:
        with account_work():
            super().save(must_create)

    def delete(self, session_key: str | None = None) -> None:
        with account_work():
            super().delete(session_key)

    @classmethod
    def clear_expired(cls) -> None:
        with account_work():
            super().clear_expired()

    def _get_session_from_db(self) -> Any:
        found = next(iter(self.model.objects.raw(_FIND, [self.session_key])), None)
        if found is None:
            self._session_key = None
        return found
