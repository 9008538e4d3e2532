"""Every address that Django answers; the edge answers health, metrics and websockets before it."""

from django.contrib import admin
from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from maas.not_found import api_not_found

READING = ["get", "head"]

urlpatterns = [
    path("v1/openapi.json", SpectacularJSONAPIView.as_view(http_method_names=READING), name="openapi"),
    path(
        "v1/docs",
        SpectacularSwaggerSplitView.as_view(url_name="openapi", http_method_names=READING),
        name="api-docs",
    ),
    path("v1/", include("inference.api.urls")),
    path("v1/", include("jobs.api.urls")),
    re_path(r"^v1(/.*)?$", api_not_found),
    path("admin/", admin.site.urls),
    path("", include("tenants.pages.urls")),
    path("", include("jobs.pages.urls")),
]
handler400 = "maas.not_found.bad_request"
handler404 = "maas.not_found.not_found"
handler500 = "maas.not_found.server_error"
