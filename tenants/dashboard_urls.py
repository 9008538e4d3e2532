"""URLs of sign-in and sign-out, and of the dashboard about keys, usage and requests."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from tenants.billing.dashboard import budgets
from tenants.billing.dashboard.usage import views as usage
from tenants.dashboard.accounts.views import sign_in
from tenants.dashboard.audit import views as audit
from tenants.dashboard.keys import views as keys
from tenants.dashboard.log import views as log
from tenants.dashboard_base.switching import stop_acting, switch_tenant
from tenants.deletion.views import delete_tenant, keep_tenant

urlpatterns = [
    path("sign-in", sign_in, name="sign-in"),
    path("sign-in", sign_in, name="account_login"),
    path("", include("tenants.dashboard.accounts.urls")),
    path("", include("tenants.dashboard.people.urls")),
    path("", include("tenants.billing.dashboard.urls")),
    path("tenant", switch_tenant, name="switch-tenant"),
    path("tenant/delete", delete_tenant, name="delete-tenant"),
    path("tenant/keep", keep_tenant, name="keep-tenant"),
    path("stop-acting", stop_acting, name="stop-acting"),
    path("sign-out", LogoutView.as_view(http_method_names=["post"]), name="sign-out"),
    path("keys", keys.key_list, name="key-list"),
    path("keys/new", keys.new_key, name="new-key"),
    path("keys/<str:key_id>/rotate", keys.rotate, name="rotate-key"),
    path("keys/<str:key_id>/keep-to", keys.keep_to, name="keep-key-to"),
    path("keys/<str:key_id>/revoke", keys.revoke, name="revoke-key"),
    path("budgets", budgets.budgets, name="budgets"),
    path("budgets/<str:budget_id>/remove", budgets.remove_budget, name="remove-budget"),
    path("usage", usage.usage_page, name="usage"),
    path("usage/day", usage.usage_day, name="usage-day"),
    path("usage.csv", usage.usage_csv, name="usage-csv"),
    path("audit", audit.audit_log, name="audit-log"),
    path("audit.csv", audit.audit_csv, name="audit-csv"),
    path("log", log.request_log, name="request-log"),
    path("log/<str:entry_id>", log.request_page, name="logged-request"),
]
