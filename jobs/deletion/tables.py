"""Lists every table with rows of a tenant: those that a deletion empties, in order, and those that are kept."""

from inference.registry import erasing
from jobs.search.services import EMBEDDINGS

FIRST = ("tenants_invitation", "tenants_modellimit", "tenants_apikey")
"""The tables that are emptied first, so that no credential works any more."""

ROWS = (
    "jobs_webhookattempt",
    "jobs_webhookdelivery",
    "jobs_webhookmessage",
    "jobs_webhooksecret",
    "jobs_webhookendpoint",
    "jobs_pagetext",
    "jobs_jobtoindex",
    "jobs_pagetoembed",
    "jobs_correction",
    "jobs_fieldvalue",
    "jobs_ownfieldexample",
    "jobs_ownfield",
    "jobs_classifiedjob",
    "jobs_classexample",
    "jobs_classsetversion",
    "jobs_classset",
    "jobs_event",
    "jobs_eventhorizon",
    "jobs_heldkey",
    "jobs_idempotencykey",
    "jobs_fairshare",
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
"""The order in which tables are emptied: pointing rows before their targets, counted rows before their counts."""

MODELS = tuple(table._meta.db_table for table in erasing.ORDER)
"""The tables of models, which the registry empties after those of jobs, because jobs name versions."""

WHERE_KEPT = (EMBEDDINGS,)
"""The tables that do not exist in every installation."""

LAST = ("tenants_membership",)
"""The tables that are emptied at the end, together with the name of the account."""

ORDERS = ("jobs_filetoerase",)
"""The tables with the names of files that are still to be erased. Their rows are deleted when that is done."""

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
    "tenants_ledgerday",
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
"""The tables that are kept, append-only: they prove what was used, charged and paid, and who did what."""

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
