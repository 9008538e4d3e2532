"""Addresses of an account's own affairs in the API."""

from django.urls import path

from tenants.billing.api.provider_events import StripeEvents
from tenants.billing.api.usage import UsageExport, UsageList

urlpatterns = [
    path("payments/stripe/events", StripeEvents.as_view(), name="api-stripe-events"),
    path("usage", UsageList.as_view(), name="api-usage"),
    path("usage/export", UsageExport.as_view(), name="api-usage-export"),
]
