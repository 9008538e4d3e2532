import pytest

from jobs.webhooks.patterns import EVENT_TYPES, is_known, wants


def test_every_end_of_a_job_is_an_event() -> None:
    assert set(EVENT_TYPES) == {
        "job.succeeded",
        "job.partially_succeeded",
        "job.failed",
        "job.canceled",
        "job.expired",
    }


@pytest.mark.parametrize(
    ("patterns", "wanted"),
    [
        (["*"], True),
        (["job.*"], True),
        (["job.failed", "job.succeeded"], True),
        (["job.failed"], False),
        (["job.succeed"], False),
        ([], False),
    ],
)
def test_a_pattern_fits_by_its_beginning_and_a_name_as_a_whole(patterns: list[str], wanted: bool) -> None:
    assert wants(patterns, "job.succeeded") is wanted


@pytest.mark.parametrize("pattern", ["", "job", "job.su*", "jobs.*", "page.done", "**"])
def test_a_pattern_that_fits_nothing_is_not_known(pattern: str) -> None:
    assert not is_known(pattern)
