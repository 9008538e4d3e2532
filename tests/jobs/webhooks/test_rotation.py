"""Test that receivers miss no message if they change over while a secret is replaced."""

from jobs.webhooks import services

from .conftest import Post, Receiver


def test_while_a_secret_is_rotated_both_sign(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    rotated = services.rotate_secret(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    post.ended_job()
    post.send_due()
    (got,) = receiver.got
    assert got.is_signed_with(made.secret)
    assert got.is_signed_with(rotated.secret)
    assert len(got.headers["webhook-signature"].split(" ")) == 2


def test_a_day_later_only_the_new_secret_signs(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    rotated = services.rotate_secret(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    post.sql(
        "UPDATE jobs_webhooksecret SET ends_at = ends_at - interval '24 hours' WHERE ends_at IS NOT NULL"
    )
    post.ended_job()
    post.send_due()
    (got,) = receiver.got
    assert (got.is_signed_with(made.secret), got.is_signed_with(rotated.secret)) == (False, True)


def test_a_third_secret_ends_the_first_at_once(post: Post, receiver: Receiver) -> None:
    made = post.endpoint(receiver)
    for _ in range(2):
        services.rotate_secret(identity=post.desk.identity, endpoint_id=made.endpoint.id)
    post.ended_job()
    post.send_due()
    (got,) = receiver.got
    assert not got.is_signed_with(made.secret)
