"""URLs of the API for the account itself."""

from django.urls import path

from tenants.api.audit import AuditLog
from tenants.billing.api import balance, invoices
from tenants.billing.api.provider_events import StripeEvents
from tenants.billing.api.usage import UsageExport, UsageList

urlpatterns = [
    path("balance", balance.BalanceList.as_view(), name="api-balance"),
    path("audit", AuditLog.as_view(), name="api-audit"),
    path("invoices", invoices.InvoiceList.as_view(), name="api-invoices"),
    path("invoices/export", invoices.InvoiceExport.as_view(), name="api-invoices-export"),
    path("invoices/upcoming", invoices.UpcomingInvoices.as_view(), name="api-invoices-upcoming"),
    path("invoices/<str:invoice_id>", invoices.InvoiceDetail.as_view(), name="api-invoice"),
    path("invoices/<str:invoice_id>/pdf", invoices.InvoicePdf.as_view(), name="api-invoice-pdf"),
    path("invoices/<str:invoice_id>/csv", invoices.InvoiceCsv.as_view(), name="api-invoice-csv"),
    path("payments/stripe/events", StripeEvents.as_view(), name="api-stripe-events"),
    path("usage", UsageList.as_view(), name="api-usage"),
    path("usage/export", UsageExport.as_view(), name="api-usage-export"),
]
