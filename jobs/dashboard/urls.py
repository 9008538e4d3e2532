"""URLs of the dashboard's pages about jobs."""

from django.urls import path

from jobs.dashboard.archives import views as archives
from jobs.dashboard.batches import views as batches
from jobs.dashboard.catalog import views as catalog
from jobs.dashboard.classes import views as classes
from jobs.dashboard.listing import bulk_views as bulk
from jobs.dashboard.listing import views as listing
from jobs.dashboard.listing.field_files import field_file
from jobs.dashboard.own_fields import drafts, fields
from jobs.dashboard.own_models import actions as own_model_actions
from jobs.dashboard.own_models import views as own_models
from jobs.dashboard.quickstart.views import quickstart
from jobs.dashboard.reading import views as reading
from jobs.dashboard.reading.checks import checks
from jobs.dashboard.webhooks import views as webhooks
from tenants.dashboard_base.home import home

urlpatterns = [
    path("", home, name="home"),
    path("jobs", listing.job_list, name="job-list"),
    path("jobs/archive", bulk.job_archive, name="job-archive"),
    path("jobs/bulk/add-to-class", classes.add_to_class, name="add-to-class"),
    path("jobs/bulk/cancel", bulk.bulk_cancel, name="bulk-cancel"),
    path("jobs/bulk/consequences", bulk.bulk_consequences, name="bulk-consequences"),
    path("jobs/bulk/delete", bulk.bulk_delete, name="bulk-delete"),
    path("jobs/bulk/erase", bulk.bulk_erase, name="bulk-erase"),
    path("jobs/bulk/erasure", bulk.bulk_erasure, name="bulk-erasure"),
    path("jobs/bulk/retry", bulk.bulk_retry, name="bulk-retry"),
    path("jobs/fields", field_file, name="field-file"),
    path("jobs/of-page", reading.job_of_page, name="job-of-page"),
    path("jobs/<str:job_id>", reading.job_page, name="job-page"),
    path("jobs/<str:job_id>/checks", checks, name="job-checks"),
    path("jobs/<str:job_id>/erase", reading.erase, name="job-erase"),
    path("jobs/<str:job_id>/cancel", reading.cancel, name="job-cancel"),
    path("jobs/<str:job_id>/read-again", reading.read_again, name="job-read-again"),
    path("jobs/<str:job_id>/retry", reading.retry, name="job-retry"),
    path("quickstart", quickstart, name="quickstart"),
    path("archives", archives.archive_list, name="archive-list"),
    path("archives/<str:archive_id>", archives.archive_page, name="archive"),
    path("archives/<str:archive_id>/cancel", archives.archive_cancel, name="archive-cancel"),
    path("batches", batches.batch_list, name="batch-list"),
    path("batches/<str:batch_id>/cancel", batches.batch_cancel, name="batch-cancel"),
    path("classes", classes.class_list, name="class-list"),
    path("classes/<str:class_set>", classes.class_set_page, name="class-set"),
    *(
        path(
            f"classes/<str:class_set>/{action}",
            classes.class_set_action,
            {"action": action},
            name=f"class-set-{action}",
        )
        for action in classes.ACTIONS
    ),
    path("fields", fields.field_list, name="field-list"),
    path("fields/new", drafts.new_field, name="new-field"),
    path("fields/point", drafts.point_at, name="field-point"),
    path("fields/try", drafts.try_draft, name="field-try"),
    path("fields/examples", drafts.add_to_field, name="field-add-example"),
    path("fields/apply", fields.apply_piece, name="field-apply"),
    path("fields/<str:field_id>", fields.field_page, name="field"),
    path("fields/<str:field_id>/delete", fields.delete, name="field-delete"),
    path(
        "fields/<str:field_id>/examples/<str:example_id>/delete",
        fields.delete_one_example,
        name="field-example-delete",
    ),
    path("own-models/new", own_models.new_model, name="own-model-new"),
    path("own-models/<str:model>", own_models.model_page, name="own-model"),
    path("own-models/<str:model>/versions/<int:number>", own_models.version_page, name="own-version"),
    path("own-models/<str:model>/history", own_models.history_page, name="own-model-history"),
    *(
        path(
            f"own-models/<str:model>/{action}",
            own_model_actions.model_action,
            {"action": action},
            name=f"own-model-{action}",
        )
        for action in own_model_actions.ACTIONS
    ),
    path("models", catalog.model_list, name="model-list"),
    path("models/<str:name>", catalog.model_page, name="model-page"),
    path("models/<str:name>/code", catalog.model_code, name="model-code"),
    path("webhooks", webhooks.webhook_list, name="webhook-list"),
    path("webhooks/new", webhooks.new_webhook, name="new-webhook"),
    path("webhooks/deliveries/<str:delivery_id>/replay", webhooks.webhook_replay, name="webhook-replay"),
    path("webhooks/<str:endpoint_id>", webhooks.webhook_page, name="webhook"),
    path("webhooks/<str:endpoint_id>/rotate", webhooks.webhook_rotate, name="webhook-rotate"),
    *(
        path(
            f"webhooks/<str:endpoint_id>/{action}",
            webhooks.webhook_action,
            {"action": action},
            name=f"webhook-{action}",
        )
        for action in webhooks.ACTIONS
    ),
]
