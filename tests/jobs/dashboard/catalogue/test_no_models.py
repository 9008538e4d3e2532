"""Test what the page shows without models. It renders the template, because the tests' database always has some."""

from django.template.loader import render_to_string


def test_an_empty_catalogue_says_what_to_do() -> None:
    assert "manage.py models add" in render_to_string("jobs/catalogue/model_list.html", {"models": []})
