"""Addresses of models in the API."""

from django.urls import path

from inference.api.models import ModelDetail, ModelList

urlpatterns = [
    path("models", ModelList.as_view(), name="api-models"),
    path("models/<str:name>", ModelDetail.as_view(), name="api-model"),
]
