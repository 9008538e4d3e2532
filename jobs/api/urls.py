"""Addresses of documents and jobs in the API."""

from django.urls import path

from jobs.api import documents, jobs, tickets

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
    path("jobs/<str:job_id>/pages", jobs.JobPages.as_view(), name="api-job-pages"),
    path("jobs/<str:job_id>/pages/<int:number>", jobs.JobPage.as_view(), name="api-job-page"),
    path("jobs/<str:job_id>/events", jobs.JobEvents.as_view(), name="api-job-events"),
    path("jobs/<str:job_id>/cancel", jobs.JobCancel.as_view(), name="api-job-cancel"),
    path("jobs/<str:job_id>/retry", jobs.JobRetry.as_view(), name="api-job-retry"),
    path("tickets", tickets.TicketList.as_view(), name="api-tickets"),
]
