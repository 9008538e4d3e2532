"""URLs of an account's balance and invoices."""

from django.urls import path

from tenants.billing.dashboard.overview import views

urlpatterns = [
    path("billing", views.billing_page, name="billing"),
    path("billing/upcoming", views.upcoming_part, name="upcoming_invoice"),
    path("billing/details", views.details_page, name="billing_details"),
    path("billing/invoices", views.invoice_list, name="invoices"),
    path("billing/invoices.csv", views.invoice_list_csv, name="invoices_csv"),
    path("billing/invoices/<str:invoice_id>", views.invoice_page, name="invoice"),
    path("billing/invoices/<str:invoice_id>/pdf", views.invoice_pdf, name="invoice_pdf"),
    path("billing/invoices/<str:invoice_id>/csv", views.invoice_csv, name="invoice_csv"),
    path("billing/invoices/<str:invoice_id>/json", views.invoice_json, name="invoice_json"),
]
