"""The page on which people see their sessions and end them."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tenants.accounts.browsers import browser_words
from tenants.accounts.models import User
from tenants.accounts.sessions import end_other_sessions, end_session, sessions_of


@require_safe
def session_list(request: HttpRequest) -> HttpResponse:
    rows = [
        {
            "id": session.pk,
            "browser": browser_words(session.user_agent),
            "ip": session.ip,
            "since": session.created_at,
            "here": session.session_key == request.session.session_key,
        }
        for session in sessions_of(_person(request))
    ]
    return render(request, "tenants/accounts/sessions.html", {"rows": rows})


@require_POST
def end_one(request: HttpRequest, session_id: int) -> HttpResponse:
    if not end_session(person=_person(request), session_id=session_id):
        raise Http404("This session does not exist or has ended.")
    messages.success(request, _("Session ended."))
    return redirect("sessions")


@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    ended = end_other_sessions(person=_person(request), kept=request.session.session_key)
    messages.success(request, f"{ended} other sessions ended." if ended != 1 else "The other session ended.")
    return redirect("sessions")


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
