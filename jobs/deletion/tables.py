"""Every table with rows of a tenant: which are emptied when it is deleted, in which order, and which are kept."""

from jobs.search.embeddings_table import TABLE as EMBEDDINGS

FIRST = ("tenants_invitation", "tenants_modellimit", "tenants_apikey")
"""Before all else: nobody comes in any more."""

ROWS = (
    "jobs_webhookattempt",
    "jobs_webhookdelivery",
    "jobs_webhookmessage",
    "jobs_webhooksecret",
    "jobs_webhookendpoint",
    "jobs_pagetext",
    "jobs_jobtoindex",
    "jobs_event",
    "jobs_eventhorizon",
    "jobs_heldkey",
    "jobs_idempotencykey",
    "jobs_turn",
    "jobs_page",
    "jobs_job",
    "jobs_documentpage",
    "jobs_document",
    "jobs_archiveentry",
    "jobs_archive",
    "jobs_batchtask",
    "jobs_batch",
    "jobs_storedfile",
    "jobs_uploadpiece",
    "jobs_resumableupload",
    "tenants_storedbytes",
    "tenants_providercustomer",
)
"""In this order: what points at something goes before it, and what is counted before its count."""

WHERE_KEPT = (EMBEDDINGS,)
"""Not in every installation."""

LAST = ("tenants_membership",)
"""With the account's name, at its end."""

ORDERS = ("jobs_filetoerase",)
"""Names of files that are still to be erased: they go once that is done."""

KEPT = (
    "tenants_auditentry",
    "tenants_billingdetails",
    "tenants_budget",
    "tenants_budgetalert",
    "tenants_closedmonth",
    "tenants_includedhold",
    "tenants_includedpool",
    "tenants_includeduse",
    "tenants_invoice",
    "tenants_invoiceline",
    "tenants_ledgerdifference",
    "tenants_ledgerentry",
    "tenants_ledgertransaction",
    "tenants_payment",
    "tenants_refund",
    "tenants_subscription",
    "tenants_tenantprice",
    "tenants_usageday",
    "tenants_usagemonth",
    "tenants_usagerecord",
    "tenants_usagetotal",
    "tenants_wallet",
)
"""What was used, what it cost and was paid, and who did what: money and its proof, append-only."""

TO_OTHERS_OF_ITS_KIND = {"jobs_job": "retry_of_id", "tenants_apikey": "replaces_id"}
"""Columns that name another row of the same table."""
FILES = {
    "jobs_document": ("file",),
    "jobs_documentpage": ("picture",),
    "jobs_archive": ("file",),
    "jobs_storedfile": ("file",),
    "jobs_batchtask": ("input", "output", "errors"),
    "jobs_uploadpiece": ("name",),
}
"""Columns that name files: each is ordered to be erased in the transaction that deletes its row."""
