"""URLs for paying."""

from django.urls import path

from tenants.billing.dashboard.payments import card_views, views

urlpatterns = [
    path("payments", views.payment_list, name="payments"),
    path("payments/<str:payment_id>", views.payment_page, name="payment"),
    path("top-up", views.top_up, name="top_up"),
    path("invoices/<str:invoice_id>/pay", views.pay_invoice, name="pay_invoice"),
    path("card", card_views.saved_card, name="saved_card"),
    path("card/save", card_views.save_card, name="save_card"),
    path("card/use", card_views.use_card, name="use_card"),
    path("card/remove", card_views.remove_card, name="remove_card"),
]
