"""Paths of documents and jobs in the API."""

from django.urls import path

from jobs.api import (
    archives,
    batches,
    documents,
    estimates,
    events,
    exports,
    jobs,
    limits,
    payments,
    uploads,
    webhooks,
)

urlpatterns = [
    path("documents", documents.DocumentList.as_view(), name="api-documents"),
    path("documents/<str:document_id>", documents.DocumentDetail.as_view(), name="api-document"),
    path(
        "documents/<str:document_id>/pages/<int:number>/picture",
        documents.PagePicture.as_view(),
        name="api-page-picture",
    ),
    path("jobs", jobs.JobList.as_view(), name="api-jobs"),
    path("jobs/<str:job_id>", jobs.JobDetail.as_view(), name="api-job"),
    path("jobs/<str:job_id>/result", jobs.JobResult.as_view(), name="api-job-result"),
    path("jobs/<str:job_id>/result.txt", exports.ResultText.as_view(), name="api-result-text"),
    path("jobs/<str:job_id>/result.md", exports.ResultMarkdown.as_view(), name="api-result-markdown"),
    path("jobs/<str:job_id>/result.json", exports.ResultJson.as_view(), name="api-result-json"),
    path("jobs/<str:job_id>/result.pdf", exports.ResultPdf.as_view(), name="api-result-pdf"),
    path("jobs/<str:job_id>/pages", jobs.JobPages.as_view(), name="api-job-pages"),
    path("jobs/<str:job_id>/pages/<int:number>", jobs.JobPage.as_view(), name="api-job-page"),
    path("jobs/<str:job_id>/events", jobs.JobEvents.as_view(), name="api-job-events"),
    path("jobs/<str:job_id>/cancel", jobs.JobCancel.as_view(), name="api-job-cancel"),
    path("jobs/<str:job_id>/retry", jobs.JobRetry.as_view(), name="api-job-retry"),
    path("events", events.TenantEvents.as_view(), name="api-events"),
    path("files", batches.FileList.as_view(), name="api-files"),
    path("files/<str:file_id>", batches.FileDetail.as_view(), name="api-file"),
    path("files/<str:file_id>/content", batches.FileContent.as_view(), name="api-file-content"),
    path("uploads", uploads.UploadList.as_view(), name="api-uploads"),
    path("uploads/<str:upload_id>", uploads.UploadDetail.as_view(), name="api-upload"),
    path("batches", batches.BatchList.as_view(), name="api-batches"),
    path("batches/<str:batch_id>", batches.BatchDetail.as_view(), name="api-batch"),
    path("batches/<str:batch_id>/cancel", batches.BatchCancel.as_view(), name="api-batch-cancel"),
    path("archives", archives.ArchiveList.as_view(), name="api-archives"),
    path("archives/<str:archive_id>", archives.ArchiveDetail.as_view(), name="api-archive"),
    path("archives/<str:archive_id>/entries", archives.ArchiveEntries.as_view(), name="api-archive-entries"),
    path("archives/<str:archive_id>/cancel", archives.ArchiveCancel.as_view(), name="api-archive-cancel"),
    path("estimate", estimates.Estimates.as_view(), name="api-estimate"),
    path("limits", limits.LimitList.as_view(), name="api-limits"),
    path("payments", payments.PaymentList.as_view(), name="api-payments"),
    path("payments/<str:payment_id>", payments.PaymentDetail.as_view(), name="api-payment"),
    path("tickets", events.TicketList.as_view(), name="api-tickets"),
    path("webhooks/endpoints", webhooks.EndpointList.as_view(), name="api-webhook-endpoints"),
    path(
        "webhooks/endpoints/<str:endpoint_id>", webhooks.EndpointDetail.as_view(), name="api-webhook-endpoint"
    ),
    path(
        "webhooks/endpoints/<str:endpoint_id>/rotate",
        webhooks.EndpointRotation.as_view(),
        name="api-webhook-rotate",
    ),
    path(
        "webhooks/endpoints/<str:endpoint_id>/test", webhooks.EndpointTest.as_view(), name="api-webhook-test"
    ),
    path(
        "webhooks/endpoints/<str:endpoint_id>/replay",
        webhooks.EndpointReplay.as_view(),
        name="api-webhook-replay",
    ),
    path("webhooks/secret", webhooks.OwnSecret.as_view(), name="api-webhook-secret"),
    path("webhooks/secret/rotate", webhooks.OwnSecretRotation.as_view(), name="api-webhook-secret-rotate"),
    path("webhooks/deliveries", webhooks.DeliveryList.as_view(), name="api-webhook-deliveries"),
    path(
        "webhooks/deliveries/<str:delivery_id>",
        webhooks.DeliveryDetail.as_view(),
        name="api-webhook-delivery",
    ),
    path(
        "webhooks/deliveries/<str:delivery_id>/replay",
        webhooks.DeliveryReplay.as_view(),
        name="api-delivery-replay",
    ),
]
