"""The sessions of a person, and ending them: pages, sockets and streams end within about a second."""

from collections.abc import Sequence

from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from tenants.accounts.models import User


@receiver(user_logged_in)
def note_session(request: HttpRequest, user: User, **kwargs: object) -> None:
    """Record a session for every kind of sign-in. The framework only records those of its own pages."""
    if not hasattr(request, "user"):  # a program, and no page, began the session
        request.user = user
    UserSession.objects.create_from_request(request)


def sessions_of(person: User) -> Sequence[UserSession]:
    """Return the sessions, newest first. Sessions that have expired are deleted."""
    found: list[UserSession] = UserSession.objects.purge_and_list(person)
    return sorted(found, key=lambda session: session.created_at, reverse=True)


def end_session(*, person: User, session_id: int) -> bool:
    """End a session. Return False if it is not the person's session, or has ended."""
    found = UserSession.objects.filter(user_id=person.pk, pk=session_id).first()
    if found is None:
        return False
    found.end()
    return True


def end_other_sessions(*, person: User, kept: str | None) -> int:
    others = list(UserSession.objects.filter(user_id=person.pk).exclude(session_key=kept or ""))
    for session in others:
        session.end()
    return len(others)
