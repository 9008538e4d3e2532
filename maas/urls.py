"""The addresses that Django serves. Health, metrics and websockets are served before it."""

from django.contrib import admin
from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularSwaggerSplitView

from maas.local.demo.first_job import read_sample, sample_page
from maas.ops.admin.cells_page import cells, cells_live
from maas.ops.admin.engine_page import engine, engine_live
from maas.ops.admin.gates_page import gates
from maas.ops.admin.scaling_page import scaling, scaling_live
from maas.ops.admin.simulation_page import simulation, simulation_json, simulation_live
from maas.ops.admin.views import live
from maas.web.errors.error_pages import api_not_found
from maas.web.errors.reference.views import error_code
from maas.web.offline.views import favicon, offline_page, service_worker
from maas.web.openapi_document import OpenAPIDocument, client_archive
from tenants.dashboard.accounts.second_factors import operators_door

READING = ["get", "head"]

urlpatterns = [
    path("v1/openapi.json", OpenAPIDocument.as_view(), name="openapi"),
    path(
        "v1/docs",
        SpectacularSwaggerSplitView.as_view(url_name="openapi", http_method_names=READING),
        name="api-docs",
    ),
    path("v1/", include("inference.api.urls")),
    path("v1/", include("jobs.api.urls")),
    path("v1/", include("tenants.api_urls")),
    re_path(r"^v1(/.*)?$", api_not_found),
    path("admin/live/", admin.site.admin_view(live), name="admin-live"),
    path("admin/engine/", admin.site.admin_view(engine), name="admin-engine"),
    path("admin/gates/", admin.site.admin_view(gates), name="admin-gates"),
    path("admin/engine/live/", admin.site.admin_view(engine_live), name="admin-engine-live"),
    path("admin/scaling/", admin.site.admin_view(scaling), name="admin-scaling"),
    path("admin/scaling/live/", admin.site.admin_view(scaling_live), name="admin-scaling-live"),
    path("admin/cells/", admin.site.admin_view(cells), name="admin-cells"),
    path("admin/cells/live/", admin.site.admin_view(cells_live), name="admin-cells-live"),
    path("admin/simulation/", admin.site.admin_view(simulation), name="admin-simulation"),
    path("admin/simulation/live/", admin.site.admin_view(simulation_live), name="admin-simulation-live"),
    path("admin/simulation/results.json", admin.site.admin_view(simulation_json), name="admin-simulation-json"),
    path("admin/login/", operators_door),
    path("admin/", admin.site.urls),
    path("errors/<str:code>", error_code, name="error-code"),
    path("offline", offline_page, name="offline"),
    path("service-worker.js", service_worker, name="service-worker"),
    path("client.zip", client_archive, name="client-archive"),
    path("favicon.ico", favicon, name="favicon"),
    path("sample", read_sample, name="read-sample"),
    path("sample/page", sample_page, name="sample-page"),
    path("", include("tenants.dashboard_urls")),
    path("", include("jobs.dashboard.urls")),
]
handler400 = "maas.web.errors.error_pages.bad_request"
handler403 = "maas.web.errors.error_pages.forbidden"
handler404 = "maas.web.errors.error_pages.not_found"
handler500 = "maas.web.errors.error_pages.server_error"
