"""What is written down, under stable codes: `<kind>.<what was done>`. Pure."""

from collections.abc import Mapping

DEEDS: Mapping[str, str] = {
    "key.created": "created an API key",
    "key.rotated": "rotated an API key",
    "key.revoked": "revoked an API key",
    "key.changed": "changed an API key",
    "member.added": "added a member",
    "member.changed": "changed a member",
    "member.removed": "removed a member",
    "invitation.sent": "invited somebody",
    "invitation.sent_again": "sent an invitation again",
    "invitation.revoked": "took an invitation back",
    "model_limit.added": "set limits for a model",
    "model_limit.changed": "changed the limits of a model",
    "model_limit.removed": "removed the limits of a model",
    "tenant.created": "created the account",
    "tenant.changed": "changed the account's settings",
    "tenant.suspended": "suspended the account",
    "tenant.activated": "reactivated the account",
    "tenant.closing": "asked for the account to be deleted",
    "tenant.kept": "kept the account from being deleted",
    "tenant.erasing": "began to erase the account",
    "tenant.erased": "erased the account",
    "webhook_endpoint.created": "created a webhook endpoint",
    "webhook_endpoint.changed": "changed a webhook endpoint",
    "webhook_endpoint.deleted": "deleted a webhook endpoint",
    "webhook_secret.rotated": "replaced a webhook secret",
    "document.deleted": "deleted a document",
    "job.erased": "erased a job",
    "results.erased": "erased the kept results",
    "sign_on.connected": "can sign in through another service",
    "sign_on.removed": "can no longer sign in through another service",
    "sign_on.used": "signed in through another service",
    "impersonation.started": "began to act as a member",
    "impersonation.ended": "stopped acting as a member",
    "impersonation.wrote": "changed something as a member",
    "budget.set": "set a budget",
    "budget.removed": "removed a budget",
    "invoice.issued": "issued an invoice",
    "invoice.credited": "took back a part of an invoice",
    "invoice.written_off": "wrote off an invoice",
    "billing.changed": "changed the billing details",
    "operator.acted": "acted on something of the account",
}
"""In words that follow a name: “… created an API key”. Whoever writes down something new names it here."""

KINDS: Mapping[str, str] = {
    "key": "API keys",
    "member": "Members",
    "invitation": "Invitations",
    "model_limit": "Limits of models",
    "tenant": "The account",
    "webhook_endpoint": "Webhook endpoints",
    "webhook_secret": "Webhook secrets",
    "document": "Documents",
    "job": "Jobs",
    "results": "Kept results",
    "sign_on": "Signing in through others",
    "impersonation": "Operators as members",
    "budget": "Budgets",
    "invoice": "Invoices",
    "billing": "Billing details",
    "operator": "Operators",
}


def kind_of(deed: str) -> str:
    return deed.partition(".")[0]
