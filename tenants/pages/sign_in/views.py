"""The page on which people sign in."""

from django.contrib.auth.views import LoginView
from django.utils.decorators import method_decorator

from tenants.pages.sign_in.forms import SignInForm
from tenants.pages.sign_in.throttling import throttled_sign_in


@method_decorator(throttled_sign_in, name="dispatch")
class SignIn(LoginView):
    template_name = "tenants/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True
