"""Addresses of an account's own affairs in the API."""

from django.urls import path

from tenants.api.usage import UsageExport, UsageList

urlpatterns = [
    path("usage", UsageList.as_view(), name="api-usage"),
    path("usage/export", UsageExport.as_view(), name="api-usage-export"),
]
