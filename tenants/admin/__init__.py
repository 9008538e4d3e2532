"""The operator's view of tenants, people, keys, usage, and of what operators did."""

from tenants.admin.accounts import MembershipAdmin, TenantAdmin
from tenants.admin.cells import CellChangeAdmin, DirectoryEntryAdmin
from tenants.admin.keys import ApiKeyAdmin
from tenants.admin.logs import AuditEntryAdmin, LogEntryAdmin
from tenants.admin.people import GroupAdmin, UserAdmin
from tenants.billing.admin.invoices import InvoiceAdmin
from tenants.billing.admin.payments import PaymentAdmin, ProviderEventAdmin
from tenants.billing.admin.sellers import BillingDetailsAdmin, SellerAdmin
from tenants.billing.admin.usage import UsageRecordAdmin
from tenants.billing.admin.wallets import LedgerDifferenceAdmin, LedgerTransactionAdmin, WalletAdmin

__all__ = [
    "ApiKeyAdmin",
    "AuditEntryAdmin",
    "BillingDetailsAdmin",
    "CellChangeAdmin",
    "DirectoryEntryAdmin",
    "GroupAdmin",
    "InvoiceAdmin",
    "LedgerDifferenceAdmin",
    "LedgerTransactionAdmin",
    "LogEntryAdmin",
    "MembershipAdmin",
    "PaymentAdmin",
    "ProviderEventAdmin",
    "SellerAdmin",
    "TenantAdmin",
    "UsageRecordAdmin",
    "UserAdmin",
    "WalletAdmin",
]
