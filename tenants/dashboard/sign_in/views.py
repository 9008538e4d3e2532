"""The page on which people sign in."""

from allauth.account.views import LoginView

from tenants.dashboard.sign_in.throttling import throttled_sign_in

sign_in = throttled_sign_in(LoginView.as_view(template_name="tenants/sign_in.html"))
