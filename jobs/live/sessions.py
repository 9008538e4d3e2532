"""Who is behind a session cookie, for the parts of the front that stand before Django."""

from importlib import import_module

from django.conf import settings
from django.contrib import auth
from django.http import HttpRequest

from tenants.api.authentication import signed_in_identity
from tenants.identity import Identity


def identify_session(session_key: str) -> Identity | None:
    """Synchronous; queries the database. None when the session is over or its person belongs to no tenant."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    request.user = auth.get_user(request)
    return signed_in_identity(request)
