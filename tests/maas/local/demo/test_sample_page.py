"""Tests of the page of the sample scan that people get who try a model."""

from io import BytesIO

from django.test import Client
from PIL import Image


def test_anybody_gets_a_page_as_a_picture(client: Client) -> None:
    """Programs that are copied from the playground fetch it, and they are not signed in."""
    answer = client.get("/sample/page")
    assert answer["Content-Type"] == "image/jpeg"
    assert Image.open(BytesIO(answer.content)).size == (1240, 1754)
