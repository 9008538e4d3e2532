"""Test that receivers miss no message if they change over while a secret is replaced."""

import pytest

from jobs.webhooks import services

from .conftest import Post, Receiver


@pytest.mark.parametrize(
    ("rotations", "hours", "signs"),
    [(1, 0, [True, True]), (1, 24, [False, True]), (2, 0, [False, True, True])],
    ids=["both sign at first", "the new one signs a day later", "a third ends the first at once"],
)
def test_a_rotated_secret_signs_for_a_day_or_until_the_next_rotation(
    post: Post, receiver: Receiver, rotations: int, hours: int, signs: list[bool]
) -> None:
    made = post.endpoint(receiver)
    secrets = [made.secret]
    for _ in range(rotations):
        rotated = services.rotate_secret(identity=post.desk.identity, endpoint_id=made.endpoint.id)
        secrets.append(rotated.secret)
    post.sql(f"UPDATE jobs_webhooksecret SET ends_at = ends_at - interval '{hours} hours' WHERE ends_at IS NOT NULL")
    post.ended_job()
    post.send_due()
    (got,) = receiver.got
    assert [got.is_signed_with(secret) for secret in secrets] == signs
    assert len(got.headers["webhook-signature"].split(" ")) == sum(signs)
