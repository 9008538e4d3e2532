"""Every model of this app, for Django. The code imports each model from the package that it belongs to."""

from tenants.accounts.models import Invitation, Membership, Tenant, User
from tenants.api_keys.models import ApiKey
from tenants.audit.models import AuditEntry
from tenants.billing.invoices.models import (
    BillingDetails,
    ClosedMonth,
    Invoice,
    InvoiceLine,
    NumberSeries,
    Seller,
)
from tenants.billing.ledger.included_models import IncludedHold, IncludedPool, IncludedUse
from tenants.billing.ledger.models import (
    Budget,
    BudgetAlert,
    LedgerDay,
    LedgerDifference,
    LedgerEntry,
    LedgerTransaction,
    Wallet,
)
from tenants.billing.payments.models import Payment, ProviderCustomer, ProviderEvent, Refund
from tenants.billing.usage.models import UsageDay, UsageMonth, UsageRecord, UsageTotal
from tenants.cells.models import CellChange, CellExport, DirectoryEntry, PeerCell, ReplicatedPart
from tenants.limits.models import ModelLimit
from tenants.limits.quota.models import StoredBytes
from tenants.plans.models import ChosenLimits, Plan, PlanIncluded, PlanPrice, Subscription, TenantPrice
from tenants.tiers.models import Tier

__all__ = [
    "ApiKey",
    "AuditEntry",
    "BillingDetails",
    "Budget",
    "BudgetAlert",
    "CellChange",
    "CellExport",
    "ChosenLimits",
    "ClosedMonth",
    "DirectoryEntry",
    "IncludedHold",
    "IncludedPool",
    "IncludedUse",
    "Invitation",
    "Invoice",
    "InvoiceLine",
    "LedgerDay",
    "LedgerDifference",
    "LedgerEntry",
    "LedgerTransaction",
    "Membership",
    "ModelLimit",
    "NumberSeries",
    "Payment",
    "PeerCell",
    "Plan",
    "PlanIncluded",
    "PlanPrice",
    "ProviderCustomer",
    "ProviderEvent",
    "Refund",
    "ReplicatedPart",
    "Seller",
    "StoredBytes",
    "Subscription",
    "Tenant",
    "TenantPrice",
    "Tier",
    "UsageDay",
    "UsageMonth",
    "UsageRecord",
    "UsageTotal",
    "User",
    "Wallet",
]
