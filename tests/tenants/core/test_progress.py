"""Tests of what an operator sees of a command that takes long."""

from io import StringIO

from django.core.management.base import BaseCommand

from tenants.core.progress import Progress, progress_of


def test_a_stage_is_told_at_once_and_its_steps_once_a_second() -> None:
    lines: list[str] = []
    now = [100.0]
    progress = Progress(lines.append, lambda: now[0])
    progress.stage("copying")
    for step in range(25):
        now[0] += 0.125
        progress.within(f"{step + 1} copied")
    assert lines == ["copying", "8 copied", "16 copied", "24 copied"]


def test_lines_go_to_standard_error_without_color_and_nowhere_with_verbosity_0() -> None:
    heard = StringIO()
    command = BaseCommand(stderr=heard)
    progress_of(command, {"verbosity": 1}).stage("copying")
    progress_of(command, {"verbosity": 0}).stage("and again")
    assert heard.getvalue() == "copying\n"
