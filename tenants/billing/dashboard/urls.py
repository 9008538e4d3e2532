"""URLs of an account's balance and invoices, and for paying."""

from django.urls import path

from tenants.billing.dashboard.overview import views
from tenants.billing.dashboard.payments import views as payments

urlpatterns = [
    path("billing", views.billing_page, name="billing"),
    path("billing/upcoming", views.upcoming_part, name="upcoming_invoice"),
    path("billing/details", views.details_page, name="billing_details"),
    path("billing/invoices", views.invoice_list, name="invoices"),
    path("billing/invoices.csv", views.invoice_list_csv, name="invoices_csv"),
    path("billing/invoices/<str:invoice_id>", views.invoice_page, name="invoice"),
    *(
        path(f"billing/invoices/<str:invoice_id>/{kind}", views.invoice_file, {"kind": kind}, f"invoice_{kind}")
        for kind in ("pdf", "csv", "json")
    ),
    path("billing/invoices/<str:invoice_id>/pay", payments.pay_invoice, name="pay_invoice"),
    path("billing/payments", payments.payment_list, name="payments"),
    path("billing/payments/<str:payment_id>", payments.payment_page, name="payment"),
    path("billing/top-up", payments.top_up, name="top_up"),
    path("billing/card", payments.card_page, name="saved_card"),
    path("billing/card/save", payments.save_card, name="save_card"),
    path("billing/card/use", payments.use_card, name="use_card"),
    path("billing/card/remove", payments.remove_card, name="remove_card"),
]
