"""URLs of models in the API."""

from django.urls import path

from inference.api.cache import Cache
from inference.api.models import ModelDetail, ModelList

urlpatterns = [
    path("cache", Cache.as_view(), name="api-cache"),
    path("models", ModelList.as_view(), name="api-models"),
    path("models/<str:name>", ModelDetail.as_view(), name="api-model"),
]
