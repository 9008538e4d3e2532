"""Addresses of the pages about jobs."""

from django.urls import path
from django.views.generic import RedirectView

from jobs.pages import views

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="job-list"), name="home"),
    path("jobs", views.job_list, name="job-list"),
    path("jobs/<str:job_id>", views.job_page, name="job-page"),
]
