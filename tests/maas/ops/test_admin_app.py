"""Tests that the admin's pages are loaded where they are shown or checked, and nowhere else."""

import subprocess
import sys

import pytest

from tests.kept_cluster import PROJECT

ARE_READ = "import sys; print('jobs.admin.jobs' in sys.modules)"


@pytest.mark.parametrize(
    "does", ["from django.urls import reverse; reverse('admin:jobs_job_changelist')", "import maas.asgi"]
)
def test_pages_are_read_by_whoever_shows_them(does: str) -> None:
    code = f"import django; django.setup(); {ARE_READ}; {does}; {ARE_READ}"
    ended = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert ended.stdout.split()[-2:] == ["False", "True"]


def test_a_mistake_in_a_page_is_found_by_the_checks_of_a_process_that_shows_none() -> None:
    code = (
        "import django; django.setup()\n"
        "from django.core.checks import run_checks\n"
        "import jobs.admin.jobs as page\n"
        "page.JobAdmin.list_display = ('no_such_column',)\n"
        "print([one.id for one in run_checks(tags=['admin'])])"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert "admin.E108" in ended.stdout
