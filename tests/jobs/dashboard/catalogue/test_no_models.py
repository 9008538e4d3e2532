"""What stands where no model is served: seen on the template, since the tests' database always has models."""

from django.template.loader import render_to_string


def test_an_empty_catalogue_says_what_to_do() -> None:
    assert "manage.py models add" in render_to_string("jobs/catalogue/model_list.html", {"models": []})
