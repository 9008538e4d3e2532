"""Tests of the page of an account's own pipeline, as members of the account see it."""

from pathlib import Path

from django.test import Client

from tests.fixtures import unique
from tests.inference.pipelines.declarations import save_colors
from tests.inference.registry.test_own_pipelines import declare
from tests.inference.registry.test_uploads import added
from tests.jobs.conftest import Desk
from tests.jobs.dashboard.conftest import html


def test_the_page_shows_the_steps_as_a_picture_and_as_a_list(member: Client, desk: Desk, tmp_path: Path) -> None:
    owner, colors, name = desk.identity.tenant_id, unique("colors"), unique("sorter")
    added(owner, save_colors(tmp_path / "colors.onnx"), colors)
    declare(owner, {"colors": f"{colors}@1"}, name=name)
    for address in (f"/own-models/{name}", f"/own-models/{name}/versions/1"):
        page = html(member, address)
        assert 'aria-labelledby="graph-title graph-desc"' in page
        assert f"<strong>scores</strong>: {colors}@1 from picture" in page
        assert "<strong>output</strong> from best" in page
    assert 'class="graph"' not in html(member, f"/own-models/{colors}")
