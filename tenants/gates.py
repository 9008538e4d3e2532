"""The gates of accounts: limits, storage, money, outages, and the state of the web process."""

from django.utils.translation import gettext_lazy as _

from tenants.core.gates import FIXED, OUTAGE, Gate

GATES = (
    Gate(
        "rate_limits",
        "rate_limited",
        _("Requests, tokens and pages per minute, and calls at the same time"),
        _("account, key, and model of an account"),
        _(
            "Plan, account or key: limits; MAAS_REQUESTS_PER_MINUTE, MAAS_TOKENS_PER_MINUTE, "
            "MAAS_PAGES_PER_MINUTE, MAAS_CALLS_AT_ONCE"
        ),
    ),
    Gate(
        "test_allowance",
        "test_allowance_spent",
        _("Pages and calls per day with test keys"),
        _("account"),
        _("MAAS_TEST_PAGES_A_DAY, MAAS_TEST_CALLS_A_DAY"),
    ),
    Gate(
        "sign_in_attempts",
        "rate_limited",
        _("Attempts to sign in, and emails sent on request"),
        _("person and client IP"),
        FIXED,
    ),
    Gate("client_ip", "rate_limited", _("Unauthenticated requests"), _("client IP"), FIXED),
    Gate(
        "account_storage",
        "account_storage_full",
        _("Stored bytes"),
        _("account"),
        _("Plan or account: storage; MAAS_STORAGE_MB"),
    ),
    Gate("wallet", "insufficient_funds", _("Money of a prepaid account"), _("account"), _("Account: credit")),
    Gate("budget", "budget_exhausted", _("Money per month"), _("account or key"), _("Account: budgets")),
    Gate("api_keys", "too_many_keys", _("Active API keys"), _("account"), FIXED),
    Gate("open_invitations", "too_many_invitations", _("Open invitations"), _("account"), FIXED),
    Gate("metering", "metering_unavailable", _("Usage that could not be recorded"), _("everybody"), OUTAGE),
    Gate("mail", "mail_unavailable", _("Emails while none can be sent"), _("everybody"), _("MAAS_EMAIL_URL")),
    Gate(
        "payment_provider",
        "payment_provider_unavailable",
        _("Payments while the provider does not answer"),
        _("everybody"),
        OUTAGE,
    ),
    Gate(
        "request_threads",
        "overloaded",
        _("Requests that wait for a thread of the web process"),
        _("process"),
        _("MAAS_WEB_THREADS"),
    ),
    Gate(
        "draining",
        "restarting",
        _("Requests that arrive while the process stops"),
        _("process"),
        _("MAAS_DRAIN_S"),
    ),
    Gate(
        "database",
        "database_unavailable",
        _("Requests while PostgreSQL does not answer"),
        _("everybody"),
        OUTAGE,
    ),
    Gate(
        "cell",
        "cell_unreachable",
        _("Requests for another cell while it cannot be reached"),
        _("everybody"),
        OUTAGE,
    ),
    Gate(
        "forwarded_requests",
        "overloaded",
        _("Requests that are forwarded to another cell at the same time"),
        _("cell, key and client IP"),
        FIXED,
    ),
    Gate(
        "database_disk",
        "storage_unavailable",
        _("Writes while PostgreSQL has no disk space"),
        _("everybody"),
        OUTAGE,
    ),
)
