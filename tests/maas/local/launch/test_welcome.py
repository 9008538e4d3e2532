"""Tests that a newcomer can paste the commands that are shown."""

import shlex
from pathlib import Path

from maas.local.launch.readiness import curl_line


def test_curl_line_survives_a_folder_with_a_space() -> None:
    line = curl_line("http://127.0.0.1:8000", Path("/home/a b/var/sample.pdf"), "maas_live_x")
    words = shlex.split(line)
    assert "file=@/home/a b/var/sample.pdf" in words
    assert "Authorization: Bearer maas_live_x" in words
    assert words[-1] == "http://127.0.0.1:8000/v1/jobs"
