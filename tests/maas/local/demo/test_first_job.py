"""The sample scan that a person can have read with one click."""

import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from django.db import connections
from django.test import Client
from PIL import Image

from inference.registry.models import ModelVersion, ServedModel
from jobs.core.models import Document, Job
from maas.local.demo.first_job import NAME
from tenants.accounts.models import Membership
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant


@pytest.fixture
def member(client: Client, tenant: CreatedTenant, parse: None) -> Client:
    client.force_login(tenant.owner)
    return client


@pytest.fixture
def parse(version: ModelVersion) -> None:
    with operator_work():
        if not ServedModel.objects.filter(name="parse").exists():
            ServedModel.objects.filter(id=version.served_model_id).update(name="parse")


def test_the_sample_is_stored_and_read_like_any_document(member: Client, tenant: CreatedTenant) -> None:
    answer = member.post("/sample")
    with unit_of_work(tenant.tenant.id):
        job, document = Job.objects.get(), Document.objects.get()
    assert answer.headers["Location"] == f"/jobs/{job.id}"
    assert (document.name, document.pages_total, job.document_id) == (NAME, 3, document.id)


def test_a_second_click_opens_the_first_job_and_costs_nothing(member: Client, tenant: CreatedTenant) -> None:
    addresses = {member.post("/sample").headers["Location"] for _ in range(2)}
    assert len(addresses) == 1
    with unit_of_work(tenant.tenant.id):
        assert Job.objects.count() == 1


def test_clicks_at_the_same_time_open_one_job(member: Client, tenant: CreatedTenant) -> None:
    together = threading.Barrier(4)

    def click(_: int) -> str:
        client = Client()
        client.cookies = member.cookies
        together.wait(20)
        try:
            return client.post("/sample").headers["Location"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as clicking:
        addresses = set(clicking.map(click, range(4)))
    with unit_of_work(tenant.tenant.id):
        assert addresses == {f"/jobs/{Job.objects.get().id}"}


def test_a_viewer_may_not(member: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        Membership.objects.filter(user=tenant.owner).update(role=Membership.Role.VIEWER)
    assert member.post("/sample").status_code == 403


def test_it_takes_a_click_and_not_a_link(member: Client) -> None:
    assert member.get("/sample").status_code == 405


def test_anybody_gets_a_page_as_a_picture(client: Client) -> None:
    answer = client.get("/sample/page")
    assert answer["Content-Type"] == "image/jpeg"
    assert Image.open(BytesIO(answer.content)).size == (1240, 1754)
