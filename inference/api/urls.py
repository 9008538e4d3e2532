"""URLs of models in the API."""

from django.urls import path

from inference.api import aliases, model_work, samples, versions
from inference.api.cache import Cache
from inference.api.models import ModelDetail

urlpatterns = [
    path("cache", Cache.as_view(), name="api-cache"),
    path("models/<str:model>/versions/<int:number>", versions.VersionDetail.as_view(), name="api-model-version"),
    path(
        "models/<str:model>/versions/<int:number>/retire",
        versions.VersionRetirement.as_view(),
        name="api-model-version-retire",
    ),
    path(
        "models/<str:model>/versions/<int:number>/variants/<str:variant_id>",
        model_work.VariantDetail.as_view(),
        name="api-model-variant",
    ),
    path(
        "models/<str:model>/versions/<int:number>/variants/<str:variant_id>/use",
        model_work.VariantUse.as_view(),
        name="api-model-variant-use",
    ),
    path(
        "models/<str:model>/versions/<int:number>/variants/<str:variant_id>/refuse",
        model_work.VariantRefusal.as_view(),
        name="api-model-variant-refuse",
    ),
    path(
        "models/<str:model>/versions/<int:number>/optimize",
        model_work.Optimization.as_view(),
        name="api-model-optimize",
    ),
    path("models/<str:model>/samples", samples.SamplesOfModel.as_view(), name="api-model-samples"),
    path("models/<str:model>/aliases", aliases.AliasList.as_view(), name="api-model-aliases"),
    path("models/<str:model>/aliases/<str:alias>", aliases.AliasDetail.as_view(), name="api-model-alias"),
    path(
        "models/<str:model>/aliases/<str:alias>/history",
        aliases.AliasHistory.as_view(),
        name="api-model-alias-history",
    ),
    path(
        "models/<str:model>/aliases/<str:alias>/rollback",
        aliases.AliasRollback.as_view(),
        name="api-model-alias-rollback",
    ),
    path("models/<str:model>/tasks", model_work.TaskList.as_view(), name="api-model-tasks"),
    path("models/<str:model>/tasks/<str:task_id>", model_work.TaskDetail.as_view(), name="api-model-task"),
    path(
        "models/<str:model>/tasks/<str:task_id>/cancel", model_work.TaskCancel.as_view(), name="api-model-task-cancel"
    ),
    path("models/<str:model>", ModelDetail.as_view(), name="api-model"),
]
