"""Tests of the Python client as this service gives it to pip."""

import io
import tomllib
import zipfile

from django.test import Client


def test_anybody_gets_the_client_as_pip_wants_it(client: Client) -> None:
    answer = client.get("/client.zip")
    assert answer.headers["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    project = tomllib.loads(archive.read("maas-client/pyproject.toml").decode())["project"]
    assert project["name"] == "maas-client"
    names = archive.namelist()
    assert {"maas-client/maas_client/client.py", "maas-client/maas_client/cli/main.py"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


def test_who_has_it_already_is_sent_nothing(client: Client) -> None:
    known = client.get("/client.zip").headers["ETag"]
    assert client.get("/client.zip", headers={"If-None-Match": known}).status_code == 304
