"""URLs of sign-in through other services."""

from django.urls import path

from tenants.dashboard.accounts.people_only import people_only
from tenants.dashboard.accounts.sign_on import (
    SignUpThrough,
    come_back,
    connect_there,
    connections,
    go_there,
    stopped,
    take_away,
)
from tenants.dashboard.sign_in.throttling import forgiven_away, throttled_away, throttled_mail

_OWN = "account/sign-on"

urlpatterns = [
    path("sign-in/with/<str:provider_id>", throttled_away(go_there), name="sign-on"),
    path("sign-in/with/<str:provider_id>/back", forgiven_away(come_back), name="sign-on-back"),
    path("sign-in/stopped", stopped, name="socialaccount_login_cancelled"),
    path("sign-up/through", throttled_mail(SignUpThrough.as_view()), name="socialaccount_signup"),
    path(_OWN, people_only(connections), name="socialaccount_connections"),
    path(
        f"{_OWN}/<str:provider_id>/connect",
        people_only(throttled_away(connect_there)),
        name="connect-sign-on",
    ),
    path(f"{_OWN}/<str:provider_id>/remove", people_only(take_away), name="remove-sign-on"),
]
